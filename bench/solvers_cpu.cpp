// SPDX-License-Identifier: Apache-2.0
// Solvers on the cores of this machine, beside Eigen's.
//
//   bench_solvers_cpu [--threads N] [--repeat N] [--json FILE] [SIDE ...]
//
// The systems are five-point Laplacians of SIDE x SIDE points with b = 1, in double: by conjugate gradients to a
// relative residual of 1e-8, and with their lower triangle. A solution is checked after its first run: the residual of
// an iteration, or each equation of a triangle. Candidates take turns, N of them; shown are medians. Preconditioners
// and plans are made before. Eigen multiplies by OpenMP with as many threads; its IncompleteCholesky orders the rows by
// approximate minimum degree.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#if defined(EVENLY_WITH_EIGEN)
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#endif

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

constexpr double tolerance = 1e-8;
constexpr int max_iterations = 20'000;

struct system {
  csr_matrix<double> a;
  std::vector<double> b, x;
};

system poisson(int side) {
  system made;
  made.a.rows = made.a.cols = side * side;
  for (int r = 0; r < side * side; ++r) {
    const auto add = [&](int column, double value, bool exists) {
      if (!exists) return;
      made.a.columns.push_back(column);
      made.a.values.push_back(value);
    };
    add(r - side, -1, r >= side);
    add(r - 1, -1, r % side > 0);
    add(r, 4, true);
    add(r + 1, -1, r % side < side - 1);
    add(r + side, -1, r + side < side * side);
    made.a.offsets.push_back(static_cast<int>(made.a.columns.size()));
  }
  made.b.assign(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1);
  made.x.resize(made.b.size());
  return made;
}

/// |b - A x| / |b|, of A or of its lower triangle.
double residual(const system& of, bool lower) {
  double squared = 0, right = 0;
  for (int r = 0; r < of.a.rows; ++r) {
    double difference = of.b[static_cast<std::size_t>(r)];
    right += difference * difference;
    for (int e = of.a.offsets[static_cast<std::size_t>(r)]; e < of.a.offsets[static_cast<std::size_t>(r) + 1];
         ++e) {
      const int column = of.a.columns[static_cast<std::size_t>(e)];
      if (!lower || column <= r)
        difference -= of.a.values[static_cast<std::size_t>(e)] * of.x[static_cast<std::size_t>(column)];
    }
    squared += difference * difference;
  }
  return std::sqrt(squared / right);
}

/// A candidate that writes x; `iterations` as its last run left them.
struct solving {
  candidate what;
  bool is_triangular;
  std::shared_ptr<int> iterations = std::make_shared<int>();
};

template <class Make>
solving solving_of(const std::string& name, system& of, bool is_triangular, const Make& make) {
  solving made{{.name = name, .title = name}, is_triangular};
  made.what.prepare = [&of, make, iterations = made.iterations]() -> prepared_run {
    return {.run = make(*iterations), .before = [&of] { std::ranges::fill(of.x, 0.0); }};
  };
  made.what.first_error = [&of, is_triangular]() -> std::optional<std::string> {
    const double found = residual(of, is_triangular);
    if (found <= (is_triangular ? 1e-12 : 10 * tolerance)) return std::nullopt;
    return "the relative residual is " + std::to_string(found);
  };
  return made;
}

void add_ours(std::vector<solving>& all, system& of, const cpu& exec) {
  const auto cg = [&](const std::string& name, preconditioner_kind kind) {
    all.push_back(solving_of(name, of, false, [&of, exec, kind](int& iterations) {
      const auto solver = std::make_shared<cg_solver<cpu, double>>(
          exec, of.a.view(), iterative_options{tolerance, max_iterations, kind});
      return [&of, solver, &iterations] { iterations = solver->solve(of.b, of.x).iterations; };
    }));
  };
  cg("evenly, cg", preconditioner_kind::none);
  cg("evenly, cg with Jacobi", preconditioner_kind::jacobi);
  cg("evenly, cg with IC(0)", preconditioner_kind::ic0);
  all.push_back(solving_of("evenly, triangle", of, true, [&of, exec](int&) {
    return [&of, exec] { solve_triangular(exec, of.a.view(), of.b, of.x); };
  }));
  all.push_back(solving_of("evenly, triangle planned", of, true, [&of, exec](int&) {
    const auto plan = std::make_shared<triangular_plan<cpu, double>>(exec, of.a.view());
    return [&of, plan] { plan->solve(of.b, of.x); };
  }));
}

