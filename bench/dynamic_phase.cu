// SPDX-License-Identifier: Apache-2.0
// How long tiles get their second phase: docs/decisions/0006 has what this says.
//
//   bench_dynamic_phase [--long ATOMS] [--json FILE] [WORKLOAD ...]
//
// The work is the update of Busato & Bombieri (TPDS 2017): every atom is read, increased by one and written back.
// Groups of G threads, G by dynamic_group_per_tile's rule, take the tiles; those of more than ATOMS atoms (that
// schedule's rule where it is left out) are left to blocks, which take pieces of them. The ways to start these blocks:
//
//   groups_alone       nothing is left: what long tiles cost their groups
//   device_launch      the group that meets a long tile starts a kernel for it (CUDA dynamic parallelism)
//   tail_launch        groups list the pieces; who lists the first starts a kernel that runs after the first one
//   second_kernel      groups list the pieces; a kernel of a fixed grid, which always comes after, goes through the
//                      list
//   second_in_graph    the same two kernels as a graph
//   conditional_graph  the same, the second kernel in a conditional node that the first kernel turns on
//   planned            the schedule dynamic_group_per_tile: pieces listed when planning, one launch
//   planned_in_graph   the same launch as a graph
//   planned_anew       the same, planning included
//
// All but the planned ones find the long tiles in the first kernel, so they suit tile sets that change before every
// run. planned_above_N is planned with N in place of ATOMS, whatever was given: what the schedule's rule is chosen by.
//
// Runs are interleaved, each after a fill of twice the L2 cache; the median of 31 is shown, of 3 where one takes more
// than 20 ms. What leaves an atom updated other than once in a run gets no time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/work/csr.hpp"
#include "generate/generators.hpp"
#include "graphs.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/own_stream.hpp"
#include "measure/report.hpp"

namespace {

using evenly::bench::graph;

constexpr int threads = 128;
constexpr int piece = threads * evenly::dynamic_group_per_tile::piece_per_thread;

struct work {
  int tiles, long_tile;
  const int* __restrict__ offsets;
  int* atoms;

  __device__ void update(int begin, int end, int rank, int size) const {
    for (int a = begin + rank; a < end; a += size) atoms[a] += 1;
  }
};

/// The pieces that groups leave to the second kernel.
struct piece_list {
  int* count; ///< 0 before and after each run
  int* ticket;
  evenly::piece_place<int>* places;

  /// By all threads of a group of G. Whether these are the first pieces of the run; valid at rank 0.
  template <int G> __device__ bool add(int tile, int pieces, int rank) const {
    const unsigned mask = (G == 32 ? ~0u : (1u << G) - 1) << (threadIdx.x % 32 / G * G);
    int start = rank == 0 ? atomicAdd(count, pieces) : 0;
    start = __shfl_sync(mask, start, 0, G);
    for (int i = rank; i < pieces; i += G) places[start + i] = {tile, i};
    return start == 0;
  }
};

/// A block of the second kernel goes through the list; the last block empties it.
__global__ void __launch_bounds__(threads) take_pieces(work w, piece_list list) {
  const int count = *list.count;
  for (int i = blockIdx.x; i < count; i += gridDim.x) {
    const auto [tile, number] = list.places[i];
    const int begin = w.offsets[tile] + number * piece;
    w.update(begin, min(begin + piece, w.offsets[tile + 1]), threadIdx.x, threads);
  }
  __syncthreads();
  if (threadIdx.x == 0 && atomicInc(reinterpret_cast<unsigned*>(list.ticket), gridDim.x - 1) == gridDim.x - 1)
    *list.count = 0;
}

__global__ void __launch_bounds__(threads) take_tile(work w, int begin, int end) {
  const int first = begin + static_cast<int>(blockIdx.x) * piece;
  w.update(first, min(first + piece, end), threadIdx.x, threads);
}

// --- what a group does with a long tile ---

struct keep_it {
  template <int G> __device__ void leave(const work& w, int, int begin, int end, int rank) const {
    w.update(begin, end, rank, G);
  }
};

struct start_a_kernel {
  int* failed;
  template <int G> __device__ void leave(const work& w, int, int begin, int end, int rank) const {
    if (rank != 0) return;
    take_tile<<<(end - begin + piece - 1) / piece, threads, 0, cudaStreamFireAndForget>>>(w, begin, end);
    if (cudaGetLastError() != cudaSuccess) *failed = 1;
  }
};

struct list_it {
  piece_list list;
  template <int G> __device__ void leave(const work&, int t, int begin, int end, int rank) const {
    list.add<G>(t, (end - begin + piece - 1) / piece, rank);
  }
};

struct list_it_and_launch {
  piece_list list;
  int* failed;
  int blocks;
  template <int G> __device__ void leave(const work& w, int t, int begin, int end, int rank) const {
    const bool first = list.add<G>(t, (end - begin + piece - 1) / piece, rank);
    if (!first || rank != 0) return;
    take_pieces<<<blocks, threads, 0, cudaStreamTailLaunch>>>(w, list);
    if (cudaGetLastError() != cudaSuccess) *failed = 1;
  }
};

struct list_it_and_turn_on {
  piece_list list;
  cudaGraphConditionalHandle second;
  template <int G> __device__ void leave(const work&, int t, int begin, int end, int rank) const {
    const bool first = list.add<G>(t, (end - begin + piece - 1) / piece, rank);
    if (first && rank == 0) cudaGraphSetConditional(second, 1);
  }
};

template <int G, class Long> __global__ void __launch_bounds__(threads) take_tiles(work w, Long of_long) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const int rank = static_cast<int>(threadIdx.x % G);
  if (thread / G >= w.tiles) return;
  const int t = static_cast<int>(thread / G);
  const int begin = w.offsets[t], end = w.offsets[t + 1];
  if (end - begin > w.long_tile)
    of_long.template leave<G>(w, t, begin, end, rank);
  else
    w.update(begin, end, rank, G);
}

