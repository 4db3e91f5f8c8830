// SPDX-License-Identifier: Apache-2.0
// Neighbor lists on a GPU: from positions in random order to a finished list.
//
//   bench_neighbor_lists [--repeat N] [--json FILE]
//
// Uniform points have 0.1 per unit of volume and a cutoff of 5, in a periodic cube, as liquids have in atoms and
// angstroms. The cluster is open and dense in the middle. Each list is first compared, bit for bit, with that of the
// CPU. The time is of the whole call: memory from the pool of the device, the sort into cells, both passes, and two
// waits of the host, for the bounds and for the number of pairs.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/spatial/neighbor_list.hpp"
#include "evenly/spatial/particles.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace {

using evenly::buffer;
using evenly::spatial::neighbor_options;
using evenly::spatial::neighbor_pairs;

template <class T> struct points_on_host {
  std::vector<T> x, y, z;
};

/// Uniform in a cube; with `is_dense`, drawn towards its middle.
template <class T> points_on_host<T> make_points(int count, double side, bool is_dense) {
  evenly::detail::splitmix64 random(7);
  points_on_host<T> made;
  for (int i = 0; i < count; ++i)
    for (auto* axis : {&made.x, &made.y, &made.z}) {
      const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
      const double v = 2 * u - 1;
      axis->push_back(static_cast<T>(is_dense ? side * v * std::fabs(v) : side * u));
    }
  return made;
}

template <class Executor, class T>
bool is_same(const Executor& exec, const neighbor_pairs<T>& found, const neighbor_pairs<T>& right) {
  const evenly::cpu host;
  return evenly::to_host(exec, found.offsets()) == evenly::to_host(host, right.offsets()) &&
         evenly::to_host(exec, found.indices()) == evenly::to_host(host, right.indices()) &&
         evenly::to_host(exec, found.shifts()) == evenly::to_host(host, right.shifts());
}

template <class T>
void measure_case(const std::string& name, int count, bool is_dense, bool half, int repeat,
                  evenly::measure::report& report) {
  const evenly::cuda exec;
  const double side = std::cbrt(count / 0.1);
  const auto of = make_points<T>(count, side, is_dense);
  neighbor_options options;
  options.half = half;
  if (!is_dense) options.box = evenly::spatial::simulation_box::orthorhombic(side, side, side);
  const double cutoff = 5;
  const auto right =
      evenly::spatial::neighbor_list(evenly::cpu(), evenly::points_of(of.x, of.y, of.z), cutoff, options);
  const auto x = evenly::to_executor(exec, of.x), y = evenly::to_executor(exec, of.y),
             z = evenly::to_executor(exec, of.z);
  const auto found = std::make_shared<std::optional<neighbor_pairs<T>>>();
  const auto run = [&] {
    found->reset();
    found->emplace(evenly::spatial::neighbor_list(exec, evenly::points_of(x, y, z), cutoff, options));
  };
  const std::vector<evenly::measure::candidate> all{
      evenly::measure::plain_candidate(name, run, [&] { return is_same(exec, **found, right); })};
  evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(true, exec.stream()),
                            std::make_shared<evenly::measure::unchecked_output>(),
                            {}};
  for (const auto& m : measure_in_turns(on, all, {.exactly = repeat})) {
    const auto pairs = static_cast<std::int64_t>(right.indices().size());
    report.add({{"workload", name},
                {"op", "neighbor_list"},
                {"executor", "cuda"},
                {"name", name},
                {"points", count},
                {"pairs", pairs},
                {"cutoff", cutoff},
                {"type", sizeof(T) == 4 ? "float" : "double"}},
               m);
    if (m.error)
      std::printf("%-16s %9d points: FAILED: %s\n", name.c_str(), count, m.error->c_str());
    else
      std::printf("%-16s %9d points %12lld pairs %9.3f ms\n", name.c_str(), count,
                  static_cast<long long>(pairs), m.time.median);
  }
  std::fflush(stdout);
}

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  const int repeat = args.number("--repeat");
  for (const int count : {4096, 16384, 65536, 131072, 524288, 2097152})
    measure_case<float>("uniform", count, false, false, repeat, report);
  measure_case<float>("uniform, half", 524288, false, true, repeat, report);
  measure_case<double>("uniform, double", 524288, false, false, repeat, report);
  measure_case<float>("cluster", 524288, true, false, repeat, report);
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_neighbor_lists",
                                  .measure = measure_all,
                                  .on_gpu = true,
                                  .options = {{"--repeat", "15"}}});
}
