// SPDX-License-Identifier: Apache-2.0
// Workloads with randomly numbered nodes: irreg and nbf, whose lists are mutual, and the cells of cfd.
//
// Mutual lists of k partners are k / 2 permutations: thread t refers to its image and its preimage under permutation j.
// For a periodic grid these are shifts to the nearest nodes, for random lists random cycles, which no order can
// cluster.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "layouts/access_generators.hpp"

namespace evenly::layouts {
namespace {

enum class list_kind { geometric, random };

struct grid_place {
  int x, y, z;
};

/// The nodes of a periodic grid of side^3 places, by their numbers.
class numbered_grid {
 public:
  numbered_grid(int side, std::uint64_t seed)
      : side_(side), numbers_(random_numbers(std::int64_t{side} * side * side, seed)) {}

  int side() const { return side_; }
  int number(grid_place at) const {
    const auto in = [&](int i) { return (i % side_ + side_) % side_; };
    return numbers_[(static_cast<std::size_t>(in(at.z)) * side_ + in(at.y)) * side_ + in(at.x)];
  }
  /// Calls visit(place) for all places.
  template <class Visit> void for_each(const Visit& visit) const {
    for (int z = 0; z < side_; ++z)
      for (int y = 0; y < side_; ++y)
        for (int x = 0; x < side_; ++x) visit(grid_place{x, y, z});
  }

 private:
  int side_;
  std::vector<int> numbers_;
};

/// The `count` shortest shifts in ascending order, one of each pair of opposite shifts.
std::vector<grid_place> nearest_shifts(int count) {
  constexpr int reach = 5; // there are 665 shifts within this distance
  std::vector<grid_place> all;
  for (int z = 0; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x)
        if (z > 0 || y > 0 || (y == 0 && x > 0)) all.push_back({x, y, z});
  std::ranges::stable_sort(all, {}, [](const grid_place& s) { return s.x * s.x + s.y * s.y + s.z * s.z; });
  all.resize(static_cast<std::size_t>(count));
  return all;
}

struct mutual_lists {
  numbered_grid grid;
  std::uint64_t seed;
  access_workload made;
};

/// n=NODES,k=PARTNERS,lists=geometric|random,seed=SEED.
mutual_lists make_mutual(words_of_workload& words, std::int64_t nodes, int partners) {
  const std::int64_t n = words.whole("n", 27, 100'000'000, nodes);
  const auto k = static_cast<int>(words.whole("k", 2, 128, partners));
  const auto kind =
      words.choice<list_kind>("lists", {{"geometric", list_kind::geometric}, {"random", list_kind::random}});
  const std::uint64_t seed = seed_of(words);
  const auto side = static_cast<int>(std::llround(std::cbrt(static_cast<double>(n))));
  const std::int64_t cube = std::int64_t{side} * side * side;
  if (cube != n) words.fail(fmt::format("n must be a cube, as {} is", cube));
  if (k % 2 != 0) words.fail("k must be even, because lists are mutual");
  mutual_lists all{numbered_grid(side, seed), seed, {}};
  access_workload& made = all.made;
  made.shape = {.threads = n, .references = k, .elements = n};
  if (made.shape.total_references() > max_references)
    words.fail(fmt::format("{} references: at most {} are supported", made.shape.total_references(),
                           max_references));
  made.p.resize(static_cast<std::size_t>(made.shape.total_references()));
  const auto join = [&](int pair, int from, int to) {
    made.p[static_cast<std::size_t>(2 * pair * n + from)] = to;
    made.p[static_cast<std::size_t>((2 * pair + 1) * n + to)] = from;
  };
  if (kind == list_kind::random) {
    for (int pair = 0; pair < k / 2; ++pair) {
      std::vector<int> cycle(static_cast<std::size_t>(n));
      std::iota(cycle.begin(), cycle.end(), 0);
      generate::shuffle(
          cycle, generate::random_sequence(seed, generate::stream::edges, static_cast<std::uint64_t>(pair)));
      for (std::size_t i = 0; i < cycle.size(); ++i) join(pair, cycle[i], cycle[(i + 1) % cycle.size()]);
    }
    return all;
  }
  const std::vector<grid_place> shifts = nearest_shifts(k / 2);
  for (int pair = 0; pair < k / 2; ++pair) {
    const grid_place s = shifts[static_cast<std::size_t>(pair)];
    if (2 * std::max({std::abs(s.x), std::abs(s.y), s.z}) >= side)
      words.fail(fmt::format("k = {} is too large for {} nodes per side: a list would reach halfway around",
                             k, side));
    all.grid.for_each([&](grid_place at) {
      join(pair, all.grid.number(at), all.grid.number({at.x + s.x, at.y + s.y, at.z + s.z}));
    });
  }
  return all;
}

// ---- cfd: cubes of six tetrahedra each (Kuhn 1960), between walls ----

/// The corners of a cell, as places in a grid of side + 1 corners.
using tetrahedron = std::array<grid_place, 4>;

/// Calls visit(corners) for all cells, in the order of cubes. The six cells of a cube go from its first to its last
/// corner along the axes in each of the six orders, so that faces of neighbouring cubes match.
template <class Visit> void for_each_cell(int side, const Visit& visit) {
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        std::array<int, 3> axes{0, 1, 2};
        do {
          tetrahedron corners;
          std::array<int, 3> at{x, y, z};
          corners[0] = {at[0], at[1], at[2]};
          for (std::size_t i = 0; i < 3; ++i) {
            ++at[static_cast<std::size_t>(axes[i])];
            corners[i + 1] = {at[0], at[1], at[2]};
          }
          visit(corners);
        } while (std::ranges::next_permutation(axes).found);
      }
}

/// The outward normal of the face opposite to corner `f`; its length is the area of the face.
std::array<double, 3> outward_normal(const tetrahedron& of, std::size_t f) {
  const auto apart = [](grid_place a, grid_place b) {
    return std::array<double, 3>{static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y),
                                 static_cast<double>(b.z - a.z)};
  };
  const grid_place a = of[(f + 1) % 4], b = of[(f + 2) % 4], c = of[(f + 3) % 4];
  const auto u = apart(a, b), v = apart(a, c), in = apart(a, of[f]);
  std::array<double, 3> n{(u[1] * v[2] - u[2] * v[1]) / 2, (u[2] * v[0] - u[0] * v[2]) / 2,
                          (u[0] * v[1] - u[1] * v[0]) / 2};
  if (n[0] * in[0] + n[1] * in[1] + n[2] * in[2] > 0)
    for (double& each : n) each = -each;
  return n;
}

