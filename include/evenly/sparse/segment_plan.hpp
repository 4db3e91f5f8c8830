// SPDX-License-Identifier: Apache-2.0
// Segments of rows of features: reductions and softmax, by offsets or by an index of the segment of each row.
//
//   auto plan = evenly::segments_by_index(exec, index, size);               // int or std::int64_t, in any order
//   auto plan = evenly::segments_by_offsets(exec, offsets, elements);
//   plan.reduce(evenly::maximum{}, evenly::dense_rows(n, 1, values), evenly::dense_rows(size, 1, out));
//   plan.reduce(evenly::segment_mean{}, features, out);                     // rows of any width
//   plan.softmax(scores, out);
//
// A plan of an index sorts the index once, in a stable way, unless it ascends already. Values stay where they are: the
// reduction reads them through the order. So results have the same bits on every run, which sums by atomics do not, and
// a segment with most of the elements takes no longer than many segments. On cpu scalars, and rows if segments have
// many of them, are read in their order instead and added to tables; the index is sorted if something else needs it.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce_by_index.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

/// The mean of a segment; NaN for an empty one.
struct segment_mean {};
/// The row of the minimum or maximum, as std::int64_t; the first of equal ones, or the first NaN. -1 for an empty
/// segment.
struct segment_argmin {};
struct segment_argmax {};
/// log(sum(exp(x))), without overflow; -infinity for an empty segment and for one of -infinity only.
struct segment_logsumexp {};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// A rule of a reduction: its monoid, the monoid's value of an element, and the result.

