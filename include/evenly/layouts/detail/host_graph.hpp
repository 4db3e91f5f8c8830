// SPDX-License-Identifier: Apache-2.0
// P as a graph on the host, for orders made there (reverse_cuthill_mckee.hpp, metis.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/layouts/references.hpp"

namespace evenly::detail {

/// The graph of P on the host, in both directions, without loops and multiple edges.
struct host_graph {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> to;

  std::int64_t degree(std::int64_t v) const {
    return starts[static_cast<std::size_t>(v) + 1] - starts[static_cast<std::size_t>(v)];
  }
  const std::int64_t* begin(std::int64_t v) const { return to.data() + starts[static_cast<std::size_t>(v)]; }
  const std::int64_t* end(std::int64_t v) const {
    return to.data() + starts[static_cast<std::size_t>(v) + 1];
  }
};

template <class Executor, class I>
host_graph graph_of(const Executor& exec, const layouts::index_list<I>& p,
                    const layouts::access_shape& shape) {
  const std::vector<I> indices = to_host(exec, std::span<const I>(p.at, static_cast<std::size_t>(p.count)));
  const auto vertices = static_cast<std::size_t>(shape.threads);
  std::vector<std::vector<std::int64_t>> lists(vertices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t from = i % vertices;
    const auto to = static_cast<std::size_t>(indices[i]);
    if (from == to) continue;
    lists[from].push_back(static_cast<std::int64_t>(to));
    lists[to].push_back(static_cast<std::int64_t>(from));
  }
  host_graph graph;
  graph.starts.push_back(0);
  for (std::vector<std::int64_t>& each : lists) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
    graph.to.insert(graph.to.end(), each.begin(), each.end());
    graph.starts.push_back(static_cast<std::int64_t>(graph.to.size()));
    std::vector<std::int64_t>().swap(each);
  }
  return graph;
}

} // namespace evenly::detail
