// SPDX-License-Identifier: Apache-2.0
// The kernels of the table of coalescing and of strides through storage, and a gather under each layout of reorganize,
// once each on simt, which counts them, and on the GPU, if there is one, where Nsight Compute can:
// scripts/counters_compare.py puts the counts side by side.
//
//   bench_coalescing [--json FILE]
//
// Prints sectors and wavefronts for a request as simt counts them. Fails where a count is not the known one (of a
// layout, the forecast one), or a kernel's result is wrong. On the GPU each of the JSON's results is one kernel, in the
// same order, between cudaProfilerStart and cudaProfilerStop.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/trace/trace.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "layout_loads.hpp"
#include "measure/bench.hpp"
#include "measure/counts_json.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"
#include "per_request.hpp"
#include "trace/accesses.hpp"

#if defined(EVENLY_WITH_CUDA)
#include "coalescing.hpp"
#endif

namespace {

int run(const evenly::bench::arguments& args) {
  std::string gpu;
  auto results = evenly::json::array();
  bool ok = true;
  constexpr int name_width = 34;
  evenly::bench::print_head_of_requests(name_width);
  const auto report = [&](const std::string& name, bool right, const evenly::trace_counts& counts,
                          const evenly::trace_counts& known) {
    evenly::bench::print_per_request(name_width, name, counts);
    if (!right || counts != known) {
      std::printf("%s: %s on simt\n", name.c_str(), right ? "other counts than are known" : "wrong");
      ok = false;
    }
    results.push_back({{"name", name}, {"counts", evenly::measure::json_of_counts(counts)}});
  };
  evenly::accesses::each(evenly::simt(), [&](const std::string& name, const evenly::launch_shape& shape,
                                             const auto& kernel, const evenly::trace_counts& known) {
    evenly::trace counts;
    const evenly::simt exec(
        {.check_races = false, .trace = &counts}); // some kernels write one element by all lanes
    const bool right = evenly::accesses::runs_right(exec, shape, kernel);
    report(name, right, counts.totals(), known);
  });
  std::vector<std::vector<float>> sums_of_layouts;
  evenly::trace of_layouts;
  evenly::bench::each_layout_load(
      evenly::simt(), [&](const std::string& name, const auto& run,
                          const std::optional<evenly::layouts::access_forecast>& forecast, const auto& sums) {
        const evenly::trace_counts before = of_layouts.totals();
        run(evenly::simt({.trace = &of_layouts}));
        const evenly::trace_counts seen = of_layouts.totals() - before;
        evenly::trace_counts known = seen;
        if (forecast) {
          known.global_load_requests = forecast->requests;
          known.global_load_sectors = forecast->sectors;
        }
        sums_of_layouts.push_back(sums());
        report(name, true, seen, known);
      });
#if defined(EVENLY_WITH_CUDA)
  if (const auto cuda = evenly::measure::find_cuda(); cuda.usable) {
    gpu = cuda.text;
    for (const std::string& name : evenly::bench::wrong_on_gpu(sums_of_layouts)) {
      std::printf("%s: wrong on the GPU\n", name.c_str());
      ok = false;
    }
  }
#endif
  if (!args.json().empty()) {
    evenly::json::value all = evenly::measure::result_head(gpu);
    all["results"] = results;
    evenly::io::write_output(args.json(), evenly::json::dump(all));
  }
  return ok ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return evenly::bench::run_main("bench_coalescing", argc, argv, run); }
