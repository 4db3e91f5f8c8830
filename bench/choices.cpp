// SPDX-License-Identifier: Apache-2.0
// What `evenly study choices` is for products and expansions, for segmented reduction, segmented scan and products with
// a matrix of 32 columns: how long each schedule takes on every tile set of its corpus. Both are what
// scripts/train_automatic.py learns from.
//
//   bench_choices [--on cpu|cuda] [--threads N] [--resume yes] --json FILE [INPUT ...]
//
// Values are -1, 0 or 1, so that sums are exact in any order; results are compared with a serial loop's before they are
// timed. Products are left out where a matrix or their number is above 2^27.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include "arguments.hpp"
#include "choices.hpp"
#include "evenly/execution/cpu.hpp"
#include "host/interruption.hpp"
#include "measure/host_timer.hpp"

namespace {

int run(const evenly::bench::arguments& args) {
  using namespace evenly;
  host::watch_interruptions(); // what was measured by then is written
  const std::string& where = args.options.at("--on");
  study::study_options options;
  options.inputs = args.words;
  options.json = args.json();
  options.resume = !args.options.at("--resume").empty();
  if (where == "cpu") {
    const int threads = args.number("--threads");
    const cpu exec = threads > 0 ? cpu(threads) : cpu();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(exec.threads()));
    const auto timer = [&] { return std::make_unique<measure::host_timer>(exec.threads()); };
    return study::measure_choices(options, measure::executor_kind::cpu,
                                  bench::choice_operations_on(exec, exec.threads(), timer))
               ? 0
               : 1;
  }
  if (where != "cuda") throw std::runtime_error("--on is '" + where + "': must be cpu or cuda");
#ifdef EVENLY_WITH_CUDA
  if (measure::find_cuda().usable)
    return study::measure_choices(options, measure::executor_kind::cuda, bench::choice_operations_on_gpu())
               ? 0
               : 1;
#endif
  std::printf("skipped: no CUDA device\n");
  return 77;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_choices", argc, argv, run,
                                 {{"--on", "cpu"}, {"--threads", "0"}, {"--resume", ""}});
}
