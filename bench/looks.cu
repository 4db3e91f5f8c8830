// SPDX-License-Identifier: Apache-2.0
// What a look at how sizes are distributed costs on top of the check that every plan makes (docs/choosing.md).
//
//   bench_looks [--json FILE] [WORKLOAD ...]
//
// Of each workload's rows, from the call on the host to its return, since all of it waits for the device:
//   check            the check of the laws, as make_plan does it
//   check_and_look   the check and the summary, in one pass, as make_plan does it for a chooser
//   look             the summary alone, as of tiles assumed valid
//   choose           what automatic makes of a summary, on the host
// Candidates take turns, after a fill of twice the L2 cache; shown is the median of 51.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/work/csr.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace {

using namespace evenly;

/// Times calls that wait, on the host; each finds the L2 cache cold.
class cold_host_timer : public measure::host_timer {
 public:
  explicit cold_host_timer(const cuda& exec)
      : host_timer(0), exec_(exec), evictor_(make_buffer<std::byte>(exec, 2 * measure::l2_bytes())) {}
  double time_once(const std::function<void()>& run) override {
    exec_.fill_zero(evictor_.data(), evictor_.size());
    exec_.synchronize();
    return host_timer::time_once(run);
  }

 private:
  const cuda& exec_;
  buffer<std::byte> evictor_;
};

void measure(const cuda& exec, const std::string& name, const std::vector<int>& offsets,
             measure::report& lines) {
  const auto on_device = to_executor(exec, offsets);
  const auto tiles = csr_tiles(on_device.span());
  const tile_summary wanted = summarize_tiles(cpu(), csr_tiles(offsets));
  const choice_facts facts{.tiles = wanted, .is_summarized = true, .is_for_one_run = false};
  tile_summary found;
  std::string why;
  const auto is_found = [&] { return found == wanted; };
  const std::vector<measure::candidate> all{
      measure::plain_candidate(
          "check", [&] { detail::inspect(exec, tiles); }, [] { return true; }),
      measure::plain_candidate(
          "check_and_look", [&] { found = detail::inspect_and_summarize(exec, tiles).of; }, is_found),
      measure::plain_candidate(
          "look", [&] { found = summarize_tiles(exec, tiles); }, is_found),
      measure::plain_candidate(
          "choose", [&] { why = automatic{}.choose(exec, facts).why; }, [&] { return !why.empty(); })};
  measure::bench on{std::make_unique<cold_host_timer>(exec),
                    std::make_shared<measure::unchecked_output>([&] {
                      found = {};
                      why.clear();
                    }),
                    {}};
  std::printf("%s: %zu tiles\n", name.c_str(), offsets.size() - 1);
  for (const measure::measurement& m : measure_in_turns(on, all, {.exactly = 51})) {
    lines.add({{"workload", name}, {"rows", offsets.size() - 1}, {"executor", "cuda"}, {"name", m.what.name}},
              m);
    if (m.error)
      std::printf("  %-16s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-16s %9.2f us\n", m.what.name.c_str(), 1000 * m.time.median);
  }
}

int run(const bench::arguments& args) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"regular:rows=1e4,size=8", "regular:rows=1e5,size=8",
                 "regular:rows=1e6,size=8", "as-Skitter",
                 "great-britain_osm",       "mostly-empty"};
  const measure::cuda_status gpu = measure::find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  measure::report lines(gpu.text);
  const cuda exec;
  for (const std::string& each : workloads) {
    const io::input in = io::load_structure(each);
    measure(exec, in.name, in.matrix.offsets, lines);
  }
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return evenly::bench::run_main("bench_looks", argc, argv, run); }