namespace evenly::detail {

/// A value and its row; none if the row is negative.
template <class Number> struct value_of_row {
  Number value;
  std::int64_t row;
};
template <class Number, bool IsGreater> struct first_extreme {
  using value_type = value_of_row<Number>;
  static constexpr bool commutative = true;
  EVENLY_FN value_type identity() const { return {Number{}, -1}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    if (b.row < 0) return a;
    if (a.row < 0) return b;
    const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
    if (a_is_nan || b_is_nan) {
      if (a_is_nan != b_is_nan) return a_is_nan ? a : b;
    } else if (a.value != b.value) {
      return (a.value < b.value) != IsGreater ? a : b;
    }
    return a.row < b.row ? a : b;
  }
};

/// sum * exp(max) is a sum of exponentials.
template <class Number> struct scaled_sum {
  Number max, sum;
};
/// After Milakov and Gimelshein (Online normalizer calculation for softmax, 2018).
template <class Number> struct plus_of_exponentials {
  using value_type = scaled_sum<Number>;
  EVENLY_FN value_type identity() const { return {-std::numeric_limits<Number>::infinity(), Number{0}}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    const Number max = maximum<Number>{}(a.max, b.max);
    if (max == -std::numeric_limits<Number>::infinity()) return {max, a.sum + b.sum};
    return {max, a.sum * std::exp(a.max - max) + b.sum * std::exp(b.max - max)};
  }
};

template <class Op, class Number> struct segment_rule {
  static_assert(monoid_argument<Op>,
                "the operation must be a monoid, such as plus{} or maximum{}, segment_mean, segment_argmin, "
                "segment_argmax or segment_logsumexp");
  using monoid = monoid_type<Op, Number>;
  using result = Number;
  EVENLY_FN static Number value(Number element, std::int64_t) { return element; }
  EVENLY_FN static Number finish(Number combined, std::int64_t) { return combined; }
};
template <class Number> struct segment_rule<segment_mean, Number> : segment_rule<plus<Number>, Number> {
  static_assert(std::is_floating_point_v<Number>, "means are of floating-point numbers");
  EVENLY_FN static Number finish(Number sum, std::int64_t size) { return sum / static_cast<Number>(size); }
};
template <class Number, bool IsGreater> struct extreme_rule {
  using monoid = first_extreme<Number, IsGreater>;
  using result = std::int64_t;
  EVENLY_FN static value_of_row<Number> value(Number element, std::int64_t row) { return {element, row}; }
  EVENLY_FN static std::int64_t finish(const value_of_row<Number>& found, std::int64_t) { return found.row; }
};
template <class Number> struct segment_rule<segment_argmin, Number> : extreme_rule<Number, false> {};
template <class Number> struct segment_rule<segment_argmax, Number> : extreme_rule<Number, true> {};
template <class Number> struct segment_rule<segment_logsumexp, Number> {
  static_assert(std::is_floating_point_v<Number>, "exponentials are of floating-point numbers");
  using monoid = plus_of_exponentials<Number>;
  using result = Number;
  EVENLY_FN static scaled_sum<Number> value(Number element, std::int64_t) { return {element, Number{1}}; }
  EVENLY_FN static Number finish(const scaled_sum<Number>& found, std::int64_t) {
    const bool is_infinite = found.max == std::numeric_limits<Number>::infinity() || found.sum == Number{0};
    return is_infinite ? found.max : found.max + std::log(found.sum);
  }
};
/// The rule of softmax's first pass: the sums themselves.
struct segment_exponentials {};
template <class Number>
struct segment_rule<segment_exponentials, Number> : segment_rule<segment_logsumexp, Number> {
  using result = scaled_sum<Number>;
  EVENLY_FN static result finish(const result& found, std::int64_t) { return found; }
};

/// The values of atoms. order: the row of each atom; null if they are the same.
template <class Rule, class T> struct segment_values {
  using number = sum_number<T>;
  const T* values;
  std::int64_t leading;
  const std::int64_t* order;
  EVENLY_FN auto operator()(std::int64_t atom, int column) const {
    const std::int64_t row = order == nullptr ? atom : order[atom];
    return Rule::value(static_cast<number>(values[row * leading + column]), row);
  }
};
template <class Rule, class T> struct segment_scalars : segment_values<Rule, T> {
  EVENLY_FN auto operator()(std::int64_t atom) const { return segment_values<Rule, T>::operator()(atom, 0); }
};

template <class Rule, class Out> struct store_segment {
  const std::int64_t* offsets;
  Out* out;
  std::int64_t leading;
  using value_type = typename Rule::monoid::value_type;
  EVENLY_FN void operator()(int segment, int column, const value_type& found) const {
    out[segment * leading + column] =
        static_cast<Out>(Rule::finish(found, offsets[segment + 1] - offsets[segment]));
  }
};
template <class Rule, class Out> struct store_scalar : store_segment<Rule, Out> {
  EVENLY_FN void operator()(int segment, const typename Rule::monoid::value_type& found) const {
    store_segment<Rule, Out>::operator()(segment, 0, found);
  }
};

/// The scalars of rows, for combine_by_index.
template <class Rule, class T> struct scalars_of_rows : segment_values<Rule, T> {
  auto operator[](std::int64_t row) const { return segment_values<Rule, T>::operator()(row, 0); }
};
/// Each serial block combines a part of the rows into its own table.
template <class Rule, class T> struct combine_rows {
  using value_type = typename Rule::monoid::value_type;
  split_parts parts;
  const int* index;
  segment_values<Rule, T> values;
  value_type* tables;
  std::int64_t size;
  int width;
  template <class Block> void operator()(Block& block) const {
    const typename Rule::monoid op;
    value_type* const table = tables + block.index() * size;
    std::fill_n(table, size, op.identity());
    for (std::int64_t i = parts.begin(block); i < parts.end(block); ++i) {
      value_type* const to = table + std::int64_t{index[i]} * width;
      for (int j = 0; j < width; ++j) to[j] = op(to[j], values(i, j));
    }
  }
};
/// Stores a column of a segment from the tables of rows.
template <class Rule, class Out> struct store_tables {
  split_parts segments;
  combined_tables<typename Rule::monoid> tables;
  store_segment<Rule, Out> store;
  int width;
  template <class Block> void operator()(Block& block) const {
    for (std::int64_t s = segments.begin(block); s < segments.end(block); ++s)
      for (int j = 0; j < width; ++j) store(static_cast<int>(s), j, tables(s * width + j));
  }
};

/// exp(x - max) / sum for the row of an atom.
template <class T> struct normalize_row {
  using number = sum_number<T>;
  const T* values;
  std::int64_t leading;
  const std::int64_t* order;
  const scaled_sum<number>* totals;
  T* out;
  std::int64_t out_leading;
  int width;
  EVENLY_FN void operator()(int segment, std::int64_t atom) const {
    const std::int64_t row = order == nullptr ? atom : order[atom];
    for (int j = 0; j < width; ++j) {
      const scaled_sum<number> total = totals[std::int64_t{segment} * width + j];
      const auto value = static_cast<number>(values[row * leading + j]);
      out[row * out_leading + j] = static_cast<T>(std::exp(value - total.max) / total.sum);
    }
  }
};

/// The same for rows in their order.
template <class T> struct normalize_by_index {
  split_parts parts;
  const int* index;
  normalize_row<T> rows;
  template <class Block> void operator()(Block& block) const {
    for (std::int64_t i = parts.begin(block); i < parts.end(block); ++i) rows(index[i], i);
  }
};
struct one_of_each {
  std::int64_t operator[](std::int64_t) const { return 1; }
};

/// Finds an index out of range.
template <class Index> struct check_segment_index {
  struct report {
    std::int64_t at;
    Index value;
  };
  const Index* index;
  std::int64_t elements;
  std::int64_t size;
  EVENLY_FN std::int64_t count() const { return elements; }
  EVENLY_FN bool bad(std::int64_t k) const { return (index[k] < 0) | (index[k] >= size); }
  EVENLY_FN report report_of(std::int64_t at) const { return {at, at == no_fault ? Index{0} : index[at]}; }
  std::string message(const report& seen) const {
    return concat("index[", seen.at, "] = ", seen.value, ": it must be in [0, ", size,
                  "), the number of segments");
  }
};
/// Finds the first descent.
template <class Index> struct check_ascent {
  using report = std::int64_t;
  const Index* index;
  std::int64_t pairs;
  EVENLY_FN std::int64_t count() const { return pairs; }
  EVENLY_FN bool bad(std::int64_t k) const { return index[k] > index[k + 1]; }
  EVENLY_FN static report report_of(std::int64_t at) { return at; }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The public functions.

namespace evenly {

/// Segments of rows on an executor, planned once. Move-only. One call at a time uses it.
template <class Executor> class segment_plan {
  using tiles_type = csr_tile_set<std::int64_t>;
  using plan_type = decltype(make_plan(std::declval<const Executor&>(), schedule_for_sums{},
                                       std::declval<const tiles_type&>()));

 public:
  /// The number of segments, and of rows of values.
  int segments() const { return static_cast<int>(offsets_.size()) - 1; }
  std::int64_t elements() const { return elements_; }
  /// Whether the index was not in order, so that values are read through an order of rows.
  bool has_order() const { return order_.size() > 0 || index_.size() > 0; }

  /// out[s][j] = op over column j of the rows of segment s.
  ///
  /// - op: plus{}, minimum{}, maximum{}, multiplies{} or another commutative monoid, whose identity is the result of an
  ///   empty segment; or segment_mean, segment_argmin, segment_argmax, segment_logsumexp.
  /// - values: elements() rows of float, double, half, bfloat16 or integers, by rows. Numbers of 16 bits are combined
  ///   as floats, and rounded once if `out` has them.
  /// - out: segments() rows, as many columns as values. It does not overlap them.
  /// - NaN and infinities follow IEEE 754: a minimum, maximum, sum or exponential with NaN is NaN.
  /// - Cost: O(elements * columns), and a gather of rows by order for an index that was not in order.
  /// - Asynchronous on cuda. Every run returns the same bits.
  /// - Throws invalid_argument for wrong sizes, an overlap, or a null array.
  template <class Op, class Value, class Out>
  void reduce(const Op&, const dense_view<Value>& values, const dense_view<Out>& out) {
    using T = std::remove_const_t<Value>;
    using rule = detail::segment_rule<Op, detail::sum_number<T>>;
    check("values", values, elements_);
    check("out", out, segments());
    detail::require_same_size("values", values.cols, "columns", "out", out.cols, "columns");
    detail::require_apart("values", values.data, values.extent(), "out", out.data, out.extent(), false);
    run<rule, T>(values, out.data, out.leading);
  }

  /// out[i][j] = exp(values[i][j]) / the sum of exp(values) in column j of i's segment, without overflow.
  ///
  /// - values, out: elements() rows of a floating-point type, by rows. They may be the same. Rows of no segment keep
  ///   their contents.
  /// - A segment with NaN or +infinity, or of -infinity only, gives NaN in that column.
  /// - Memory: two numbers per segment and column from the executor's resource.
  /// - Asynchronous on cuda. Every run returns the same bits. Throws as reduce.
  template <class Value, class T> void softmax(const dense_view<Value>& values, const dense_view<T>& out) {
    static_assert(std::is_same_v<std::remove_const_t<Value>, T>, "values and out must have the same type");
    using number = detail::sum_number<T>;
    using rule = detail::segment_rule<detail::segment_exponentials, number>;
    check("values", values, elements_);
    check("out", out, elements_);
    detail::require_same_size("values", values.cols, "columns", "out", out.cols, "columns");
    detail::require_apart("values", values.data, values.extent(), "out", out.data, out.extent(), true);
    require(static_cast<const void*>(values.data) != out.data || values.leading == out.leading, [] {
      return "out is values with another distance of rows: a softmax in place needs the same one";
    });
    const auto totals = make_buffer<detail::scaled_sum<number>>(
        exec_, static_cast<std::size_t>(segments()) * static_cast<std::size_t>(values.cols));
    run<rule, T>(values, totals.data(), values.cols);
    if (plan_.atoms() == 0 || values.cols == 0) return;
    if constexpr (Executor::serial_blocks)
      if (index_.size() > 0)
        return by_rows(values.cols, [&](const detail::split_parts& parts) {
          return detail::normalize_by_index<T>{
              parts,
              index_.data(),
              {values.data, values.leading, nullptr, totals.data(), out.data, out.leading, values.cols}};
        });
    for_each_atom(exec_, plan_,
                  detail::normalize_row<T>{values.data, values.leading, rows(), totals.data(), out.data,
                                           out.leading, values.cols});
  }

  template <class E, class Offset>
  friend segment_plan<E> segments_by_offsets(const E&, std::span<const Offset>, std::int64_t);
  template <class E, class Index>
  friend segment_plan<E> segments_by_index(const E&, std::span<const Index>, std::int64_t);

 private:
  segment_plan(const Executor& exec, std::int64_t elements, buffer<std::int64_t> offsets,
               buffer<std::int64_t> order, buffer<int> index = {})
      : exec_(exec), elements_(elements), offsets_(std::move(offsets)), order_(std::move(order)),
        index_(std::move(index)),
        plan_(make_plan(exec, schedule_for_sums{}, tiles_type(offsets_.data(), segments()))) {}

  /// The row of each atom, or null if they are the same. Sorts the index if that was put off.
  const std::int64_t* rows() {
    if (order_.size() == 0 && index_.size() > 0)
      order_ = std::move(detail::order_entries<std::int64_t>(exec_, index_.data(), elements_).numbers);
    return order_.size() == 0 ? nullptr : order_.data();
  }

  template <class Value> static void check(const char* name, const dense_view<Value>& m, std::int64_t rows) {
    detail::check_dense(name, m);
    require(m.layout == dense_layout::rows || m.cols == 1 || m.extent() == 0,
            [&] { return detail::concat(name, " is by columns: rows of features must be by rows"); });
    require(m.rows == rows,
            [&] { return detail::concat(name, " has ", m.rows, " rows: it must have ", rows); });
  }

  template <class Rule, class T, class Value, class Out>
  void run(const dense_view<Value>& values, Out* out, std::int64_t leading) {
    if (segments() == 0 || values.cols == 0) return;
    const std::int64_t distance = values.layout == dense_layout::rows ? values.leading : 1;
    const detail::store_segment<Rule, Out> store{offsets_.data(), out, leading};
    if constexpr (Executor::serial_blocks)
      if (run_by_index<Rule, T>({values.data, distance, nullptr}, values.cols, store)) return;
    const detail::segment_values<Rule, T> from{values.data, distance, rows()};
    if (values.cols == 1)
      reduce_tiles(exec_, plan_, detail::segment_scalars<Rule, T>{from}, typename Rule::monoid{},
                   detail::store_scalar<Rule, Out>{store});
    else
      reduce_tiles_wide(exec_, plan_, values.cols, from, typename Rule::monoid{}, store);
  }

  /// Launches make(parts) over the rows.
  template <class Make> void by_rows(int width, const Make& make) {
    const std::int64_t per_block =
        larger(items_per_block(exec_, elements_ * width, 0) / width, std::int64_t{1});
    launch(exec_, {block_count(elements_, per_block), 1}, make(detail::split_parts{0, elements_, per_block}));
  }
  /// Reduces rows in their order, on cores. Returns false if a sorted index takes less time: for rows of features if
  /// segments have few of them.
  template <class Rule, class T, class Out>
  bool run_by_index(const detail::segment_values<Rule, T>& from, int width,
                    const detail::store_segment<Rule, Out>& store) {
    using monoid = typename Rule::monoid;
    constexpr std::int64_t rows_of_segment = 16, max_tables = 64;
    if (index_.size() == 0) return false;
    const std::int64_t size = std::int64_t{segments()} * width;
    const std::int64_t tables =
        width == 1 ? 1 : smaller(elements_ / (rows_of_segment * segments()), max_tables);
    if (tables == 0) return false;
    const auto made =
        make_buffer<typename monoid::value_type>(exec_, static_cast<std::size_t>(tables * size));
    const detail::split_parts parts{0, elements_, ceil_div(elements_, tables)};
    if (width == 1)
      detail::combine_by_index(exec_, index_.data(), detail::scalars_of_rows<Rule, T>{from}, elements_,
                               monoid{}, made.data(), size, memory_);
    else
      launch(exec_, {block_count(elements_, parts.per_block), 1},
             detail::combine_rows<Rule, T>{parts, index_.data(), from, made.data(), size, width});
    const std::int64_t per_block = items_per_block(exec_, segments(), 0);
    launch(exec_, {block_count(segments(), per_block), 1},
           detail::store_tables<Rule, Out>{
               {0, segments(), per_block},
               {monoid{}, made.data(), size, block_count(elements_, parts.per_block)},
               store,
               width});
    return true;
  }

  Executor exec_;
  std::int64_t elements_;
  buffer<std::int64_t> offsets_;
  buffer<std::int64_t> order_;
  buffer<int> index_; ///< of an index that is not sorted; else empty
  workspace memory_;
  plan_type plan_;
};

/// Plans segments [offsets[s], offsets[s + 1]) of `elements` rows. Copies the offsets, int or std::int64_t on `exec`.
/// O(segments); synchronises. Throws invalid_argument for offsets that decrease, are negative or end beyond
/// `elements`.
template <class Executor, class Offset>
segment_plan<Executor> segments_by_offsets(const Executor& exec, std::span<const Offset> offsets,
                                           std::int64_t elements) {
  require(!offsets.empty(),
          [] { return "offsets is empty: it needs one more element than there are segments"; });
  require(offsets.size() - 1 <= std::numeric_limits<int>::max() - 1, [&] {
    return detail::concat(offsets.size() - 1, " segments are more than the maximum of 2147483646");
  });
  auto copy = make_buffer<std::int64_t>(exec, offsets.size());
  tabulate(exec, static_cast<std::int64_t>(offsets.size()),
           detail::narrowed<std::int64_t, Offset>{offsets.data()}, copy.data());
  segment_plan<Executor> made(exec, elements, std::move(copy), {});
  const std::int64_t end = made.plan_.first_atom() + made.plan_.atoms();
  require(made.plan_.first_atom() >= 0 && end <= elements, [&] {
    return detail::concat("the segments go from ", made.plan_.first_atom(), " to ", end, ", but there are ",
                          elements, " values: offsets must be at least 0 and at most the number of values");
  });
  return made;
}

/// Plans `size` segments: row i belongs to segment index[i]. The index, of int or std::int64_t on `exec`, is in any
/// order, and is not used after the call.
///
/// - Cost: O(elements + size log(elements)); if the index does not ascend, in addition a stable radix sort, and 8 bytes
///   per element. Synchronises.
/// - Throws invalid_argument for an index out of range, and names the first one and its position.
template <class Executor, class Index>
segment_plan<Executor> segments_by_index(const Executor& exec, std::span<const Index> index,
                                         std::int64_t size) {
  static_assert(signed_of_32_or_64_bits<Index>, "an index must have elements of int or std::int64_t");
  require(size >= 0 && size < std::numeric_limits<int>::max(),
          [&] { return detail::concat("size = ", size, ": it must be in [0, 2147483647)"); });
  const auto elements = static_cast<std::int64_t>(index.size());
  detail::require_no_fault(exec, detail::check_segment_index<Index>{index.data(), elements, size});
  const bool ascends =
      elements < 2 || detail::first_fault(exec, detail::check_ascent<Index>{index.data(), elements - 1},
                                          elements - 1) == detail::no_fault;
  if (ascends)
    return {exec, elements, detail::offsets_of_lines<std::int64_t>(exec, index.data(), elements, size), {}};
  if constexpr (Executor::serial_blocks) { // sorted when that is needed
    auto offsets = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(size) + 1);
    workspace memory;
    detail::combine_by_index(exec, index.data(), detail::one_of_each{}, elements, plus<std::int64_t>{},
                             offsets.data() + 1, size, memory);
    offsets.data()[0] = 0;
    for (std::int64_t s = 0; s < size; ++s) offsets.data()[s + 1] += offsets.data()[s];
    auto kept = make_buffer<int>(exec, index.size());
    tabulate(exec, elements, detail::narrowed<int, Index>{index.data()}, kept.data());
    return {exec, elements, std::move(offsets), {}, std::move(kept)};
  }
  auto ordered = detail::order_entries<std::int64_t>(exec, index.data(), elements);
  auto offsets = detail::offsets_of_lines<std::int64_t>(exec, ordered.lines.data(), elements, size);
  return {exec, elements, std::move(offsets), std::move(ordered.numbers)};
}

} // namespace evenly
