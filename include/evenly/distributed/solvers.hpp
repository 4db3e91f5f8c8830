// SPDX-License-Identifier: Apache-2.0
// Iterations of products on ranks: conjugate gradients and PageRank. Scalars are combined by reduce (array.hpp), so all
// ranks take the same decisions, and the number of iterations and all bits are the same for every number of ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/pagerank_options.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/iterative_options.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------
// Formulas of vectors.

namespace detail {

/// a + factor * b.
template <class T> struct sum_of_scaled {
  const T* a;
  T factor;
  const T* b;
  EVENLY_FN T operator()(std::int64_t i) const { return a[i] + factor * b[i]; }
};

template <class Value, class Offset, executor Executor>
void require_square(const matrix<Value, Offset, Executor>& a) {
  require(a.rows() == a.columns(), [&] {
    return evenly::detail::concat("a matrix of ", a.rows().total(), " rows and ", a.columns().total(),
                                  " columns: it needs as many columns as rows, in the same ranges");
  });
}
template <class T, executor Executor>
void require_where(const char* name, const array<T, Executor>& of, const ranges& where) {
  require(of.where() == where, [&] {
    return evenly::detail::concat(name, " has ", of.size(),
                                  " elements, but not in the ranges of the matrix's ", where.total(),
                                  " rows: distribute it with rows()");
  });
}

/// The share of a vertex's score that each of its edges gets, in multiples of 2^-60: sums of integers are exact.
struct share_of_edge {
  static constexpr double one = 1152921504606846976.0;

  const double* scores;
  const int* out_degrees;
  EVENLY_FN std::int64_t operator()(std::int64_t v) const {
    return out_degrees[v] == 0 ? 0 : static_cast<std::int64_t>(scores[v] / out_degrees[v] * one);
  }
};
/// The score of a vertex if it has no edges.
struct score_without_edges {
  const double* scores;
  const int* out_degrees;
  EVENLY_FN double operator()(std::int64_t v) const { return out_degrees[v] == 0 ? scores[v] : 0; }
};
template <class Executor> struct share_at_start {
  pointer_on<Executor, const int> columns;
  gathered_elements<std::int64_t, Executor> shares;
  EVENLY_FN std::int64_t operator()(std::int64_t k) const { return shares[columns[k]]; }
};
template <class Executor> struct stores_score {
  pointer_on<Executor, double> scores;
  double damping;
  double jumps;
  EVENLY_FN void operator()(int v, std::int64_t arriving) const {
    scores[v] = damping * (static_cast<double>(arriving) / share_of_edge::one) + jumps;
  }
};
struct change_of {
  const double* before;
  const double* now;
  EVENLY_FN double operator()(std::int64_t i) const {
    const double change = now[i] - before[i];
    return change < 0 ? -change : change;
  }
};
struct constant {
  double value;
  EVENLY_FN double operator()(std::int64_t) const { return value; }
};

} // namespace detail

/// Solves A x = b for a symmetric positive definite matrix. x: the first guess, then the solution. Collective.
///
/// - Returns iterations, |r| / |b|, and why it has ended: as solve_cg does.
/// - Cost: a product and two reductions per iteration.
/// - Errors: invalid_argument if A is not square, b or x is not distributed as A.rows(), an option is out of range, or
///   a preconditioner is chosen: ranks have none.
/// - Source: Hestenes & Stiefel (1952).
template <class Value, class Offset, executor Executor>
solve_report conjugate_gradient(matrix<Value, Offset, Executor>& a, const array<Value, Executor>& b,
                                array<Value, Executor>& x, const iterative_options& options = {}) {
  evenly::detail::check_iterative_options(options);
  require(options.preconditioner == preconditioner_kind::none,
          [] { return "ranks have no preconditioners: use preconditioner_kind::none"; });
  detail::require_square(a);
  detail::require_where("b", b, a.rows());
  detail::require_where("x", x, a.rows());
  solve_report result;
  a.ranks().run([&](communicator& here) {
    const Executor& exec = a.ranks().executor(here);
    const ranges& where = a.rows();
    const std::int64_t count = where.size(here.rank());
    const auto size = static_cast<std::size_t>(count);
    const auto residual = make_buffer<Value>(exec, size), direction = make_buffer<Value>(exec, size),
               product = make_buffer<Value>(exec, size);
    Value *const r = residual.data(), *const p = direction.data(), *const q = product.data();
    Value* const solution = x.part(here).data();
    const Value* const right = b.part(here).data();
    const auto dot = [&](const Value* u, const Value* v) {
      return reduce(here, exec, where, plus<Value>{}, detail::product_of_elements<Value>{u, v});
    };
    const auto combine = [&](Value* to, const Value* u, Value factor, const Value* v) {
      tabulate(exec, count, detail::sum_of_scaled<Value>{u, factor, v}, to);
    };
    a.multiply(here, x.part(here), product.span());
    combine(r, right, Value{-1}, q);
    tabulate(exec, count, detail::element_of<Value>{r}, p);
    const Value norm = std::sqrt(dot(right, right));
    Value rr = dot(r, r);
    solve_report mine;
    const auto end_with = [&](solve_end why) { mine.end = why; };
    const auto update = [&] {
      mine.residual = static_cast<double>(norm > Value{0} ? std::sqrt(rr) / norm : std::sqrt(rr));
      if (mine.residual <= options.tolerance)
        end_with(solve_end::converged);
      else if (!std::isfinite(mine.residual))
        end_with(solve_end::not_finite);
      else if (mine.iterations == options.max_iterations)
        end_with(solve_end::max_iterations);
    };
    update();
    while (mine.end == solve_end::running) {
      a.multiply(here, direction.span(), product.span());
      const Value curvature = dot(p, q);
      if (!(curvature > Value{0})) {
        end_with(std::isfinite(curvature) ? solve_end::not_positive_definite : solve_end::not_finite);
        break;
      }
      const Value step = rr / curvature;
      combine(solution, solution, step, p);
      combine(r, r, -step, q);
      const Value next = dot(r, r);
      combine(p, r, next / rr, p);
      rr = next;
      ++mine.iterations;
      update();
    }
    if (here.rank() == a.ranks().first()) result = mine;
  });
  return result;
}

