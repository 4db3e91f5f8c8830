// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times sparse matrix, C = A B, in compressed rows.
//
//   auto c = evenly::spgemm(exec, a, b);                     // a, b: csr_view of memory of exec; c owns its arrays
//   evenly::spgemm_plan plan(exec, a, b);                    // finds the number of entries and the offsets of C
//   plan.fill(exec, a, b, columns, values);                  // any number of times, as values change
//   plan.fill_values(exec, a, b, columns, values);           // the same, if columns are those that fill has written
//   plan.fill_in_chunks(exec, a, b, bytes, use);             // C in chunks of rows
//
// Row i of C is a linear combination of the rows of B named by the entries of A's row i (Gustavson, "Two fast
// algorithms for sparse matrices", TOMS 1978). There are two passes over all products: one for the sizes of C's rows,
// one for its columns and values (Osama et al., PPoPP 2023). The method for a row depends on its number of products:
// detail/product_short_rows.hpp, product_rows below, and detail/product_giants.hpp; on the CPU product_on_cores.hpp.
//
// C's columns ascend in each row and are distinct. Entries whose products cancel remain, with value 0. A sum adds its
// products to 0 in the order of A's row, then of B's. C has the same bits on every run and every executor.
// P products, Z entries of C: O(P + Z) on cpu; on GPUs O(P), for each digit of columns if rows are sorted.
// Memory besides A, B and C: spgemm_bytes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/algorithms/for_each_tile.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/product_by_threads.hpp"
#include "evenly/sparse/detail/product_giants.hpp"
#include "evenly/sparse/detail/product_on_cores.hpp"
#include "evenly/sparse/detail/product_short_rows.hpp"
#include "evenly/sparse/detail/product_sort.hpp"
#include "evenly/sparse/detail/product_terms.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/sized_tiles.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The preparation of a plan of C = A B: the cost of each row, and whether columns ascend.

namespace evenly::detail {

template <class Terms> struct products_of_entry {
  Terms of;
  EVENLY_FN std::int64_t operator()(std::int64_t k) const { return of.products_of(k); }
};

/// The cost of a row on cpu: the larger of its numbers of products and of entries of A.
template <class Offset> struct store_row_work {
  const Offset* offsets;
  std::int64_t* work;
  EVENLY_FN void operator()(int row, std::int64_t products) const {
    work[row] = larger(products, std::int64_t{offsets[row + 1]} - offsets[row]);
  }
};

/// 1 if a column is not greater than the previous one in its row.
template <class Offset> struct falls_behind {
  const int* columns;
  EVENLY_FN int operator()(int, Offset k, Offset rank) const {
    return rank > 0 && columns[k] <= columns[k - 1];
  }
};
struct store_if_any {
  int* any;
  EVENLY_FN void operator()(int, int found) const {
    if (found > 0) atomic_ref(*any).fetch_or(1, order::relaxed{}); // an empty row has the smallest number
  }
};
/// *disorder: 0 if columns ascend and are distinct in each row, otherwise 1. Asynchronous.
template <class Executor, class Offset>
void find_disorder(const Executor& exec, const Offset* offsets, const int* columns, int rows, int* disorder) {
  exec.fill_zero(disorder, sizeof(int));
  reduce_tiles(exec, schedule_for_sums{}, csr_tile_set<Offset>(offsets, rows), falls_behind<Offset>{columns},
               maximum<int>{}, store_if_any{disorder});
}

struct is_long_row {
  const std::uint8_t* few; ///< short_rows::is_long
  EVENLY_FN bool operator()(int row) const { return few[row] == short_rows::is_long; }
};
struct work_of_listed {
  const int* rows;
  const std::int64_t* work;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return work[rows[i]]; }
};

/// The rows of a product that are not short, in order, and their cost.
class long_product_rows {
 public:
  /// Finds the `count` rows marked long in `few`. work: of all rows. Allocates.
  template <class Executor>
  void find(const Executor& exec, const std::uint8_t* few, const std::int64_t* work, int rows,
            std::int64_t count) {
    rows_ = make_buffer<int>(exec, static_cast<std::size_t>(count));
    work_ = make_buffer<std::int64_t>(exec, rows_.size());
    const auto found = make_buffer<std::int64_t>(exec, 1);
    workspace memory;
    select(exec, generated{same_number{}}, rows, is_long_row{few}, rows_.data(), found.data(), memory);
    tabulate(exec, count, work_of_listed{rows_.data(), work}, work_.data());
  }
  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  const int* rows() const { return rows_.data(); }
  std::int64_t* work() const { return work_.data(); }
  template <class Executor> std::vector<int> on_host(const Executor& exec) const {
    return to_host(exec, rows_);
  }

