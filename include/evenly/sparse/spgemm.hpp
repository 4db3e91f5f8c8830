// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times sparse matrix, C = A B, in compressed rows.
//
//   auto c = evenly::spgemm(exec, a, b);                     // a, b: csr_view of memory of exec; c owns its arrays
//   evenly::spgemm_plan plan(exec, a, b);                    // finds the number of entries and the offsets of C
//   plan.fill(exec, a, b, columns, values);                  // any number of times, as values change
//   plan.fill_in_chunks(exec, a, b, bytes, use);             // C in chunks of rows
//
// Row i of C is a linear combination of the rows of B named by the entries of A's row i (Gustavson, "Two fast
// algorithms for sparse matrices", TOMS 1978). There are two passes over all products: one for the sizes of C's rows,
// one for its columns and values (Osama et al., PPoPP 2023). The method for a row depends on its number of products:
// detail/product_short_rows.hpp, product_rows.hpp and product_giant_rows.hpp; on the CPU product_on_cores.hpp.
//
// C's columns ascend in each row and are distinct. Entries whose products cancel remain, with value 0. A sum adds its
// products to 0 in the order of A's row, then of B's. C has the same bits on every run and every executor.
// P products, Z entries of C: O(P + Z) on cores; on GPUs O(P), for each digit of columns if rows are sorted.
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
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/product_giants.hpp"
#include "evenly/sparse/detail/product_on_cores.hpp"
#include "evenly/sparse/detail/product_planning.hpp"
#include "evenly/sparse/detail/product_rows.hpp"
#include "evenly/sparse/detail/product_short_rows.hpp"
#include "evenly/sparse/detail/product_terms.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/sized_tiles.hpp"

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
                   rows());
    else
      fill_rows_of(exec, rows_.empty() ? nullptr : &rows_.front(), 0, 0, rows(),
                   {with_values(a, b), nullptr, offsets_.data(), 0, columns.data(), values.data()});
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
                     first, end);
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

  // --- on cores ---

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
    next_share_ = make_buffer<std::int64_t>(exec, 1);
    exec.fill_zero(memory_.data(), memory_.size());
    run_on_cores(exec, {terms_, sizes.data(), nullptr, 0, nullptr, nullptr}, 0, rows());
    exclusive_scan(exec, sizes.data(), std::int64_t{rows()} + 1, plus<std::int64_t>{}, sizes.data());
    set_entries(last_of(exec, sizes));
    narrow_offsets(exec, std::move(sizes));
  }

  std::size_t memory_of_block() const { return detail::product_sums<Value>::bytes(terms_.b.cols, true); }
  void run_on_cores(const Executor& exec, const pass& what, int first, int end) {
    constexpr std::int64_t shares_of_thread = 64;
    if (first == end) return;
    exec.fill_zero(next_share_.data(), sizeof(std::int64_t));
    const std::int64_t shares = smaller<std::int64_t>(end - first, shares_of_thread * blocks_);
    launch(exec, {static_cast<int>(smaller<std::int64_t>(blocks_, shares)), 1},
           detail::products_on_cores<terms, OffsetC>{
               what.of, first, end, work_.data(), shares, next_share_.data(), memory_.data(),
               memory_of_block(), what.sizes, what.offsets, what.first_entry, what.columns, what.values});
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
  int blocks_ = 0;            ///< number of blocks on cores
  buffer<std::int64_t> work_; ///< prefix sums of the rows' work
  buffer<std::byte> memory_;
  buffer<std::int64_t> next_share_;
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
