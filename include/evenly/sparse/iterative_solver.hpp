// SPDX-License-Identifier: Apache-2.0
// iterative_solver: the common parts of cg_solver and bicgstab_solver. One persistent kernel with passes over the rows,
// sums over all rows, and preconditioners.
//
// Rows are cut into chunks of about equal work: rows and entries. A block processes the same chunks in every pass. A
// pass leaves a sum per chunk; after a grid barrier every block adds up all of them in the same way. So all blocks
// compute the same numbers and need no messages besides. On cpu the number of chunks depends on the matrix only, and
// the sums on nothing else; on parallel executors each block has one chunk.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/block/grid_sync.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/triangular_sweep.hpp"
#include "evenly/sparse/incomplete_factors.hpp"
#include "evenly/sparse/iterative_options.hpp"
#include "evenly/sparse/solve_triangular.hpp"

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// The numbers that iterations leave for the next launch.
struct krylov_state {
  solve_end end = solve_end::running;
  int iteration = 0;
  std::uint32_t sweeps = 0; ///< triangular solves with each factor, of all calls
  double squared_residual = 0, squared_right = 0;
  double rho = 0; ///< the inner product that the method carries on
};

inline constexpr int krylov_block_size = 256;
inline constexpr int krylov_slots = 5;   ///< sums of an iteration that are in use at the same time
inline constexpr int krylov_vectors = 7; ///< at most

/// What the kernel of a solver gets.
template <class Value, class Offset> struct krylov_problem {
  csr_view<Value, Offset> a;
  const Value* b;
  Value* x;
  Value* vectors[krylov_vectors];
  int lanes;         ///< per row
  const int* bounds; ///< of chunks: chunks + 1 rows
  int chunks;
  double* partials; ///< chunks per slot
  double* log;      ///< the relative residual after each iteration; log[0]: at the start
  krylov_state* state;
  double tolerance;
  bool begins;
  int stop; ///< the number of iterations to end at
  preconditioner_kind preconditioner;
  const Value* inverse_diagonal;                 ///< of jacobi
  triangular_system<Value, Offset> lower, upper; ///< of ic0 and ilu0
  std::uint64_t* lower_words;
  std::uint64_t* upper_words;
  std::uint64_t* lower_pieces;
  std::uint64_t* upper_pieces;
  int* fault; ///< unused: factors have no zeros on the diagonal
  grid_barrier barrier;
};

