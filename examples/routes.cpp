// SPDX-License-Identifier: Apache-2.0
// bfs and sssp: the way with the fewest roads, and the shortest one.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/schedules/merge_path.hpp"

/// The way to a town, from its parents.
std::string way_to(int town, const std::vector<int>& parents) {
  const char* const names[] = {"Arad",    "Zerind",  "Oradea",  "Sibiu",
                               "Fagaras", "Rimnicu", "Pitesti", "Bucharest"};
  const std::string name = names[town];
  return parents[town] == town ? name : way_to(parents[town], parents) + " - " + name;
}

int main() {
  // Roads that lead away from Arad: those of town v are offsets[v] to offsets[v + 1].
  const std::vector<int> offsets{0, 2, 3, 4, 6, 7, 8, 9, 9};
  const std::vector<int> towns{1, 3, 2, 3, 4, 5, 7, 6, 7};
  const std::vector<int> kilometres{75, 140, 71, 151, 99, 80, 211, 97, 101};
  const evenly::graph_view<> roads{{8, 9, offsets.data(), towns.data()}, {}, kilometres.data()};

  const evenly::cpu exec;
  std::vector<int> levels(8), distances(8), before(8);
  evenly::check_edges(exec, roads.out); // of what comes from outside
  evenly::bfs(exec, evenly::merge_path{}, roads, 0, levels, before);
  const std::string fewest = way_to(7, before);
  std::printf("%d roads: %s\n", levels[7], fewest.c_str());
  evenly::sssp(exec, evenly::merge_path{}, roads, 0, std::span(distances), before);
  const std::string shortest = way_to(7, before);
  std::printf("%d km: %s\n", distances[7], shortest.c_str());
  return fewest == "Arad - Sibiu - Fagaras - Bucharest" && distances[7] == 418 &&
                 shortest == "Arad - Sibiu - Rimnicu - Pitesti - Bucharest"
             ? 0
             : 1;
}