 private:
  buffer<int> rows_;
  buffer<std::int64_t> work_;
};

/// The begins of chunks of rows, and the end of the last chunk, such that each chunk has at most `bytes` bytes. Throws
/// invalid_argument if a single row has more. offsets: of C's rows.
template <class Offset>
std::vector<int> chunks_of_rows(const std::vector<Offset>& offsets, std::int64_t bytes,
                                std::int64_t of_entry) {
  const std::int64_t max = bytes / of_entry;
  const auto rows = static_cast<int>(offsets.size() - 1);
  const auto entries_in = [&](int first, int end) {
    return std::int64_t{offsets[static_cast<std::size_t>(end)]} - offsets[static_cast<std::size_t>(first)];
  };
  for (int row = 0; row < rows; ++row) {
    const std::int64_t here = entries_in(row, row + 1);
    require(here <= max, [&] {
      return "row " + std::to_string(row) + " of the product has " + std::to_string(here) +
             " entries, which take " + std::to_string(here * of_entry) + " bytes: more than the " +
             std::to_string(bytes) + " allowed for a chunk";
    });
  }
  std::vector<int> starts{0};
  for (int row = 0; row < rows; ++row)
    if (entries_in(starts.back(), row + 1) > max) starts.push_back(row);
  starts.push_back(rows);
  return starts;
}

template <class Value, class Offset, class Column>
void check_factor(const char* name, const csr_view<Value, Offset, Column>& a) {
  require(a.rows >= 0 && a.cols >= 0, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows and " + std::to_string(a.cols) +
           " columns: sizes must not be negative";
  });
  require(a.rows == 0 || a.offsets != nullptr, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows, but its offsets are null";
  });
}

/// Throws invalid_argument for a matrix other than the planned one; only values may differ.
template <class Value, class Offset>
void check_same_factor(const char* name, const csr_view<Value, Offset>& planned,
                       const csr_view<Value, Offset>& now) {
  require(
      planned.rows == now.rows && planned.cols == now.cols && planned.offsets == now.offsets &&
          planned.columns == now.columns,
      [&] { return std::string(name) + " is not the matrix of the plan: its offsets or columns differ"; });
}

// --- details ---------------------------------------------------------------------------------------------------------
// A row of C = A B by a team of threads: its number of entries, then its columns and values. These are function objects
// for for_each_tile; tiles are rows, atoms are products.
//
//   few products      all in storage; each thread compares with all others. The first product of a column sums it up
//   up to a storage   sizes by a hash table in storage, with two places per product; columns and values by a sort of
//                     places in storage (product_sort.hpp)
//   giants            have no atoms here; see product_giants.hpp
//
// Short rows are in product_short_rows.hpp. The case of few products serves rows that are too long for narrow warps
// there. Sums add products in order (product_terms.hpp), so results do not depend on the method.

/// The common part of both passes.
template <class Terms> struct product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  using ways = product_ways;

  Terms of;
  const int* rows; ///< the row of each tile

  template <class Team>
  static constexpr bool may_have_many = Team::wanted == whole_block || Team::wanted >= 32;
};

