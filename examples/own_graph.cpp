// SPDX-License-Identifier: Apache-2.0
// A graph of one's own, from a file: the fewest edges and the shortest way to each vertex.
//
//   example_own_graph [FILE [SOURCE]]      a file of its own, and the first vertex, if nothing is said
//
// What a list of edges may look like, docs/graphs.md says. Links evenly::io.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/io/read.hpp"

/// Five vertices, of which nothing leads to the last: each line is `from to weight`.
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
  const auto& rows = read.rows;
  const int first = read.first_vertex; // how the file calls what is vertex 0 here
  const evenly::graph_view<double> graph{
      {rows.rows, rows.atoms(), rows.offsets.data(), rows.columns.data()}, {}, rows.values.data()};
  const int source = argc > 2 ? std::stoi(argv[2]) - first : 0;

  const evenly::cpu exec;
  const auto size = static_cast<std::size_t>(rows.rows);
  std::vector<int> levels(size), parents(size);
  std::vector<double> distances(size);
  evenly::bfs(exec, graph, source, levels);
  // Where the file has no weights each is 1.
  evenly::sssp(exec, graph, source, std::span(distances), parents);

  bool agree = true; // on what can be reached
  for (std::size_t v = 0; v < size; ++v) {
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
