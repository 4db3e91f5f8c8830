// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B of few columns in double precision on the cores of this machine, beside Eigen, which goes on
// one core.
//
//   bench_spmm_cpu [--threads N] [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly info` takes it. Widths are 8, 32 and 128, B and C by rows and by columns. C and a plan of A are
// there before the time begins. Values are whole numbers, so that sums are exact in any order: each result is
// compared with Eigen's by rows. Candidates take turns, N of them; shown are medians.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/spmm.hpp"
#include "io/input.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace cli;

struct dense_operands {
  int width;
  dense_layout layout;
  std::vector<double> b, c;

  dense_operands(const csr_matrix<double>& a, int of_width, dense_layout of_layout)
      : width(of_width), layout(of_layout), b(entries(a.cols)), c(entries(a.rows)) {
    for (int r = 0; r < a.cols; ++r)
      for (int j = 0; j < width; ++j) b[place(a.cols, r, j)] = (r + 7 * j) % 11 - 5;
  }
  std::size_t entries(int rows) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  }
  std::size_t place(int rows, int row, int column) const {
    return layout == dense_layout::rows ? static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                              static_cast<std::size_t>(column)
                                        : static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                                              static_cast<std::size_t>(row);
  }
  template <class Value> dense_view<Value> view(int rows, Value* data) const {
    return layout == dense_layout::rows ? dense_rows(rows, width, data) : dense_columns(rows, width, data);
  }
  const char* name() const { return layout == dense_layout::rows ? "row" : "column"; }
};

struct multiplier {
  std::string name;
  int threads;
  std::function<void()> run;
};

multiplier ours(const csr_matrix<double>& a, dense_operands& of, int threads) {
  const cpu exec(threads);
  using plan_type = decltype(make_plan(exec, merge_path{}, rows_of(a.view())));
  const auto plan = std::make_shared<plan_type>(make_plan(exec, merge_path{}, rows_of(a.view())));
  return {"evenly", threads, [&a, &of, exec, plan] {
            spmm(exec, *plan, a.view(), of.view<const double>(a.cols, of.b.data()),
                 of.view<double>(a.rows, of.c.data()));
          }};
}

template <int Order> multiplier eigens(const csr_matrix<double>& a, dense_operands& of) {
  using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  using dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return {"Eigen", 1, [&a, &of] {
            const Eigen::Map<const sparse> left(a.rows, a.cols, a.atoms(), a.offsets.data(), a.columns.data(),
                                                a.values.data());
            const Eigen::Map<const dense> right(of.b.data(), a.cols, of.width);
            Eigen::Map<dense> out(of.c.data(), a.rows, of.width);
            out.noalias() = left * right;
          }};
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

void measure_width(const io::input& in, const csr_matrix<double>& a, int width, dense_layout layout,
                   int threads, int repeat, report& lines) {
  dense_operands by_rows(a, width, dense_layout::rows);
  eigens<Eigen::RowMajor>(a, by_rows).run();
  dense_operands of(a, width, layout);
  std::vector<multiplier> all;
  if (threads != 1) all.push_back(ours(a, of, threads));
  all.push_back(ours(a, of, 1));
  all.push_back(layout == dense_layout::rows ? eigens<Eigen::RowMajor>(a, of)
                                             : eigens<Eigen::ColMajor>(a, of));
  std::vector<measurement> times(all.size());
  std::vector<std::vector<double>> ms(all.size());
  for (int round = 0; round < repeat; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (times[i].error) continue;
      if (round == 0) {
        std::ranges::fill(of.c, std::numeric_limits<double>::quiet_NaN());
        all[i].run();
        times[i].error = difference(of, by_rows.c, a.rows);
        if (times[i].error) continue;
      }
      ms[i].push_back(time_on_host(all[i].run));
    }
  std::printf("%s, %d columns, by %s: %d rows, %d entries\n", in.name.c_str(), width, of.name(), a.rows,
              a.atoms());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (times[i].error) {
      std::printf("  %-8s %2d thread(s)    FAILED: %s\n", all[i].name.c_str(), all[i].threads,
                  times[i].error->c_str());
    } else {
      times[i].time = {median_of(ms[i]), std::ranges::min(ms[i]), std::ranges::max(ms[i]), ms[i]};
      std::printf("  %-8s %2d thread(s) %9.2f ms, %6.2f GFLOP/s\n", all[i].name.c_str(), all[i].threads,
                  times[i].time.median, 2e-6 * a.atoms() * width / times[i].time.median);
    }
    lines.add({{"workload", in.name},
               {"rows", a.rows},
               {"entries", a.atoms()},
               {"op", "spmm"},
               {"width", width},
               {"layout", of.name()},
               {"type", "double"},
               {"name", all[i].name},
               {"threads", all[i].threads}},
              times[i]);
  }
  std::fflush(stdout);
}

void measure_input(const std::string& name, int threads, int repeat, report& lines) {
  const io::input in = io::load_input(name);
  csr_matrix<double> a = in.matrix;
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k % 7) - 3;
  for (const int width : {8, 32, 128})
    for (const dense_layout layout : {dense_layout::rows, dense_layout::columns})
      measure_width(in, a, width, layout, threads, repeat, lines);
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) try {
  const evenly::bench::arguments args(argc, argv, {{"--threads", "2"}, {"--repeat", "5"}});
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"as-Skitter:scale=0.1", "regular8:scale=0.1", "grid:x=500,y=500"};
  evenly::cli::report lines;
  for (const std::string& each : inputs)
    evenly::bench::measure_input(each, args.number("--threads"), args.number("--repeat"), lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_spmm_cpu: %s\n", e.what());
  return 1;
}