template <class Long> void launch_first(cudaStream_t stream, int group, const work& w, const Long& of_long) {
  const auto go = [&]<int G>() {
    take_tiles<G>
        <<<static_cast<unsigned>((std::int64_t{w.tiles} * G + threads - 1) / threads), threads, 0, stream>>>(
            w, of_long);
  };
  switch (group) {
  case 2:
    go.template operator()<2>();
    break;
  case 4:
    go.template operator()<4>();
    break;
  case 8:
    go.template operator()<8>();
    break;
  case 16:
    go.template operator()<16>();
    break;
  default:
    go.template operator()<32>();
    break;
  }
  EVENLY_CUDA_CHECK(cudaGetLastError());
}

/// `first` turns on `second`, which follows it in a conditional node.
void make_conditional(cudaStream_t stream, graph& whole,
                      const std::function<void(cudaGraphConditionalHandle)>& first,
                      const std::function<void()>& second) {
  const cudaGraphConditionalHandle handle = whole.make_handle(0);
  graph::capture(stream, whole.get(), [&] { first(handle); });
  graph::capture(stream, whole.add_conditional(handle, cudaGraphCondTypeIf), second);
}

// --- measuring ---

struct increase {
  int* atoms;
  EVENLY_FN void operator()(int, int a) const { atoms[a] += 1; }
};

/// Whether `run`, once it has run on atoms of 0, increases each again.
bool is_right(const evenly::cuda& exec, const evenly::buffer<int>& atoms, const evenly::buffer<int>& failed,
              const std::function<void()>& run) {
  run();
  const auto got = evenly::to_host(exec, atoms);
  return evenly::to_host(exec, failed)[0] == 0 &&
         std::all_of(got.begin(), got.end(), [](int n) { return n == 2; });
}