#if defined(EVENLY_WITH_EIGEN)
using eigen_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using eigen_vector = Eigen::Map<Eigen::VectorXd>;

template <class Solver> solving eigens_cg(const std::string& name, system& of, const eigen_matrix& a) {
  return solving_of(name, of, false, [&of, &a](int& iterations) {
    const auto solver = std::make_shared<Solver>();
    solver->setTolerance(tolerance);
    solver->setMaxIterations(max_iterations);
    solver->compute(a);
    return [&of, solver, &iterations] {
      const auto n = static_cast<Eigen::Index>(of.b.size());
      eigen_vector(of.x.data(), n) = solver->solve(eigen_vector(of.b.data(), n));
      iterations = static_cast<int>(solver->iterations());
    };
  });
}

void add_eigens(std::vector<solving>& all, system& of, const eigen_matrix& a) {
  constexpr int both =
      Eigen::Lower | Eigen::Upper; // of a symmetric matrix, so that threads share the product
  using plain = Eigen::ConjugateGradient<eigen_matrix, both, Eigen::IdentityPreconditioner>;
  using jacobi = Eigen::ConjugateGradient<eigen_matrix, both>;
  using cholesky = Eigen::ConjugateGradient<eigen_matrix, both, Eigen::IncompleteCholesky<double>>;
  all.push_back(eigens_cg<plain>("Eigen, cg", of, a));
  all.push_back(eigens_cg<jacobi>("Eigen, cg with Jacobi", of, a));
  all.push_back(eigens_cg<cholesky>("Eigen, cg with IncompleteCholesky", of, a));
  all.push_back(solving_of("Eigen, triangle", of, true, [&of, &a](int&) {
    return [&of, &a] {
      const auto n = static_cast<Eigen::Index>(of.b.size());
      eigen_vector(of.x.data(), n) = a.triangularView<Eigen::Lower>().solve(eigen_vector(of.b.data(), n));
    };
  }));
}
#endif

void measure_system(int side, int threads, int repeat, measure::report& lines) {
  system of = poisson(side);
  std::vector<solving> all;
  add_ours(all, of, cpu(threads));
#if defined(EVENLY_WITH_EIGEN)
  Eigen::setNbThreads(threads);
  const eigen_matrix a = Eigen::Map<const eigen_matrix>(
      of.a.rows, of.a.cols, of.a.atoms(), of.a.offsets.data(), of.a.columns.data(), of.a.values.data());
  add_eigens(all, of, a);
#endif
  std::vector<candidate> candidates;
  for (const solving& each : all) candidates.push_back(each.what);
  measure::bench on{std::make_unique<host_timer>(threads), std::make_shared<unchecked_output>(), {}};
  const std::string name = "poisson " + std::to_string(side) + " x " + std::to_string(side);
  std::printf("%s\n", name.c_str());
  const solving* each = all.data();
  for (const measurement& m :
       measure_in_turns(on, candidates, {.exactly = repeat, .allow_single_run = true})) {
    if (m.error)
      std::printf("  %-34s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-34s %9.3f ms, %d iterations\n", m.what.name.c_str(), m.time.median, *each->iterations);
    lines.add({{"workload", name},
               {"op", each->is_triangular ? "trsv" : "cg"},
               {"executor", "cpu"},
               {"name", m.what.name},
               {"threads", threads},
               {"rows", of.a.rows},
               {"atoms", of.a.atoms()},
               {"iterations", *each->iterations}},
              m);
    ++each;
  }
  std::fflush(stdout);
}

void measure_all(const arguments& args, measure::report& lines) {
  std::vector<std::string> sides = args.words;
  if (sides.empty()) sides = {"100", "300", "1000"};
#if !defined(EVENLY_WITH_EIGEN)
  std::printf("without Eigen: its headers were not there when this was built\n");
#endif
  for (const std::string& each : sides)
    measure_system(std::stoi(each), args.number("--threads"), args.number("--repeat"), lines);
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_solvers_cpu",
                                  .measure = evenly::bench::measure_all,
                                  .options = {{"--threads", "2"}, {"--repeat", "5"}}});
}