/// PageRank: the probability of being at each vertex for a walk that follows a random edge with probability `damping`,
/// and otherwise, and at a vertex without edges, jumps to a random vertex. Collective.
///
/// - `graph`: row v has the edges that lead to v; its values have no effect.
/// - `out_degrees`: of each vertex, the number of edges that leave it; distributed as graph.rows().
/// - `scores`: distributed as graph.rows(); written. They sum to 1.
/// - Cost: O(vertices + edges) per iteration, and a message of 8 bytes per needed vertex.
/// - Errors: invalid_argument if the matrix is not square, an array is distributed otherwise, an option is out of
///   range, or scores are to be weighted or personal: on ranks they are not.
template <class Value, class Offset, executor Executor>
graphs::pagerank_totals pagerank(matrix<Value, Offset, Executor>& graph,
                                 const array<int, Executor>& out_degrees, array<double, Executor>& scores,
                                 const graphs::pagerank_options& options = {}) {
  detail::require_square(graph);
  detail::require_where("out_degrees", out_degrees, graph.rows());
  detail::require_where("scores", scores, graph.rows());
  evenly::detail::check_pagerank_options(options, graph.rows().total());
  require(!options.weighted && options.personalization.empty(),
          [] { return "ranks have no weighted or personal scores: leave both options out"; });
  graphs::pagerank_totals result;
  graph.ranks().run([&](communicator& here) {
    const Executor& exec = graph.ranks().executor(here);
    const ranges& where = graph.rows();
    const std::int64_t count = where.size(here.rank());
    const auto vertices = static_cast<double>(where.total());
    const auto size = static_cast<std::size_t>(count);
    const auto shares = make_buffer<std::int64_t>(exec, size);
    const auto next = make_buffer<double>(exec, size);
    double* const now = scores.part(here).data();
    const int* const degrees = out_degrees.part(here).data();
    auto& part = graph.part(here);
    auto exchange = graph.template exchange_of<std::int64_t>(here);
    tabulate(exec, count, detail::constant{1 / vertices}, now);
    graphs::pagerank_totals mine;
    do {
      const double jumping =
          reduce(here, exec, where, plus<double>{}, detail::score_without_edges{now, degrees});
      tabulate(exec, count, detail::share_of_edge{now, degrees}, shares.data());
      const auto gathered = exchange.gather(here, exec, shares.data());
      reduce_tiles(
          here, exec, part.rows, detail::share_at_start<Executor>{part.columns.data(), gathered},
          plus<std::int64_t>{},
          detail::stores_score<Executor>{next.data(), options.damping,
                                         (1 - options.damping + options.damping * jumping) / vertices});
      mine.error = reduce(here, exec, where, plus<double>{}, detail::change_of{now, next.data()});
      tabulate(exec, count, detail::element_of<double>{next.data()}, now);
      ++mine.iterations;
      mine.converged = mine.error <= options.tolerance;
    } while (!mine.converged && mine.iterations < options.max_iterations);
    if (here.rank() == graph.ranks().first()) result = mine;
  });
  return result;
}

} // namespace evenly::distributed
