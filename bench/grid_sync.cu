// SPDX-License-Identifier: Apache-2.0
// The cost of grid barriers (block/grid_sync.hpp), compared with CUDA's cooperative groups.
//
//   bench_grid_sync [--meetings N] [--json FILE]
//
//   grid_sync            the library's
//   grid_sum             the library's, which gives every block the sum of a number of each
//   cooperative_groups   grid.sync() of CUDA's cooperative groups
//
// A launch of 1, 2 and 4 blocks for each multiprocessor, of 256 and 512 threads, has N meetings; its time divided by N
// is shown. Idle: blocks do nothing between meetings. After stores: each thread has just stored an int, 32 bytes from
// the next thread's.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <cooperative_groups.h>

#include "arguments.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "json/value.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace {

enum class way { grid_sync, grid_sum, cooperative_groups };

constexpr int stride = 8; // ints between the places of two threads

/// Right if `out` has what the last meeting says: how many meetings there were, times the number of blocks for a sum.
template <way Way> struct meetings_of {
  int meetings;
  bool stores;
  int* places;
  std::int64_t* out;
  evenly::grid_barrier barrier;

  EVENLY_FN static evenly::slot<std::int64_t> lay_out(evenly::storage_layout& layout, evenly::block_shape) {
    return layout.take<std::int64_t>(1);
  }
  template <class Block> __device__ void operator()(Block& block) const {
    evenly::storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    const int me = block.index() * block.size() + block.rank();
    std::int64_t said = 0;
    for (int i = 1; i <= meetings; ++i) {
      if (stores) places[me * stride] = i;
      if constexpr (Way == way::grid_sync)
        evenly::grid_sync(block, barrier);
      else if constexpr (Way == way::grid_sum)
        said = evenly::grid_sum(block, barrier, i, scratch);
      else
        cooperative_groups::this_grid().sync();
    }
    if (block.rank() == 0) out[block.index()] = Way == way::grid_sum ? said : meetings;
  }
};

template <way Way>
evenly::measure::candidate candidate_of(const std::string& name, const evenly::cuda& exec,
                                        const evenly::launch_shape& shape, const meetings_of<Way>& kernel) {
  const std::int64_t expected = std::int64_t{kernel.meetings} * (Way == way::grid_sum ? shape.blocks : 1);
  return evenly::measure::plain_candidate(
      name, [=] { launch(exec, shape, kernel); },
      [=] {
        launch(exec, shape, kernel);
        std::vector<std::int64_t> said(static_cast<std::size_t>(shape.blocks));
        exec.copy_to_host(said.data(), kernel.out, said.size() * sizeof(std::int64_t));
        return said == std::vector<std::int64_t>(said.size(), expected);
      });
}

void measure_shape(const evenly::cuda& exec, const evenly::launch_shape& shape, bool stores, int meetings,
                   evenly::measure::report& report) {
  const auto threads = static_cast<std::size_t>(shape.blocks) * static_cast<std::size_t>(shape.block_size);
  const auto places = evenly::make_buffer<int>(exec, stride * threads);
  const auto out = evenly::make_buffer<std::int64_t>(exec, static_cast<std::size_t>(shape.blocks));
  evenly::workspace memory;
  evenly::workspace::lease lease(memory);
  const evenly::grid_barrier barrier = lease.take(exec, 0).barrier;
  const std::vector<evenly::measure::candidate> ways = {
      candidate_of("grid_sync", exec, shape,
                   meetings_of<way::grid_sync>{meetings, stores, places.data(), out.data(), barrier}),
      candidate_of("grid_sum", exec, shape,
                   meetings_of<way::grid_sum>{meetings, stores, places.data(), out.data(), barrier}),
      candidate_of(
          "cooperative_groups", exec, shape,
          meetings_of<way::cooperative_groups>{meetings, stores, places.data(), out.data(), barrier})};
  evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(true, exec.stream()),
                            std::make_shared<evenly::measure::unchecked_output>(),
                            {}};
  std::printf("%4d blocks of %4d, %s\n", shape.blocks, shape.block_size, stores ? "after stores" : "idle");
  for (const evenly::measure::measurement& m :
       measure_in_turns(on, ways, {.min_rounds = 5, .max_rounds = 21, .time_budget_ms = 200})) {
    const double us = 1000 * m.time.median / meetings;
    report.add({{"op", "meeting"},
                {"executor", "cuda"},
                {"implementation", m.what.name},
                {"blocks", shape.blocks},
                {"block_size", shape.block_size},
                {"stores", stores},
                {"meetings", meetings},
                {"us_each", m.error ? evenly::json::value() : evenly::json::value(us)}},
               m);
    if (m.error)
      std::printf("  %-18s   FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-18s %8.3f us\n", m.what.name.c_str(), us);
  }
  std::fflush(stdout);
}

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  const evenly::cuda exec;
  for (const bool stores : {false, true})
    for (const int block_size : {256, 512})
      for (const int each : {1, 2, 4}) {
        const evenly::launch_shape shape{each * exec.multiprocessors(), block_size, true};
        measure_shape(exec, shape, stores, args.number("--meetings"), report);
      }
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_grid_sync",
                                  .measure = measure_all,
                                  .on_gpu = true,
                                  .options = {{"--meetings", "3000"}}});
}
