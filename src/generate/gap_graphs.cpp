// SPDX-License-Identifier: Apache-2.0
#include "generate/gap_graphs.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "generate/simple_rows.hpp"
#include "host/parallel.hpp"
#include "io/rows.hpp"

namespace evenly::generate {
namespace {

constexpr std::uint32_t first_seed = 27491095; // of every part of GAP
constexpr std::int64_t block_size = 1 << 18;

struct weighted_edge {
  int from, to, weight;
};
struct weighted_end {
  int to, weight;
  friend auto operator<=>(const weighted_end&, const weighted_end&) = default;
};

/// Draws the ends of edges: one bit of both per level. The thresholds are rounded as in GAP.
class kron_ends {
 public:
  explicit kron_ends(int scale) : scale_(scale) {}
  void operator()(std::mt19937& random, weighted_edge& e) const {
    e.from = e.to = 0;
    for (int level = 0; level < scale_; ++level) {
      const auto draw = static_cast<std::uint32_t>(random());
      const bool is_lower = draw >= a + b;
      e.from = 2 * e.from + (is_lower ? 1 : 0);
      e.to = 2 * e.to + ((is_lower ? draw > a + b + c : draw > a) ? 1 : 0);
    }
  }

 private:
  static constexpr std::uint32_t max = 0xffffffff;
  static constexpr auto a = static_cast<std::uint32_t>(0.57 * max),
                        b = static_cast<std::uint32_t>(0.19 * max), c = b;
  int scale_;
};

struct urand_ends {
  std::uint32_t vertices; ///< a power of two, so the remainder is uniform
  void operator()(std::mt19937& random, weighted_edge& e) const {
    e.from = static_cast<int>(random() % vertices);
    e.to = static_cast<int>(random() % vertices);
  }
};

/// Uniform in 1 to 255. The greatest draw is repeated, as in GAP, so that the others are multiples of 255.
int draw_weight(std::mt19937& random) {
  std::uint32_t draw = 0;
  do draw = static_cast<std::uint32_t>(random());
  while (draw == 0xffffffff);
  return static_cast<int>(draw % 255) + 1;
}

template <class DrawEnds>
std::vector<weighted_edge> draw_edges(std::int64_t count, const DrawEnds& draw_ends) {
  std::vector<weighted_edge> edges(static_cast<std::size_t>(count));
  const std::int64_t blocks = (count + block_size - 1) / block_size;
  host::for_each_range(blocks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      const auto seed = static_cast<std::uint32_t>(first_seed + block);
      std::mt19937 of_ends(seed), of_weights(seed);
      const std::int64_t begin = block * block_size, end = std::min(begin + block_size, count);
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        draw_ends(of_ends, edges[k]);
        edges[k].weight = draw_weight(of_weights);
      }
    }
  });
  return edges;
}

void relabel(std::vector<weighted_edge>& edges, std::size_t vertices) {
  std::vector<int> labels(vertices);
  std::iota(labels.begin(), labels.end(), 0);
  std::shuffle(labels.begin(), labels.end(), std::mt19937(first_seed));
  host::for_each_range(static_cast<std::int64_t>(edges.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      edges[k].from = labels[static_cast<std::size_t>(edges[k].from)];
      edges[k].to = labels[static_cast<std::size_t>(edges[k].to)];
    }
  });
}

std::vector<weighted_edge> edges_of(gap_graph which, int scale, std::int64_t degree) {
  const std::int64_t vertices = std::int64_t{1} << scale;
  if (which == gap_graph::urand)
    return draw_edges(vertices * degree, urand_ends{static_cast<std::uint32_t>(vertices)});
  std::vector<weighted_edge> edges = draw_edges(vertices * degree, kron_ends(scale));
  relabel(edges, static_cast<std::size_t>(vertices));
  return edges;
}

} // namespace

csr_matrix<double> make_gap_graph(const parameters& p, gap_graph which, int scale, std::int64_t degree) {
  const std::int64_t vertices = std::int64_t{1} << scale;
  const simple_rows<weighted_end> rows(
      vertices, edges_of(which, scale, degree),
      [](const weighted_edge& e, int to) { return weighted_end{to, e.weight}; },
      [](const weighted_end& a, const weighted_end& b) { return a.to == b.to; });
  csr_matrix<double> made = io::allocate_rows(p, vertices, rows.sizes());
  if (!p.wants_entries()) return made;
  host::for_each_range(vertices, [&](std::int64_t first, std::int64_t last) {
    for (int row = static_cast<int>(first); row < last; ++row) {
      auto at = static_cast<std::size_t>(made.offsets[static_cast<std::size_t>(row)]);
      for (const weighted_end& each : rows.row(row)) {
        made.columns[at] = each.to;
        made.values[at++] = each.weight;
      }
    }
  });
  return made;
}

} // namespace evenly::generate