/// A face, identified by its corner numbers in ascending order, with its cell and its place in the cell.
struct cell_face {
  std::array<std::int64_t, 3> corners;
  int cell;
  int place;
};

} // namespace

access_workload make_irreg(words_of_workload& words) {
  mutual_lists all = make_mutual(words, 52 * 52 * 52, 14);
  all.made.use = access_use::differences;
  all.made.shape.element_bytes = sizeof(float);
  return std::move(all.made);
}

/// Atoms are within 0.3 of a grid place, so they do not overlap.
access_workload make_nbf(words_of_workload& words) {
  mutual_lists all = make_mutual(words, 51 * 51 * 51, 18);
  access_workload& made = all.made;
  made.use = access_use::charges;
  made.shape.element_bytes = sizeof(atom_position);
  made.box = static_cast<float>(all.grid.side());
  made.positions.resize(static_cast<std::size_t>(made.shape.threads));
  generate::random_sequence random(all.seed, generate::stream::values);
  const auto near = [&](int place) { return static_cast<float>(place + 0.5 + 0.3 * random.signed_unit()); };
  all.grid.for_each([&](grid_place at) {
    const float x = near(at.x), y = near(at.y), z = near(at.z);
    const float charge = (at.x + at.y + at.z) % 2 == 0 ? 1.0f : -1.0f;
    made.positions[static_cast<std::size_t>(all.grid.number(at))] = {x, y, z, charge};
  });
  return std::move(made);
}

access_workload make_cfd(words_of_workload& words) {
  const std::int64_t n = words.whole("n", 6, 100'000'000, 6 * 25 * 25 * 25);
  const std::uint64_t seed = seed_of(words);
  const auto side = static_cast<int>(std::llround(std::cbrt(static_cast<double>(n) / 6)));
  const std::int64_t cells = 6 * std::int64_t{side} * side * side;
  if (cells != n) words.fail(fmt::format("n must be six times a cube, as {} is", cells));
  const std::vector<int> numbers = random_numbers(n, seed);
  access_workload made;
  made.use = access_use::fluxes;
  made.shape = {.threads = n, .references = 4, .elements = n, .element_bytes = sizeof(gas_state)};
  made.p.resize(static_cast<std::size_t>(4 * n));
  made.faces.resize(made.p.size());

  std::vector<cell_face> faces;
  faces.reserve(made.p.size());
  std::size_t next = 0;
  for_each_cell(side, [&](const tetrahedron& cell) {
    const int number = numbers[next++];
    for (int f = 0; f < 4; ++f) {
      cell_face face{{}, number, f};
      for (std::size_t i = 0; i < 3; ++i) {
        const grid_place at = cell[(static_cast<std::size_t>(f) + 1 + i) % 4];
        face.corners[i] = (std::int64_t{at.z} * (side + 1) + at.y) * (side + 1) + at.x;
      }
      std::ranges::sort(face.corners);
      faces.push_back(face);
      const auto normal = outward_normal(cell, static_cast<std::size_t>(f));
      const auto place = static_cast<std::size_t>(f * n + number);
      made.p[place] = number;
      made.faces[place] = {static_cast<float>(normal[0]), static_cast<float>(normal[1]),
                           static_cast<float>(normal[2]), 1};
    }
  });
  std::ranges::sort(faces, {}, &cell_face::corners);
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
    if (faces[i].corners != faces[i + 1].corners) continue;
    const auto join = [&](const cell_face& from, const cell_face& to) {
      const auto place = static_cast<std::size_t>(from.place * n + from.cell);
      made.p[place] = to.cell;
      made.faces[place].w = 0;
    };
    join(faces[i], faces[i + 1]);
    join(faces[i + 1], faces[i]);
  }
  generate::random_sequence random(seed, generate::stream::values);
  made.gas.resize(static_cast<std::size_t>(n));
  for (gas_state& each : made.gas) {
    const auto around = [&](double middle, double reach) {
      return static_cast<float>(middle + reach * random.signed_unit());
    };
    each = {};
    each.density = around(1.4, 0.2);
    for (float& momentum : each.momentum) momentum = around(0.3, 0.2);
    each.energy = around(3, 0.3);
  }
  return made;
}

} // namespace evenly::layouts
