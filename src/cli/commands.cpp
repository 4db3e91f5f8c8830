// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace evenly::cli {

std::span<const listed_command> all_commands() {
  static constexpr listed_command all[] = {
      {"info", "files", "what the sizes of an input's tiles are, and mean for balance"},
      {"compare", "compare", "checks every schedule against a reference, then times it"},
      {"spmv", "files", "multiplies a matrix with a vector, in double precision"},
      {"draw", "draw",
       "draws which thread takes which atoms under a schedule, or what a matrix is like, as SVG"},
      {"explain", "explain",
       "counts what an operation under a schedule asks of memory on a GPU, and says where and why"},
      {"study", "study", "carries out the measurements of a paper again, and says where ours agree with it"},
      {"ladder", "ladder",
       "checks and times, or counts, each version of the course on reduction and prefix sums"},
      {"tasks", "tasks", "checks a search by tasks under each pool against its known answer, then times it"},
      {"octree", "octree", "partitions particles by tasks under each pool and in bulk, and times it"},
      {"reorganize", "reorganize",
       "checks and times references A[P[i]] under each way of laying out data, or counts them"},
      {"bfs", "graph", "breadth-first search of a graph, checked, then timed"},
      {"sssp", "graph", "shortest paths in a graph, checked, then timed"},
      {"spgemm", "sparse", "multiplies two sparse matrices; checks and times the product, or writes it"},
      {"spmm", "sparse",
       "multiplies a sparse matrix with a dense one; checks and times the product, or writes it"},
      {"transpose", "files", "writes the transpose of a matrix"},
      {"convert", "files", "writes a matrix in another format, with its values as they are"},
      {"help", "", "prints the help of a command, or this page"},
      {"man", "", "prints the manual page, for man(1)"},
      {"completion", "", "prints a script that completes commands, options and names in a shell"}};
  return all;
}

} // namespace evenly::cli
