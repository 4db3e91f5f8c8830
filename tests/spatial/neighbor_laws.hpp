// SPDX-License-Identifier: Apache-2.0
// Neighbor lists against all pairs over all images, bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/spatial/neighbor_list.hpp"
#include "evenly/spatial/particles.hpp"
#include "support/messages.hpp"

namespace evenly::neighbor_laws {

template <class T> struct places {
  std::vector<T> x, y, z;
  spatial::point_view<T> view() const { return points_of(x, y, z); }
};

/// A list on the host.
template <class T> struct host_list {
  std::vector<std::int64_t> offsets{0};
  std::vector<int> indices;
  std::vector<std::uint32_t> shifts; ///< empty without periodic directions
  std::vector<T> distances, vectors;
};

/// By definition: all pairs and all shifts of at most `images` along periodic edges, in ascending order.
template <class T>
host_list<T> all_pairs(const places<T>& of, double cutoff, const spatial::neighbor_options& options,
                       int images) {
  spatial::pair_rule<T> rule{};
  rule.cutoff_squared = static_cast<T>(cutoff) * static_cast<T>(cutoff);
  std::array<int, 3> most{};
  if (options.box)
    for (std::size_t k = 0; k < 3; ++k) {
      if (options.box->periodic[k]) most[k] = images;
      for (std::size_t d = 0; d < 3; ++d) rule.edges[k][d] = static_cast<T>(options.box->edges[k][d]);
    }
  const bool has_shifts = most[0] + most[1] + most[2] > 0;
  struct image {
    std::array<int, 3> at;
    T offset[3];
  };
  std::vector<image> shifted;
  for (int a = -most[0]; a <= most[0]; ++a)
    for (int b = -most[1]; b <= most[1]; ++b)
      for (int c = -most[2]; c <= most[2]; ++c) {
        const auto shift = spatial::image_shift::of(a, b, c);
        EXPECT_TRUE(shift[0] == a && shift[1] == b && shift[2] == c);
        shifted.push_back({{a, b, c}, {rule.offset(shift, 0), rule.offset(shift, 1), rule.offset(shift, 2)}});
      }
  host_list<T> list;
  const int count = static_cast<int>(of.x.size());
  bool enough = true;
  for (int i = 0; i < count; ++i) {
    for (int j = options.half ? i : 0; j < count; ++j) {
      const auto p = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
      const T dx = of.x[q] - of.x[p], dy = of.y[q] - of.y[p], dz = of.z[q] - of.z[p];
      for (const image& s : shifted) {
        const T x = dx + s.offset[0], y = dy + s.offset[1], z = dz + s.offset[2];
        const T squared = rule.squared(x, y, z);
        if (!(squared < rule.cutoff_squared)) continue;
        const std::array none{0, 0, 0};
        if (i == j && (options.half ? s.at <= none : s.at == none)) continue;
        for (std::size_t k = 0; k < 3; ++k) enough = enough && (most[k] == 0 || std::abs(s.at[k]) < most[k]);
        list.indices.push_back(j);
        if (has_shifts) list.shifts.push_back(spatial::image_shift::of(s.at[0], s.at[1], s.at[2]).bits);
        if (options.distances) list.distances.push_back(std::sqrt(squared));
        if (options.vectors) list.vectors.insert(list.vectors.end(), {x, y, z});
      }
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.indices.size()));
  }
  EXPECT_TRUE(enough) << "too few images";
  return list;
}

template <class Executor, class T>
host_list<T> list_on(const Executor& exec, const places<T>& of, double cutoff,
                     const spatial::neighbor_options& options) {
  const auto x = to_executor(exec, of.x), y = to_executor(exec, of.y), z = to_executor(exec, of.z);
  const auto near = spatial::neighbor_list(exec, points_of(x, y, z), cutoff, options);
  host_list<T> list{to_host(exec, near.offsets()),
                    to_host(exec, near.indices()),
                    {},
                    to_host(exec, near.distances()),
                    to_host(exec, near.vectors())};
  for (const spatial::image_shift shift : to_host(exec, near.shifts())) list.shifts.push_back(shift.bits);
  return list;
}

template <class T> void expect_same(const host_list<T>& found, const host_list<T>& right) {
  ASSERT_EQ(found.offsets, right.offsets);
  EXPECT_TRUE(found.indices == right.indices);
  EXPECT_TRUE(found.shifts == right.shifts);
  EXPECT_TRUE(found.distances == right.distances);
  EXPECT_TRUE(found.vectors == right.vectors);
}