/// All ways on one workload; prints them and adds them to the report.
void measure_workload(const std::string& workload, std::int64_t long_tile, const evenly::cuda& exec,
                      evenly::measure::report& report) {
  const std::vector<int> sizes_from = evenly::generate::generate(workload).offsets;
  const int n = static_cast<int>(sizes_from.size()) - 1, total = sizes_from.back();
  evenly::dynamic_group_per_tile schedule{threads, long_tile};
  const int group = schedule.group_for(n, total);
  long_tile = schedule.threshold(exec, n, total);
  int long_tiles = 0, pieces = 0, longest = 0;
  for (int t = 0; t < n; ++t) {
    const int size = sizes_from[t + 1] - sizes_from[t];
    longest = std::max(longest, size);
    if (size > long_tile) ++long_tiles, pieces += (size + piece - 1) / piece;
  }
  // A launch that finds no room among the pending ones fails.
  EVENLY_CUDA_CHECK(
      cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::max(2048, long_tiles + 1)));

  const auto offsets = evenly::to_executor(exec, sizes_from);
  const auto atoms = evenly::make_buffer<int>(exec, static_cast<std::size_t>(total));
  const auto failed = evenly::make_buffer<int>(exec, 1);
  const auto counters = evenly::make_buffer<int>(exec, 2);
  const auto places = evenly::make_buffer<evenly::piece_place<int>>(exec, static_cast<std::size_t>(pieces));
  exec.fill_zero(counters.data(), 2 * sizeof(int));
  int processors = 0;
  EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const int grid = 16 * processors; // all of them resident

  const work w{n, static_cast<int>(long_tile), offsets.data(), atoms.data()};
  const piece_list list{counters.data(), counters.data() + 1, places.data()};
  const cudaStream_t stream = exec.stream();
  const auto second = [&] {
    take_pieces<<<grid, threads, 0, stream>>>(w, list);
    EVENLY_CUDA_CHECK(cudaGetLastError());
  };
  const auto first_and_second = [&] {
    launch_first(stream, group, w, list_it{list});
    second();
  };
  const auto tiles = evenly::csr_tiles(offsets.span());
  auto plan = evenly::make_plan(exec, schedule, tiles);
  const auto planned = [&] { evenly::for_each_atom(exec, plan, increase{atoms.data()}); };
  graph both, conditional, planned_graph;
  graph::capture(stream, both.get(), first_and_second);
  graph::capture(stream, planned_graph.get(), planned);
  make_conditional(
      stream, conditional,
      [&](cudaGraphConditionalHandle handle) {
        launch_first(stream, group, w, list_it_and_turn_on{list, handle});
      },
      second);
  for (graph* each : {&both, &conditional, &planned_graph}) each->ready();

  std::vector<evenly::measure::candidate> ways;
  const auto add = [&](const std::string& name, const std::function<void()>& run) {
    ways.push_back(
        evenly::measure::plain_candidate(name, run, [&, run] { return is_right(exec, atoms, failed, run); }));
  };
  add("groups_alone", [&] { launch_first(stream, group, w, keep_it{}); });
  add("device_launch", [&] { launch_first(stream, group, w, start_a_kernel{failed.data()}); });
  add("tail_launch", [&] { launch_first(stream, group, w, list_it_and_launch{list, failed.data(), grid}); });
  add("second_kernel", first_and_second);
  add("second_in_graph", [&] { both.run(stream); });
  add("conditional_graph", [&] { conditional.run(stream); });
  add("planned", planned);
  add("planned_in_graph", [&] { planned_graph.run(stream); });
  add("planned_anew", [&] { evenly::for_each_atom(exec, schedule, tiles, increase{atoms.data()}); });
  std::deque<decltype(plan)> plans;
  for (const int above : {64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
    auto* other = &plans.emplace_back(exec, evenly::dynamic_group_per_tile{threads, above}, tiles);
    add("planned_above_" + std::to_string(above),
        [&, other] { evenly::for_each_atom(exec, *other, increase{atoms.data()}); });
  }
  const auto spoil = [&] {
    exec.fill_zero(atoms.data(), atoms.size() * sizeof(int));
    exec.fill_zero(failed.data(), sizeof(int));
  };
  evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false, exec.stream()),
                            std::make_shared<evenly::measure::unchecked_output>(spoil),
                            {}};
  const auto measured = measure_in_turns(on, ways, {.min_rounds = 3, .max_rounds = 31, .time_budget_ms = 60});

  std::printf("%-18s %9d tiles, %10d atoms, longest %8d: groups of %2d; above %5d: %6d tiles, %6d pieces\n",
              workload.c_str(), n, total, longest, group, static_cast<int>(long_tile), long_tiles, pieces);
  for (const evenly::measure::measurement& m : measured) {
    report.add({{"workload", workload},
                {"rows", n},
                {"atoms", total},
                {"group", group},
                {"long_tile", long_tile},
                {"long_tiles", long_tiles},
                {"pieces", pieces},
                {"op", "update"},
                {"executor", "cuda"},
                {"schedule", m.what.name},
                {"type", "int"}},
               m);
    if (m.error)
      std::printf("  %-18s    FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-18s %9.1f us\n", m.what.name.c_str(), 1000 * m.time.median);
  }
  std::fflush(stdout);
}

int run(const evenly::bench::arguments& args) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty()) // none long, few, and many; large and small
    workloads = {
        "regular:rows=4000,size=8", "regular8", "web-NotreDame", "as-Skitter", "circuit5M", "one-dense-row",
        "kron_g500-logn20"};
  setenv("CUDA_MODULE_LOADING", "EAGER", 1); // nothing is loaded while a graph is captured
  const evenly::measure::cuda_status gpu = evenly::measure::find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const evenly::own_stream stream;
  const evenly::cuda exec(stream.get());
  evenly::measure::report report(gpu.text);
  for (const auto& workload : workloads) measure_workload(workload, args.number("--long"), exec, report);
  report.write(args.json());
  return report.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_dynamic_phase", argc, argv, run, {{"--long", "0"}});
}
