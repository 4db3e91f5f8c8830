// SPDX-License-Identifier: Apache-2.0
// Neighbor lists on the CPU. bench/neighbor_peers.py times SciPy, vesin and matscipy on the same points.
//
//   bench_neighbor_lists_cpu [--threads N] [--repeat N] [--json FILE] [POINTS ...]
//
// Uniform points, 0.1 per unit of volume, cutoff 5, in random order, in a periodic cube and in the open. Each full list
// is symmetric before it is timed: the sum of i - j is 0, and half lists have half of its pairs.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/spatial/neighbor_list.hpp"
#include "evenly/spatial/particles.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

/// Whether each pair of a full list is there both ways, as far as sums tell.
template <class T> bool is_balanced(const spatial::neighbor_pairs<T>& list) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i + 1 < list.offsets().size(); ++i)
    for (auto a = list.offsets()[i]; a < list.offsets()[i + 1]; ++a)
      sum += static_cast<std::int64_t>(i) - list.indices()[static_cast<std::size_t>(a)];
  return sum == 0;
}

template <class T> void measure_points(int count, int threads, int repeat, measure::report& lines) {
  const double side = std::cbrt(count / 0.1);
  detail::splitmix64 random(7);
  std::vector<T> axes[3];
  for (int i = 0; i < count; ++i)
    for (auto& axis : axes)
      axis.push_back(static_cast<T>(side * static_cast<double>(random.next() >> 11) * 0x1p-53));
  const auto points = points_of(axes[0], axes[1], axes[2]);
  const cpu exec(threads);
  for (const bool is_periodic : {false, true}) {
    const auto full = std::make_shared<std::int64_t>();
    std::vector<candidate> all;
    for (const bool half : {false, true}) {
      spatial::neighbor_options options;
      options.half = half;
      if (is_periodic) options.box = spatial::simulation_box::orthorhombic(side, side, side);
      const auto list = std::make_shared<std::optional<spatial::neighbor_pairs<T>>>();
      all.push_back(plain_candidate(
          half ? "half" : "full",
          [=] {
            list->reset();
            list->emplace(spatial::neighbor_list(exec, points, 5, options));
          },
          [=] {
            const auto pairs = static_cast<std::int64_t>((*list)->indices().size());
            if (half) return 2 * pairs == *full;
            *full = pairs;
            return is_balanced(**list);
          }));
    }
    measure::bench on{std::make_unique<host_timer>(threads), std::make_shared<unchecked_output>(), {}};
    for (const measurement& m : measure_in_turns(on, all, {.exactly = repeat})) {
      lines.add({{"workload", is_periodic ? "periodic" : "open"},
                 {"op", "neighbor_list"},
                 {"executor", "cpu"},
                 {"name", m.what.name},
                 {"threads", threads},
                 {"points", count},
                 {"pairs", *full},
                 {"type", sizeof(T) == 4 ? "float" : "double"}},
                m);
      std::printf("%-8s %-6s %-4s %8d points, full list of %10lld pairs: %9.2f ms%s\n",
                  is_periodic ? "periodic" : "open", sizeof(T) == 4 ? "float" : "double", m.what.name.c_str(),
                  count, static_cast<long long>(*full), m.time.median, m.error ? " FAILED" : "");
    }
  }
}

void measure_all(const arguments& args, measure::report& lines) {
  std::vector<std::string> counts = args.words;
  if (counts.empty()) counts = {"10000", "100000"};
  for (const std::string& each : counts) {
    const int threads = args.number("--threads"), repeat = args.number("--repeat");
    measure_points<float>(std::stoi(each), threads, repeat, lines);
    measure_points<double>(std::stoi(each), threads, repeat, lines);
  }
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_neighbor_lists_cpu",
                                  .measure = evenly::bench::measure_all,
                                  .options = {{"--threads", "2"}, {"--repeat", "5"}}});
}