/// sizes[row] = the number of entries of a row of C.
template <class Terms> struct size_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  int* sizes; ///< of all rows

  template <class Team, class Columns, class Places, class Starts, class Ends, class Scratch>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Starts& starts,
                            const Ends& ends, const Scratch& scratch) const {
    const int row = this->rows[tile];
    const std::int64_t max = end - begin;
    std::int64_t mine = 0;
    bool done = max == 0;
    if constexpr (base::template may_have_many<Team>) {
      if (max > ways::few) {
        done = true;
        mine = by_table(team, row, columns, places, starts, ends, scratch);
      }
    }
    if (!done) mine = by_looking(team, row, columns, starts, ends, scratch);
    team.sync();
    const std::int64_t all = team.reduce(mine, plus<std::int64_t>{}, scratch);
    if (team.rank() == 0) sizes[row] = static_cast<int>(all);
  }

 private:
  /// The number of the caller's products that are the first of their columns.
  template <class Team, class Columns, class Starts, class Ends, class Scratch>
  EVENLY_FN std::int64_t by_looking(const Team& team, int row, const Columns& columns, const Starts& starts,
                                    const Ends& ends, const Scratch& scratch) const {
    const auto& b = this->of.b;
    const auto products = static_cast<int>(
        this->of.for_each_product(team, row, {0, b.cols}, starts, ends, no_factors{}, scratch, its_column{},
                                  [&](int, bool has, std::uint32_t column, value, std::int64_t place) {
                                    if (has) columns[static_cast<int>(place)] = column;
                                  }));
    std::int64_t firsts = 0;
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint32_t column = columns[p];
      bool first = true;
      for (int q = 0; q < p; ++q) {
        const std::uint32_t other = columns[q];
        first = first && other != column;
      }
      firsts += first;
    }
    return firsts;
  }

  /// The number of columns that the caller adds to a hash table in both storages.
  template <class Team, class Columns, class Places, class Starts, class Ends, class Scratch>
  EVENLY_FN std::int64_t by_table(const Team& team, int row, const Columns& columns, const Places& places,
                                  const Starts& starts, const Ends& ends, const Scratch& scratch) const {
    const auto& b = this->of.b;
    const int half = columns.size();
    for (int i = team.rank(); i < half; i += team.size()) {
      columns[i] = ways::no_column;
      places[i] = ways::no_column;
    }
    team.sync();
    std::int64_t added = 0;
    this->of.for_each_product(team, row, {0, b.cols}, starts, ends, no_factors{}, scratch, its_column{},
                              [&](int, bool has, std::uint32_t column, value, std::int64_t) {
                                if (has) added += add(column, half, columns, places);
                              });
    return added;
  }
  /// Adds a column to the table, which has 2 half places. Returns whether it was absent.
  template <class Columns, class Places>
  EVENLY_FN static int add(std::uint32_t column, int half, const Columns& columns, const Places& places) {
    constexpr std::uint32_t golden = 2654435769u;
    const auto size = static_cast<std::uint64_t>(half) * 2;
    for (auto at = static_cast<int>(std::uint64_t{column * golden} * size >> 32);;
         at = at + 1 < 2 * half ? at + 1 : 0) {
      std::uint32_t there = ways::no_column;
      const bool is_new =
          at < half
              ? atomic_ref(columns[at], scope::block{}).compare_exchange(there, column, order::relaxed{})
              : atomic_ref(places[at - half], scope::block{})
                    .compare_exchange(there, column, order::relaxed{});
      if (is_new) return 1;
      if (there == column) return 0;
    }
  }
};

/// Writes the entries of a row of C.
template <class Terms, class OffsetC> struct fill_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;

  /// places: two per product; counters: those of product_sort.
  template <class Team, class Columns, class Places, class Values, class Starts, class Ends, class Factors,
            class Scratch, class Counters>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Values& values,
                            const Starts& starts, const Ends& ends, const Factors& factors,
                            const Scratch& scratch, const Counters& counters) const {
    const int row = this->rows[tile];
    const std::int64_t max = end - begin;
    if (max == 0) return;
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const auto& b = this->of.b;
    const auto products = static_cast<int>(this->of.for_each_product(
        team, row, {0, b.cols}, starts, ends, factors, scratch, its_column{},
        [&](int, bool has, std::uint32_t column, value product, std::int64_t place) {
          if (!has) return;
          const auto here = static_cast<int>(place);
          columns[here] = column;
          values[here] = product;
        }));
    if constexpr (base::template may_have_many<Team>) {
      if (max > ways::few) {
        const int first = product_sort::by_columns(team, products, product_sort::bits_below(b.cols), columns,
                                                   places, counters, scratch);
        const auto place_of = [&](int i) {
          const std::uint16_t place = places[first + i];
          return static_cast<int>(place);
        };
        return sum_sorted(team, products, to, columns, place_of, values, scratch);
      }
    }
    sum_by_looking(team, products, to, columns, places, values);
  }

 private:
  EVENLY_FN void write(std::int64_t to, std::uint32_t column, value sum) const {
    columns_of_c[to] = static_cast<int>(column);
    values_of_c[to] = sum;
  }

  template <class Team, class Columns, class Places, class Values>
  EVENLY_FN void sum_by_looking(const Team& team, int products, std::int64_t to, const Columns& columns,
                                const Places& places, const Values& values) const {
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint32_t column = columns[p];
      bool first = true;
      for (int q = 0; q < p; ++q) {
        const std::uint32_t other = columns[q];
        first = first && other != column;
      }
      places[p] = static_cast<std::uint16_t>(first);
    }
    team.sync();
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint16_t is_first = places[p];
      if (is_first == 0) continue;
      const std::uint32_t column = columns[p];
      int before = 0;
      value sum{0};
      for (int q = 0; q < products; ++q) {
        const std::uint16_t first = places[q];
        const std::uint32_t other = columns[q];
        before += first != 0 && other < column;
        if (other == column) sum += static_cast<value>(values[q]);
      }
      write(to + before, column, sum);
    }
  }

  /// Sums products in sorted order: place_of(i), i < products. Each warp of the team has a part of them, and the
  /// entries that begin there.
  template <class Team, class Columns, class PlaceOf, class Values, class Scratch>
  EVENLY_FN void sum_sorted(const Team& team, int products, std::int64_t to, const Columns& columns,
                            const PlaceOf& place_of, const Values& values, const Scratch& scratch) const {
    const auto warp = team_lanes(team);
    const part_of_warp mine = part_of_warp::of(team, products);
    const auto column_at = [&](int i) {
      const std::uint32_t column = columns[place_of(i)];
      return column;
    };
    const auto begins = [&](int i) { return i < mine.end && (i == 0 || column_at(i) != column_at(i - 1)); };
    std::int64_t begun = 0;
    for (int first = mine.begin; first < mine.end; first += warp.size())
      begun += lanes_in(warp.ballot(begins(first + warp.rank())));
    const std::int64_t before =
        team_scan(team, warp.rank() == 0 ? begun : 0, plus<std::int64_t>{}, scratch).before;
    to += warp.shuffle(before, 0);
    for (int first = mine.begin; first < mine.end; first += warp.size()) {
      const int i = first + warp.rank();
      const lane_mask all = warp.ballot(begins(i));
      if ((all >> warp.rank() & 1) != 0) {
        const std::uint32_t column = column_at(i);
        const lane_mask later = all & ~first_lanes(warp.rank() + 1);
        int end = later != 0 ? first + first_lane(later) : smaller(first + warp.size(), mine.end);
        if (later == 0 && end < products && column_at(end) == column)
          end = first_past_near(end, products, [&](int q) { return column_at(q) != column; });
        value sum{0};
        for (int q = i; q < end; ++q) sum += static_cast<value>(values[place_of(q)]);
        write(to + lanes_in(all & first_lanes(warp.rank())), column, sum);
      }
      to += lanes_in(all);
    }
    team.sync();
  }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// spgemm: see the head of this file.

