// SPDX-License-Identifier: Apache-2.0
// Float SpMV on the CPU under `automatic` and every schedule, against Eigen with OpenMP, plain row loops (those of
// `evenly compare`), and an even split of the atoms written by hand.
//
//   bench_spmv_cpu [--threads N] [--json FILE] [WORKLOAD ...]
//
// Candidates take turns; each time is the median over 15 turns. A result is checked against a double-precision loop
// before it is timed; one that fails gets no time and the program exits with 1.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <omp.h>

#include <Eigen/SparseCore>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/automatic.hpp"
#include "generate/generators.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/work_on.hpp"
#include "peer_versions.hpp"
#include "tour/schedule_candidate.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

/// Every thread has as many atoms; rows that threads share are added up at the end, in order. The sum of a run is kept
/// in eight parts, as evenly's is.
void even_split(const csr_view<float>& a, const float* x, float* y) {
  const std::int64_t atoms = a.offsets[a.rows];
  const auto run = [&](int begin, int end) {
    float part[8] = {};
    for (; end - begin >= 8; begin += 8)
      for (int i = 0; i < 8; ++i) part[i] += a.values[begin + i] * x[a.columns[begin + i]];
    float sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; begin < end; ++begin) sum += a.values[begin] * x[a.columns[begin]];
    return sum;
  };
  struct open_row {
    int row;
    float sum;
  };
  std::vector<open_row> open(static_cast<std::size_t>(omp_get_max_threads()), {-1, 0.0f});
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const int begin = static_cast<int>(atoms * me / threads),
              end = static_cast<int>(atoms * (me + 1) / threads);
    int row = static_cast<int>(std::upper_bound(a.offsets, a.offsets + a.rows + 1, begin) - a.offsets) - 1;
    if (me == 0) std::fill(y, y + row, 0.0f); // empty rows before the first atom
    for (int k = begin; k < end; ++row) {
      const int stop = std::min(a.offsets[row + 1], end);
      const float sum = run(k, stop);
      if (k > a.offsets[row])
        open[static_cast<std::size_t>(me)] = {row, sum}; // begun by an earlier thread
      else
        y[row] = sum;
      k = stop;
    }
    for (; row < a.rows && a.offsets[row + 1] == end; ++row) y[row] = 0; // empty rows after the last
  }
  for (const open_row& piece : open)
    if (piece.row >= 0) y[piece.row] += piece.sum;
}

using work_type = work_on<cpu, spmv_problem<float>>;

/// multiply(a, x, y), beside the schedules.
template <class Multiply>
candidate other(const std::shared_ptr<work_type>& work, const char* name, const Multiply& multiply) {
  candidate made{.name = name, .title = name, .afterwards = let_threads_sleep};
  made.prepare = [work, multiply]() -> prepared_run {
    const auto& data = work->data();
    return {[&data, multiply] { multiply(data.a(), data.x().data(), data.out().data()); }};
  };
  return made;
}

std::vector<candidate> others(const std::shared_ptr<work_type>& work) {
  const int threads = work->exec().threads();
  const auto eigen = [](const csr_view<float>& a, const float* x, float* y) {
    const Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor>> mapped(
        a.rows, a.cols, a.offsets[a.rows], a.offsets, a.columns, a.values);
    Eigen::Map<Eigen::VectorXf>(y, a.rows).noalias() = mapped * Eigen::Map<const Eigen::VectorXf>(x, a.cols);
  };
  const auto loop = [threads](row_dealing dealing) {
    return
        [=](const csr_view<float>& a, const float* x, float* y) { multiply_rows(a, x, y, dealing, threads); };
  };
  return {tour::schedule_candidate(work, "automatic", automatic{.work = work_kind::gathered_sums}),
          other(work, "eigen", eigen), other(work, "openmp_static", loop(row_dealing::even)),
          other(work, "openmp_dynamic", loop(row_dealing::dynamic)), other(work, "even_split", even_split)};
}

/// One workload: prints its lines and adds them to the report.
void measure_workload(const std::string& workload, int threads, report& lines) {
  const auto matrix = generate::generate(workload);
  const problem p = make_problem(operation::spmv, number_type::single_precision, matrix, 0);
  const auto work = std::make_shared<work_type>(cpu(threads), std::get<spmv_problem<float>>(p));
  measure::bench on = schedule_bench(std::make_unique<host_timer>(threads), work, others(work));
  std::printf("%s, %d threads\n", workload.c_str(), threads);
  for (const measurement& m : measure_in_turns(on, on.candidates(0), reference(p), {.exactly = 15})) {
    if (m.error)
      std::printf("  %-26s    FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-26s %9.3f ms\n", m.what.name.c_str(), m.time.median);
    lines.add({{"workload", workload},
               {"rows", matrix.rows},
               {"cols", matrix.cols},
               {"atoms", matrix.atoms()},
               {"op", "spmv"},
               {"executor", "cpu"},
               {"schedule", m.what.name},
               {"type", "float"}},
              m);
  }
}

int run(const arguments& args) {
  const int threads = args.number("--threads");
  const std::vector<std::string> usual{"regular:rows=1.25e6,size=8", "regular:rows=625e3,size=16",
                                       "banded:rows=4e5,width=27",   "band27:scale=0.25",
                                       "grid:x=2000,y=1500",         "one-dense-row",
                                       "as-Skitter:scale=0.5"};
  omp_set_num_threads(threads);
  Eigen::setNbThreads(threads);
  report lines(
      {}, {{"peers", {{"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}}}});
  for (const auto& workload : args.words.empty() ? usual : args.words)
    measure_workload(workload, threads, lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_spmv_cpu", argc, argv, evenly::bench::run, {{"--threads", "2"}});
}
