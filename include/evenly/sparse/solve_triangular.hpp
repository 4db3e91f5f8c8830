// SPDX-License-Identifier: Apache-2.0
// Triangular solves: x with T x = b, where T is a triangle of a sparse square matrix, or its transpose.
//
//   evenly::solve_triangular(exec, a.view(), b, x);                             // the lower triangle, once
//   evenly::solve_triangular(exec, a.view(), b, x, {.lower = false});           // the upper one
//   evenly::triangular_plan plan(exec, a.view(), {.unit_diagonal = true});      // for many solves
//   plan.solve(b, x);
//
// Only the triangle is read: entries on the other side of the diagonal are ignored, as LAPACK and SciPy ignore them.
// Rows may be in any order of columns. Several entries at one position add up.
//
// A solve without a plan needs no analysis: on parallel executors it is one launch, in which groups of lanes wait for
// single values; on cpu it is a loop over the rows. A plan finds the levels of the rows first. On parallel executors
// rows are then in the order of levels, and rows of similar sizes are processed together. On cpu cores share the levels
// with much work; if those have less than half of the work, the plan solves as without analysis. Both are in
// sparse/detail/triangular_sweep.hpp.
//
// On one executor, a solution has the same bits in every run, and on cpu for every number of threads, with and without
// a plan. On parallel executors the form of the sums depends on the warp size, and on whether there is a plan.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/triangular_sweep.hpp"
#include "evenly/sparse/transpose.hpp"

namespace evenly {

/// Which system a triangular solve solves.
struct triangular_options {
  bool lower = true;          ///< the triangle of the matrix: lower or upper
  bool unit_diagonal = false; ///< ones on the diagonal, whatever the matrix has there
  bool transpose = false;     ///< solves with the transpose of the triangle, without conjugation
};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

template <class T> EVENLY_FN T difference(const T& a, const T& b) { return a - b; }
template <class T>
EVENLY_FN complex_number<T> difference(const complex_number<T>& a, const complex_number<T>& b) {
  return {a.real - b.real, a.imag - b.imag};
}
template <class T> EVENLY_FN T ratio(const T& a, const T& b) { return a / b; }
/// After Smith (Algorithm 116: Complex division, CACM 1962): no square overflows.
template <class T> EVENLY_FN complex_number<T> ratio(const complex_number<T>& a, const complex_number<T>& b) {
  const T real = b.real < 0 ? -b.real : b.real, imag = b.imag < 0 ? -b.imag : b.imag;
  if (real >= imag) {
    const T scale = b.imag / b.real, size = b.real + b.imag * scale;
    return {(a.real + a.imag * scale) / size, (a.imag - a.real * scale) / size};
  }
  const T scale = b.real / b.imag, size = b.real * scale + b.imag;
  return {(a.real * scale + a.imag) / size, (a.imag * scale - a.real) / size};
}

/// Columns of a dense matrix as a kernel sees them.
template <class Memory> struct dense_columns_of {
  Memory memory;
  std::int64_t row_step, column_step;
  EVENLY_FN std::int64_t place(int row, int column) const { return row * row_step + column * column_step; }
};
template <class Memory> dense_columns_of(Memory, std::int64_t, std::int64_t) -> dense_columns_of<Memory>;

/// The rule of a triangular solve (triangular_sweep.hpp). The memories are those of the calling thread.
template <class Value, class Values, class Right, class Solution> struct solve_rule {
  using parts = parts_of_value<Value>;
  using value_type = kernel_value<Value>;
  using factor_type = value_type;
  using given_type = value_type;
  struct sum_type {
    value_type sum, diagonal;
  };

  Values values;
  dense_columns_of<Right> right;
  dense_columns_of<Solution> solution;
  bool unit_diagonal;
  int* fault; ///< the maximum of INT_MAX - row over rows without a diagonal

  EVENLY_FN sum_type start() const { return {value_type{}, value_type{}}; }
  template <class Offset> EVENLY_FN factor_type factor(Offset e) const { return parts::get(values, e); }
  EVENLY_FN void diagonal(sum_type& sum, const factor_type& factor) const {
    sum.diagonal = sum.diagonal + factor;
  }
  EVENLY_FN void add(sum_type& sum, const factor_type& factor, const value_type& known) const {
    sum.sum = sum.sum + factor * known;
  }
  EVENLY_FN sum_type combine(const sum_type& a, const sum_type& b) const {
    return {a.sum + b.sum, a.diagonal + b.diagonal};
  }
  EVENLY_FN given_type given(int row, int column) const {
    return parts::get(right.memory, right.place(row, column));
  }
  EVENLY_FN value_type finish(int row, int column, const sum_type& sum, const given_type& of_right) const {
    value_type value = difference(of_right, sum.sum);
    if (!unit_diagonal) {
      if (sum.diagonal == value_type{})
        atomic_ref(*fault).fetch_max(std::numeric_limits<int>::max() - row, order::relaxed{});
      value = ratio(value, sum.diagonal);
    }
    parts::put(solution.memory, solution.place(row, column), value);
    return value;
  }
  EVENLY_FN value_type known(int row, int column) const {
    return parts::get(solution.memory, solution.place(row, column));
  }
};

/// A triangular system as a kernel sees it.
template <class Value, class Offset> struct triangular_system {
  triangle<Offset> of;
  sweep_order order;
  const part_of<Value>* values = nullptr;
  bool unit_diagonal = false;

  /// The sums of pieces: of as many 64-bit words per right-hand side.
  struct piece_sum {
    kernel_value<Value> sum, diagonal;
  };
  std::int64_t words_of_pieces() const {
    return order.has_pieces ? std::int64_t{order.task_count} * flagged_values<piece_sum>::words_of_value : 0;
  }

  /// Solves with `right` and `solution` of the calling thread. All threads of all blocks call it.
  template <class Block, class Right, class Solution>
  EVENLY_FN void solve(Block& block, const grid_barrier& barrier,
                       const flagged_values<kernel_value<Value>>& flags, std::uint64_t* pieces, int width,
                       const dense_columns_of<Right>& right, const dense_columns_of<Solution>& solution,
                       int* fault) const {
    const auto of_values = traced(block, values);
    using rule_type = solve_rule<Value, std::remove_cvref_t<decltype(of_values)>, Right, Solution>;
    const rule_type rule{of_values, right, solution, unit_diagonal, fault};
    const flagged_values<typename rule_type::sum_type> of_pieces{pieces, flags.sweep};
    triangular_sweep<Block, Offset, rule_type>(block, of, order, flags, of_pieces, width, rule).run(barrier);
  }
};

template <class Value, class Offset> struct solve_triangular_kernel {
  static constexpr int tuned_block_size = sweep_block_size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks =
      sizeof(kernel_value<Value>) > 4 ? 2 : 3; ///< what registers allow without spills

  triangular_system<Value, Offset> system;
  dense_columns_of<const part_of<Value>*> right;
  dense_columns_of<part_of<Value>*> solution;
  int width;
  flagged_values<kernel_value<Value>> flags;
  std::uint64_t* pieces;
  int* fault;
  grid_barrier barrier;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    system.solve(block, barrier, flags, pieces, width,
                 dense_columns_of{traced(block, right.memory), right.row_step, right.column_step},
                 dense_columns_of{traced(block, solution.memory), solution.row_step, solution.column_step},
                 fault);
  }
};