namespace evenly {

/// The maximum bytes that a plan takes on `exec` for a product of `rows` rows and `cols` columns. This includes C's
/// offsets, which the plan keeps, but not A, B and the rest of C.
template <class Value, class Executor>
std::int64_t spgemm_bytes(const Executor& exec, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t of_row = Executor::serial_blocks ? 40 : 80, besides = 1 << 16;
  std::int64_t of_columns = detail::product_giants::max_bytes<Executor>(rows, cols);
  if constexpr (Executor::serial_blocks)
    of_columns = static_cast<std::int64_t>(detail::product_sums<Value>::bytes(cols, true)) * exec.threads();
  return of_row * (rows + 1) + of_columns + besides;
}

/// The number of products of C = A B, whose views lie on `exec`. Allocates and synchronises.
template <class Executor, class Value, class OffsetA, class OffsetB>
std::int64_t spgemm_products(const Executor& exec, const csr_view<Value, OffsetA>& a,
                             const csr_view<Value, OffsetB>& b) {
  if (a.rows == 0) return 0;
  OffsetA ends[2];
  exec.copy_to_host(&ends[0], a.offsets, sizeof(OffsetA));
  exec.copy_to_host(&ends[1], a.offsets + a.rows, sizeof(OffsetA));
  using terms = detail::product_terms<Value, OffsetA, OffsetB>;
  csr_view<Value, OffsetA> from = a;
  from.columns += ends[0];
  return reduce(exec, generated{detail::products_of_entry<terms>{{from, b, nullptr}}}, ends[1] - ends[0],
                plus<std::int64_t>{});
}

/// Consecutive rows of C.
template <class Value> struct product_chunk {
  int first_row;
  int rows;
  std::int64_t first_entry;     ///< of C: the plan's offset of first_row
  std::span<const int> columns; ///< on the executor, like values
  std::span<const Value> values;
};

/// A plan of C = A B for matrices of one pattern. Move-only; used by one host thread and on one stream at a time.
/// Value: float, double, or an integer. OffsetC: a signed integer that counts C's entries; the default always suffices.
template <class Executor, class Value, signed_of_32_or_64_bits OffsetA, signed_of_32_or_64_bits OffsetB,
          std::signed_integral OffsetC = std::int64_t>
class spgemm_plan {
  static_assert(std::is_arithmetic_v<Value>, "the values of a product must be float, double or integers");

