// SPDX-License-Identifier: Apache-2.0
// for_each_atom: counts the incoming edges of each vertex of a graph that lists the outgoing edges.
//
// A tile is a vertex and an atom an edge. Several threads may process edges to the same vertex at the same time, so
// counters are accessed by atomic_ref only.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

/// Vertex v has edges to v / 2, v / 3, v / 4, ..., 0: most edges arrive at few vertices.
struct graph {
  std::vector<int> offsets{0};
  std::vector<int> targets;

  explicit graph(int vertices) {
    for (int v = 0; v < vertices; ++v) {
      for (int by = 2; by <= v + 1; ++by) targets.push_back(v / by);
      offsets.push_back(static_cast<int>(targets.size()));
    }
  }
};

template <class Executor, class Schedule>
bool counts_are_right(const Executor& exec, const Schedule& schedule, const graph& g) {
  std::vector<int> arriving(g.offsets.size() - 1, 0);
  const auto target = evenly::view(exec, g.targets);
  const auto count = evenly::view(exec, arriving);
  evenly::for_each_atom(exec, schedule, evenly::csr_tiles(g.offsets), [=] EVENLY_FN(int /*from*/, int edge) {
    evenly::atomic_ref(count[target[edge]]).fetch_add(1);
  });
  std::vector<int> expected(arriving.size(), 0);
  for (const int each : g.targets) ++expected[each];
  if (arriving == expected) return true;
  std::printf("vertex 0 has %d edges, not %d\n", expected[0], arriving[0]);
  return false;
}

int main() {
  const graph g(500);
  const bool right = counts_are_right(evenly::simt(), evenly::merge_path{}, g) &&
                     counts_are_right(evenly::simt(), evenly::group_per_tile<8>{}, g) &&
                     counts_are_right(evenly::cpu(), evenly::merge_path{}, g);
  return right ? 0 : 1;
}
