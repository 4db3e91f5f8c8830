// SPDX-License-Identifier: Apache-2.0
// Sampled products of dense matrices: alpha X Y^T + beta M at the entries of a sparse matrix M.
//
//   evenly::sddmm(exec, m.view(), x, y, values);        // values[k] = dot(row i of X, row j of Y) for entry k at (i, j)
//   evenly::sddmm(exec, plan, m.view(), x, y, values);  // the same, asynchronous on cuda
//   auto s = evenly::sddmm(m, x, y);                    // a matrix with the rows and columns of m
//
// The products are the scores of edges of a graph, and the gradient of spmm with respect to the values of A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "evenly/sparse/compact_spmm.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/dense_transpose.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sampled_dots.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/spmv.hpp"

namespace evenly {

namespace detail {

/// Throws invalid_argument for invalid arguments of sddmm.
template <class Value, class Stored, class Offset>
void check_sddmm(const csr_view<Value, Offset>& m, const entry_range<Offset>& all,
                 const dense_view<const Stored>& x, const dense_view<const Stored>& y,
                 std::span<const Value> out, bool reads_values) {
  check_dense("X", x);
  check_dense("Y", y);
  require_same_size("the matrix", m.rows, "rows", "X", x.rows, "rows");
  require_same_size("the matrix", m.cols, "columns", "Y", y.rows, "rows");
  require_same_size("X", x.cols, "columns", "Y", y.cols, "columns");
  require(out.size() == static_cast<std::size_t>(all.count), [&] {
    return concat("out has ", out.size(), " elements, but the matrix has ", all.count, " entries");
  });
  require_memory("out", out.data(), all.count);
  require_apart("X", x.data, x.extent(), "out", out.data(), all.count, false);
  require_apart("Y", y.data, y.extent(), "out", out.data(), all.count, false);
  require_apart_from_matrix(compact_view<all_ones<float>, Offset>{m.rows, m.cols, m.offsets, m.columns},
                            all.first, all.count, "out", out.data(), all.count);
  if (!reads_values || all.count == 0) return;
  require_memory("values", m.values, all.count);
  require_apart("values", m.values + all.first, all.count, "out", out.data(), all.count, true);
}

/// A view of `m` by rows with elements of type To, in `room` if it is a copy.
template <class To, class Executor, class Stored>
dense_view<const To> rows_as(const Executor& exec, const dense_view<const Stored>& m, buffer<To>& room) {
  const bool by_rows = m.layout == dense_layout::rows;
  if constexpr (std::is_same_v<To, Stored>) {
    if (by_rows) return m;
    if (m.cols == 1) return {m.rows, 1, m.data, 1};
  }
  using number = sum_number<Stored>;
  constexpr int size = 16 / static_cast<int>(sizeof(To));
  const std::int64_t leading = std::int64_t{ceil_div(m.cols, size)} * size;
  if (m.rows == 0 || m.cols == 0) return {m.rows, m.cols, nullptr, leading};
  room = make_buffer<To>(exec, static_cast<std::size_t>(m.rows * leading));
  if (by_rows)
    convert_lines(exec, m.data, m.leading, room.data(), leading, m.rows, m.cols, number{1}, number{0});
  else
    transpose_dense(exec, m.data, m.leading, room.data(), leading, m.cols, m.rows, number{1}, number{0});
  return {m.rows, m.cols, room.data(), leading};
}

/// Starts the kernel for parts of `Part` elements.
template <int Part, class Executor, class Stored, class Value, class Offset>
void launch_sampled_dots(const Executor& exec, const sampled_operands<Stored, Value, Offset>& of) {
  using kernel_type = sampled_dots_kernel<Stored, Value, Offset, Part>;
  constexpr int block_size = kernel_type::tuned_block_size;
  const block_shape shape = exec.shape_of(block_size);
  const int parts = ceil_div(of.width, Part);
  int group = smaller(4, shape.warp);
  while (group < parts && group < shape.warp) group *= 2;
  // Half as many entries per warp if there are too few warps to fill the device.
  const bool is_small = of.count / kernel_type::max_steps < exec.resident_threads();
  const int steps = is_small ? kernel_type::max_steps / 2 : kernel_type::max_steps;
  launch(exec, {block_count(of.count, std::int64_t{steps} * shape.warps() * shape.warp), block_size},
         kernel_type{of, steps, group});
}

template <class Executor, class Value, class Offset, class Stored>
void multiply_sampled(const Executor& exec, const csr_view<Value, Offset>& m, const entry_range<Offset>& all,
                      const dense_view<const Stored>& x, const dense_view<const Stored>& y,
                      std::span<Value> out, sum_number<Stored> alpha, sum_number<Stored> beta) {
  using number = sum_number<Stored>;
  static_assert(std::is_same_v<number, float> || std::is_same_v<number, double>,
                "sddmm multiplies matrices of float, double, half or bfloat16");
  static_assert(
      stands_for<Value, number>,
      "the values of sddmm must have the type of the sums (float for X and Y of 16 bits), or 16 bits "
      "if that is float");
  check_sddmm<Value, Stored, Offset>(m, all, x, y, out, beta != number{0});
  if (all.count == 0) return;
  // On cpu 16-bit numbers are converted once; a GPU converts them in the kernel.
  using read = std::conditional_t<Executor::serial_blocks, number, Stored>;
  buffer<read> room_x, room_y;
  const auto rows_x = rows_as<read>(exec, x, room_x), rows_y = rows_as<read>(exec, y, room_y);
  const sampled_operands<read, Value, Offset> of{m.offsets,
                                                 m.rows,
                                                 all.first,
                                                 all.count,
                                                 m.columns + all.first,
                                                 m.values == nullptr ? nullptr : m.values + all.first,
                                                 out.data(),
                                                 rows_x.data,
                                                 rows_x.leading,
                                                 rows_y.data,
                                                 rows_y.leading,
                                                 x.cols,
                                                 alpha,
                                                 beta};
  if constexpr (Executor::serial_blocks) {
    const std::int64_t work = larger(x.cols / 8, 1); // of an entry
    const std::int64_t per_block = ceil_div(items_per_block(exec, all.count * work, std::int64_t{1}), work);
    launch(exec, {block_count(all.count, per_block), 1},
           sampled_dots_on_cores<number, Value, Offset>{of, per_block});
  } else {
    constexpr int part = 16 / static_cast<int>(sizeof(Stored));
    if (x.cols % part == 0 && has_packs<part>(rows_x.data, rows_x.leading) &&
        has_packs<part>(rows_y.data, rows_y.leading))
      launch_sampled_dots<part>(exec, of);
    else
      launch_sampled_dots<1>(exec, of);
  }
}

} // namespace detail

/// out[k] = alpha dot(X[i], Y[j]) + beta values[k] for each entry k of `m` at row i and column j: alpha X Y^T + beta M
/// at the entries of M.
///
/// - m: a view on `exec`, like all arrays. Its columns are not checked. With beta = 0 its values are not read and may be
///   null.
/// - x: m.rows rows; y: m.cols rows; the same number of columns, in any layout. Stored: float, double, half or bfloat16.
/// - out: as many elements as `m` has entries, from its first one on. They may be the values of `m`; otherwise they
///   overlap nothing that is read. Value: the type of the sums; half or bfloat16 if sums are floats. Sums of X and Y of
///   16 bits are floats, rounded once.
/// - Cost: O(entries * columns of X). Work is divided by entries, so the sizes of rows do not matter. It is fastest if
///   rows of X and Y begin at multiples of 16 bytes and have a multiple of 16 bytes.
/// - Memory: a copy of X or Y if it is by columns, and on cpu if it has 16 bits, from the executor's resource.
/// - Synchronisation: reads two offsets, and waits for them. With a plan it is asynchronous on cuda.
/// - Determinism: the same bits on every run, on cpu with any number of threads. On parallel executors the form of a sum
///   depends on the warp size, the number of columns and whether rows are aligned.
/// - Throws invalid_argument for wrong sizes, an overlap, or a null array.
template <class Executor, class Value, class Offset, class Stored>
void sddmm(const Executor& exec, const csr_view<Value, Offset>& m, const dense_view<Stored>& x,
           const std::type_identity_t<dense_view<const std::remove_const_t<Stored>>>& y,
           std::type_identity_t<std::span<Value>> out,
           std::type_identity_t<detail::sum_number<std::remove_const_t<Stored>>> alpha = 1,
           std::type_identity_t<detail::sum_number<std::remove_const_t<Stored>>> beta = 0) {
  detail::multiply_sampled<Executor, Value, Offset, std::remove_const_t<Stored>>(
      exec, m, detail::entries_of(exec, m), x, y, out, alpha, beta);
}
/// The same with a plan made for rows_of(m) on `exec`, of which it takes the number of entries. Asynchronous on cuda.
/// Throws also for a plan of other offsets.
template <class Executor, any_planned Plan, class Value, class Offset, class Stored>
void sddmm(const Executor& exec, Plan& plan, const csr_view<Value, Offset>& m, const dense_view<Stored>& x,
           const std::type_identity_t<dense_view<const std::remove_const_t<Stored>>>& y,
           std::type_identity_t<std::span<Value>> out,
           std::type_identity_t<detail::sum_number<std::remove_const_t<Stored>>> alpha = 1,
           std::type_identity_t<detail::sum_number<std::remove_const_t<Stored>>> beta = 0) {
  detail::check_matrix_sizes(m.rows, m.cols);
  require(csr_tile_set<Offset>(plan.tiles()) == rows_of(m), [&] {
    return detail::concat("the plan is for other rows than the ", m.rows,
                          " of the matrix: a plan supports only the offsets that it was made for");
  });
  detail::multiply_sampled<Executor, Value, Offset, std::remove_const_t<Stored>>(
      exec, m, {plan.first_atom(), plan.atoms()}, x, y, out, alpha, beta);
}

/// Returns alpha X Y^T + beta A at the entries of A, with A's offset type, on the executor of the matrices. A is a
/// csr_matrix or its view; X and Y are evenly::matrix or dense_view of A's value type, or of 16 bits if that is float.
/// Allocates and synchronises. Throws as the functions above, and for an index of an owner outside of the matrix.
template <csr_like A, dense_like X, dense_like Y, environment_argument Env = environment<>>
auto sddmm(const A& a, const X& x, const Y& y, std::type_identity_t<detail::matrix_value<A>> alpha = 1,
           std::type_identity_t<detail::matrix_value<A>> beta = 0, Env&& env = {}) {
  using value = detail::matrix_value<A>;
  using offset = detail::offset_of<A>;
  static_assert(std::is_same_v<detail::sum_number<std::remove_const_t<detail::dense_value<const X>>>, value>,
                "X and Y must have the value type of the sparse matrix, or 16 bits if that is float");
  detail::require_whole_matrix(a);
  return detail::owned_result(
      env, detail::executor_for(detail::environment_without_schedule(env), a, x, y),
      [&](const auto& exec, const auto* temporaries) {
        detail::require_indices(*temporaries, a);
        const auto& m = detail::matrix_view(a);
        const auto all = detail::entries_of(*temporaries, m);
        csr_buffers<value, offset> made{m.rows, m.cols,
                                        detail::copy_of_offsets(exec, m.offsets, m.rows, all.first),
                                        detail::copy_of_elements(exec, m.columns + all.first, all.count),
                                        make_buffer<value>(exec, static_cast<std::size_t>(all.count))};
        evenly::sddmm(*temporaries, m, detail::matrix_view(x), detail::matrix_view(y),
                      std::span<value>(made.values.data(), made.values.size()), alpha, beta);
        exec.synchronize();
        return made;
      });
}

} // namespace evenly
