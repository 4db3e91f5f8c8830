// SPDX-License-Identifier: Apache-2.0
// C = A A in double precision on the cores of this machine, beside Eigen and SuiteSparse (CHOLMOD's ssmult, with sorted
// columns), which go on one core.
//
//   bench_spgemm_cpu [--threads N] [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly info` takes it. Each time is of the whole call, with the memory of C; of `evenly, planned` it is
// that of filling C again, whose plan stays. The others' results are compared with ours: the same entries, values
// within rounding. Candidates take turns, N of them; shown are medians. Where SuiteSparse's headers are missing it is
// left out, and said so.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#if defined(EVENLY_WITH_CHOLMOD)
#include "cholmod_view.hpp"
#endif

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "io/input.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

/// A product, as arrays that last until the next run.
struct found_product {
  std::int64_t rows = 0;
  std::vector<std::int64_t> offsets;
  const int* columns = nullptr;
  const double* values = nullptr;
};

/// One that multiplies: run() is timed, found() tells what the last run has made.
struct multiplier {
  std::string name;
  int threads;
  std::function<void()> run;
  std::function<found_product()> found;
  std::function<void()> forget; ///< frees what the last run has made
};

multiplier ours(const csr_matrix<double>& a, int threads) {
  const auto c = std::make_shared<csr_buffers<double>>();
  const cpu exec(threads);
  return {"evenly", threads, [&a, exec, c] { *c = spgemm(exec, a.view(), a.view()); },
          [c] {
            return found_product{c->rows,
                                 {c->offsets.data(), c->offsets.data() + c->offsets.size()},
                                 c->columns.data(),
                                 c->values.data()};
          },
          [c] { *c = {}; }};
}

multiplier ours_planned(const csr_matrix<double>& a, int threads) {
  using plan_type = spgemm_plan<cpu, double, int, int>;
  struct state {
    plan_type plan;
    buffer<int> columns;
    buffer<double> values;
  };
  const cpu exec(threads);
  plan_type plan(exec, a.view(), a.view());
  const auto entries = static_cast<std::size_t>(plan.entries());
  const auto all = std::make_shared<state>(
      state{std::move(plan), make_buffer<int>(exec, entries), make_buffer<double>(exec, entries)});
  return {
      "evenly, planned", threads,
      [&a, exec, all] { all->plan.fill(exec, a.view(), a.view(), all->columns.span(), all->values.span()); },
      [all] {
        const auto offsets = all->plan.offsets();
        return found_product{
            all->plan.rows(), {offsets.begin(), offsets.end()}, all->columns.data(), all->values.data()};
      },
      [] {}};
}

multiplier eigens(const csr_matrix<double>& a) {
  using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const auto c = std::make_shared<sparse>();
  return {"Eigen", 1,
          [&a, c] {
            const Eigen::Map<const sparse> mapped(a.rows, a.cols, a.atoms(), a.offsets.data(),
                                                  a.columns.data(), a.values.data());
            *c = mapped * mapped;
          },
          [c] {
            return found_product{c->rows(),
                                 {c->outerIndexPtr(), c->outerIndexPtr() + c->rows() + 1},
                                 c->innerIndexPtr(),
                                 c->valuePtr()};
          },
          [c] { *c = sparse(); }};
}

#if defined(EVENLY_WITH_CHOLMOD)
/// Its matrices have compressed columns: of these arrays it sees transposes, and A^T A^T is (A A)^T.
multiplier cholmods(csr_matrix<double>& a) {
  struct state {
    cholmod_common common;
    cholmod_sparse* c = nullptr;
    state() { cholmod_start(&common); }
    ~state() {
      forget();
      cholmod_finish(&common);
    }
    void forget() { cholmod_free_sparse(&c, &common); }
  };
  const auto all = std::make_shared<state>();
  return {"SuiteSparse", 1,
          [&a, all] {
            cholmod_sparse seen = cholmod_transpose_of(a);
            all->forget();
            all->c = cholmod_ssmult(&seen, &seen, 0, 1, 1, &all->common);
          },
          [all] {
            const auto* offsets = static_cast<const int*>(all->c->p);
            return found_product{static_cast<std::int64_t>(all->c->ncol),
                                 {offsets, offsets + all->c->ncol + 1},
                                 static_cast<const int*>(all->c->i),
                                 static_cast<const double*>(all->c->x)};
          },
          [all] { all->forget(); }};
}
#endif