 public:
  /// Counts the entries of C's rows.
  /// - a, b: on `exec`. They outlive the plan, and their offsets and columns do not change; values are not read.
  ///   Columns must be in [0, B's rows) for A, in [0, B's columns) for B; they are not checked.
  /// - Allocates and synchronises. Throws invalid_argument if A's columns and B's rows differ in number, if a required
  ///   array is null, or if OffsetC cannot count C's entries.
  spgemm_plan(const Executor& exec, const csr_view<Value, OffsetA>& a, const csr_view<Value, OffsetB>& b)
      : terms_{checked(a, b), b, nullptr} {
    if constexpr (Executor::serial_blocks)
      count_on_cores(exec);
    else
      count_by_teams(exec);
  }

  int rows() const { return terms_.a.rows; }
  int cols() const { return terms_.b.cols; }
  /// The number of entries of C.
  std::int64_t entries() const { return entries_; }
  /// The rows() + 1 offsets of C, on the executor.
  std::span<const OffsetC> offsets() const { return offsets_.span(); }
  /// Moves the offsets out, after the last fill.
  buffer<OffsetC> take_offsets() { return std::move(offsets_); }

  /// Writes C's columns and values, entries() elements each, on `exec`. Asynchronous on cuda.
  /// - a, b: of the plan's pattern, with offsets and columns at the same addresses, and any values.
  /// - Neither allocates nor waits, so CUDA graphs can capture it. Throws invalid_argument for other arrays or sizes.
  void fill(const Executor& exec, const csr_view<Value, OffsetA>& a, const csr_view<Value, OffsetB>& b,
            std::span<int> columns, std::span<Value> values) {
    check_fill(a, b, columns.size(), values.size(), entries_);
    if constexpr (Executor::serial_blocks)
      run_on_cores(exec, {with_values(a, b), nullptr, offsets_.data(), 0, columns.data(), values.data()}, 0,
                   rows(), false);
    else
      fill_rows_of(exec, rows_.empty() ? nullptr : &rows_.front(), 0, 0, rows(),
                   {with_values(a, b), nullptr, offsets_.data(), 0, columns.data(), values.data()});
  }

  /// The same if `columns` holds what fill has written: only the values change. On cpu nothing is sorted, and columns
  /// are read only; on other executors it is fill. The values have the same bits as those of fill.
  void fill_values(const Executor& exec, const csr_view<Value, OffsetA>& a, const csr_view<Value, OffsetB>& b,
                   std::span<int> columns, std::span<Value> values) {
    if constexpr (Executor::serial_blocks) {
      check_fill(a, b, columns.size(), values.size(), entries_);
      run_on_cores(exec, {with_values(a, b), nullptr, offsets_.data(), 0, columns.data(), values.data()}, 0,
                   rows(), true);
    } else {
      fill(exec, a, b, columns, values);
    }
  }

  /// Computes C in chunks of consecutive rows. The chunks have the same bits as fill.
  /// - bytes: the maximum bytes of columns and values of a chunk.
  /// - use(product_chunk): called for each chunk in order; its arrays are valid until the call returns.
  /// - Allocates and waits; all else is as in fill. Throws invalid_argument before the first chunk if a row is larger.
  template <class Use>
  void fill_in_chunks(const Executor& exec, const csr_view<Value, OffsetA>& a,
                      const csr_view<Value, OffsetB>& b, std::int64_t bytes, const Use& use) {
    constexpr auto of_entry = static_cast<std::int64_t>(sizeof(int) + sizeof(Value));
    check_fill(a, b, size_of(entries_), size_of(entries_), entries_);
    const std::vector<OffsetC> offsets = to_host(exec, offsets_);
    const std::vector<int> long_rows = long_.on_host(exec);
    const auto entries_in = [&](int first, int end) {
      return std::int64_t{offsets[size_of(end)]} - offsets[size_of(first)];
    };
    const std::vector<int> starts = detail::chunks_of_rows(offsets, bytes, of_entry);
    std::int64_t largest = 0;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
      largest = std::max(largest, entries_in(starts[i], starts[i + 1]));
    const auto columns = make_buffer<int>(exec, size_of(largest));
    const auto values = make_buffer<Value>(exec, size_of(largest));
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const int first = starts[i], end = starts[i + 1];
      const OffsetC before = offsets[size_of(first)];
      if constexpr (Executor::serial_blocks) {
        run_on_cores(exec,
                     {with_values(a, b), nullptr, offsets_.data(), before, columns.data(), values.data()},
                     first, end, false);
      } else {
        const auto place_of = [&](int row) {
          return std::ranges::lower_bound(long_rows, row) - long_rows.begin();
        };
        const std::int64_t from = place_of(first), to = place_of(end);
        std::vector<rows_plan> part;
        if (from < to) part.emplace_back(plan_of_rows(exec, from, to));
        fill_rows_of(exec, part.empty() ? nullptr : &part.front(), from, first, end,
                     {with_values(a, b), nullptr, offsets_.data(), before, columns.data(), values.data()});
        exec.synchronize();
      }
      const std::size_t count = size_of(entries_in(first, end));
      use(product_chunk<Value>{first, end - first, std::int64_t{before},
                               std::span<const int>(columns.data(), count),
                               std::span<const Value>(values.data(), count)});
    }
  }

