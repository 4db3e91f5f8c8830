// SPDX-License-Identifier: Apache-2.0
// Matrices from entries that lie on the ranks: generated in place, read in parallel, or those of another matrix.
//
//   auto A = evenly::distributed::from_entries<double>(world, rows, cols, [](auto& here, const auto& add) {
//     for (...) add(row, column, value);          // each entry on one rank, in any order
//   });
//   auto B = evenly::distributed::generate<double>(world, rows, cols, [](int row, const auto& add) {
//     add(row == 0 ? 0 : row - 1, 1.0);           // the entries of a row
//   });
//   auto T = evenly::distributed::transpose(A);
//
// No process has the whole matrix. Entries go to the rank that has their row if ranks have equally many rows, are
// sorted there, and go on to the rank that the split (split.hpp) gives them to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/costs.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------

namespace detail {

template <class Value> struct located_entry {
  int row;
  int column;
  Value value;
};

/// Sorts entries by position. Entries at the same position are added in their order.
template <class Value> void sort_and_add(std::vector<located_entry<Value>>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept > 0 && entries[kept - 1].row == entries[i].row && entries[kept - 1].column == entries[i].column)
      entries[kept - 1].value += entries[i].value;
    else
      entries[kept++] = entries[i];
  }
  entries.resize(kept);
}

/// Sends the entries of each row to the rank that has the row in `home`. Returns the rank's own, sorted.
template <class Value>
std::vector<located_entry<Value>> send_home(communicator& here, std::vector<located_entry<Value>> entries,
                                            const ranges& home) {
  const auto row_less = [](const auto& a, const auto& b) { return a.row < b.row; };
  if (!std::is_sorted(entries.begin(), entries.end(), row_less))
    std::stable_sort(entries.begin(), entries.end(), row_less);
  std::vector<std::int64_t> cuts;
  for (int r = 0; r <= here.size(); ++r) {
    const std::int64_t first = r == here.size() ? home.total() : home.begin(r);
    cuts.push_back(std::lower_bound(entries.begin(), entries.end(), first,
                                    [](const auto& entry, std::int64_t row) { return entry.row < row; }) -
                   entries.begin());
  }
  entries = here.exchange_ranges("entries of rows", std::span<const located_entry<Value>>(entries), cuts);
  sort_and_add(entries);
  return entries;
}

inline void require_position(std::int64_t row, std::int64_t column, int rows, int cols) {
  require(row >= 0 && row < rows && column >= 0 && column < cols, [&] {
    return evenly::detail::concat("an entry at (", row, ", ", column, "): a matrix of ", rows, " x ", cols,
                                  " has rows 0 to ", rows - 1, " and columns 0 to ", cols - 1);
  });
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------

/// Makes a matrix of entries that the ranks have. Collective.
///
/// - `fill`: fill(here, add) runs once on each rank, at the same time; here is its communicator. It calls add(row,
///   column, value) for each entry of its own.
/// - Entries at the same position are added: those of lower ranks first, on a rank in the order of the calls.
/// - Columns are sorted in each row.
/// - Cost: O(n log n) for the n entries of a rank, each of which is sent at most twice; O(rows + columns) memory on
///   each rank. While the matrix is made, a rank has the entries of 1 / ranks of the rows.
/// - Errors: invalid_argument for an entry outside the matrix, or more entries than Offset can number.
template <class Value, class Offset = int, executor Executor, class Fill>
matrix<Value, Offset, Executor> from_entries(const world<Executor>& ranks, int rows, int cols,
                                             const Fill& fill, const matrix_options& how = {}) {
  using entry = detail::located_entry<Value>;
  evenly::detail::check_matrix_sizes(rows, cols);
  const ranges home = ranges::equal(rows, ranks.size());
  std::vector<std::vector<entry>> sorted(static_cast<std::size_t>(ranks.count()));
  std::vector<Offset> offsets;
  ranks.run([&](communicator& here) {
    std::vector<entry> mine;
    fill(here, [&](std::int64_t row, std::int64_t column, const Value& value) {
      detail::require_position(row, column, rows, cols);
      mine.push_back({static_cast<int>(row), static_cast<int>(column), value});
    });
    mine = detail::send_home(here, std::move(mine), home);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(home.size(here.rank())));
    for (const entry& each : mine) ++sizes[static_cast<std::size_t>(each.row - home.begin(here.rank()))];
    sizes = here.all_gather_lists("sizes of rows", std::span<const std::int64_t>(sizes));
    sorted[ranks.place(here)] = std::move(mine);
    if (here.rank() != ranks.first()) return;
    std::int64_t total = 0;
    offsets.assign(1, 0);
    for (const std::int64_t size : sizes) {
      total += size;
      require(total <= std::numeric_limits<Offset>::max(), [&] {
        return evenly::detail::concat("the matrix has more than ", std::numeric_limits<Offset>::max(),
                                      " entries: use 64-bit offsets");
      });
      offsets.push_back(static_cast<Offset>(total));
    }
  });
  const auto give_part = [&](communicator& here, const split_plan& plan, const auto& use) {
    std::vector<entry> mine = std::move(sorted[ranks.place(here)]);
    const auto first = static_cast<std::int64_t>(offsets[static_cast<std::size_t>(home.begin(here.rank()))]);
    std::vector<std::int64_t> cuts;
    for (const split_point& cut : plan.cuts)
      cuts.push_back(std::clamp<std::int64_t>(cut.atom - first, 0, static_cast<std::int64_t>(mine.size())));
    mine = here.exchange_ranges("entries of parts", std::span<const entry>(mine), cuts);
    std::vector<int> columns;
    std::vector<Value> values;
    for (const entry& each : mine) {
      columns.push_back(each.column);
      values.push_back(each.value);
    }
    use(detail::part_entries<Value>{plan.begin(here.rank()).atom, columns, values});
  };
  return {ranks, csr_tile_set<Offset>(offsets.data(), rows), cols, how, give_part};
}

