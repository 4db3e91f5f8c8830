// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B of few columns in double precision on the cores of this machine, under `automatic` and
// merge_path, beside Eigen, GraphBLAS and CHOLMOD of SuiteSparse, and scipy.
//
//   bench_spmm_cpu [--threads N] [--repeat N] [--width N] [--python PROGRAM] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly info` takes it. Widths are 8 and 32 where none is given, B and C by rows and by columns. C
// and a plan of A are there before the time begins. Values are whole numbers, so that sums are exact in any order: each
// result is compared with Eigen's by rows. Candidates take turns, N of them, behind a run that is not timed; shown are
// medians. CHOLMOD goes by columns, and on one core; scipy, on one core as well, makes a C by rows in each run, and has
// its turns in a process of its own. What was not there when this was built, or is run, is left out, and said so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/spmm.hpp"
#include "io/input.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "peer_versions.hpp"
#include "python_peer.hpp"
#include "spmm_peers.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

template <class Schedule>
multiplier ours(const char* name, const Schedule& schedule, const csr_matrix<double>& a, dense_operands& of,
                int threads) {
  const cpu exec(threads);
  using plan_type = decltype(make_plan(exec, schedule, rows_of(a.view())));
  const auto plan = std::make_shared<plan_type>(make_plan(exec, schedule, rows_of(a.view())));
  multiplier made{.name = name, .threads = threads, .run = [&a, &of, exec, plan] {
                    spmm(exec, *plan, a.view(), of.view<const double>(a.cols, of.b.data()),
                         of.view<double>(a.rows, of.c.data()));
                  }};
  if constexpr (chosen<plan_type>) made.chosen = plan->schedule_name();
  return made;
}

/// Ours and the others, each with all threads and with one if it can.
std::vector<multiplier> all_multipliers(csr_matrix<double>& a, dense_operands& of, int threads) {
  std::vector<int> counts{1};
  if (threads > 1) counts.insert(counts.begin(), threads);
  std::vector<multiplier> all;
  for (const int each : counts)
    all.push_back(ours("automatic", automatic{.work = work_kind::wide_sums}, a, of, each));
  for (const int each : counts) all.push_back(ours("merge_path", merge_path{}, a, of, each));
  for (const int each : counts)
    all.push_back(of.layout == dense_layout::rows ? eigens<Eigen::RowMajor>(a, of, each)
                                                  : eigens<Eigen::ColMajor>(a, of, each));
#if defined(EVENLY_WITH_GRAPHBLAS)
  for (const int each : counts) all.push_back(graphblas(a, of, each));
#endif
#if defined(EVENLY_WITH_CHOLMOD)
  if (of.layout == dense_layout::columns) all.push_back(cholmods(a, of));
#endif
  return all;
}

/// Where C differs from what it should be, which is there by rows.
std::optional<std::string> difference(const dense_operands& found, const std::vector<double>& right,
                                      int rows) {
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < found.width; ++j)
      if (found.c[found.place(rows, r, j)] !=
          right[static_cast<std::size_t>(r) * static_cast<std::size_t>(found.width) +
                static_cast<std::size_t>(j)])
        return "entry (" + std::to_string(r) + ", " + std::to_string(j) + ") has another value";
  return std::nullopt;
}

/// bench/spmm_scipy.py in a process of its own, which gets A in files. Nothing where it does not run.
std::optional<measurement> scipys(const csr_matrix<double>& a, const dense_operands& right,
                                  const std::string& python, int repeat) {
  const exchange_folder folder("evenly-spmm");
  folder.write("offsets", std::span<const int>(a.offsets));
  folder.write("columns", std::span(a.columns));
  folder.write("values", std::span(a.values));
  folder.write("cols", std::span(&a.cols, 1));
  const std::string words = std::to_string(right.width) + ' ' + std::to_string(repeat);
  if (!folder.run(python, EVENLY_BENCH_FOLDER "/spmm_scipy.py", words)) return std::nullopt;
  measurement found;
  const auto c = folder.read<double>("c", right.c.size());
  if (c != right.c) found.error = "an entry has another value";
  found.time = timing_of(folder.read<double>("ms", static_cast<std::size_t>(repeat)));
  return found;
}