/// Uniform in a cube of side 1 at the origin, and `wrapped` cubes away in each direction at most.
template <class T> places<T> random_places(int count, double side, int wrapped = 0, std::uint64_t seed = 5) {
  detail::splitmix64 random(seed);
  places<T> made;
  for (int i = 0; i < count; ++i)
    for (auto* axis : {&made.x, &made.y, &made.z}) {
      const double fraction = static_cast<double>(random.next() >> 11) * 0x1p-53;
      const auto away =
          static_cast<double>(random.next() % static_cast<std::uint64_t>(2 * wrapped + 1)) - wrapped;
      axis->push_back(static_cast<T>(side * (fraction + away)));
    }
  return made;
}

/// A lattice of side^3 points on faces and corners of cells; many pairs are exactly `spacing` apart.
template <class T> places<T> lattice(int side, double spacing) {
  places<T> made;
  for (int a = 0; a < side; ++a)
    for (int b = 0; b < side; ++b)
      for (int c = 0; c < side; ++c) {
        made.x.push_back(static_cast<T>(spacing * a));
        made.y.push_back(static_cast<T>(spacing * b));
        made.z.push_back(static_cast<T>(spacing * c));
      }
  return made;
}

inline spatial::simulation_box triclinic(double side, bool a = true, bool b = true, bool c = true) {
  return {{{side, 0, 0}, {0.4 * side, 0.9 * side, 0}, {-0.3 * side, 0.5 * side, 1.1 * side}}, {a, b, c}};
}

/// The laws that do not need a reference: rows ascend; with (j, s) in row i, (i, -s) is in row j, unless it is half.
template <class T> void expect_laws(const host_list<T>& list) {
  const auto key = [&](std::size_t a) {
    return static_cast<std::uint64_t>(list.indices[a]) << 32 |
           (list.shifts.empty() ? spatial::image_shift::zero : list.shifts[a]);
  };
  for (std::size_t i = 0; i + 1 < list.offsets.size(); ++i)
    for (auto a = static_cast<std::size_t>(list.offsets[i]);
         a < static_cast<std::size_t>(list.offsets[i + 1]); ++a) {
      if (a > static_cast<std::size_t>(list.offsets[i])) {
        ASSERT_LT(key(a - 1), key(a));
      }
      const auto j = static_cast<std::size_t>(list.indices[a]);
      const std::uint64_t back = static_cast<std::uint64_t>(i) << 32 |
                                 (2 * spatial::image_shift::zero - static_cast<std::uint32_t>(key(a)));
      bool has = false;
      for (auto b = static_cast<std::size_t>(list.offsets[j]);
           b < static_cast<std::size_t>(list.offsets[j + 1]); ++b)
        has = has || key(b) == back;
      ASSERT_TRUE(has) << i << " is not a neighbor of its neighbor " << j;
    }
}

/// Every kind of box, in both precisions, full and half, with what is requested.
template <class T, class Executor> void expect_all_boxes(const Executor& exec, int count) {
  const auto check = [&](const char* name, const places<T>& of, double cutoff,
                         spatial::neighbor_options options, int images) {
    SCOPED_TRACE(name);
    expect_laws(list_on(exec, of, cutoff, options));
    for (const bool half : {false, true}) {
      options.half = half;
      options.distances = options.vectors = half;
      expect_same(list_on(exec, of, cutoff, options), all_pairs(of, cutoff, options, images));
    }
  };
  const auto uniform = random_places<T>(count, 10);
  const auto cube = spatial::simulation_box::orthorhombic(10, 10, 10);
  check("open", uniform, 2.1, {}, 0);
  check("orthorhombic", uniform, 2.1, {.box = cube}, 2);
  check("two cells", uniform, 4.9, {.box = cube}, 2);
  check("triclinic", uniform, 2.1, {.box = triclinic(10)}, 3);
  check("a slab", uniform, 3.3, {.box = triclinic(10, true, false, true)}, 3);
  check("a wire", uniform, 3.3, {.box = triclinic(10, false, false, true)}, 3);
  check("unwrapped", random_places<T>(count / 5, 10, 2), 2.1, {.box = cube}, 6);
  check("box smaller than the cutoff", random_places<T>(5, 1), 1.7,
        {.box = spatial::simulation_box::orthorhombic(1, 1.25, 0.75)}, 4);
  check("one point", random_places<T>(1, 1), 2.2, {.box = triclinic(1)}, 6);
  check("one point in the open", random_places<T>(1, 1), 2.2, {}, 0);
  check("none", {}, 1, {.box = cube}, 1);
  check("faces and corners", lattice<T>(4, 2.5), 2.5, {.box = cube}, 2);
  check("faces and corners, next length", lattice<T>(4, 2.5), 2.5001, {.box = cube}, 2);
  check("all in one place", {std::vector<T>(70, 3), std::vector<T>(70, 3), std::vector<T>(70, 3)}, 1,
        {.box = cube}, 1);
  auto cluster = random_places<T>(140, 1); // rows longer than are sorted in storage
  cluster.x.front() = 1000;
  check("a cluster", cluster, 1, {}, 0);
}