/// Makes a matrix whose entries a function knows, each rank those of its rows. Collective.
///
/// - `fill_row`: fill_row(row, add) calls add(column, value) for each entry of a row. Each row is asked for once.
/// - Cost and errors: those of from_entries.
template <class Value, class Offset = int, executor Executor, class FillRow>
matrix<Value, Offset, Executor> generate(const world<Executor>& ranks, int rows, int cols,
                                         const FillRow& fill_row, const matrix_options& how = {}) {
  const ranges home = ranges::equal(rows, ranks.size());
  const auto fill = [&](communicator& here, const auto& add) {
    for (std::int64_t row = home.begin(here.rank()); row < home.end(here.rank()); ++row)
      fill_row(static_cast<int>(row),
               [&](std::int64_t column, const Value& value) { add(row, column, value); });
  };
  return from_entries<Value, Offset>(ranks, rows, cols, fill, how);
}

/// Calls visit(row, column, value) for each entry of the rank, as numbers of the whole matrix, in ascending order of
/// rows.
template <class Value, class Offset, executor Executor, class Visit>
void for_each_entry(matrix<Value, Offset, Executor>& a, const communicator& here, const Visit& visit) {
  static_assert(Executor::on_host);
  const auto& part = a.part(here);
  const auto& tiles = part.rows.launch().mapping.tiles;
  const std::int64_t first_row = a.rows().begin(here.rank()), first_column = a.columns().begin(here.rank()),
                     own = a.columns().size(here.rank());
  std::int64_t k = 0;
  for (int row = 0; row <= part.rows.tiles(); ++row) { // the last row is open at the end
    const std::int64_t end =
        row == part.rows.tiles() ? part.rows.atoms() : static_cast<std::int64_t>(tiles.end(row));
    for (; k < end; ++k) {
      const int column = part.columns.data()[k];
      visit(first_row + row,
            column < own ? first_column + column : part.needed[static_cast<std::size_t>(column - own)],
            part.values.data()[k]);
    }
  }
}

/// Returns the transpose. Collective.
///
/// - Entries at the same position are added. Columns are sorted in each row.
/// - Cost and errors: those of from_entries.
template <class Value, class Offset, executor Executor>
matrix<Value, Offset, Executor> transpose(matrix<Value, Offset, Executor>& a, const split_options& how = {}) {
  const auto fill = [&](communicator& here, const auto& add) {
    for_each_entry(
        a, here, [&](std::int64_t row, std::int64_t column, const Value& value) { add(column, row, value); });
  };
  return from_entries<Value, Offset>(a.ranks(), static_cast<int>(a.columns().total()),
                                     static_cast<int>(a.rows().total()), fill,
                                     matrix_options{.split = how, .columns = a.rows()});
}

} // namespace evenly::distributed