 private:
  using terms = detail::product_terms<Value, OffsetA, OffsetB>;

  static std::size_t size_of(std::int64_t count) { return static_cast<std::size_t>(count); }
  static const csr_view<Value, OffsetA>& checked(const csr_view<Value, OffsetA>& a,
                                                 const csr_view<Value, OffsetB>& b) {
    detail::check_factor("A", a);
    detail::check_factor("B", b);
    require(a.cols == b.rows, [&] {
      return "A has " + std::to_string(a.cols) + " columns and B has " + std::to_string(b.rows) +
             " rows: the numbers must be equal";
    });
    return a;
  }
  void check_fill(const csr_view<Value, OffsetA>& a, const csr_view<Value, OffsetB>& b, std::size_t columns,
                  std::size_t values, std::int64_t entries) const {
    detail::check_same_factor("A", terms_.a, a);
    detail::check_same_factor("B", terms_.b, b);
    require(columns == size_of(entries) && values == size_of(entries), [&] {
      return "the output has " + std::to_string(columns) + " columns and " + std::to_string(values) +
             " values, but the product has " + std::to_string(entries) + " entries";
    });
  }
  terms with_values(const csr_view<Value, OffsetA>& a, const csr_view<Value, OffsetB>& b) const {
    return {a, b, terms_.disorder};
  }

  /// The output of a pass.
  struct pass {
    terms of;
    std::int64_t* sizes;
    const OffsetC* offsets;
    OffsetC first_entry;
    int* columns;
    Value* values;
  };

  /// Throws invalid_argument if C has more entries than OffsetC counts.
  void set_entries(std::int64_t entries) {
    entries_ = entries;
    require(entries <= std::numeric_limits<OffsetC>::max(), [&] {
      return "the product has " + std::to_string(entries) + " entries, too many for offsets of " +
             std::to_string(8 * sizeof(OffsetC)) + " bits";
    });
  }
  void narrow_offsets(const Executor& exec, buffer<std::int64_t> offsets) {
    if constexpr (std::same_as<OffsetC, std::int64_t>) {
      offsets_ = std::move(offsets);
    } else {
      offsets_ = make_buffer<OffsetC>(exec, offsets.size());
      tabulate(exec, std::int64_t{rows()} + 1, detail::narrowed<OffsetC, std::int64_t>{offsets.data()},
               offsets_.data());
    }
  }
  std::int64_t last_of(const Executor& exec, const buffer<std::int64_t>& offsets) const {
    std::int64_t last = 0;
    exec.copy_to_host(&last, offsets.data() + rows(), sizeof(last));
    return last;
  }

  // --- on cpu ---

  void count_on_cores(const Executor& exec) {
    work_ = make_buffer<std::int64_t>(exec, size_of(rows()) + 1);
    exec.fill_zero(work_.data() + rows(), sizeof(std::int64_t));
    if (rows() > 0)
      reduce_tiles(exec, schedule_for_sums{}, csr_tile_set<OffsetA>(terms_.a.offsets, rows()),
                   detail::products_of_entry<terms>{terms_}, plus<std::int64_t>{},
                   detail::store_row_work<OffsetA>{terms_.a.offsets, work_.data()});
    auto sizes = make_buffer<std::int64_t>(exec, work_.size());
    exec.fill_zero(sizes.data() + rows(), sizeof(std::int64_t));
    exclusive_scan(exec, work_.data(), std::int64_t{rows()} + 1, plus<std::int64_t>{}, work_.data());
    blocks_ = exec.threads();
    memory_ = make_buffer<std::byte>(exec, memory_of_block() * size_of(blocks_));
    next_part_ = make_buffer<std::int64_t>(exec, 1);
    exec.fill_zero(memory_.data(), memory_.size());
    run_on_cores(exec, {terms_, sizes.data(), nullptr, 0, nullptr, nullptr}, 0, rows(), false);
    exclusive_scan(exec, sizes.data(), std::int64_t{rows()} + 1, plus<std::int64_t>{}, sizes.data());
    set_entries(last_of(exec, sizes));
    narrow_offsets(exec, std::move(sizes));
  }

