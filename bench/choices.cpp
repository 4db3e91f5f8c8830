// SPDX-License-Identifier: Apache-2.0
// The times of schedules for products with a matrix of `width` columns, on the corpus of `evenly study choices`. That
// command measures the other operations. scripts/train_automatic.py learns from both.
//
//   bench_choices [--on cpu|cuda] [--threads N] [--width 32] [--resume yes] --json FILE [INPUT ...]
//
// On cuda it measures the schedules that `automatic` can choose for products. Leaves out products if a matrix has, or
// they are, more than 2^27 numbers.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <tbb/global_control.h>

#include "arguments.hpp"
#include "choices.hpp"
#include "evenly/execution/cpu.hpp"
#include "host/interruption.hpp"

namespace {

int run(const evenly::bench::arguments& args) {
  using namespace evenly;
  host::watch_interruptions(); // what was measured by then is written
  const std::string& where = args.options.at("--on");
  study::study_options options;
  options.inputs = args.words;
  options.json = args.json();
  options.resume = !args.options.at("--resume").empty();
  const int width = args.number("--width");
  if (width < 1 || width > 1024) throw std::runtime_error("--width must be 1 to 1024");
  if (where == "cpu") {
    const int threads = args.number("--threads");
    const cpu exec = threads > 0 ? cpu(threads) : cpu();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(exec.threads()));
    options.bench.threads = exec.threads();
    return study::measure_choices(options, measure::executor_kind::cpu,
                                  {bench::wide_products_on<cpu>(width, options.bench)})
               ? 0
               : 1;
  }
  if (where != "cuda") throw std::runtime_error("--on is '" + where + "': must be cpu or cuda");
#ifdef EVENLY_WITH_CUDA
  if (measure::find_cuda().usable)
    return study::measure_choices(options, measure::executor_kind::cuda,
                                  {bench::wide_products_on<cuda>(width, options.bench)})
               ? 0
               : 1;
#endif
  std::printf("skipped: no CUDA device\n");
  return 77;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_choices", argc, argv, run,
                                 {{"--on", "cpu"}, {"--threads", "0"}, {"--resume", ""}, {"--width", "32"}});
}
