// SPDX-License-Identifier: Apache-2.0
#include "generate/rmat.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "generate/random.hpp"
#include "host/parallel.hpp"
#include "io/rows.hpp"

namespace evenly::generate {
namespace {

struct edge {
  int from;
  int to;
};

std::vector<int> random_labels(int scale, std::uint64_t seed) {
  std::vector<int> labels(std::size_t{1} << scale);
  std::iota(labels.begin(), labels.end(), 0);
  shuffle(labels, {seed, stream::labels});
  return labels;
}

/// Draws edges: 32 random bits choose the quarter of a level, by thresholds in units of 2^-32.
class edge_maker {
 public:
  edge_maker(int scale, std::uint64_t seed, const rmat_quarters& quarters)
      : scale_(scale), seed_(seed), a_(threshold(quarters.a)), ab_(threshold(quarters.a + quarters.b)),
        abc_(threshold(quarters.a + quarters.b + quarters.c)) {}

  edge operator()(std::uint64_t index) const {
    random_sequence random(seed_, stream::edges, index);
    std::uint64_t bits = 0;
    edge e{0, 0};
    for (int level = 0; level < scale_; ++level) {
      bits = level % 2 == 0 ? random.next() : bits >> 32;
      const std::uint64_t draw = bits & 0xffffffff;
      e.from = 2 * e.from + (draw >= ab_ ? 1 : 0);
      e.to = 2 * e.to + ((draw >= a_) ^ (draw >= ab_) ^ (draw >= abc_) ? 1 : 0);
    }
    return e;
  }

 private:
  static std::uint64_t threshold(double probability) {
    return static_cast<std::uint64_t>(std::llround(probability * 0x1p32));
  }

  int scale_;
  std::uint64_t seed_;
  std::uint64_t a_, ab_, abc_;
};

std::vector<edge> make_edges(int scale, std::int64_t count, std::uint64_t seed,
                             const rmat_quarters& quarters) {
  const std::vector<int> labels = random_labels(scale, seed);
  const edge_maker make(scale, seed, quarters);
  std::vector<edge> edges(static_cast<std::size_t>(count));
  host::for_each_range(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const edge e = make(static_cast<std::uint64_t>(k));
      edges[static_cast<std::size_t>(k)] = {labels[static_cast<std::size_t>(e.from)],
                                            labels[static_cast<std::size_t>(e.to)]};
    }
  });
  return edges;
}

/// The neighbours of each vertex, with duplicates, in any order.
struct adjacency {
  std::vector<int> ends; ///< ends[v]: one past the last neighbour of v; the first is at the end of v - 1
  std::vector<int> neighbours; ///< both directions of each edge, without loops
};

int fetch_add(int& counter) { return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed); }

/// Calls visit(from, to) for both directions of each edge that is not a loop, for several edges in parallel.
template <class Visit> void for_each_direction(const std::vector<edge>& edges, const Visit& visit) {
  host::for_each_range(static_cast<std::int64_t>(edges.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const edge e = edges[static_cast<std::size_t>(k)];
      if (e.from == e.to) continue;
      visit(e.from, e.to);
      visit(e.to, e.from);
    }
  });
}

adjacency collect(int scale, const std::vector<edge>& edges) {
  adjacency graph;
  graph.ends.assign(std::size_t{1} << scale, 0);
  for_each_direction(edges, [&](int from, int) { fetch_add(graph.ends[static_cast<std::size_t>(from)]); });
  std::exclusive_scan(graph.ends.begin(), graph.ends.end(), graph.ends.begin(), 0);
  graph.neighbours.resize(2 * edges.size());
  for_each_direction(edges, [&](int from, int to) {
    graph.neighbours[static_cast<std::size_t>(fetch_add(graph.ends[static_cast<std::size_t>(from)]))] = to;
  });
  return graph;
}

/// Sorts the neighbours of each vertex and moves the distinct ones to the front. Returns their numbers.
std::vector<int> sort_distinct(adjacency& graph) {
  std::vector<int> degrees(graph.ends.size());
  host::for_each_range(static_cast<std::int64_t>(degrees.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
      const auto first = graph.neighbours.begin() + (v == 0 ? 0 : graph.ends[v - 1]);
      const auto last = graph.neighbours.begin() + graph.ends[v];
      std::sort(first, last);
      degrees[v] = static_cast<int>(std::unique(first, last) - first);
    }
  });
  return degrees;
}

} // namespace

csr_matrix<double> make_rmat(const parameters& p, int scale, std::int64_t edges,
                             const rmat_quarters& quarters) {
  adjacency graph = collect(scale, make_edges(scale, edges, p.seed(), quarters));
  const std::vector<int> degrees = sort_distinct(graph);
  return io::make_rows(p, std::int64_t{1} << scale, degrees, [&](int row, std::span<int> columns) {
    const auto v = static_cast<std::size_t>(row);
    std::copy_n(graph.neighbours.begin() + (v == 0 ? 0 : graph.ends[v - 1]), columns.size(), columns.begin());
  });
}

} // namespace evenly::generate
