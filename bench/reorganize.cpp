// SPDX-License-Identifier: Apache-2.0
// References under every layout, all overhead in, where lists change every 10 iterations, or as --change-every says (0:
// never). After each workload, the fastest layout beside none.
//
//   bench_reorganize [--json FILE] [--threads N] [--iterations N] [--change-every N,...] [--layout NAME,...]
//                    [WORKLOAD ...]
//
// WORKLOAD: as evenly reorganize has them, those of the text and others; without: SHOC's sizes and some beyond an L2
// cache, on a GPU.
// With --threads, on so many of the CPU; then workloads are made by all that there are. --iterations: 20, where it is
// not said. NAME: of a layout; none is always run.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "layouts/layout_bench.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"

namespace {

using evenly::layouts::layout_result;

struct measured {
  evenly::json::value results = evenly::json::array();
  bool all_right = true;
};

/// Whether `names`, which commas part, has the name of a layout; if it is empty it has all.
bool has_name(const std::string& names, const std::string& layout) {
  return names.empty() || layout == "none" ||
         ("," + names + ",").find("," + layout + ",") != std::string::npos;
}

struct loop {
  int iterations;
  int change_every; ///< 0: never
};

void measure(const std::string& workload, int threads, const loop& over, const std::string& layouts,
             measured& all) {
  const evenly::layouts::access_workload of = evenly::layouts::make_workload(workload, 256);
  const evenly::layouts::layouts_options options{
      .bench = {.threads = threads},
      .wants = [&](const std::string& layout) { return has_name(layouts, layout); },
      .count = false,
      .iterations = over.iterations,
      .change_every = over.change_every > 0 ? over.change_every : over.iterations,
      .repeat = 0};
  double none = 0;
  layout_result fastest;
  std::printf("%s, %d iterations, other lists every %d\n", workload.c_str(), over.iterations,
              options.change_every);
  const auto kind = threads == 0 ? evenly::measure::executor_kind::cuda : evenly::measure::executor_kind::cpu;
  run_layouts(kind, of, options, [&](const layout_result& each) {
    all.all_right &= !each.error;
    all.results.push_back({{"workload", workload},
                           {"executor", evenly::measure::name_of(kind)},
                           {"arm", each.layout},
                           {"ok", each.is_timed()},
                           {"run_ms", each.run_ms},
                           {"refresh_ms", each.refresh_ms},
                           {"build_ms", each.build_ms},
                           {"iterations", over.iterations},
                           {"change_every", over.change_every},
                           {"loop_ms", each.loop_ms},
                           {"kept_loop_ms", each.kept_loop_ms},
                           {"footprint_bytes", each.footprint_bytes},
                           {"plan_bytes", each.plan_bytes},
                           {"copy_bytes", each.copy_bytes},
                           {"predicted_requests", each.estimate.requests},
                           {"predicted_sectors", each.estimate.sectors}});
    if (!each.why.empty()) all.results.back().update({{"chosen", each.chosen}, {"why", each.why}});
    if (!each.is_timed())
      return static_cast<void>(std::printf("  %-32s %s\n", each.layout.c_str(),
                                           each.error.value_or(each.refusal.value_or("")).c_str()));
    if (each.layout == "none") none = each.loop_ms;
    if (fastest.layout.empty() || each.loop_ms < fastest.loop_ms) fastest = each;
    std::printf("  %-30s %9.3f ms a run, %9.3f a refresh, %9.3f a plan; all %10.2f, x %.2f; A kept x %.2f\n",
                each.layout.c_str(), each.run_ms, each.refresh_ms, each.build_ms, each.loop_ms,
                none / each.loop_ms, none / each.kept_loop_ms);
    if (!each.why.empty()) std::printf("  %-30s %s\n", "", each.why.c_str());
    std::fflush(stdout);
  });
  std::printf("  fastest: %s, %.2f times none\n", fastest.layout.c_str(), none / fastest.loop_ms);
  std::fflush(stdout);
}

int run(const evenly::bench::arguments& args) {
  const int threads = args.number("--threads");
  std::vector<std::string> workloads = args.words;
  if (workloads.empty()) workloads = {"md:n=12288", "md:n=73728", "md:n=4e6"};
  const evenly::measure::cuda_status gpu = evenly::measure::find_cuda();
  if (threads == 0 && !gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  measured all;
  for (const std::string& each : workloads) {
    std::istringstream changes(args.options.at("--change-every"));
    for (std::string every; std::getline(changes, every, ',');)
      measure(each, threads, {args.number("--iterations"), std::stoi(every)}, args.options.at("--arm"), all);
  }
  if (!args.json().empty()) {
    auto written = evenly::measure::result_head(threads == 0 ? gpu.text : "");
    if (threads > 0) written["threads"] = threads;
    written["results"] = all.results;
    evenly::io::write_output(args.json(), evenly::json::dump(written));
  }
  return all.all_right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      "bench_reorganize", argc, argv, run,
      {{"--threads", "0"}, {"--iterations", "20"}, {"--change-every", "10"}, {"--arm", ""}});
}