/// Rounds in which all take turns; the first run of each is checked, and not timed.
std::vector<measurement> take_turns(const std::vector<multiplier>& all, dense_operands& of,
                                    const std::vector<double>& right, int rows, int repeat) {
  std::vector<measurement> times(all.size());
  std::vector<std::vector<double>> ms(all.size());
  for (int round = 0; round <= repeat; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (times[i].error) continue;
      if (round == 0) {
        std::ranges::fill(of.c, std::numeric_limits<double>::quiet_NaN());
        all[i].run();
        all[i].found();
        times[i].error = difference(of, right, rows);
      } else {
        all[i].run(); // what the one before has left in the caches is gone
        ms[i].push_back(time_on_host(all[i].run));
      }
      all[i].rest();
    }
  for (std::size_t i = 0; i < all.size(); ++i) {
    times[i].chosen = all[i].chosen;
    if (!times[i].error) times[i].time = timing_of(ms[i]);
  }
  return times;
}

struct settings {
  int threads, repeat;
  std::vector<int> widths;
  std::string python;
};

void measure_width(const io::input& in, csr_matrix<double>& a, int width, dense_layout layout,
                   const settings& by, report& lines) {
  dense_operands right(a, width, dense_layout::rows);
  eigens<Eigen::RowMajor>(a, right, 1).run();
  dense_operands of(a, width, layout);
  const std::vector<multiplier> all = all_multipliers(a, of, by.threads);
  std::printf("%s, %d columns, by %s: %d rows, %d entries\n", in.name.c_str(), width, of.name(), a.rows,
              a.atoms());
  const auto add = [&](const std::string& name, int threads, const measurement& m) {
    const std::string label = name + ", " + std::to_string(threads);
    if (m.error)
      std::printf("  %-14s    FAILED: %s\n", label.c_str(), m.error->c_str());
    else
      std::printf("  %-14s %9.2f ms, %6.2f GFLOP/s\n", label.c_str(), m.time.median,
                  2e-6 * a.atoms() * width / m.time.median);
    lines.add({{"workload", in.name},
               {"rows", a.rows},
               {"entries", a.atoms()},
               {"op", "spmm"},
               {"width", width},
               {"layout", of.name()},
               {"type", "double"},
               {"name", name},
               {"threads", threads}},
              m);
  };
  const std::vector<measurement> times = take_turns(all, of, right.c, a.rows, by.repeat);
  for (std::size_t i = 0; i < all.size(); ++i) add(all[i].name, all[i].threads, times[i]);
  if (layout == dense_layout::rows) { // scipy's C is by rows always
    if (const auto scipy = scipys(a, right, by.python, by.repeat))
      add("scipy", 1, *scipy);
    else
      std::printf("  scipy is left out: %s with scipy does not run here\n", by.python.c_str());
  }
  std::fflush(stdout);
}

void measure_input(const std::string& name, const settings& by, report& lines) {
  const io::input in = io::load_input(name);
  csr_matrix<double> a = in.matrix;
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k % 7) - 3;
  for (const int width : by.widths)
    for (const dense_layout layout : {dense_layout::rows, dense_layout::columns})
      measure_width(in, a, width, layout, by, lines);
}

/// Versions of the peers that this program has, and of the scipy that `python` imports.
json::value peers(const std::string& python) {
  json::value found{{"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
#if defined(EVENLY_WITH_GRAPHBLAS)
  found["GraphBLAS"] = dotted(GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
#endif
#if defined(EVENLY_WITH_CHOLMOD)
  found["CHOLMOD"] = dotted(CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION);
#endif
  if (const std::string scipy = module_version(python, "scipy"); !scipy.empty()) found["SciPy"] = scipy;
  return found;
}

int run(const arguments& args) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"as-Skitter:scale=0.1", "regular8:scale=0.1", "grid:x=500,y=500"};
  const int width = args.number("--width");
  const settings by{args.number("--threads"), args.number("--repeat"),
                    width > 0 ? std::vector<int>{width} : std::vector<int>{8, 32},
                    args.options.at("--python")};
  report lines({}, {{"peers", peers(by.python)}});
#if !defined(EVENLY_WITH_CHOLMOD)
  std::printf("without CHOLMOD: its headers were not there when this was built\n");
#endif
#if !defined(EVENLY_WITH_GRAPHBLAS)
  std::printf("without GraphBLAS: its headers were not there when this was built\n");
#endif
  for (const std::string& each : inputs) measure_input(each, by, lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      "bench_spmm_cpu", argc, argv, evenly::bench::run,
      {{"--threads", "2"}, {"--repeat", "5"}, {"--width", "0"}, {"--python", "python3"}});
}
