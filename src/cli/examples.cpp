// SPDX-License-Identifier: Apache-2.0
#include "cli/examples.hpp"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::cli {
namespace {

const std::vector<std::pair<std::string_view, std::vector<example>>>& all_examples() {
  static const std::vector<std::pair<std::string_view, std::vector<example>>> all{
      {"info",
       {{"evenly info matrix.mtx", "how unequal the rows of a matrix are"},
        {"evenly info rmat:scale=10,edges=8 --json", "the same of a generated graph, for programs"},
        {"gzip -c matrix.mtx | evenly info -", "from a pipe, compressed or not"}}},
      {"compare",
       {{"evenly compare matrix.mtx --on cpu", "every schedule on your matrix"},
        {"evenly compare powerlaw:rows=1e4,avg=8,sd=30,max=3000 --on cpu --schedule "
         "merge_path,thread_mapped --json times.json",
         "two schedules on very unequal rows; the times also go to a file"},
        {"evenly compare matrix.mtx --on cpu --report report.html",
         "as a page with charts, which gnuplot draws"},
        {"evenly compare grid:x=90,y=90 --format dia --on cpu --repeat 1", "the matrix by its diagonals"},
        {"evenly compare grid:x=90,y=90 --op spmm:8 --on cpu --repeat 1", "a product with 8 columns"},
        {"evenly compare grid:x=20,y=20 --on simt --op expand --schedule warp_mapped --repeat 1",
         "another operation, on the simulated GPU"}}},
      {"spmv",
       {{"evenly spmv matrix.mtx", "the sums of the rows: x is all ones"},
        {"evenly spmv matrix.mtx --x x.txt -o y.txt --schedule merge_path", "a product with a vector"}}},
      {"draw",
       {{"evenly draw merge_path -o merge_path.svg", "how a schedule shares an example"},
        {"evenly draw thread_mapped matrix.mtx --block 16 --warp 8 -o rows.svg", "how it shares your matrix"},
        {"evenly draw spy matrix.mtx -o spy.svg", "where the entries of a matrix are"},
        {"evenly draw lanes matrix.mtx -o lanes.svg",
         "how many lanes of each warp work, under two schedules"},
        {"evenly draw search grid:x=4,y=3 -o search.svg", "a breadth-first search, level by level"}}},
      {"explain",
       {{"evenly explain matrix.mtx --schedule thread_mapped",
         "how a GPU's memory is asked for where a thread has a row"},
        {"evenly explain grid:x=20,y=20 --report explained.html --json explained.json",
         "as a page with charts, and all counts for programs"}}},
      {"study",
       {{"evenly study mapping regular:rows=2000,size=8 --quick --on cpu --report study.html",
         "the paper's measurements on a workload of your own"},
        {"evenly study tasks uniform:n=2e3 tube:n=2e3 --quick --on cpu --json tasks.json",
         "octrees by tasks, under every pool, held against another paper"},
        {"evenly study reorganize irreg:n=512 cfd:n=384 --quick --on cpu --json reorganize.json",
         "arms for references A[P[i]], held against a third"},
        {"evenly study choices --quick --on cpu --json choices.json",
         "how long every schedule takes on tile sets of many shapes, to learn choosing from"}}},
      {"ladder",
       {{"evenly ladder scan --n 1e5 --on cpu --repeat 5", "prefix sums from naive to fast, timed"},
        {"evenly ladder reduce --n 4096 --count", "reductions: their steps, operations and barriers"}}},
      {"tasks",
       {{"evenly tasks nqueens:n=6 --on cpu --repeat 3", "every pool on a search with a known answer"},
        {"evenly tasks fib:n=12,join=1 --on cpu --pool stealing --repeat 3", "tasks that wait for others"}}},
      {"octree",
       {{"evenly octree tube:n=2e4 --on cpu --repeat 3", "every pool, and the tree in bulk"},
        {"evenly octree uniform:n=5e3 --on cpu --pool stealing --repeat 1 -o leaves.txt --draw slice.svg",
         "one pool; the leaves as lines, and a slice of the tree as a picture"}}},
      {"reorganize",
       {{"evenly reorganize cg:n=36 --on cpu --arm none,share --repeat 3",
         "two ways of laying out data for references"},
        {"evenly reorganize random:threads=2000,elements=2000,k=4 --count --arm none,duplicate",
         "what they ask of a GPU's memory"}}},
      {"bfs",
       {{"evenly bfs rmat:scale=10,edges=8 --on cpu --repeat 3", "from eight vertices of a generated graph"},
        {"evenly bfs edges.el --source 0 --on cpu -o levels.txt", "from one vertex of your graph"}}},
      {"sssp",
       {{"evenly sssp grid:x=30,y=30 --weights hash --on cpu --repeat 3", "with weights that are made up"},
        {"evenly sssp edges.el --weights unit --source 0 --on cpu -o distances.txt",
         "from one vertex of your graph"}}},
      {"spgemm",
       {{"evenly spgemm rmat:scale=9,edges=8 --on cpu --repeat 3",
         "the square of a matrix, checked and timed"},
        {"evenly transpose matrix.mtx | evenly spgemm matrix.mtx - --on cpu -o product.mtx",
         "a matrix times its transpose, in a file"},
        {"evenly spgemm rmat:scale=10,edges=16 --on cpu --memory 2M --repeat 3",
         "in chunks that fit into little memory"}}},
      {"spmm",
       {{"evenly spmm rmat:scale=9,edges=8 --width 8 --on cpu --repeat 3",
         "with a random matrix of 8 columns, checked and timed"},
        {"evenly spmm matrix.mtx --b vectors.mtx --on cpu -o product.mtx",
         "with the columns of a file, into another"}}},
      {"transpose",
       {{"evenly transpose matrix.mtx -o transposed.mtx", "rows become columns"},
        {"evenly transpose grid:x=3,y=2", "of a generated matrix, to standard output"}}},
      {"convert",
       {{"evenly convert matrix.mtx -o matrix.npz", "for scipy.sparse.load_npz"},
        {"evenly convert edges.el -o edges.mtx.gz", "a list of edges as a matrix, compressed"}}},
      {"help",
       {{"evenly help", "what commands there are"},
        {"evenly help bfs", "the options of one, with examples"}}},
      {"man",
       {{"evenly man > evenly.1", "the manual page, as it is installed"},
        {"evenly man | grep EXAMPLES", "to be read with: evenly man | man -l -"}}},
      {"completion",
       {{"source <(evenly completion bash)", "in bash, from now on"},
        {"evenly completion zsh > _evenly", "for a folder of $fpath"},
        {"evenly completion fish > evenly.fish", "for ~/.config/fish/completions"}}}};
  return all;
}

} // namespace

std::span<const example> examples_of(std::string_view command) {
  for (const auto& [name, list] : all_examples())
    if (name == command) return list;
  return {};
}

std::span<const exit_status> exit_statuses() {
  static constexpr std::array<exit_status, 4> all{
      {{"0", "all was done, and every result was right"},
       {"1", "a file, the memory or the device failed, or a result was wrong; standard error says which"},
       {"2", "the command line, a generator or an option's value is wrong: nothing was done"},
       {"128 + N",
        "as the shell says it of a program that signal N ended: 130 after Ctrl-C, 143 after kill"}}};
  return all;
}

std::string help_on_examples(std::string_view command) {
  std::string text = "Examples:\n";
  for (const example& each : examples_of(command))
    text += fmt::format("  {}\n      {}\n", each.line, each.what);
  return text;
}

std::string help_on_exit_statuses() {
  std::string text = "Exit status:\n";
  for (const exit_status& each : exit_statuses())
    text += fmt::format("  {:<9}{}\n", each.status, each.meaning);
  return text;
}

} // namespace evenly::cli