/// A row without a diagonal, as INT_MAX - row; 0 for other rows.
template <class Value, class Offset> struct row_without_diagonal {
  triangle<Offset> of;
  const part_of<Value>* values;
  EVENLY_FN int operator()(std::int64_t row) const {
    kernel_value<Value> sum{};
    for (Offset e = of.offsets[row]; e < of.offsets[row + 1]; ++e)
      if (of.columns[e] == row) sum = sum + parts_of_value<Value>::get(values, e);
    return sum == kernel_value<Value>{} ? std::numeric_limits<int>::max() - static_cast<int>(row) : 0;
  }
};

/// Throws invalid_argument for a fault of solve_rule.
inline void refuse_fault(int fault) {
  require(fault == 0, [&] {
    return concat("row ", std::numeric_limits<int>::max() - fault,
                  " has no diagonal entry other than 0, by which a triangular solve divides: choose "
                  "unit_diagonal if ones are meant");
  });
}

inline void require_square_system(int rows, int cols) {
  require(rows == cols, [&] {
    return concat("the matrix has ", rows, " rows and ", cols, " columns: a system to solve is square");
  });
}

/// Throws invalid_argument unless vectors have `rows` elements.
inline void check_lengths(int rows, std::size_t b, std::size_t x) {
  const auto sized = [&](const char* name, std::size_t size) {
    require(size == static_cast<std::size_t>(larger(rows, 0)),
            [&] { return concat(name, " has ", size, " elements, but the matrix has ", rows, " rows"); });
  };
  sized("b", b);
  sized("x", x);
}

