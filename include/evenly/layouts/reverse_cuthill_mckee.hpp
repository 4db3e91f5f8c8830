// SPDX-License-Identifier: Apache-2.0
// Elements in the reverse Cuthill-McKee order (Cuthill and McKee, 1969; reversed by George, 1971): breadth first from
// an element of smallest degree, each level by degree. The graph has an edge per reference, in both directions. The
// order makes the largest difference between numbers of neighbours small.
//
// Cost: one thread of the host makes the order, on a graph of 2 T K edges there. For a P that rarely changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "evenly/layouts/detail/host_graph.hpp"
#include "evenly/layouts/orders.hpp"

namespace evenly::layouts {

struct reverse_cuthill_mckee {
  static constexpr const char* name = "reverse_cuthill_mckee";
  static constexpr order_of of = order_of::both;

  std::int64_t max_references = std::int64_t{1} << 27; ///< limits memory and time on the host

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    detail::require_graph(name, shape);
    require(p.count <= max_references, [&] {
      return "reverse_cuthill_mckee runs on one host thread and supports at most " +
             std::to_string(max_references) + " references, but there are " + std::to_string(p.count) +
             ": use by_neighbours";
    });
    const detail::host_graph graph = detail::graph_of(exec, p, shape);
    const auto by_degree = [&](std::int64_t v) { return std::pair{graph.degree(v), v}; };
    std::vector<std::int64_t> roots(static_cast<std::size_t>(shape.threads));
    std::iota(roots.begin(), roots.end(), std::int64_t{0});
    std::ranges::sort(roots, {}, by_degree);
    std::vector<bool> seen(roots.size());
    std::vector<I> order;
    order.reserve(roots.size());
    for (const std::int64_t root : roots) {
      if (seen[static_cast<std::size_t>(root)]) continue;
      seen[static_cast<std::size_t>(root)] = true;
      order.push_back(static_cast<I>(root));
      for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
        std::vector<std::int64_t> found;
        for (const std::int64_t* v = graph.begin(order[at]); v != graph.end(order[at]); ++v) {
          if (seen[static_cast<std::size_t>(*v)]) continue;
          seen[static_cast<std::size_t>(*v)] = true;
          found.push_back(*v);
        }
        std::ranges::sort(found, {}, by_degree);
        for (const std::int64_t v : found) order.push_back(static_cast<I>(v));
      }
    }
    std::reverse(order.begin(), order.end());
    return to_executor(exec, order);
  }
};

} // namespace evenly::layouts
