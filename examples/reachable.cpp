// SPDX-License-Identifier: Apache-2.0
// tile_list and collect_atoms: the vertices of a graph that are reachable from one of them, by breadth-first search.
//
// A tile is a vertex, an atom an edge. The frontier has the vertices that were found in the previous round. It is a
// list of tiles, so its edges can be distributed evenly even if few vertices have most of them. The first edge that
// reaches a vertex finds it. The found vertices are the next frontier. Its length stays in memory of the executor.
// reachable_gpu.cu is the same source for a GPU.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_list.hpp"

struct graph {
  std::vector<int> offsets{0}, targets;
};

/// A vertex has up to two edges, but every 100th has 500; all lead to vertices as even or odd as it is.
graph few_with_most(int vertices) {
  graph g;
  for (int v = 0; v < vertices; ++v) {
    const int edges = v % 100 == 0 ? 500 : v % 3;
    for (int e = 0; e < edges; ++e) g.targets.push_back((v + 2 + e * 64) % vertices);
    g.offsets.push_back(static_cast<int>(g.targets.size()));
  }
  return g;
}

/// The vertices that can be reached from `start`: 1 for each that can, on the executor.
template <class Executor>
evenly::buffer<int> reachable(const Executor& exec, evenly::csr_tile_set<int> edges,
                              std::span<const int> targets, int start) {
  const auto vertices = static_cast<std::size_t>(edges.tiles());
  const evenly::capacity max_size{edges.tiles(), static_cast<std::int64_t>(targets.size())};
  auto reached = evenly::to_executor(exec, std::vector<int>(vertices));
  auto now = evenly::to_executor(exec, std::vector<int>(vertices, start)),
       next = evenly::make_buffer<int>(exec, vertices);
  auto count = evenly::to_executor(exec, std::vector<std::int64_t>{1}),
       found = evenly::make_buffer<std::int64_t>(exec, 1);
  const auto frontier = [&] { return evenly::tile_list(edges, now.data(), count.data(), max_size); };

  const auto target = evenly::view(exec, targets);
  const auto seen = evenly::view(exec, reached);
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, frontier());
  for (std::int64_t left = 1; left > 0;) {
    const auto listed = plan.tiles();
    const auto visit = [=] EVENLY_FN(int tile, int atom) -> std::optional<int> {
      const int vertex = target[listed.source_atom(tile, atom)];
      if (evenly::atomic_ref(seen[vertex]).exchange(1) != 0) return {};
      return vertex;
    };
    evenly::collect_atoms(exec, plan, visit, next.span(), found.data(), evenly::in_any_order);
    std::swap(now, next);
    std::swap(count, found);
    plan.rebind(frontier());
    exec.copy_to_host(&left, count.data(), sizeof(left));
  }
  return reached;
}

/// The same by a queue.
std::vector<int> reachable_by_queue(const graph& g, int start) {
  std::vector<int> reached(g.offsets.size() - 1), queue{start};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (int e = g.offsets[queue[i]]; e < g.offsets[queue[i] + 1]; ++e)
      if (std::exchange(reached[g.targets[e]], 1) == 0) queue.push_back(g.targets[e]);
  return reached;
}

template <class Executor> bool is_right(const Executor& exec, const graph& g, int start) {
  const auto offsets = evenly::to_executor(exec, g.offsets), targets = evenly::to_executor(exec, g.targets);
  const auto rows = evenly::csr_tiles(std::span<const int>(offsets.span()));
  const auto reached = evenly::to_host(exec, reachable(exec, rows, targets.span(), start));
  const bool right = reached == reachable_by_queue(g, start);
  std::printf("%d of %d vertices are reached from %d%s\n",
              static_cast<int>(std::count(reached.begin(), reached.end(), 1)),
              static_cast<int>(reached.size()), start, right ? "" : ", which is wrong");
  return right;
}

int main() {
  const graph g = few_with_most(20000);
#if defined(__CUDACC__)
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return is_right(evenly::cuda(), g, 0) ? 0 : 1;
#else
  return is_right(evenly::simt(), g, 0) && is_right(evenly::cpu(), g, 0) && is_right(evenly::cpu(), g, 1) ? 0
                                                                                                          : 1;
#endif
}
