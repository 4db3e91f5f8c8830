// SPDX-License-Identifier: Apache-2.0
// A persistent kernel: shortest paths in rounds that do not involve the host (Osama et al., PPoPP 2023, listing 6).
//
// The algorithm of Bellman and Ford. In each round, the edges are distributed among all blocks. Threads count the edges
// that shorten a path, and grid_sum adds up the counts for all blocks. The loop ends if the sum is 0.
// rounds_gpu.cu is the same source for a GPU.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "evenly/block/grid_sync.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/work/csr.hpp"

constexpr int far_away = 1 << 30;

template <class Executor, class Work> struct shortest_paths {
  template <class T> using span = evenly::span_on<Executor, T>;
  Work edges;
  evenly::grid_barrier barrier;
  span<const int> targets, weights;
  span<int> distances, rounds;

  struct places {
    decltype(Work{}.lay_out(std::declval<evenly::storage_layout&>(), evenly::block_shape{})) shares;
    evenly::slot<int> shorter;
    evenly::slot<std::int64_t> total;
  };
  EVENLY_FN places lay_out(evenly::storage_layout& layout, evenly::block_shape shape) const {
    const auto shares = edges.lay_out(layout, shape);
    const auto shorter = layout.take<int>(1);
    return {shares, shorter, layout.take<std::int64_t>(1)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    const places at = lay_out(layout, block.shape());
    const auto shorter = block.storage(at.shorter);
    for (const int round : evenly::infinite_range(1)) {
      if (block.rank() == 0) shorter[0] = 0;
      block.sync();
      evenly::for_each_range(block, edges, at.shares, [&](const auto& range) {
        for (const auto vertex : range.tiles()) {
          const int here = evenly::atomic_ref(distances[vertex.number]).load();
          if (here == far_away) continue;
          for (const int edge : range.atoms(vertex)) {
            const int there = here + weights[edge];
            if (evenly::atomic_ref(distances[targets[edge]]).fetch_min(there) > there)
              evenly::atomic_ref(shorter[0]).store(1);
          }
        }
      });
      const std::int64_t mine = block.rank() == 0 ? static_cast<int>(shorter[0]) : 0;
      if (evenly::grid_sum(block, barrier, mine, block.storage(at.total)) == 0) {
        if (block.index() == 0 && block.rank() == 0) rounds[0] = round;
        break;
      }
      block.sync();
    }
  }
};

struct graph {
  std::vector<int> offsets{0}, targets, weights;
};

/// Every vertex leads to the next; every 50th to 300 others, a long way off.
graph few_with_most(int vertices) {
  graph g;
  for (int v = 0; v < vertices; ++v) {
    const int edges = v % 50 == 0 ? 300 : 1;
    for (int e = 0; e < edges; ++e) {
      g.targets.push_back((v + 1 + 13 * e) % vertices);
      g.weights.push_back(1 + 20 * e);
    }
    g.offsets.push_back(static_cast<int>(g.targets.size()));
  }
  return g;
}

/// The same, edge after edge until nothing changes.
std::vector<int> by_relaxation(const graph& g) {
  std::vector<int> distances(g.offsets.size() - 1, far_away);
  distances[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t v = 0; v + 1 < g.offsets.size(); ++v)
      for (int e = g.offsets[v]; e < g.offsets[v + 1] && distances[v] < far_away; ++e)
        if (const int there = distances[v] + g.weights[e]; there < distances[g.targets[e]]) {
          distances[g.targets[e]] = there;
          changed = true;
        }
  }
  return distances;
}

template <class Executor> bool is_right(const Executor& exec, const graph& g) {
  const auto vertices = static_cast<int>(g.offsets.size()) - 1;
  const auto offsets = evenly::to_executor(exec, g.offsets), targets = evenly::to_executor(exec, g.targets),
             weights = evenly::to_executor(exec, g.weights);
  std::vector<int> start(vertices, far_away);
  start[0] = 0;
  const auto distances = evenly::to_executor(exec, start),
             rounds = evenly::to_executor(exec, std::vector<int>{0});

  auto work = evenly::work_of(exec, evenly::group_mapped<32>{},
                              evenly::csr_tiles(std::span<const int>(offsets.span())));
  evenly::workspace memory;
  evenly::workspace::lease lease(memory);
  // As many blocks as have room, no more: they wait for each other.
  const shortest_paths<Executor, decltype(work)> kernel{work,
                                                        lease.take(exec, 0).barrier,
                                                        view(exec, targets),
                                                        view(exec, weights),
                                                        view(exec, distances),
                                                        view(exec, rounds)};
  const int blocks = std::min(work.blocks, resident_blocks(exec, kernel, work.block_size));
  launch(exec, {.blocks = blocks, .block_size = work.block_size, .co_resident = true}, kernel);

  const bool right = evenly::to_host(exec, distances) == by_relaxation(g);
  std::printf("%d vertices, %d rounds by %d persistent blocks%s\n", vertices,
              evenly::to_host(exec, rounds)[0], blocks, right ? "" : ", and wrong distances");
  return right;
}

int main() {
#if defined(__CUDACC__)
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return is_right(evenly::cuda(), few_with_most(20000)) ? 0 : 1;
#else
  return is_right(evenly::simt(), few_with_most(1000)) && is_right(evenly::cpu(), few_with_most(5000)) ? 0
                                                                                                       : 1;
#endif
}
