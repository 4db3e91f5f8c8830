// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace evenly::cli {

std::span<const listed_command> all_commands() {
  static constexpr listed_command all[] = {
      {"info", "files", "show the tile sizes of an input and what they mean for load balance"},
      {"compare", "compare", "check every schedule against a reference, then time it"},
      {"spmv", "files", "multiply a matrix by a vector in double precision"},
      {"plan", "files", "show what products on several ranks hold and send, for any number of ranks"},
      {"draw", "draw",
       "draw which thread takes which atoms under a schedule, or the structure of a matrix, as SVG"},
      {"explain", "explain",
       "count the memory accesses of an operation on a simulated GPU, and show where they are slow and why"},
      {"study", "study", "repeat the measurements of a paper and compare the results with its statements"},
      {"ladder", "ladder",
       "check and time (or count) successive versions of reduction, prefix sum and matrix rotation"},
      {"tasks", "tasks",
       "check a task-parallel search with a known answer under each task pool, then time it"},
      {"octree", "octree",
       "build an octree of particles under each task pool and in bulk, check it, then time it"},
      {"neighbors", "octree",
       "list pairs of points below a cutoff, in periodic boxes too: check and time the list, or write it"},
      {"reorganize", "reorganize",
       "check and time (or count) indirect accesses A[P[i]] under each data layout"},
      {"bfs", "graph", "check and time a breadth-first search of a graph"},
      {"sssp", "graph", "check and time a search for shortest paths in a graph"},
      {"dfs", "graph", "check and time a depth-first search of a graph"},
      {"scc", "graph", "check and time, or write, the strongly connected components of a graph"},
      {"pagerank", "graph", "check and time, or write, the PageRank of the vertices of a graph"},
      {"kcore", "graph", "check and time, or write, the core numbers of the vertices of a graph"},
      {"triangles", "graph", "check and time, or write, the number of triangles of each vertex of a graph"},
      {"betweenness", "graph", "check and time, or write, the betweenness of each vertex of a graph"},
      {"components", "graph", "check and time, or write, the connected components of a graph"},
      {"forest", "graph", "check and time, or write, a minimum spanning forest of a graph"},
      {"colour", "graph", "check and time, or write, a colour for each vertex of a graph"},
      {"gap", "graph", "check and time the six kernels of the GAP benchmark suite by its rules"},
      {"spgemm", "sparse", "multiply two sparse matrices: check and time the product, or write it"},
      {"spmm", "sparse", "multiply a sparse matrix by a dense one: check and time the product, or write it"},
      {"solve", "sparse", "solve a sparse system iteratively: check and time the solution, or write it"},
      {"trsv", "sparse", "solve a sparse triangular system: check and time the solution, or write it"},
      {"transpose", "files", "write the transpose of a matrix"},
      {"convert", "files", "write a matrix in another format, without changing its values"},
      {"help", "", "print the help of a command, or this page"},
      {"man", "", "print the manual page, for man(1)"},
      {"completion", "", "print a script for a shell that completes commands, options and names"}};
  return all;
}

} // namespace evenly::cli