/// One thread's part of a solver. All threads of all blocks call all members, with the same arguments.
template <class Block, class Value, class Offset> class krylov_worker {
 public:
  using problem_type = krylov_problem<Value, Offset>;

  static constexpr int rows_together = 4;

  EVENLY_FN krylov_worker(Block& block, const problem_type& of, slot<double> sums)
      : state(*of.state), block_(block), of_(of), sums_(sums),
        first_(static_cast<int>(std::int64_t{of.chunks} * block.index() / block.count())),
        last_(static_cast<int>(std::int64_t{of.chunks} * (block.index() + 1) / block.count())) {}

  krylov_state state; ///< the same in all threads

  EVENLY_FN auto vector(int number) const { return traced(block_, of_.vectors[number]); }
  EVENLY_FN auto x() const { return traced(block_, of_.x); }
  EVENLY_FN auto b() const { return traced(block_, of_.b); }
  EVENLY_FN bool has_factors() const {
    return of_.preconditioner == preconditioner_kind::ic0 || of_.preconditioner == preconditioner_kind::ilu0;
  }
  /// The value of a row under jacobi; the value itself without a preconditioner.
  EVENLY_FN Value scaled(int row, Value value) const {
    return of_.preconditioner == preconditioner_kind::jacobi ? of_.inverse_diagonal[row] * value : value;
  }
  EVENLY_FN void meet() const { grid_sync(block_, of_.barrier); }

  /// Calls body(row, sums) for the rows of the block, each by one thread, and leaves the sums in slots from `slot` on.
  template <int Sums, class Body> EVENLY_FN void pass(int slot, const Body& body) const {
    for (int c = first_; c < last_; ++c) {
      double sums[Sums + 1] = {};
      for (int row = of_.bounds[c] + block_.rank(); row < of_.bounds[c + 1]; row += block_.size())
        body(row, sums);
      leave<Sums>(slot, c, sums);
    }
  }
  /// The same with body(row, value, sums), where value is that of A times a vector.
  template <int Sums, class Vector, class Body>
  EVENLY_FN void multiply(int slot, const Vector& in, const Body& body) const {
    const auto values = traced(block_, of_.a.values);
    for (int c = first_; c < last_; ++c) {
      double sums[Sums + 1] = {};
      const int end = of_.bounds[c + 1];
      if constexpr (Block::is_serial) {
        for (int row = of_.bounds[c]; row < end; ++row) {
          Value value = 0;
          for (Offset e = of_.a.offsets[row]; e < of_.a.offsets[row + 1]; ++e)
            value += values[e] * in[of_.a.columns[e]];
          body(row, value, sums);
        }
      } else {
        // Groups of lanes have several consecutive rows each, whose loads are in flight together.
        const lanes<Block> warp = this_warp(block_);
        const int each = smaller(of_.lanes, warp.size()), lane = warp.rank() % each;
        for (int base = of_.bounds[c]; base < end; base += block_.size() / each * rows_together) {
          const int first = base + block_.rank() / each * rows_together;
          Offset e[rows_together], last[rows_together];
          Value value[rows_together];
          EVENLY_UNROLL
          for (int i = 0; i < rows_together; ++i) {
            const bool is_row = first + i < end;
            e[i] = is_row ? of_.a.offsets[first + i] + lane : Offset{0};
            last[i] = is_row ? of_.a.offsets[first + i + 1] : Offset{0};
            value[i] = 0;
          }
          for (bool any = true; any;) {
            Value entry[rows_together], other[rows_together];
            int column[rows_together];
            EVENLY_UNROLL
            for (int i = 0; i < rows_together; ++i) {
              entry[i] = other[i] = 0;
              column[i] = 0;
              if (e[i] >= last[i]) continue;
              column[i] = of_.a.columns[e[i]];
              entry[i] = values[e[i]];
            }
            EVENLY_UNROLL
            for (int i = 0; i < rows_together; ++i)
              if (e[i] < last[i]) other[i] = in[column[i]];
            any = false;
            EVENLY_UNROLL
            for (int i = 0; i < rows_together; ++i) {
              if (e[i] >= last[i]) continue;
              value[i] += entry[i] * other[i];
              e[i] += each;
              any = any || e[i] < last[i];
            }
          }
          for (int d = 1; d < each; d *= 2) {
            EVENLY_UNROLL
            for (int i = 0; i < rows_together; ++i) value[i] += warp.shuffle(value[i], warp.rank() ^ d);
          }
          for (int i = lane; i < rows_together && first + i < end; i += each) {
            Value mine = value[0];
            EVENLY_UNROLL
            for (int k = 1; k < rows_together; ++k)
              if (k == i) mine = value[k];
            body(first + i, mine, sums);
          }
        }
      }
      leave<Sums>(slot, c, sums);
    }
  }
  /// Waits for all blocks. Then returns the sums over all rows in slots from `slot` on, in all threads.
  template <int Sums> struct totals {
    double of[Sums];
  };
  template <int Sums> EVENLY_FN totals<Sums> total(int slot) const {
    meet();
    totals<Sums> all;
    const auto partials = traced(block_, of_.partials);
    for (int s = 0; s < Sums; ++s) {
      double mine = 0;
      for (int c = block_.rank(); c < of_.chunks; c += block_.size()) {
        const double partial = partials[std::int64_t{slot + s} * of_.chunks + c];
        mine += partial;
      }
      all.of[s] = block_scan(block_, mine, plus<double>{}, block_.storage(sums_)).total;
      block_.sync();
    }
    return all;
  }

  /// out = M^-1 in for ic0 and ilu0, where `in` has been written by any block. Waits for all blocks at the beginning
  /// and at the end.
  template <class Vector> EVENLY_FN void apply_factors(const Vector& in, const Vector& out) {
    using flags = flagged_values<Value>;
    ++state.sweeps;
    const dense_columns_of<Vector> from{in, 1, 0}, to{out, 1, 0};
    meet();
    sweep(block_, of_, of_.lower, flags{of_.lower_words, state.sweeps}, of_.lower_pieces, from, to);
    meet();
    sweep(block_, of_, of_.upper, flags{of_.upper_words, state.sweeps}, of_.upper_pieces, to, to);
    meet();
  }

  /// Sets the state for a squared residual; true: the solver ends.
  EVENLY_FN bool ends(double squared_residual) {
    state.squared_residual = squared_residual;
    if (block_.index() == 0 && block_.rank() == 0)
      of_.log[state.iteration] = std::sqrt(squared_residual / state.squared_right);
    if (!(squared_residual <= std::numeric_limits<double>::max()))
      state.end = solve_end::not_finite;
    else if (squared_residual <= of_.tolerance * of_.tolerance * state.squared_right)
      state.end = solve_end::converged;
    return state.end != solve_end::running;
  }
  /// For b = 0: x = 0.
  EVENLY_FN void solve_zero() {
    pass<0>(0, [&](int row, double*) { x()[row] = Value{0}; });
    state.squared_residual = 0;
    state.end = solve_end::converged;
    if (block_.index() == 0 && block_.rank() == 0) of_.log[0] = 0;
  }
  EVENLY_FN bool begins() const { return of_.begins; }
  EVENLY_FN bool goes_on() const { return state.end == solve_end::running && state.iteration < of_.stop; }
  /// Leaves the state for the next launch. At least one barrier comes before.
  EVENLY_FN void leave_state() const {
    if (block_.index() == 0 && block_.rank() == 0) *of_.state = state;
  }

 private:
  /// Not inlined: iterations without factors are faster with registers of their own.
  template <class Columns>
  EVENLY_OUT_OF_LINE_FN static void
  sweep(Block& block, const problem_type& of, const triangular_system<Value, Offset>& system,
        const flagged_values<Value>& flags, std::uint64_t* pieces, const Columns& from, const Columns& to) {
    system.solve(block, of.barrier, flags, pieces, 1, from, to, of.fault);
  }
  template <int Sums> EVENLY_FN void leave(int slot, int chunk, const double* sums) const {
    const auto partials = traced(block_, of_.partials);
    for (int s = 0; s < Sums; ++s) {
      const double sum = block_reduce(block_, sums[s], plus<double>{}, block_.storage(sums_));
      if (block_.rank() == 0) partials[std::int64_t{slot + s} * of_.chunks + chunk] = sum;
    }
  }

  Block& block_;
  const problem_type& of_;
  slot<double> sums_;
  int first_, last_; ///< chunks
};