  std::size_t memory_of_block() const { return detail::product_sums<Value>::bytes(terms_.b.cols, true); }
  void run_on_cores(const Executor& exec, const pass& what, int first, int end, bool keeps_columns) {
    constexpr std::int64_t parts_of_thread = 64;
    if (first == end) return;
    exec.fill_zero(next_part_.data(), sizeof(std::int64_t));
    const std::int64_t parts = smaller<std::int64_t>(end - first, parts_of_thread * blocks_);
    launch(exec, {static_cast<int>(smaller<std::int64_t>(blocks_, parts)), 1},
           detail::products_on_cores<terms, OffsetC>{
               what.of, first, end, work_.data(), parts, next_part_.data(), memory_.data(), memory_of_block(),
               what.sizes, what.offsets, what.first_entry, what.columns, what.values, keeps_columns});
  }

  // --- by teams ---

  void count_by_teams(const Executor& exec) {
    const auto sizes = make_buffer<int>(exec, size_of(rows()) + 1);
    const auto work = make_buffer<std::int64_t>(exec, size_of(rows()));
    detail::product_counts counts{};
    if (rows() == 0)
      exec.fill_zero(sizes.data(), sizeof(int));
    else
      counts = short_.count(exec, terms_, detail::short_rows::limit(terms_.b.cols), max_in_storage(exec),
                            work.data(), sizes.data());
    if (counts.long_rows > 0) long_.find(exec, short_.few(), work.data(), rows(), counts.long_rows);
    short_.size(exec, terms_, sizes.data());
    if (long_.count() > 0) size_long_rows(exec, static_cast<int>(counts.giants), sizes.data());
    auto offsets = make_buffer<std::int64_t>(exec, sizes.size());
    exclusive_scan(exec, sizes.data(), std::int64_t{rows()} + 1, plus<std::int64_t>{}, offsets.data());
    set_entries(short_.has_more() || long_.count() > 0 ? last_of(exec, offsets) : counts.entries);
    narrow_offsets(exec, std::move(offsets));
  }
  void size_long_rows(const Executor& exec, int giants, int* sizes) {
    if (giants > 0) {
      giants_.take(exec, long_.rows(), long_.work(), long_.count(), max_in_storage(exec), giants,
                   terms_.b.cols);
      order_of_columns(exec);
    }
    rows_.emplace_back(plan_of_rows(exec, 0, long_.count()));
    for_each_tile(exec, rows_.front(), detail::size_product_rows<terms>{{terms_, long_.rows()}, sizes},
                  team_storage<std::uint32_t>{.per_atom = 1}, team_storage<std::uint32_t>{.per_atom = 1},
                  team_storage<OffsetB>{.per_thread = 1}, team_storage<std::int64_t>{.per_thread = 1},
                  team_storage<std::int64_t>{.per_thread = 1});
    giants_.run(exec, giants_of(terms_, 0, rows(), sizes, 0, {}, {}));
  }

  using work_source = decltype(sized_tiles(std::declval<const std::span<const std::int64_t>&>()));
  using rows_plan = std::conditional_t<Executor::serial_blocks, int,
                                       source_plan<Executor, schedule_for_whole_tiles, work_source>>;

