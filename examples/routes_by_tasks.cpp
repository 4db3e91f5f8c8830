// SPDX-License-Identifier: Apache-2.0
// Shortest routes by tasks that make tasks: a task is a place with its distance when the task was made. It visits the
// roads from there, and makes a task for each end that it brings nearer. Nothing waits for anything else, so distances
// fall in any order; in the end they are the same on every run. A search by rounds (evenly::sssp) visits a road far
// less often: tasks are for work that has no rounds.

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include <evenly/execution/atomic.hpp>
#include <evenly/execution/cpu.hpp>
#include <evenly/execution/memory.hpp>
#include <evenly/graph/graph.hpp>
#include <evenly/graph/searches.hpp>
#include <evenly/tasks/run_tasks.hpp>
#include <evenly/tasks/ticket_ring.hpp>

struct visit {
  int place, distance;
};

template <class Executor> struct visit_roads {
  static constexpr int max_children = 4; // the most roads from a place
  evenly::graphs::graph_spans<Executor, int, int, int> streets;
  evenly::span_on<Executor, int> distances;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, visit task, Sink& sink) const {
    if (task.distance > evenly::atomic_ref(distances[task.place]).load())
      return; // a shorter route was found since
    for (int e = streets.out.offsets[task.place]; e < streets.out.offsets[task.place + 1]; ++e) {
      const int distance = task.distance + streets.weights[e];
      if (distance < evenly::atomic_ref(distances[streets.out.ends[e]]).fetch_min(distance))
        sink.push({streets.out.ends[e], distance});
    }
  }
};

int main() {
  // A town of 200 x 200 crossings with streets to all sides; lengths differ.
  constexpr int side = 200;
  std::vector<int> from, to, kilometres;
  for (int place = 0; place < side * side; ++place) {
    const int x = place % side, y = place / side;
    for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
      if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side) continue;
      from.push_back(place);
      to.push_back(place + dx + side * dy);
      kilometres.push_back(1 + (place * 31 + dx * 7 + dy * 13 + 20) % 9);
    }
  }
  const auto streets = evenly::graph_from_edges(side * side, from, to, kilometres);
  const auto by_rounds = evenly::sssp(streets, 0);

  const evenly::cpu exec;
  std::vector<int> distances(side * side, std::numeric_limits<int>::max());
  distances[0] = 0;
  const auto first = evenly::to_executor(exec, std::vector<visit>{{0, 0}});
  const visit_roads<evenly::cpu> body{view(exec, streets.view()), view(exec, distances)};
  const evenly::task_report done = evenly::run_tasks(exec, evenly::ticket_ring{}, first, body);
  std::printf("%d km to the other corner, by %lld visits of %d crossings\n", distances.back(),
              static_cast<long long>(done.run), side * side);
  return std::equal(distances.begin(), distances.end(), by_rounds.distances.begin()) ? 0 : 1;
}
