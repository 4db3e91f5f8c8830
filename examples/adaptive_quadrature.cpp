// SPDX-License-Identifier: Apache-2.0
// An integral by tasks that make tasks: an interval that is not smooth enough is halved, and each half is a task. The
// result of a leaf is stored by its place, and added up in order at the end: the same bits on every run.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <evenly/execution/cpu.hpp>
#include <evenly/execution/memory.hpp>
#include <evenly/tasks/batched_stealing.hpp>
#include <evenly/tasks/run_tasks.hpp>

EVENLY_FN inline double f(double x) { return std::sin(1 / x); }

/// The interval number `place` of the 2^level equal ones in [a, b].
struct interval {
  int level;
  std::int32_t place;
};

template <class Executor> struct quadrature {
  static constexpr int max_children = 2;
  static constexpr int deepest = 16;
  double a, b, tolerance;
  evenly::span_on<Executor, double> leaves; ///< [place of the interval's first one of the deepest level]

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, interval task, Sink& sink) const {
    const double width = (b - a) / (1 << task.level), from = a + task.place * width;
    const double ends = f(from) + f(from + width), middle = f(from + width / 2);
    const double quarters = f(from + width / 4) + f(from + 3 * width / 4);
    const double coarse = width / 6 * (ends + 4 * middle); // Simpson's rule, once and for each half
    const double fine = width / 12 * (ends + 4 * quarters + 2 * middle);
    if (task.level == deepest || std::abs(fine - coarse) < 15 * tolerance * width) {
      leaves[std::int64_t{task.place} << (deepest - task.level)] = fine + (fine - coarse) / 15;
      sink.add(1);
      return;
    }
    sink.push({task.level + 1, 2 * task.place});
    sink.push({task.level + 1, 2 * task.place + 1});
  }
};

int main() {
  const evenly::cpu exec;
  double integral[2] = {};
  for (double& sum : integral) {
    std::vector<double> leaves(std::size_t{1} << quadrature<evenly::cpu>::deepest);
    const auto first = evenly::to_executor(exec, std::vector<interval>{{0, 0}});
    const quadrature<evenly::cpu> body{0.01, 1, 1e-10, view(exec, leaves)};
    const evenly::task_report done = evenly::run_tasks(exec, evenly::batched_stealing{}, first, body);
    for (const double leaf : leaves) sum += leaf;
    std::printf("%.12f by %lld tasks, %llu leaves\n", sum, static_cast<long long>(done.run),
                static_cast<unsigned long long>(done.sum));
  }
  return integral[0] == integral[1] && std::abs(integral[0] - 0.503981893175) < 1e-7 ? 0 : 1;
}
