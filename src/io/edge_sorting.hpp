// SPDX-License-Identifier: Apache-2.0
// Sorts edges into compressed rows, by counting, on all cores.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "host/parallel.hpp"

namespace evenly::io {

struct edge {
  int from; ///< from 0 on, like `to`
  int to;
  double weight;
};

/// Sorts the edges [begin, end) of a row by column, then value, in room[begin, end).
inline void sort_row(csr_matrix<double>& a, std::size_t begin, std::size_t end, edge* room) {
  const auto in_order = [&](std::size_t k) {
    return a.columns[k - 1] < a.columns[k] ||
           (a.columns[k - 1] == a.columns[k] && a.values[k - 1] <= a.values[k]);
  };
  std::size_t sorted = begin + 1;
  while (sorted < end && in_order(sorted)) ++sorted;
  if (sorted >= end) return;
  for (std::size_t k = begin; k < end; ++k) room[k] = {0, a.columns[k], a.values[k]};
  std::sort(room + begin, room + end, [](const edge& left, const edge& right) {
    return left.to != right.to ? left.to < right.to : std::is_lt(std::weak_order(left.weight, right.weight));
  });
  for (std::size_t k = begin; k < end; ++k) {
    a.columns[k] = room[k].to;
    a.values[k] = room[k].weight;
  }
}

/// Sorts edges into rows; in a row, by column, then value. visit_piece(i, visit) calls visit(edge) for the edges of
/// piece i, in the same order each time. Pieces are visited concurrently, twice. There are at most `max` edges.
///
/// A bucket is a range of consecutive rows. Each piece counts its edges per bucket, then writes them to the bucket,
/// after those of earlier pieces. Then each bucket is sorted into rows. This needs no atomic operations, and random
/// writes stay in a cache.
template <class VisitPiece>
csr_matrix<double> rows_of(std::int64_t vertices, std::size_t pieces, std::int64_t max,
                           const VisitPiece& visit_piece) {
  csr_matrix<double> a;
  a.rows = a.cols = static_cast<int>(vertices);
  a.offsets.resize(static_cast<std::size_t>(vertices) + 1);
  if (vertices == 0 || max == 0) return a;
  constexpr std::int64_t max_buckets = 1024, min_edges = 2048; // per bucket: fewer do not pay for a thread
  const std::int64_t wanted = std::clamp<std::int64_t>(
      max / std::max(min_edges, 4 * static_cast<std::int64_t>(pieces)), 1, max_buckets);
  int shift = 0; // a bucket has 2^shift rows
  while (((vertices - 1) >> shift) >= wanted) ++shift;
  const std::size_t buckets = static_cast<std::size_t>((vertices - 1) >> shift) + 1;

  std::vector<std::int64_t> places(pieces * buckets); // counts; then the position of the next edge
  const auto for_each_piece = [&](const auto& body) {
    host::for_each_range(static_cast<std::int64_t>(pieces), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        body(i, places.data() + i * buckets);
    });
  };
  for_each_piece([&](std::size_t i, std::int64_t* mine) {
    visit_piece(i, [&](const edge& each) { ++mine[each.from >> shift]; });
  });
  std::vector<std::int64_t> begins(buckets + 1);
  std::int64_t next = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    for (std::size_t i = 0; i < pieces; ++i) next += std::exchange(places[i * buckets + b], next);
    begins[b + 1] = next;
  }
  const auto edges = static_cast<std::size_t>(next);
  const auto distributed = std::make_unique_for_overwrite<edge[]>(edges);
  for_each_piece([&](std::size_t i, std::int64_t* mine) {
    visit_piece(i, [&](const edge& each) {
      distributed[static_cast<std::size_t>(mine[each.from >> shift]++)] = each;
    });
  });

  a.columns.resize(edges);
  a.values.resize(edges);
  host::for_each_range(static_cast<std::int64_t>(buckets), [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const auto begin = static_cast<std::size_t>(begins[b]), end = static_cast<std::size_t>(begins[b + 1]);
      const auto row_from = static_cast<std::size_t>(b) << shift;
      const std::size_t row_to =
          std::min(row_from + (std::size_t{1} << shift), static_cast<std::size_t>(vertices));
      // While rows are filled, offsets[v + 1] is the position of the next edge of v. At the end it is the end of row v.
      for (std::size_t k = begin; k < end; ++k)
        ++a.offsets[static_cast<std::size_t>(distributed[k].from) + 1];
      int place = static_cast<int>(begin);
      for (std::size_t v = row_from; v < row_to; ++v) place += std::exchange(a.offsets[v + 1], place);
      for (std::size_t k = begin; k < end; ++k) {
        const auto to =
            static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(distributed[k].from) + 1]++);
        a.columns[to] = distributed[k].to;
        a.values[to] = distributed[k].weight;
      }
      for (std::size_t v = row_from, from = begin; v < row_to; ++v) {
        const auto to = static_cast<std::size_t>(a.offsets[v + 1]);
        sort_row(a, from, to, distributed.get()); // whose bucket has been read
        from = to;
      }
    }
  });
  return a;
}

/// The maximum memory of rows_of, including the result.
inline std::int64_t bytes_of_rows(std::int64_t vertices, std::int64_t edges) {
  return 4 * vertices + 28 * edges + (16 << 20); // 16 MB: counts of buckets
}

} // namespace evenly::io
