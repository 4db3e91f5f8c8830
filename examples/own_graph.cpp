// SPDX-License-Identifier: Apache-2.0
// Your own graph, from a file: levels and shortest distances of each vertex.
//
//   example_own_graph [FILE [SOURCE]]      by default a small file that the program writes, and the first vertex
//
// docs/graphs.md describes the formats of edge lists. Links evenly::io.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "evenly/graph/graph.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/io/read.hpp"

/// Five vertices; no edge leads to the last. Each line is `from to weight`.
evenly::io::edge_rows read_a_tiny_one() {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "evenly-example-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error(folder + ": cannot be made");
  const fs::path file = fs::path(folder) / "tiny.wel";
  std::ofstream(file) << "# five roads\n0 1 4\n0 2 1\n2 1 2\n1 3 5\n4 0 1\n";
  evenly::io::edge_rows read = evenly::io::read_graph(file);
  fs::remove_all(folder);
  return read;
}

int main(int argc, char** argv) try {
  const evenly::io::edge_rows read = argc > 1 ? evenly::io::read_graph(argv[1]) : read_a_tiny_one();
  const int first = read.first_vertex; // the file's number of vertex 0
  const int source = argc > 2 ? std::stoi(argv[2]) - first : 0;
  const evenly::graph g(read.rows);

  const auto levels = evenly::bfs(g, source).levels;
  const auto [distances, parents] = evenly::sssp(g, source); // in a file without weights each is 1

  bool agree = true; // on what can be reached
  for (std::size_t v = 0; v < levels.size(); ++v) {
    agree &= (levels[v] >= 0) == (distances[v] < evenly::unreached<double>);
    if (levels[v] >= 0 && v < 20)
      std::printf("%d: %d edges; %g by way of %d\n", static_cast<int>(v) + first, levels[v], distances[v],
                  parents[v] + first);
  }
  const bool right = argc > 1 || (distances == std::vector{0.0, 3.0, 1.0, 8.0, evenly::unreached<double>} &&
                                  levels == std::vector{0, 1, 1, 2, -1});
  return agree && right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "example_own_graph: %s\n", e.what());
  return 1;
}
