// SPDX-License-Identifier: Apache-2.0
// bfs and sssp: the route with the fewest roads, and the shortest one.
#include <cstdio>
#include <string>
#include <vector>

#include "evenly/graph/graph.hpp"
#include "evenly/graph/searches.hpp"

/// The route to a town, from its parents.
std::string route_to(int town, const std::vector<int>& parents) {
  const char* const names[] = {"Arad",    "Zerind",  "Oradea",  "Sibiu",
                               "Fagaras", "Rimnicu", "Pitesti", "Bucharest"};
  const std::string name = names[town];
  return parents[town] == town ? name : route_to(parents[town], parents) + " - " + name;
}

int main() {
  // Roads that lead away from Arad, in kilometres.
  const std::vector<int> from{0, 0, 1, 2, 3, 3, 4, 5, 6}, to{1, 3, 2, 3, 4, 5, 7, 6, 7};
  const std::vector<int> kilometres{75, 140, 71, 151, 99, 80, 211, 97, 101};
  const auto roads = evenly::graph_from_edges(8, from, to, kilometres);

  const auto fewest = evenly::bfs(roads, 0);
  std::printf("%d roads: %s\n", fewest.levels[7], route_to(7, fewest.parents).c_str());
  const auto shortest = evenly::sssp(roads, 0);
  std::printf("%d km: %s\n", int(shortest.distances[7]), route_to(7, shortest.parents).c_str());
  return route_to(7, fewest.parents) == "Arad - Sibiu - Fagaras - Bucharest" &&
                 shortest.distances[7] == 418 &&
                 route_to(7, shortest.parents) == "Arad - Sibiu - Rimnicu - Pitesti - Bucharest"
             ? 0
             : 1;
}
