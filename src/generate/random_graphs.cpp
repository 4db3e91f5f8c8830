// SPDX-License-Identifier: Apache-2.0
#include "generate/random_graphs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "generate/random.hpp"
#include "host/parallel.hpp"
#include "io/rows.hpp"

namespace evenly::generate {
namespace {

/// Both directions of each edge, without loops. Of equal entries in a row the least is kept. Entries are sorted by <;
/// those for which is_same(a, b) holds are equal and adjacent in this order.
template <class Entry> class simple_rows {
 public:
  /// entry(edge, to): the entry of an edge, which has members `from` and `to`, in the row of its other end. Needs one
  /// entry for each direction.
  template <class Edge, class EntryOf, class IsSame = std::equal_to<>>
  simple_rows(std::int64_t vertices, const std::vector<Edge>& edges, const EntryOf& entry,
              const IsSame& is_same = {})
      : ends_(static_cast<std::size_t>(vertices)), entries_(2 * edges.size()), sizes_(ends_.size()) {
    for_each_direction(edges, [&](const Edge&, int row) { fetch_add(ends_[index(row)]); });
    std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), 0);
    for_each_direction(edges, [&](const Edge& e, int row) {
      entries_[index(fetch_add(ends_[index(row)]))] = entry(e, row == e.from ? e.to : e.from);
    });
    host::for_each_range(vertices, [&](std::int64_t begin, std::int64_t end) {
      for (int row = static_cast<int>(begin); row < end; ++row) {
        const auto first = entries_.begin() + begin_of(row), last = entries_.begin() + ends_[index(row)];
        std::sort(first, last);
        sizes_[index(row)] = static_cast<int>(std::unique(first, last, is_same) - first);
      }
    });
  }

  const std::vector<int>& sizes() const { return sizes_; }
  std::span<const Entry> row(int row) const {
    return std::span(entries_).subspan(index(begin_of(row)), index(sizes_[index(row)]));
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static int fetch_add(int& counter) {
    return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
  }
  int begin_of(int row) const { return row == 0 ? 0 : ends_[index(row - 1)]; }

  /// Calls visit(edge, row) for both ends of each edge that is not a loop, for several edges in parallel.
  template <class Edge, class Visit>
  static void for_each_direction(const std::vector<Edge>& edges, const Visit& visit) {
    host::for_each_range(static_cast<std::int64_t>(edges.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        const Edge& e = edges[k];
        if (e.from == e.to) continue;
        visit(e, e.from);
        visit(e, e.to);
      }
    });
  }

  std::vector<int> ends_; ///< one past the last entry of each row; the first is at the end of the row before
  std::vector<Entry> entries_;
  std::vector<int> sizes_; ///< of each row the number of distinct entries
};

struct edge {
  int from;
  int to;
};

/// Gives vertices other numbers.
template <class Edge> void relabel(std::vector<Edge>& edges, const std::vector<int>& labels) {
  host::for_each_range(static_cast<std::int64_t>(edges.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      edges[k].from = labels[static_cast<std::size_t>(edges[k].from)];
      edges[k].to = labels[static_cast<std::size_t>(edges[k].to)];
    }
  });
}

/// The numbers of all vertices.
std::vector<int> unshuffled(int scale) {
  std::vector<int> labels(std::size_t{1} << scale);
  std::iota(labels.begin(), labels.end(), 0);
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
  const edge_maker make(scale, seed, quarters);
  std::vector<edge> edges(static_cast<std::size_t>(count));
  host::for_each_range(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      edges[static_cast<std::size_t>(k)] = make(static_cast<std::uint64_t>(k));
  });
  std::vector<int> labels = unshuffled(scale);
  shuffle(labels, {seed, stream::labels});
  relabel(edges, labels);
  return edges;
}

// --- graphs of GAP

struct weighted_end {
  int to, weight;
  friend auto operator<=>(const weighted_end&, const weighted_end&) = default;
};

std::vector<gap_edge> edges_of(const gap_shape& shape) {
  const std::int64_t count = shape.edges();
  std::vector<gap_edge> edges(static_cast<std::size_t>(count));
  host::for_each_range((count + gap_block - 1) / gap_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
      gap_draws{shape}(block, count, [&](std::int64_t k, const gap_edge& edge) {
        edges[static_cast<std::size_t>(k)] = edge;
      });
  });
  if (shape.graph == gap_graph::kron) relabel(edges, gap_labels(shape.scale));
  return edges;
}

} // namespace

csr_matrix<double> make_rmat(const parameters& p, int scale, std::int64_t edges,
                             const rmat_quarters& quarters) {
  const simple_rows<int> rows(std::int64_t{1} << scale, make_edges(scale, edges, p.seed(), quarters),
                              [](const edge&, int to) { return to; });
  return io::make_rows(p, std::int64_t{1} << scale, rows.sizes(), [&](int row, std::span<int> columns) {
    std::ranges::copy(rows.row(row), columns.begin());
  });
}

std::vector<int> gap_labels(int scale) {
  std::vector<int> labels = unshuffled(scale);
  std::shuffle(labels.begin(), labels.end(), std::mt19937(gap_seed));
  return labels;
}

csr_matrix<double> make_gap_graph(const parameters& p, const gap_shape& shape) {
  const std::int64_t vertices = shape.vertices();
  const simple_rows<weighted_end> rows(
      vertices, edges_of(shape), [](const gap_edge& e, int to) { return weighted_end{to, e.weight}; },
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
