// SPDX-License-Identifier: Apache-2.0
// An integral by tasks that wait for their children: an interval that is not smooth enough is halved, and continues
// with the sums of its halves. Sums are made from left to right: the same bits on every run.

#include <cmath>
#include <cstdio>
#include <vector>

#include <evenly/execution/cpu.hpp>
#include <evenly/tasks/batched_stealing.hpp>
#include <evenly/tasks/fork_join.hpp>

EVENLY_FN inline double f(double x) { return std::sin(1 / x); }

struct interval {
  double from, to;
};

struct quadrature {
  static constexpr int max_children = 2;
  using result = double;
  double tolerance;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, interval on, Sink& sink) const {
    const double width = on.to - on.from, middle = on.from + width / 2;
    const double ends = f(on.from) + f(on.to), quarters = f(on.from + width / 4) + f(on.to - width / 4);
    const double coarse = width / 6 * (ends + 4 * f(middle)); // Simpson's rule, once and for each half
    const double fine = width / 12 * (ends + 4 * quarters + 2 * f(middle));
    if (std::abs(fine - coarse) < 15 * tolerance * width)
      sink.give(fine + (fine - coarse) / 15);
    else
      sink.fork_join(on, interval{on.from, middle}, interval{middle, on.to});
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, interval, const Results& halves, Sink& sink) const {
    sink.give(halves[0] + halves[1]);
  }
};

int main() {
  const evenly::cpu exec;
  double integral[2] = {};
  for (double& sum : integral) {
    std::vector<double> found(1);
    const evenly::join_report done = evenly::run_fork_join(
        exec, evenly::batched_stealing{}, std::vector<interval>{{0.01, 1}}, quadrature{1e-10}, found);
    sum = found[0];
    std::printf("%.12f by %lld tasks, of which %lld went on\n", sum, static_cast<long long>(done.run),
                static_cast<long long>(done.resumed));
  }
  return integral[0] == integral[1] && std::abs(integral[0] - 0.503981893175) < 1e-7 ? 0 : 1;
}
