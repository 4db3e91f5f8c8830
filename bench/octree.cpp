// SPDX-License-Identifier: Apache-2.0
// Octrees in bulk and by tasks under every pool, as the paper has them and with large octants cut among workers, on as
// many blocks as run at the same time; on a GPU also on fewer.
//
//   bench_octree [--on cpu|cuda] [--threads N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly octree` takes it; without: uniform and tube of 10^6 points, and on a GPU of 10^7. Each tree is
// checked, then timed from cells to nodes, with the memory that it takes. Pools with one queue for all take part up to
// 2 10^6 points. Beside the bulk way is what its 24 bytes of a point would take to be copied once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "spatial/octree_bench.hpp"

namespace {

using namespace evenly::measure;
using namespace evenly::spatial;
constexpr repetition times{.min_rounds = 3, .max_rounds = 9, .time_budget_ms = 300};

struct octree_place {
  executor_kind kind;
  int threads;
};

bench bench_of(const octree_place& place, const evenly::spatial::particle_cells& cells, int blocks,
               octree_findings& findings) {
  octree_bench_options options;
  options.bench.threads = place.threads;
  options.bench.warm = true;
  options.blocks = blocks;
  return make_octree_bench(place.kind, cells, options, findings);
}

bool has_one_queue(const std::string& pool) {
  return pool.find("_queue") != std::string::npos || pool.starts_with("ticket_ring");
}

void measure_input(const octree_place& place, const std::string& input, report& lines) {
  const evenly::spatial::particle_cells cells = load_particles(input);
  const auto points = static_cast<double>(cells.x.size());
  const auto bytes = static_cast<std::int64_t>(24 * cells.x.size());
  octree_findings findings;
  bench whole = bench_of(place, cells, 0, findings);
  const double copied = time_runs(whole, whole.time->copy(2 * bytes), times).median;
  std::printf("%s, %.0f points; to copy 24 bytes of each takes %.4f ms\n", input.c_str(), points, copied);
  double bulk = 0;
  const auto run = [&](bench& on, const candidate& each, int blocks) {
    const measurement m = measure(on, each, times);
    if (each.name == "bulk") bulk = m.time.median;
    const found_octree& found = findings.of[each.name];
    lines.add({{"workload", input},
               {"op", "octree"},
               {"executor", name_of(place.kind)},
               {"pool", each.name},
               {"cut", found.cut},
               {"blocks", blocks},
               {"points", cells.x.size()},
               {"nodes", found.summary.nodes},
               {"tasks", found.tasks},
               {"copy_ms", copied}},
              m);
    if (m.error)
      std::printf("  %-22s %5d FAILED: %s\n", each.name.c_str(), blocks, m.error->c_str());
    else
      std::printf("  %-22s %5d %10.3f ms %9.2f M points/s %8.2f x bulk %8.4f of copying\n", each.name.c_str(),
                  blocks, m.time.median, points / m.time.median / 1e3, m.time.median / bulk,
                  copied / m.time.median);
    std::fflush(stdout);
  };
  for (const candidate& each : whole.candidates(0))
    if (points <= 2e6 || !has_one_queue(each.name)) run(whole, each, 0);
  if (place.kind != executor_kind::cuda || points > 2e6) return;
  for (const int blocks : {8, 32, 132, 264}) {
    bench fewer = bench_of(place, cells, blocks, findings);
    for (const candidate& each : fewer.candidates(0))
      if (each.is_schedule && !each.name.starts_with("static_list_launches")) run(fewer, each, blocks);
  }
}

int run(const evenly::bench::arguments& args) {
  const cuda_status gpu = find_cuda();
  const bool on_gpu = args.options.at("--on") == "cuda";
  if (on_gpu && !gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const octree_place place{on_gpu ? executor_kind::cuda : executor_kind::cpu, args.number("--threads")};
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"uniform:n=1e6", "tube:n=1e6"};
  if (args.words.empty() && on_gpu) inputs.insert(inputs.end(), {"uniform:n=1e7", "tube:n=1e7"});
  report lines(on_gpu ? gpu.text : "");
  for (const std::string& each : inputs) measure_input(place, each, lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_octree", argc, argv, run, {{"--on", "cpu"}, {"--threads", "0"}});
}