/// Runs a method: a struct with
///   vectors                     how many vectors it needs
///   run(worker)                 begins, if worker.begins(), then iterates while worker.goes_on()
template <class Method, class Value, class Offset> struct krylov_kernel {
  static constexpr int tuned_block_size = krylov_block_size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 3;

  krylov_problem<Value, Offset> problem;

  EVENLY_FN static constexpr slot<double> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<double>(larger(block_reduce_slots(shape), block_scan_slots(shape)));
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    krylov_worker<Block, Value, Offset> worker(block, problem, lay_out(layout, block.shape()));
    Method::run(worker);
    worker.leave_state();
  }
};

/// The first row of each chunk: rows and entries before it are at least its part of all.
template <class Offset> struct begin_of_chunk {
  const Offset* offsets;
  int rows, chunks;
  EVENLY_FN int operator()(std::int64_t chunk) const {
    const Offset first = offsets[0];
    const std::int64_t all = static_cast<std::int64_t>(offsets[rows] - first) + rows;
    const std::int64_t before = all / chunks * chunk + all % chunks * chunk / chunks;
    return chunk == chunks
               ? rows
               : first_past(0, rows, [&](int r) { return (offsets[r] - first) + std::int64_t{r} >= before; });
  }
};
template <class Value, class Offset> struct inverse_of_diagonal {
  triangle<Offset> of;
  const Value* values;
  EVENLY_FN Value operator()(std::int64_t row) const {
    Value sum{};
    for (Offset e = of.offsets[row]; e < of.offsets[row + 1]; ++e)
      if (of.columns[e] == row) sum += values[e];
    return Value{1} / sum;
  }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The solver.

namespace evenly {

/// An iterative solver for systems with one matrix, with its preconditioner and memory. Method: conjugate_gradients
/// (solve_cg.hpp) or stabilized_biconjugate_gradients (solve_bicgstab.hpp). Move-only. One call at a time uses it.
template <class Method, class Executor, class Value, class Offset = int> class iterative_solver {
  static_assert(std::is_floating_point_v<Value>, "iterative solvers are for float and double");

 public:
  /// - a: a square matrix on `exec`, which outlives the solver unchanged. Its columns are in [0, rows), which is not
  ///   checked. For ic0 and ilu0 see incomplete_factor.
  /// - Memory: 4 vectors for cg, 7 for bicgstab, of which one or two are for preconditioners; max_iterations numbers;
  ///   and that of the preconditioner.
  /// - Allocates and synchronises.
  /// - Throws invalid_argument for a matrix that is not square, options out of range, and for jacobi a row without a
  ///   diagonal entry other than 0; for ic0 and ilu0 as incomplete_factor.
  iterative_solver(const Executor& exec, const csr_view<Value, Offset>& a,
                   const iterative_options& options = {})
      : iterative_solver(exec, a, options, nullptr) {}
  /// The same with ready factors, of this or of another matrix, in place of options.preconditioner. The factors outlive
  /// the solver. Throws invalid_argument also if they have another number of rows.
  iterative_solver(const Executor& exec, const csr_view<Value, Offset>& a,
                   const incomplete_factor<Executor, Value, Offset>& factors, iterative_options options = {})
      : iterative_solver(exec, a, with_kind(options, factors.kind()), &factors) {}
  iterative_solver(const Executor&, const csr_view<Value, Offset>&,
                   const incomplete_factor<Executor, Value, Offset>&&, iterative_options = {}) = delete;

  /// Solves A x = b, beginning at the x that is given.
  ///
  /// - b, x: vectors of `rows` values on the executor, which do not overlap.
  /// - Returns the iterations, the relative residual and the reason of the end. Nothing is thrown if it does not
  ///   converge; x is then that of the last iteration.
  /// - Cost: per iteration one product with the matrix (bicgstab: two), two solves with factors for each product, and
  ///   passes over vectors; on parallel executors one launch, with 3 grid barriers per iteration (bicgstab: 5), and 3
  ///   more per application of factors.
  /// - Synchronises.
  /// - Throws invalid_argument for wrong sizes, overlaps and null arrays.
  solve_report solve(std::span<const Value> b, std::span<Value> x) {
    start(b, x);
    constexpr int step = 256; // on the host: so often interruptions are seen
    while (report_.end == solve_end::running) advance(Executor::on_host ? step : options_.max_iterations);
    return report_;
  }

  /// solve() in steps: start, then advance while the report says running. b and x outlive all steps.
  void start(std::span<const Value> b, std::span<Value> x) {
    const int rows = problem_.a.rows;
    detail::check_lengths(rows, b.size(), x.size());
    detail::require_memory("b", b.data(), rows);
    detail::require_memory("x", x.data(), rows);
    detail::require_apart("b", b.data(), rows, "x", x.data(), rows, false);
    detail::require_apart_from_matrix(problem_.a, entries_.first, entries_.count, "x", x.data(), rows);
    problem_.b = b.data();
    problem_.x = x.data();
    problem_.begins = true;
    report_ = {};
    if (rows == 0) report_.end = solve_end::converged;
  }
  /// Does up to `iterations` more. Synchronises.
  solve_report advance(int iterations) {
    if (report_.end != solve_end::running) return report_;
    detail::krylov_problem<Value, Offset> problem = problem_;
    problem.stop = iterations >= options_.max_iterations - report_.iterations
                       ? options_.max_iterations
                       : report_.iterations + iterations;
    workspace::lease lease(memory_, "iterative solver");
    problem.barrier = lease.take(exec_, 0, sizeof(int)).barrier;
    launch(exec_, shape_, detail::krylov_kernel<Method, Value, Offset>{problem});
    problem_.begins = false;
    detail::krylov_state now;
    exec_.copy_to_host(&now, state_.data(), sizeof(now));
    report_ = {now.iteration,
               now.squared_right == 0 ? 0 : std::sqrt(now.squared_residual / now.squared_right), now.end};
    if (now.end == solve_end::running && now.iteration == options_.max_iterations)
      report_.end = solve_end::max_iterations;
    return report_;
  }
  /// The relative residual at the start and after each iteration, on the host. Synchronises.
  std::vector<double> residuals() const {
    if (problem_.a.rows == 0) return {};
    return to_host(exec_,
                   std::span<const double>(log_.data(), static_cast<std::size_t>(report_.iterations) + 1));
  }

 private:
  static constexpr std::int64_t work_of_chunk = 16'384; ///< rows and entries, on serial blocks
  static constexpr int min_chunks_of_thread = 4;        ///< with less work, barriers are most of the time
  static constexpr std::int64_t rows_of_thread = 8; ///< so many, before a multiprocessor gets a second block

  iterative_solver(const Executor& exec, const csr_view<Value, Offset>& a, const iterative_options& options,
                   const incomplete_factor<Executor, Value, Offset>* factors)
      : exec_(exec), options_(options) {
    detail::check_matrix_sizes(a.rows, a.cols);
    detail::require_square_system(a.rows, a.cols);
    detail::check_iterative_options(options);
    require(factors == nullptr || factors->rows() == a.rows, [&] {
      return detail::concat("the factors have ", factors->rows(), " rows, but the matrix has ", a.rows);
    });
    entries_ = detail::entries_of(exec, a);
    problem_.a = a;
    problem_.tolerance = options.tolerance;
    problem_.preconditioner = options.preconditioner;
    log_ = make_buffer<double>(exec, static_cast<std::size_t>(options.max_iterations) + 1);
    state_ = make_buffer<detail::krylov_state>(exec, 1);
    put_state({});
    if (a.rows == 0) return;
    prepare_preconditioner(factors);
    prepare_vectors();
  }
  static iterative_options with_kind(iterative_options options, factor_kind kind) {
    options.preconditioner = kind == factor_kind::ic0 ? preconditioner_kind::ic0 : preconditioner_kind::ilu0;
    return options;
  }

  void put_state(const detail::krylov_state& state) {
    exec_.copy_from_host(state_.data(), &state, sizeof(state));
  }
  void prepare_preconditioner(const incomplete_factor<Executor, Value, Offset>* factors) {
    const csr_view<Value, Offset>& a = problem_.a;
    const detail::triangle<Offset> of{a.rows, false, a.offsets, a.columns};
    const auto rows = static_cast<std::size_t>(a.rows);
    if (options_.preconditioner == preconditioner_kind::jacobi) {
      detail::refuse_fault(reduce(exec_, generated{detail::row_without_diagonal<Value, Offset>{of, a.values}},
                                  std::int64_t{a.rows}, maximum<int>{}));
      inverse_ = make_buffer<Value>(exec_, rows);
      tabulate(exec_, a.rows, detail::inverse_of_diagonal<Value, Offset>{of, a.values}, inverse_.data());
      problem_.inverse_diagonal = inverse_.data();
    }
    if (!has_factors()) return;
    if (factors == nullptr) {
      factors_.emplace_back(exec_, a,
                            options_.preconditioner == preconditioner_kind::ic0 ? factor_kind::ic0
                                                                                : factor_kind::ilu0);
      factors = &factors_.front();
    }
    problem_.lower = factors->lower();
    problem_.upper = factors->upper();
    if constexpr (!Executor::serial_blocks) {
      const std::size_t words =
          ceil_div(rows * detail::flagged_values<Value>::words_of_value, std::size_t{2}) * 2;
      const auto lower = static_cast<std::size_t>(problem_.lower.words_of_pieces());
      const std::size_t all = 2 * words + lower + static_cast<std::size_t>(problem_.upper.words_of_pieces());
      words_ = make_buffer<std::uint64_t>(exec_, all);
      exec_.fill_zero(words_.data(), all * sizeof(std::uint64_t));
      problem_.lower_words = words_.data();
      problem_.upper_words = words_.data() + words;
      problem_.lower_pieces = words_.data() + 2 * words;
      problem_.upper_pieces = words_.data() + 2 * words + lower;
    }
    fault_ = make_buffer<int>(exec_, 1);
    problem_.fault = fault_.data();
  }
  void prepare_vectors() {
    const csr_view<Value, Offset>& a = problem_.a;
    const auto rows = static_cast<std::size_t>(a.rows);
    problem_.lanes = detail::lanes_of_mean(entries_.count, a.rows);
    const std::int64_t work = entries_.count + a.rows;
    if constexpr (Executor::serial_blocks) {
      problem_.chunks = static_cast<int>(smaller<std::int64_t>(ceil_div(work, work_of_chunk), a.rows));
      const int blocks = smaller(exec_.threads(), problem_.chunks / min_chunks_of_thread);
      shape_ = {.blocks = larger(blocks, 1), .block_size = 1, .co_resident = true};
    } else {
      const detail::krylov_kernel<Method, Value, Offset> kernel{problem_};
      const std::int64_t threads = std::int64_t{a.rows} * problem_.lanes;
      std::int64_t useful = ceil_div<std::int64_t>(threads, detail::krylov_block_size);
      if constexpr (requires { exec_.multiprocessors(); }) // barriers of fewer blocks take less time
        useful = smaller(useful, larger<std::int64_t>(useful / rows_of_thread, exec_.multiprocessors()));
      shape_ = {.blocks = static_cast<int>(
                    smaller<std::int64_t>(resident_blocks(exec_, kernel, detail::krylov_block_size), useful)),
                .block_size = detail::krylov_block_size,
                .co_resident = true};
      problem_.chunks = shape_.blocks;
    }
    const auto chunks = static_cast<std::size_t>(problem_.chunks);
    bounds_ = make_buffer<int>(exec_, chunks + 1);
    tabulate(exec_, std::int64_t{problem_.chunks} + 1,
             detail::begin_of_chunk<Offset>{a.offsets, a.rows, problem_.chunks}, bounds_.data());
    partials_ = make_buffer<double>(exec_, detail::krylov_slots * chunks);
    vectors_ = make_buffer<Value>(exec_, Method::vectors * rows);
    for (int v = 0; v < Method::vectors; ++v)
      problem_.vectors[v] = vectors_.data() + static_cast<std::size_t>(v) * rows;
    problem_.bounds = bounds_.data();
    problem_.partials = partials_.data();
    problem_.log = log_.data();
    problem_.state = state_.data();
    exec_.synchronize();
  }
  bool has_factors() const {
    return options_.preconditioner == preconditioner_kind::ic0 ||
           options_.preconditioner == preconditioner_kind::ilu0;
  }

  Executor exec_;
  iterative_options options_;
  detail::entry_range<Offset> entries_;
  detail::krylov_problem<Value, Offset> problem_{};
  launch_shape shape_;
  solve_report report_;
  std::vector<incomplete_factor<Executor, Value, Offset>> factors_; ///< of its own: none or one
  buffer<Value> inverse_, vectors_;
  buffer<std::uint64_t> words_;
  buffer<int> fault_, bounds_;
  buffer<double> partials_, log_;
  buffer<detail::krylov_state> state_;
  workspace memory_;
};

} // namespace evenly
