// SPDX-License-Identifier: Apache-2.0
// Float SpMV on the CPU against Eigen with OpenMP, plain OpenMP row loops, and an even split of the atoms written by
// hand.
//
//   bench_spmv_cpu [--threads N] [--json FILE] [WORKLOAD ...]
//
// Candidates take turns; each time is the median over the turns. A result is checked against a double-precision loop
// before it is timed; one that fails gets no time and the program exits with 1.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>

#include <Eigen/SparseCore>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/sparse/spmv.hpp"
#include "io/generators.hpp"
#include "report.hpp"

namespace {

using matrix = evenly::csr_matrix<float>;

void openmp_static(const matrix& a, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < a.rows; ++r) {
    float sum = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y[r] = sum;
  }
}

void openmp_dynamic(const matrix& a, const float* x, float* y) {
#pragma omp parallel for schedule(dynamic, 256)
  for (int r = 0; r < a.rows; ++r) {
    float sum = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y[r] = sum;
  }
}

/// Every thread has as many atoms; rows that threads share are added up at the end, in order. The sum of a run is kept
/// in eight parts, as evenly's is.
void even_split(const matrix& a, const float* x, float* y) {
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
    const int begin = static_cast<int>(a.atoms() * me / threads),
              end = static_cast<int>(a.atoms() * (me + 1) / threads);
    int row =
        static_cast<int>(std::upper_bound(a.offsets.begin(), a.offsets.end(), begin) - a.offsets.begin()) - 1;
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

struct candidate {
  evenly::bench::times seen;
  std::function<void()> run;
};

/// One workload: prints its lines and adds them to the report. Whether all results were right.
bool measure(const std::string& workload, int threads, evenly::bench::report& report) {
  const auto source = evenly::io::generate(workload);
  const matrix a{
      source.rows, source.cols, source.offsets, source.columns, {source.values.begin(), source.values.end()}};
  std::vector<float> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1021) / 512.0f - 1.0f;

  const Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor>> mapped(
      a.rows, a.cols, a.atoms(), a.offsets.data(), a.columns.data(), a.values.data());
  const Eigen::Map<const Eigen::VectorXf> eigen_x(x.data(), a.cols);
  Eigen::Map<Eigen::VectorXf> eigen_y(y.data(), a.rows);

  std::vector<candidate> all{{{.name = "eigen"}, [&] { eigen_y.noalias() = mapped * eigen_x; }},
                             {{.name = "openmp_static"}, [&] { openmp_static(a, x.data(), y.data()); }},
                             {{.name = "openmp_dynamic"}, [&] { openmp_dynamic(a, x.data(), y.data()); }},
                             {{.name = "even_split"}, [&] { even_split(a, x.data(), y.data()); }}};
  const evenly::cpu exec(threads);
  evenly::for_each_schedule([&](const char* name, const auto& schedule) {
    using plan_type = decltype(evenly::make_plan(exec, schedule, evenly::rows_of(a.view())));
    const auto plan =
        std::make_shared<plan_type>(evenly::make_plan(exec, schedule, evenly::rows_of(a.view())));
    all.push_back({{.name = name}, [&, plan] { evenly::spmv(exec, *plan, a.view(), x, y); }});
  });

  bool ok = true;
  for (candidate& each : all) {
    std::fill(y.begin(), y.end(), std::numeric_limits<float>::quiet_NaN());
    each.run();
    each.seen.ok = evenly::bench::right(a, x, y);
    ok = ok && each.seen.ok;
  }
  for (int turn = 0; turn < 15; ++turn)
    for (candidate& each : all) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10)); // until idle OpenMP threads no longer spin
      const auto start = std::chrono::steady_clock::now();
      each.run();
      each.seen.ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  std::printf("%s, %d threads\n", workload.c_str(), threads);
  for (const candidate& each : all) {
    if (each.seen.ok)
      std::printf("  %-20s %9.3f ms\n", each.seen.name.c_str(), evenly::bench::median(each.seen.ms));
    else
      std::printf("  %-20s    FAILED\n", each.seen.name.c_str());
    report.add(workload, a, each.seen);
  }
  return ok;
}

} // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> workloads;
  std::string json;
  int threads = 2;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json" && i + 1 < argc)
      json = argv[++i];
    else if (word == "--threads" && i + 1 < argc)
      threads = std::stoi(argv[++i]);
    else
      workloads.push_back(word);
  }
  if (workloads.empty())
    workloads = {"regular:rows=1.25e6,size=8", "regular:rows=625e3,size=16", "banded:rows=4e5,width=27",
                 "band27:scale=0.25",          "grid:x=2000,y=1500",         "one-dense-row",
                 "as-Skitter:scale=0.5"};
  omp_set_num_threads(threads);
  Eigen::setNbThreads(threads);
  evenly::bench::report report("cpu");
  bool ok = true;
  for (const auto& workload : workloads) ok = measure(workload, threads, report) && ok;
  if (!json.empty() && !report.write(json)) throw std::runtime_error("cannot write " + json);
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_spmv_cpu: %s\n", e.what());
  return 1;
}
