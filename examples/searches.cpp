// SPDX-License-Identifier: Apache-2.0
// frontier_loop: breadth-first search and shortest paths, written out. Each is what an edge of the frontier does; how
// the edges of a frontier are shared among threads is the schedule's, which is exchanged by its name (after Osama et
// al., "A programming model for GPU load balancing", PPoPP 2023, listing 6).
#include <climits>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"

using evenly::atomic_ref;

/// How many edges each vertex is away from the first; -1: it cannot be reached.
template <class Schedule>
std::vector<int> levels(const evenly::cpu& exec, const Schedule& schedule,
                        const evenly::graph_view<>& graph) {
  std::vector<int> level_of(static_cast<std::size_t>(graph.out.vertices), -1);
  level_of[0] = 0;
  const auto level = evenly::view(exec, level_of);
  const auto target = evenly::view(exec, graph).out.ends;
  evenly::frontier_loop loop(exec, schedule, graph.out);
  loop.start_from(0);
  const auto visit_at = [=](const auto& frontier, std::int64_t now) {
    return [=](int tile, int atom) -> std::optional<int> {
      const int to = target[frontier.source_atom(tile, atom)];
      int unseen = -1;
      if (!atomic_ref(level[to]).compare_exchange(unseen, static_cast<int>(now) + 1)) return {};
      return to;
    };
  };
  loop.run(visit_at, evenly::no_reports{});
  return level_of;
}

/// How far each vertex is away from the first, by the weights; INT_MAX: it cannot be reached.
template <class Schedule>
std::vector<int> distances(const evenly::cpu& exec, const Schedule& schedule,
                           const evenly::graph_view<>& graph) {
  std::vector<int> distance_of(static_cast<std::size_t>(graph.out.vertices), INT_MAX);
  std::vector<int> listed_in(distance_of.size(), -1); // the round that last put a vertex on a frontier
  distance_of[0] = 0;
  const auto distance = evenly::view(exec, distance_of), listed = evenly::view(exec, listed_in);
  const auto edges = evenly::view(exec, graph);
  evenly::frontier_loop loop(exec, schedule, graph.out);
  loop.start_from(0);
  const auto visit_at = [=](const auto& frontier, std::int64_t round) {
    return [=](int tile, int atom) -> std::optional<int> {
      const int edge = frontier.source_atom(tile, atom), to = edges.out.ends[edge];
      const int sum = atomic_ref(distance[frontier.source(tile)]).load() + edges.weights[edge];
      if (atomic_ref(distance[to]).fetch_min(sum) <= sum) return {};
      if (atomic_ref(listed[to]).exchange(static_cast<int>(round)) == round) return {};
      return to;
    };
  };
  loop.run(visit_at, evenly::no_reports{});
  return distance_of;
}

int main() {
  // 0 -> 1 -> 2 -> 3 by short edges, 0 -> 3 by a long one; nothing leads to 4.
  const std::vector<int> offsets{0, 2, 3, 4, 4, 5}, targets{1, 3, 2, 3, 0}, weights{1, 9, 1, 1, 1};
  const evenly::graph_view<> graph{{5, 5, offsets.data(), targets.data()}, {}, weights.data()};
  const evenly::cpu exec;
  bool right = true;
  const auto search = [&](const char* name, const auto& schedule) {
    const std::vector<int> level = levels(exec, schedule, graph), distance = distances(exec, schedule, graph);
    for (int v = 0; v < 5; ++v)
      std::printf("%s: vertex %d: level %d, distance %d\n", name, v, level[v], distance[v]);
    right = right && level == std::vector<int>{0, 1, 2, 1, -1} &&
            distance == std::vector<int>{0, 1, 2, 3, INT_MAX};
  };
  search("merge_path", evenly::merge_path{});
  search("group_mapped<32>", evenly::group_mapped<32>{});
  return right ? 0 : 1;
}