/// Throws invalid_argument unless b and x have the same shape, of `rows` rows, and are the same or disjoint.
template <class Value>
void check_sides(int rows, const dense_view<const Value>& b, const dense_view<Value>& x) {
  const auto sized = [&](const char* name, const auto& of) {
    require(of.rows == rows,
            [&] { return concat(name, " has ", of.rows, " rows, but the matrix has ", rows); });
    require(of.leading >= of.line_size() || of.lines() <= 1, [&] {
      return concat(name, " has a leading dimension of ", of.leading, ", less than its lines of ",
                    of.line_size());
    });
    require_memory(name, of.data, of.extent());
  };
  sized("b", b);
  sized("x", x);
  require(b.cols == x.cols,
          [&] { return concat("b has ", b.cols, " columns, but x has ", x.cols, ": they must be equal"); });
  require_apart("b", b.data, b.extent(), "x", x.data, x.extent(), true);
  require(b.data != x.data || x.extent() == 0 || (b.layout == x.layout && b.leading == x.leading),
          [&] { return concat("x is b in another layout: a solve in place needs the same one"); });
}

/// What a solve does before: levels, or none.
enum class sweep_analysis { none, levels };

/// A triangular system with its order and memory. See triangular_plan.
template <class Executor, class Value, class Offset> class triangular_solver {
 public:
  triangular_solver() = default;
  triangular_solver(const Executor& exec, const csr_view<Value, Offset>& a, const triangular_options& options,
                    sweep_analysis how)
      : exec_(exec) {
    check_matrix_sizes(a.rows, a.cols);
    require_square_system(a.rows, a.cols);
    auto entries = entries_of(exec, a);
    matrix_ = a;
    if (options.transpose) {
      turned_ = evenly::transpose(exec, a);
      matrix_ = turned_.view();
      entries.first = 0;
    }
    entries_ = entries;
    system_.of = {a.rows, options.lower == options.transpose, matrix_.offsets, matrix_.columns};
    system_.values = parts(matrix_.values);
    system_.unit_diagonal = options.unit_diagonal;
    if (how == sweep_analysis::none) {
      system_.order.lanes = lanes_by_numbers(exec, system_.of, entries.count);
      return;
    }
    order_ = level_order<Executor, Offset>(exec, system_.of, entries.count);
    system_.order = order_.view();
  }

  int rows() const { return system_.of.rows; }
  int levels() const { return order_.levels(); }
  const triangular_system<Value, Offset>& system() const { return system_; }
  bool is_shared() const { return order_.is_shared(); }
  /// The most blocks of a solve. 0: as many as are resident.
  void limit_blocks(int blocks) { system_.order.blocks = blocks; }

  /// Throws invalid_argument if a row has no diagonal. Synchronises.
  void require_diagonal() const {
    if (system_.unit_diagonal || rows() == 0) return;
    refuse_fault(reduce(exec_, generated{row_without_diagonal<Value, Offset>{system_.of, system_.values}},
                        std::int64_t{rows()}, maximum<int>{}));
  }

  /// `reports`: whether to wait for the solution and to refuse rows without a diagonal.
  void solve(const dense_view<const Value>& b, const dense_view<Value>& x, bool reports) {
    check_sides(rows(), b, x);
    require_apart_from_matrix(matrix_, entries_.first, entries_.count, "x", x.data, x.extent());
    if (rows() == 0 || x.cols == 0) return;
    using flags_type = flagged_values<kernel_value<Value>>;
    const auto width = static_cast<std::size_t>(x.cols);
    const std::size_t words =
        ceil_div(static_cast<std::size_t>(rows()) * width * flags_type::words_of_value, std::size_t{2}) * 2;
    const std::size_t all = words + static_cast<std::size_t>(system_.words_of_pieces()) * width;
    workspace::lease lease(memory_, "triangular plan");
    const auto memory =
        lease.take(exec_, Executor::serial_blocks ? 0 : all * sizeof(std::uint64_t), sizeof(int));
    auto* const flags = reinterpret_cast<std::uint64_t*>(memory.kept.data());
    int* const fault = reinterpret_cast<int*>(memory.scratch);
    exec_.fill_zero(fault, sizeof(int));
    if (++sweep_ == 0) { // the numbers begin again
      exec_.fill_zero(memory.kept.data(), memory.kept.size());
      sweep_ = 1;
    }
    const solve_triangular_kernel<Value, Offset> kernel{
        system_, columns_of(b.data, b), columns_of(x.data, x),
        x.cols,  {flags, sweep_},       flags + (Executor::serial_blocks ? 0 : words),
        fault,   memory.barrier};
    launch_shape shape = shape_of_sweep(exec_, kernel, std::int64_t{rows()} * system_.order.lanes);
    if (system_.order.blocks > 0) shape.blocks = smaller(shape.blocks, system_.order.blocks);
    if (Executor::serial_blocks && !is_shared()) shape = {.blocks = 1};
    launch(exec_, shape, kernel);
    if (!reports && !Executor::on_host) return;
    int found = 0;
    exec_.copy_to_host(&found, fault, sizeof(found));
    refuse_fault(found);
  }

 private:
  template <class T, class View> static auto columns_of(T* data, const View& of) {
    const bool by_rows = of.layout == dense_layout::rows;
    return dense_columns_of{parts(data), by_rows ? of.leading : 1, by_rows ? 1 : of.leading};
  }

  Executor exec_;
  csr_buffers<Value, Offset> turned_;
  csr_view<Value, Offset> matrix_;
  entry_range<Offset> entries_;
  triangular_system<Value, Offset> system_;
  level_order<Executor, Offset> order_;
  workspace memory_;
  std::uint32_t sweep_ = 0;
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The public functions.

namespace evenly {

/// The preparation of many solves with one triangle. Move-only. One call at a time uses it.
template <class Executor, class Value, class Offset = int> class triangular_plan {
 public:
  /// - a: a square matrix on `exec`, which outlives the plan. Its columns are in [0, rows), which is not checked.
  /// - With options.transpose the plan has a transposed copy of the matrix, and uses its values at this time. Otherwise
  ///   solves use the values that the matrix has then.
  /// - Cost: O(rows + entries), on one core on cpu; on parallel executors also a sort of a 64-bit key per row.
  ///   A transpose: a sort of the entries.
  /// - Allocates and synchronises.
  /// - Throws invalid_argument for a matrix that is not square, for null offsets, and for a row without a diagonal
  ///   entry other than 0, unless options.unit_diagonal.
  explicit triangular_plan(const Executor& exec, const csr_view<Value, Offset>& a,
                           const triangular_options& options = {})
      : solver_(exec, a, options, detail::sweep_analysis::levels) {
    solver_.require_diagonal();
  }

  /// The number of levels: the length of the longest chain of rows that depend on each other.
  int levels() const { return solver_.levels(); }

  /// Solves for one right-hand side.
  ///
  /// - b, x: a vector of `rows` values on the executor each. They are the same or do not overlap. x does not overlap
  ///   the matrix.
  /// - Cost: O(entries); on parallel executors levels() rounds of messages between processors, or more.
  /// - Synchronisation: asynchronous on cuda. The first solve allocates there.
  /// - Throws invalid_argument for wrong sizes and overlaps; on cpu and simt also for a row whose diagonal has become
  ///   0. On cuda such a row gives infinities or NaN. After an exception of this kind x is undefined.
  void solve(std::type_identity_t<std::span<const Value>> b, std::type_identity_t<std::span<Value>> x) {
    detail::check_lengths(solver_.rows(), b.size(), x.size());
    solve(dense_columns(solver_.rows(), 1, b.data()), dense_columns(solver_.rows(), 1, x.data()));
  }
  /// Solves for all columns of b. The same holds for each.
  void solve(const std::type_identity_t<dense_view<const Value>>& b, const dense_view<Value>& x) {
    solver_.solve(b, x, false);
  }

 private:
  detail::triangular_solver<Executor, Value, Offset> solver_;
};
template <class Executor, class Value, class Offset>
triangular_plan(const Executor&, const csr_view<Value, Offset>&) -> triangular_plan<Executor, Value, Offset>;
template <class Executor, class Value, class Offset>
triangular_plan(const Executor&, const csr_view<Value, Offset>&, const triangular_options&)
    -> triangular_plan<Executor, Value, Offset>;

/// Solves once, without analysis, for all columns of b.
///
/// - a, b, x: as for triangular_plan. Value: float, double, or std::complex of these.
/// - Cost: O(entries). On cpu one core does the work. With options.transpose: also a sort of the entries.
/// - Allocates and synchronises.
/// - Throws invalid_argument as triangular_plan and its solve do. After a row without a diagonal x is undefined.
template <class Executor, class Value, class Offset>
void solve_triangular(const Executor& exec, const csr_view<Value, Offset>& a,
                      const std::type_identity_t<dense_view<const Value>>& b,
                      const std::type_identity_t<dense_view<Value>>& x,
                      const triangular_options& options = {}) {
  detail::triangular_solver<Executor, Value, Offset>(exec, a, options, detail::sweep_analysis::none)
      .solve(b, x, true);
}
/// The same for one right-hand side: vectors of a.rows values.
template <class Executor, class Value, class Offset>
void solve_triangular(const Executor& exec, const csr_view<Value, Offset>& a,
                      std::type_identity_t<std::span<const Value>> b,
                      std::type_identity_t<std::span<Value>> x, const triangular_options& options = {}) {
  detail::check_lengths(a.rows, b.size(), x.size());
  solve_triangular(exec, a, dense_columns(a.rows, 1, b.data()), dense_columns(a.rows, 1, x.data()), options);
}

} // namespace evenly