/// Rows of the nearest pairs, by definition.
template <class T> host_list<T> nearest_pairs(const host_list<T>& all, int nearest) {
  host_list<T> list;
  for (std::size_t i = 0; i + 1 < all.offsets.size(); ++i) {
    std::vector<std::size_t> row;
    for (auto a = static_cast<std::size_t>(all.offsets[i]); a < static_cast<std::size_t>(all.offsets[i + 1]);
         ++a)
      row.push_back(a);
    const auto squared = [&](std::size_t a) {
      const T* const d = all.vectors.data() + 3 * a;
      return spatial::pair_rule<T>::squared(d[0], d[1], d[2]);
    };
    std::ranges::stable_sort(row, {}, squared);
    row.resize(std::min(row.size(), static_cast<std::size_t>(nearest)));
    for (const std::size_t a : row) {
      list.indices.push_back(all.indices[a]);
      if (!all.shifts.empty()) list.shifts.push_back(all.shifts[a]);
      list.distances.push_back(all.distances[a]);
      list.vectors.insert(list.vectors.end(), all.vectors.begin() + static_cast<std::ptrdiff_t>(3 * a),
                          all.vectors.begin() + static_cast<std::ptrdiff_t>(3 * a + 3));
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.indices.size()));
  }
  return list;
}

/// The nearest of a lattice, where many are equally near; lists with a capacity; when to rebuild.
template <class T, class Executor> void expect_other_forms(const Executor& exec, int side) {
  const auto of = lattice<T>(side, 1);
  spatial::neighbor_options options{.box = spatial::simulation_box::orthorhombic(side, side, side)};
  options.distances = options.vectors = true;
  const auto all = all_pairs(of, 2.3, options, 3);
  for (const int nearest : {1, 7, 1000}) {
    options.nearest = nearest;
    expect_same(list_on(exec, of, 2.3, options), nearest_pairs(all, nearest));
  }
  options.nearest.reset();
  const auto x = to_executor(exec, of.x), y = to_executor(exec, of.y), z = to_executor(exec, of.z);
  const auto pairs = static_cast<std::int64_t>(all.indices.size());
  for (const std::int64_t capacity : {pairs + 5, pairs, pairs / 2, std::int64_t{0}}) {
    options.capacity = capacity;
    const auto near = spatial::neighbor_list(exec, points_of(x, y, z), 2.3, options);
    EXPECT_EQ(to_host(exec, near.offsets()), all.offsets);
    const std::vector<int> indices = to_host(exec, near.indices());
    ASSERT_EQ(std::ssize(indices), capacity);
    std::size_t complete = 0; // pairs of rows that fit
    for (const std::int64_t end : all.offsets)
      if (end <= capacity) complete = static_cast<std::size_t>(end);
    EXPECT_TRUE(std::equal(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(complete),
                           all.indices.begin()));
    if (capacity >= pairs) {
      EXPECT_NO_THROW(near.require_complete(exec));
    } else {
      EXPECT_EQ(refusal_of([&] { near.require_complete(exec); }),
                detail::concat("capacity = ", capacity, ": the list has ", pairs,
                               " pairs; use a capacity of at least ", pairs));
    }
  }
  auto moved = of;
  moved.y.back() += T{0.25};
  const auto later = to_executor(exec, moved.y);
  const auto must_rebuild = [&](double skin) {
    return spatial::must_rebuild(exec, points_of(x, y, z), points_of(x, later, z), skin);
  };
  EXPECT_FALSE(must_rebuild(0.5)); // exactly half of it
  EXPECT_TRUE(must_rebuild(0.49));
}

} // namespace evenly::neighbor_laws
