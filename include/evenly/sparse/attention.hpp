// SPDX-License-Identifier: Apache-2.0
// Graph attention: each row of a sparse pattern gets the mean of the values of its entries' columns, weighted by a
// softmax of the entries' scores. Forward and backward, any number of heads.
//
//   auto plan = evenly::plan_attention(exec, m.view());                                 // the pattern of a matrix
//   plan.forward(evenly::dot_scores<const float>{q, k, scale}, v, heads, out, log_sums);       // as transformers do
//   plan.forward(evenly::additive_scores<const float>{a, b, 0.2f}, v, heads, out, log_sums);   // as GAT does
//   plan.backward(scores, v, heads, out, log_sums, grad_out, grad_of_scores, grad_v);
//
// Scores are never in memory: the forward pass combines entries with their running maximum, the backward pass computes
// scores again (detail/attention_kernels.hpp). A row with most of the entries takes no longer than many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/attention_kernels.hpp"
#include "evenly/sparse/detail/attention_on_cores.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/transpose.hpp"

namespace evenly {

/// Scores scale * dot(queries[i, head], keys[j, head]) of an entry (i, j). As gradients: those of queries and keys.
template <class T> struct dot_scores {
  dense_view<T> of_rows;                                 ///< queries: rows of the pattern x (heads * width)
  dense_view<T> of_columns;                              ///< keys: columns of the pattern x (heads * width)
  detail::sum_number<std::remove_const_t<T>> factor = 1; ///< usually 1 / sqrt(width)
};

/// Scores leaky_relu(of_rows[i, head] + of_columns[j, head]), as in graph attention networks (Velickovic et al., 2018).
/// As gradients: those of the two.
template <class T> struct additive_scores {
  dense_view<T> of_rows;    ///< rows of the pattern x heads
  dense_view<T> of_columns; ///< columns of the pattern x heads
  detail::sum_number<std::remove_const_t<T>> factor =
      detail::sum_number<std::remove_const_t<T>>(0.2); ///< slope below 0
};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

template <class Scores> inline constexpr bool are_dots = false;
template <class T> inline constexpr bool are_dots<dot_scores<T>> = true;

/// dot(grad_out, out) of a row and a head.
template <class T> struct delta_of_head {
  const T* out;
  std::int64_t out_leading;
  const T* grad;
  std::int64_t grad_leading;
  int heads, width;
  EVENLY_FN sum_number<T> operator()(std::int64_t i) const {
    const std::int64_t row = i / heads, first = i % heads * width;
    sum_number<T> sum{0};
    for (int j = 0; j < width; ++j)
      sum += static_cast<sum_number<T>>(out[row * out_leading + first + j]) *
             static_cast<sum_number<T>>(grad[row * grad_leading + first + j]);
    return sum;
  }
};

/// One pass of attention on parallel executors: two launches.
template <attention_pass Pass, bool Dots, int Part, class Executor, class T, class Offset>
void launch_attention(const Executor& exec, const attention_operands<T, Offset>& of,
                      const attention_results<T>& to) {
  using first = attention_kernel<T, Offset, Pass, Dots, Part>;
  using second = attention_join<T, Offset, Pass, Dots, Part>;
  constexpr int block_size = first::tuned_block_size;
  const block_shape threads = exec.shape_of(block_size);
  attention_shape shape = attention_shape::of(of.heads, of.width, Part, threads.warp);
  // Half as many entries per warp if there are too few warps to fill the device.
  const bool is_small = of.count / first::max_steps * shape.slices < exec.resident_threads();
  shape.steps = is_small ? first::max_steps / 2 : first::max_steps;
  shape.chunks = block_count(of.count, std::int64_t{shape.steps} * threads.warps() * threads.warp);
  const auto blocks = std::int64_t{larger(shape.chunks, 1)} * shape.slices;
  require(blocks <= std::numeric_limits<int>::max(), [&] {
    return concat("attention over ", of.count, " entries with ", of.heads, " heads of ", of.width,
                  " features needs more blocks than 2147483647");
  });
  const auto shared = make_buffer<typename first::state>(exec, static_cast<std::size_t>(shape.chunks) *
                                                                   shape.slices * 2 * shape.group);
  const auto ends = make_buffer<int>(exec, static_cast<std::size_t>(shape.chunks));
  if (of.count > 0)
    launch(exec, {static_cast<int>(blocks), block_size}, first{of, to, shape, shared.data(), ends.data()});
  launch(exec, {static_cast<int>(blocks), block_size}, second{of, to, shape, shared.data(), ends.data()});
}

/// The same on cores.
template <attention_pass Pass, bool Dots, class Executor, class Number, class Offset, class Out>
void launch_attention_on_cores(const Executor& exec, const attention_operands<Number, Offset>& of,
                               const attention_results<Out>& to) {
  using kernel = attention_on_cores<Number, Out, Offset, Pass, Dots>;
  const std::int64_t work = larger(std::int64_t{of.heads} * of.width / 4, std::int64_t{1}); // of an entry
  const std::int64_t per_block =
      of.count == 0 ? 1 : ceil_div(items_per_block(exec, of.count * work, std::int64_t{1}), work);
  const int blocks = larger(block_count(of.count, per_block), 1);
  const auto size = static_cast<std::size_t>(kernel::tile_type::size(of.heads, of.width));
  const auto shared = make_buffer<Number>(exec, 3 * size * static_cast<std::size_t>(blocks));
  const auto ends = make_buffer<int>(exec, static_cast<std::size_t>(blocks));
  const kernel first{of, to, per_block, shared.data(), ends.data()};
  if (of.count > 0) launch(exec, {blocks, 1}, first);
  launch(exec, {blocks, 1}, attention_join_on_cores<Number, Out, Offset, Pass, Dots>{first, blocks});
}

/// Whether the rows of a matrix can be accessed in parts; those that are not used can.
template <int Part, class T> bool has_parts(const T* data, std::int64_t leading) {
  return data == nullptr || has_packs<Part>(data, leading);
}

template <attention_pass Pass, bool Dots, class Executor, class T, class Offset, class Out>
void run_attention(const Executor& exec, const attention_operands<T, Offset>& of,
                   const attention_results<Out>& to) {
  if constexpr (Executor::serial_blocks) {
    launch_attention_on_cores<Pass, Dots>(exec, of, to);
  } else {
    constexpr int part = 16 / static_cast<int>(sizeof(T));
    const bool fits = of.width % part == 0 &&
                      (!Dots || (has_parts<part>(of.tile.first, of.tile.first_leading) &&
                                 has_parts<part>(of.other.first, of.other.first_leading) &&
                                 has_parts<part>(to.first, to.first_leading))) &&
                      has_parts<part>(of.tile.second, of.tile.second_leading) &&
                      has_parts<part>(of.other.second, of.other.second_leading) &&
                      has_parts<part>(to.second, to.second_leading);
    if (fits)
      launch_attention<Pass, Dots, part>(exec, of, to);
    else
      launch_attention<Pass, Dots, 1>(exec, of, to);
  }
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The public functions.

namespace evenly {

/// Attention over the entries of a pattern, on an executor. Move-only. One call at a time uses it.
template <class Executor, class Offset = int> class attention_plan {
 public:
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  std::int64_t entries() const { return all_.count; }

  /// out[i, head] = the sum over entries (i, j) of p V[j, head], p = exp(score) / the sum of exp(score) in row i.
  ///
  /// - scores: dot_scores or additive_scores of const T, on the executor like all arrays.
  /// - v: columns x (heads * width); out: rows x (heads * width); by rows, with any distance of rows. A head's features
  ///   are consecutive. T: float, double, half, bfloat16; sums are floats for 16 bits, rounded once.
  /// - log_sums: null, or rows * heads numbers: log(sum(exp(score))), which backward needs; -infinity for an empty row.
  /// - An empty row gives zeros. A score of NaN or +infinity, or scores of -infinity only, give NaN in that row and
  ///   head; otherwise an entry with a score of -infinity has share 0.
  /// - Cost: O(entries * heads * width), in two launches; on parallel executors it gathers a row of V, and of keys, per
  ///   entry. Heads of more than 16 bytes per lane of a warp (128 floats) compute scores again for each such part. It
  ///   is fastest if rows begin at multiples of 16 bytes and a head has a multiple of 16 bytes.
  /// - Memory: sums of rows that blocks share, O(entries * heads * width / 128), from the executor's resource; on cpu
  ///   also copies of features of 16 bits.
  /// - Asynchronous on cuda. The same bits on every run; on cpu the number of threads is a parameter, on simt the warp.
  /// - Throws invalid_argument for wrong sizes, an overlap, or a null array.
  template <class Scores, class T>
  void forward(const Scores& scores, const std::type_identity_t<dense_view<const T>>& v, int heads,
               const dense_view<T>& out, std::type_identity_t<detail::sum_number<T>*> log_sums = nullptr) {
    const int width = check(scores, v, heads);
    check("out", out, rows_, heads * width);
    for (const auto* each : {&scores.of_rows, &scores.of_columns, &v})
      detail::require_apart("an input", each->data, each->extent(), "out", out.data, out.extent(), false);
    if (rows_ == 0) return;
    constexpr bool dots = detail::are_dots<std::remove_cvref_t<Scores>>;
    detail::attention_results<T> to;
    to.second = out.data, to.second_leading = out.leading, to.log_sums = log_sums;
    using number = read_number<T>;
    buffer<number> rooms[3];
    const auto a = read<number>(scores.of_rows, rooms[0]), b = read<number>(scores.of_columns, rooms[1]);
    const auto from = read<number>(v, rooms[2]);
    detail::run_attention<detail::attention_pass::forward, dots>(
        exec_,
        detail::attention_operands<number, Offset>{offsets_,
                                                   rows_,
                                                   all_.first,
                                                   all_.count,
                                                   columns_ + all_.first,
                                                   heads,
                                                   width,
                                                   scores.factor,
                                                   {a.data, a.leading},
                                                   {b.data, b.leading, from.data, from.leading}},
        to);
  }

  /// The gradients of a function of `out` with respect to the scores' operands and V, given those of `out`.
  ///
  /// - scores, v, heads, out, log_sums: as forward had and wrote them. grad_out: rows x (heads * width).
  /// - grad_scores: the same scores of T: where the gradients go; its factor is not used. grad_v: as v.
  /// - The first call makes the transpose of the pattern: it allocates 4 bytes per entry, and synchronises.
  /// - Cost: as twice forward, in five launches; on parallel executors it gathers four rows per entry, three for
  ///   additive scores. Memory: a number per row and head.
  /// - A row without entries gives zeros, as does a column. The rest as in forward.
  template <class Scores, class T, class Gradients>
  void backward(const Scores& scores, const std::type_identity_t<dense_view<const T>>& v, int heads,
                const std::type_identity_t<dense_view<const T>>& out,
                const std::type_identity_t<detail::sum_number<T>>* log_sums,
                const std::type_identity_t<dense_view<const T>>& grad_out, const Gradients& grad_scores,
                const dense_view<T>& grad_v) {
    const int width = check(scores, v, heads);
    constexpr bool dots = detail::are_dots<std::remove_cvref_t<Scores>>;
    static_assert(dots == detail::are_dots<std::remove_cvref_t<Gradients>>,
                  "the gradients are of the scores' kind");
    check("out", out, rows_, heads * width);
    check("the gradient of out", grad_out, rows_, heads * width);
    const int of_scores = dots ? heads * width : heads;
    check("the gradient of rows", grad_scores.of_rows, rows_, of_scores);
    check("the gradient of columns", grad_scores.of_columns, cols_, of_scores);
    check("the gradient of V", grad_v, cols_, heads * width);
    detail::require_memory("log_sums", log_sums, std::int64_t{rows_} * heads);
    for (const auto* to : {&grad_scores.of_rows, &grad_scores.of_columns, &grad_v})
      for (const auto* from : {&scores.of_rows, &scores.of_columns, &v, &out, &grad_out})
        detail::require_apart("an input", from->data, from->extent(), "a gradient", to->data, to->extent(),
                              false);
    transpose_pattern();
    using number = read_number<T>;
    using sum = detail::sum_number<T>;
    buffer<number> rooms[4];
    const auto a = read<number>(scores.of_rows, rooms[0]), b = read<number>(scores.of_columns, rooms[1]);
    const auto from = read<number>(v, rooms[2]), grad = read<number>(grad_out, rooms[3]);
    const auto deltas =
        make_buffer<sum>(exec_, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(heads));
    tabulate(exec_, std::int64_t{rows_} * heads,
             detail::delta_of_head<T>{out.data, out.leading, grad_out.data, grad_out.leading, heads, width},
             deltas.data());
    const detail::attention_side<number> of_rows{a.data,       a.leading, grad.data,
                                                 grad.leading, log_sums,  deltas.data()};
    const detail::attention_side<number> of_columns{b.data, b.leading, from.data, from.leading};
    detail::attention_results<T> to_rows, to_columns;
    to_rows.first = grad_scores.of_rows.data, to_rows.first_leading = grad_scores.of_rows.leading;
    to_columns.first = grad_scores.of_columns.data, to_columns.first_leading = grad_scores.of_columns.leading;
    to_columns.second = grad_v.data, to_columns.second_leading = grad_v.leading;
    if (rows_ > 0)
      detail::run_attention<detail::attention_pass::of_rows, dots>(
          exec_,
          detail::attention_operands<number, Offset>{offsets_, rows_, all_.first, all_.count,
                                                     columns_ + all_.first, heads, width, scores.factor,
                                                     of_rows, of_columns},
          to_rows);
    if (cols_ > 0)
      detail::run_attention<detail::attention_pass::of_columns, dots>(
          exec_,
          detail::attention_operands<number, Offset>{transposed_.offsets.data(), cols_, Offset{0}, all_.count,
                                                     transposed_.columns.data(), heads, width, scores.factor,
                                                     of_columns, of_rows},
          to_columns);
  }

  template <class E, class Value, class O>
  friend attention_plan<E, O> plan_attention(const E&, const csr_view<Value, O>&);

 private:
  /// What kernels read for T: on cpu numbers of 16 bits are converted once.
  template <class T>
  using read_number = std::conditional_t<Executor::serial_blocks, detail::sum_number<T>, T>;

  attention_plan(const Executor& exec, int rows, int cols, const Offset* offsets, const int* columns,
                 detail::entry_range<Offset> all)
      : exec_(exec), rows_(rows), cols_(cols), offsets_(offsets), columns_(columns), all_(all) {}

  template <class Value> static void check(const char* name, const dense_view<Value>& m, int rows, int cols) {
    detail::check_dense(name, m);
    require(m.rows == rows && m.cols == cols, [&] {
      return detail::concat(name, " has ", m.rows, " rows of ", m.cols, " elements: it must have ", rows,
                            " of ", cols);
    });
    require(m.layout == dense_layout::rows || m.extent() == 0,
            [&] { return detail::concat(name, " is by columns: features must be by rows"); });
  }
  /// Returns the width of a head.
  template <class Scores, class Value>
  int check(const Scores& scores, const dense_view<Value>& v, int heads) const {
    require(heads > 0, [&] { return detail::concat("heads = ", heads, ": it must be at least 1"); });
    require(v.cols % heads == 0, [&] {
      return detail::concat("V has ", v.cols, " columns, which is not a multiple of the ", heads, " heads");
    });
    const int of_scores = detail::are_dots<Scores> ? v.cols : heads;
    check("V", v, cols_, v.cols);
    check("the operand of rows", scores.of_rows, rows_, of_scores);
    check("the operand of columns", scores.of_columns, cols_, of_scores);
    return v.cols / heads;
  }
  template <class Number, class Value>
  dense_view<const Number> read(const dense_view<Value>& m, buffer<Number>& room) const {
    return detail::rows_as<Number, Executor, std::remove_const_t<Value>>(exec_, m, room);
  }
  void transpose_pattern() {
    if (transposed_.offsets.size() == 0)
      transposed_ = detail::transposed_pattern(
          exec_, exec_, csr_view<void, Offset>{rows_, cols_, offsets_, columns_}, all_, columns_ + all_.first,
          make_buffer<int>(exec_, static_cast<std::size_t>(all_.count)));
  }

  Executor exec_;
  int rows_, cols_;
  const Offset* offsets_;
  const int* columns_;
  detail::entry_range<Offset> all_;
  detail::pattern_by_columns<Offset> transposed_;
};

/// A plan for the pattern of `m`, a view on `exec` whose arrays outlive the plan; its values are not read, and may be
/// null. Columns are not checked. Reads two offsets, and waits for them. Throws invalid_argument for negative sizes and
/// null arrays.
template <class Executor, class Value, class Offset>
attention_plan<Executor, Offset> plan_attention(const Executor& exec, const csr_view<Value, Offset>& m) {
  const auto all = detail::entries_of(exec, m);
  detail::require_memory("columns", m.columns, all.count);
  return {exec, m.rows, m.cols, m.offsets, m.columns, all};
}

} // namespace evenly
