// SPDX-License-Identifier: Apache-2.0
// frontier_loop: user-defined breadth-first search and shortest paths. Each is a function that is called for every edge
// of the frontier. The schedule distributes these edges among threads and is selected by name (after Osama et al., "A
// programming model for GPU load balancing", PPoPP 2023, listing 6).
#include <climits>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"

using evenly::atomic_ref;

/// The number of edges from the source to each vertex; INT_MAX for a vertex that cannot be reached.
template <class Schedule>
std::vector<int> levels(const evenly::cpu& exec, const Schedule& schedule, const evenly::graph_view<>& g,
                        int source) {
  std::vector<int> level_of(g.out.vertices, INT_MAX);
  level_of[source] = 0;
  const auto level = view(exec, level_of);
  const auto target = view(exec, g).out.ends;
  evenly::frontier_loop loop(exec, schedule, g.out);
  loop.start_from(source).run([=](const auto& frontier, std::int64_t now) {
    return [=, next = int(now) + 1](int tile, int atom) -> std::optional<int> {
      const int to = target[frontier.source_atom(tile, atom)];
      return atomic_ref(level[to]).fetch_min(next) > next ? std::optional(to) : std::nullopt;
    };
  });
  return level_of;
}

/// The least sum of weights from the source to each vertex; INT_MAX for a vertex that cannot be reached.
template <class Schedule>
std::vector<int> distances(const evenly::cpu& exec, const Schedule& schedule, const evenly::graph_view<>& g,
                           int source) {
  std::vector<int> distance_of(g.out.vertices, INT_MAX);
  std::vector<int> listed_in(g.out.vertices, -1); // the round that last put a vertex on a frontier
  distance_of[source] = 0;
  const auto distance = view(exec, distance_of), listed = view(exec, listed_in);
  const auto edges = view(exec, g);
  evenly::frontier_loop loop(exec, schedule, g.out);
  loop.start_from(source).run([=](const auto& frontier, std::int64_t round) {
    return [=](int tile, int atom) -> std::optional<int> {
      const int edge = frontier.source_atom(tile, atom), to = edges.out.ends[edge];
      const int sum = atomic_ref(distance[frontier.source(tile)]).load() + edges.weights[edge];
      if (atomic_ref(distance[to]).fetch_min(sum) <= sum) return {};
      if (atomic_ref(listed[to]).exchange(int(round)) == round) return {};
      return to;
    };
  });
  return distance_of;
}

int main() {
  // 0 -> 1 -> 2 -> 3 by short edges, 0 -> 3 by a long one. No edge leads to 4.
  const evenly::graph g(evenly::csr_matrix<int>(5, 5, {0, 2, 3, 4, 4, 5}, {1, 3, 2, 3, 0}, {1, 9, 1, 1, 1}));
  const evenly::cpu exec;
  bool right = true;
  const auto search = [&](const char* name, const auto& schedule) {
    const std::vector<int> level = levels(exec, schedule, g.view(), 0),
                           distance = distances(exec, schedule, g.view(), 0);
    for (int v = 0; v < 5; ++v)
      std::printf("%s: vertex %d: level %d, distance %d\n", name, v, level[v], distance[v]);
    right = right && level == std::vector<int>{0, 1, 2, 1, INT_MAX} &&
            distance == std::vector<int>{0, 1, 2, 3, INT_MAX};
  };
  search("merge_path", evenly::merge_path{});
  search("group_mapped<32>", evenly::group_mapped<32>{});
  return right ? 0 : 1;
}
