// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/parallel.hpp"
#include "io/edge_list.hpp"
#include "io/edge_sorting.hpp"

namespace evenly::io {
namespace {

/// Calls visit(from, to, weight) for the edges of rows [begin, end).
template <class Visit>
void for_each_entry(const csr_matrix<double>& a, std::int64_t begin, std::int64_t end, const Visit& visit) {
  for (int v = static_cast<int>(begin); v < static_cast<int>(end); ++v)
    for (int k = a.offsets[static_cast<std::size_t>(v)]; k < a.offsets[static_cast<std::size_t>(v) + 1]; ++k)
      visit(v, a.columns[static_cast<std::size_t>(k)], a.values[static_cast<std::size_t>(k)]);
}

/// The first of several edges between two vertices, which is the lightest.
void keep_lightest(csr_matrix<double>& a) {
  int kept = 0, begin = 0;
  for (std::size_t v = 0; v + 1 < a.offsets.size(); ++v) {
    const int end = a.offsets[v + 1], first = kept;
    for (int k = begin; k < end; ++k) {
      if (kept > first &&
          a.columns[static_cast<std::size_t>(kept) - 1] == a.columns[static_cast<std::size_t>(k)])
        continue;
      a.columns[static_cast<std::size_t>(kept)] = a.columns[static_cast<std::size_t>(k)];
      a.values[static_cast<std::size_t>(kept++)] = a.values[static_cast<std::size_t>(k)];
    }
    a.offsets[v + 1] = kept;
    begin = end;
  }
  a.columns.resize(static_cast<std::size_t>(kept));
  a.values.resize(static_cast<std::size_t>(kept));
}

} // namespace

csr_matrix<double> both_directions(const csr_matrix<double>& edges) {
  const std::int64_t max = 2 * std::int64_t{edges.atoms()};
  if (max > matrix_limits{}.entries)
    throw host::memory_error(fmt::format("{} edges in both directions: at most {} entries are supported",
                                         edges.atoms(), matrix_limits{}.entries));
  if (const auto shortage = host::memory_shortage(bytes_of_rows(edges.rows, max)))
    throw host::memory_error(
        fmt::format("{} vertices and {} edges in both directions: {}", edges.rows, edges.atoms(), *shortage));
  constexpr std::int64_t pieces = 256; // of rows
  csr_matrix<double> both =
      rows_of(edges.rows, static_cast<std::size_t>(pieces), max, [&](std::size_t i, const auto& visit) {
        const auto piece = static_cast<std::int64_t>(i);
        for_each_entry(edges, edges.rows * piece / pieces, edges.rows * (piece + 1) / pieces,
                       [&](int from, int to, double weight) {
                         visit({from, to, weight});
                         if (from != to) visit({to, from, weight});
                       });
      });
  keep_lightest(both);
  return both;
}

std::optional<one_way_edge> find_one_way_edge(const csr_matrix<double>& edges) {
  const auto has_reverse = [&](int from, int to, double weight) {
    auto first = edges.columns.begin() + edges.offsets[static_cast<std::size_t>(to)];
    const auto last = edges.columns.begin() + edges.offsets[static_cast<std::size_t>(to) + 1];
    for (first = std::lower_bound(first, last, from); first != last && *first == from; ++first)
      if (edges.values[static_cast<std::size_t>(first - edges.columns.begin())] == weight) return true;
    return false;
  };
  std::atomic<std::int64_t> first_row{edges.rows}; // the first row with such an edge
  host::for_each_range(edges.rows, [&](std::int64_t begin, std::int64_t end) {
    for_each_entry(edges, begin, end, [&](int from, int to, double weight) {
      std::int64_t known = first_row.load(std::memory_order_relaxed);
      if (from >= known || has_reverse(from, to, weight)) return;
      while (from < known && !first_row.compare_exchange_weak(known, from, std::memory_order_relaxed)) {
      }
    });
  });
  const std::int64_t row = first_row.load(std::memory_order_relaxed);
  std::optional<one_way_edge> found;
  for_each_entry(edges, row, std::min<std::int64_t>(row + 1, edges.rows),
                 [&](int from, int to, double weight) {
                   if (!found && !has_reverse(from, to, weight)) found = one_way_edge{from, to, weight};
                 });
  return found;
}

bool is_symmetric(const csr_matrix<double>& edges) { return !find_one_way_edge(edges); }

} // namespace evenly::io
