// SPDX-License-Identifier: Apache-2.0
// The rows of a simple undirected graph from a list of edges.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "host/parallel.hpp"

namespace evenly::generate {

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

} // namespace evenly::generate
