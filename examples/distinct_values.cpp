// SPDX-License-Identifier: Apache-2.0
// for_each_tile: the number of distinct values in each row, by a hash table for each team of threads.
//
// The table of a team is in storage, which is as fast as a cache but has room for short rows only. The schedule cuts
// rows of more than 100 values into pieces for several blocks. These share a table in memory and update it atomically.
// The first phase of a sparse matrix product counts the nonzeros of its rows in this way.
#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "evenly/algorithms/for_each_tile.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/work/csr.hpp"

constexpr int longest_row = 100; // of a team
constexpr int places = 128;      // of a team's table
constexpr int empty_slot = -1;

template <class Executor> struct count_distinct {
  template <class T> using span = evenly::span_on<Executor, T>;
  span<const int> offsets;
  span<const int> values; ///< none is negative
  span<int> tables;       ///< for the rows in pieces: two places for each value
  span<int> distinct;     ///< of each row; 0 at first

  template <class Team, class Table, class Scratch>
  EVENLY_FN void operator()(const Team& team, int row, int begin, int end, const Table& table,
                            const Scratch& scratch) const {
    for (int i = team.rank(); i < places; i += team.size()) table[i] = empty_slot;
    team.sync();
    int added = 0;
    for (int k = begin + team.rank(); k < end; k += team.size()) added += add(table, places, values[k]);
    const int all = team.reduce(added, evenly::plus<int>{}, scratch);
    if (team.rank() == 0) distinct[row] = all;
  }

  template <class Team, class Table, class Scratch>
  EVENLY_FN void shared(const Team& team, int row, int begin, int end, const Table&, const Scratch&) const {
    const int size = 2 * (offsets[row + 1] - offsets[row]);
    const auto table = tables.subspan(2 * offsets[row], size);
    int added = 0;
    for (int k = begin + team.rank(); k < end; k += team.size()) added += add(table, size, values[k]);
    evenly::atomic_ref(distinct[row]).fetch_add(added);
  }

 private:
  /// Whether the value was not in the table. There is always a free place.
  template <class Table> EVENLY_FN static int add(const Table& table, int size, int value) {
    for (int at = value % size;; at = at + 1 == size ? 0 : at + 1) {
      int there = empty_slot;
      if (evenly::atomic_ref(table[at]).compare_exchange(there, value)) return 1;
      if (there == value) return 0;
    }
  }
};

template <class Executor>
bool counts_are_right(const Executor& exec, const std::vector<int>& offsets, const std::vector<int>& values) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<int> tables(2 * values.size(), empty_slot), distinct(rows, 0), expected;
  const evenly::dynamic_group_per_tile schedule{.long_tile = longest_row};
  evenly::for_each_tile(exec, schedule, evenly::csr_tiles(offsets),
                        count_distinct<Executor>{view(exec, offsets), view(exec, values), view(exec, tables),
                                                 view(exec, distinct)},
                        evenly::team_storage<int>{.elements = places},
                        evenly::team_storage<int>{.elements = 32});
  for (std::size_t r = 0; r < rows; ++r)
    expected.push_back(
        static_cast<int>(std::set<int>(values.begin() + offsets[r], values.begin() + offsets[r + 1]).size()));
  if (distinct == expected) return true;
  const auto [got, want] = std::mismatch(distinct.begin(), distinct.end(), expected.begin());
  std::printf("row %td has %d values, not %d\n", got - distinct.begin(), *want, *got);
  return false;
}

int main() {
  std::vector<int> offsets{0}, values;
  for (int row = 0; row < 400; ++row) {
    const int size = row % 100 == 99 ? 5000 : row % 40; // few rows are much longer than the others
    for (int i = 0; i < size; ++i) values.push_back((row + i * i) % 1009);
    offsets.push_back(static_cast<int>(values.size()));
  }
  return counts_are_right(evenly::simt(), offsets, values) && counts_are_right(evenly::cpu(), offsets, values)
             ? 0
             : 1;
}