/// What is wrong with a product that should be like another: the same entries, sums of whole numbers the same, others
/// nearly.
std::optional<std::string> difference(const found_product& from, const found_product& right) {
  if (from.offsets != right.offsets) return "its rows have other sizes";
  const std::int64_t entries = right.offsets.back();
  for (std::int64_t k = 0; k < entries; ++k) {
    if (from.columns[k] != right.columns[k]) return "entry " + std::to_string(k) + " has another column";
    const double size = std::max(std::abs(right.values[k]), 1e-9);
    if (!(std::abs(from.values[k] - right.values[k]) <= 1e-6 * size))
      return "entry " + std::to_string(k) + " has another value";
  }
  return std::nullopt;
}

void measure_input(const std::string& name, int threads, int repeat, report& lines) {
  const io::input in = io::load_input(name);
  csr_matrix<double> a = in.matrix;
  if (a.rows != a.cols) throw std::runtime_error(name + ": A A needs as many rows as columns");
  for (std::size_t k = 0; k < a.values.size(); ++k)
    a.values[k] = 1 + static_cast<double>(k % 7); // nothing cancels
  std::vector<multiplier> all;
  all.push_back(ours(a, threads));
  all.push_back(ours_planned(a, threads));
  if (threads != 1) all.push_back(ours(a, 1));
  all.push_back(eigens(a));
#if defined(EVENLY_WITH_CHOLMOD)
  all.push_back(cholmods(a));
#endif
  const cpu exec;
  const std::int64_t products = spgemm_products(exec, a.view(), a.view());
  std::vector<measurement> times(all.size());
  std::vector<std::vector<double>> ms(all.size());
  all.front().run();
  const found_product right = all.front().found();
  const std::vector<int> columns(right.columns, right.columns + right.offsets.back());
  const std::vector<double> values(right.values, right.values + right.offsets.back());
  const found_product kept{right.rows, right.offsets, columns.data(), values.data()};
  all.front().forget();
  std::printf("%s: %d rows, %d entries, %.1f M products, %.1f M entries of C\n", in.name.c_str(), a.rows,
              a.atoms(), static_cast<double>(products) * 1e-6,
              static_cast<double>(right.offsets.back()) * 1e-6);
  for (int round = 0; round < repeat; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (times[i].error) continue;
      ms[i].push_back(time_on_host(all[i].run));
      if (round == 0) times[i].error = difference(all[i].found(), kept);
      all[i].forget();
    }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!times[i].error) times[i].time = timing_of(ms[i]);
    if (times[i].error)
      std::printf("  %-16s %d thread(s)    FAILED: %s\n", all[i].name.c_str(), all[i].threads,
                  times[i].error->c_str());
    else
      std::printf("  %-16s %d thread(s) %9.1f ms\n", all[i].name.c_str(), all[i].threads,
                  times[i].time.median);
    lines.add({{"workload", in.name},
               {"rows", a.rows},
               {"entries", a.atoms()},
               {"products", products},
               {"entries_of_c", right.offsets.back()},
               {"name", all[i].name},
               {"threads", all[i].threads}},
              times[i]);
  }
  std::fflush(stdout);
}

int run(const arguments& args) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty())
    inputs = {"as-Skitter:scale=0.25", "regular8:scale=0.5", "grid:x=1000,y=1000", "band27:scale=0.1"};
  report lines;
#if !defined(EVENLY_WITH_CHOLMOD)
  std::printf("without SuiteSparse: its headers were not there when this was built\n");
#endif
  for (const std::string& each : inputs)
    measure_input(each, args.number("--threads"), args.number("--repeat"), lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_spgemm_cpu", argc, argv, evenly::bench::run,
                                 {{"--threads", "2"}, {"--repeat", "5"}});
}