  /// The schedule with the largest blocks whose storage holds the largest row that is not a giant.
  static schedule_for_whole_tiles schedule_of(const Executor& exec) {
    constexpr std::size_t of_atom = 8 + sizeof(Value);
    constexpr std::size_t of_thread = of_atom * schedule_for_whole_tiles::piece_per_thread + 80;
    int block_size = default_block_size;
    if constexpr (!Executor::on_host) block_size = 256; // the fastest of 128, 256 and 512 on an H200
    if constexpr (!Executor::serial_blocks)
      while (block_size > 32 && of_thread * size_of(block_size) > exec.max_storage()) block_size /= 2;
    return {.block_size = block_size};
  }
  /// The maximum products of a row that is not a giant: the capacity of storage; less if a bitmap of all columns is
  /// less work than a sort.
  std::int64_t max_in_storage(const Executor& exec) const {
    constexpr std::int64_t of_few_columns = 1024; // the fastest of 1,024 to 8,192 on an H200
    const std::int64_t room =
        std::int64_t{schedule_of(exec).block_size} * schedule_for_whole_tiles::piece_per_thread;
    return terms_.b.cols <= detail::product_ways::few_columns ? smaller(of_few_columns, room) : room;
  }
  /// The plan of the long rows [first, end).
  auto plan_of_rows(const Executor& exec, std::int64_t first, std::int64_t end) const {
    const std::span<const std::int64_t> sizes(long_.work() + first, size_of(end - first));
    return make_plan(exec, schedule_of(exec), sized_tiles(sizes));
  }
  detail::giant_product_rows<terms, OffsetC> giants_of(const terms& of, int first, int end, int* sizes,
                                                       OffsetC first_entry, int* columns,
                                                       Value* values) const {
    return {of, nullptr, 0, nullptr, {}, first, end, sizes, offsets_.data(), first_entry, columns, values};
  }
  /// Fills rows [first, end). Their long rows are those from `first_long` on; `plan` has them, null if there are none.
  void fill_rows_of(const Executor& exec, rows_plan* plan, std::int64_t first_long, int first, int end,
                    const pass& what) {
    giants_.run(exec, giants_of(what.of, first, end, nullptr, what.first_entry, what.columns, what.values));
    short_.template fill<OffsetC>(exec, what.of, first, end, what.offsets, what.first_entry, what.columns,
                                  what.values);
    if (plan == nullptr) return;
    for_each_tile(
        exec, *plan,
        detail::fill_product_rows<terms, OffsetC>{
            {what.of, long_.rows() + first_long}, what.offsets, what.first_entry, what.columns, what.values},
        team_storage<std::uint32_t>{.per_atom = 1}, team_storage<std::uint16_t>{.per_atom = 2},
        team_storage<Value>{.per_atom = 1}, team_storage<OffsetB>{.per_thread = 1},
        team_storage<std::int64_t>{.per_thread = 1}, team_storage<Value>{.per_thread = 1},
        team_storage<std::int64_t>{.per_thread = 1},
        team_storage<std::uint32_t>{.elements = detail::product_sort::min_counters,
                                    .per_thread = detail::product_sort::counters_per_thread});
  }
  /// Finds out whether rows of B can be searched for columns.
  void order_of_columns(const Executor& exec) {
    if (terms_.b.rows == 0) return;
    disorder_ = make_buffer<int>(exec, 1);
    detail::find_disorder(exec, terms_.b.offsets, terms_.b.columns, terms_.b.rows, disorder_.data());
    terms_.disorder = disorder_.data();
  }

  terms terms_;
  buffer<OffsetC> offsets_;
  std::int64_t entries_ = 0;
  detail::short_product_groups short_; ///< by teams
  detail::long_product_rows long_;
  std::vector<rows_plan> rows_; ///< one plan, if there are long rows
  detail::product_giants giants_;
  buffer<int> disorder_;
  int blocks_ = 0;            ///< number of blocks on cpu
  buffer<std::int64_t> work_; ///< prefix sums of the rows' work
  buffer<std::byte> memory_;
  buffer<std::int64_t> next_part_;
};

/// C = A B. The views lie on `exec`, as C does. OffsetC: the default counts any number of entries; int refuses more
/// than 2^31 - 1. temporaries: the executor for all memory except C's. Allocates and waits; on cuda C's values may
/// still be pending. Throws as spgemm_plan does.
template <std::signed_integral OffsetC = std::int64_t, class Executor, class Value, class OffsetA,
          class OffsetB>
csr_buffers<Value, OffsetC> spgemm(const Executor& exec, const csr_view<Value, OffsetA>& a,
                                   const csr_view<Value, OffsetB>& b,
                                   const std::type_identity_t<Executor>* temporaries = nullptr) {
  const Executor& scratch = temporaries == nullptr ? exec : *temporaries;
  spgemm_plan<Executor, Value, OffsetA, OffsetB, OffsetC> plan(scratch, a, b);
  const auto entries = static_cast<std::size_t>(plan.entries());
  csr_buffers<Value, OffsetC> c{
      a.rows, b.cols, {}, make_buffer<int>(exec, entries), make_buffer<Value>(exec, entries)};
  plan.fill(exec, a, b, c.columns.span(), c.values.span());
  c.offsets = scratch.resource() == exec.resource()
                  ? plan.take_offsets()
                  : detail::copy_of_elements(exec, plan.offsets().data(), std::int64_t{a.rows} + 1);
  return c;
}

} // namespace evenly
