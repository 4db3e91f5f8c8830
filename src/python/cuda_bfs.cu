// SPDX-License-Identifier: Apache-2.0
#include "evenly/graph/bfs_search.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

namespace {

/// A search, for the stream and the edges that it was made for.
struct kept_search {
  kept_search(const cuda& exec, const graph_view<float>& graph, const int* ends, bool is_undirected)
      : search(exec, graph), stream(exec.stream()), ends(ends), is_undirected(is_undirected) {}

  bfs_search<cuda> search;
  cudaStream_t stream;
  const int* ends;
  bool is_undirected;
};

} // namespace

void cuda_bfs(cuda_rows& rows, const cuda& exec, const cuda_entries& edges, bool is_undirected, int source,
              const output& levels, const output& parents) {
  rows.alone(exec, [&] {
    const int* const ends = edges.columns.as<int>().data();
    const auto* kept = static_cast<const kept_search*>(rows.search.get());
    if (kept == nullptr || kept->stream != exec.stream() || kept->ends != ends ||
        kept->is_undirected != is_undirected) {
      graph_view<float> graph{
          {rows.tiles().tiles(), static_cast<int>(rows.all().atoms), rows.tiles().offsets(), ends}};
      if (is_undirected) graph.in = graph.out;
      rows.search = std::make_shared<kept_search>(exec, graph, ends, is_undirected);
    }
    static_cast<kept_search*>(rows.search.get())->search.run(source, levels.as<int>(), parents.as<int>());
  });
}

} // namespace evenly::python
