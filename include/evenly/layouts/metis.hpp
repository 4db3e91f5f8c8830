// SPDX-License-Identifier: Apache-2.0
// Clusters by METIS (Karypis and Kumar 1998): recursive bisection of the graph P into parts of about one block each,
// such that few references go to another part. Parts separated late have neighbouring numbers, and are neighbours in
// the order. This header is empty without <metis.h> (libmetis-dev). Programs that include it link libmetis.
//
// Cost: one thread of the host makes the order, in about a second for some million references. Use it if P rarely
// changes.
#pragma once

#if __has_include(<metis.h>)
/// Whether the order metis is available.
#define EVENLY_HAS_METIS 1

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <metis.h>

#include "evenly/layouts/detail/host_graph.hpp"
#include "evenly/layouts/orders.hpp"

namespace evenly::layouts {

struct metis {
  static constexpr const char* name = "metis";
  static constexpr order_of of = order_of::both;
  /// METIS numbers edges, each in both directions, by its idx_t.
  static constexpr std::int64_t max_references = std::numeric_limits<idx_t>::max() / 2;

  int part = 0; ///< approximate elements of a part; 0: shape.block

  /// Throws invalid_argument for more references than METIS can number, and if METIS fails.
  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    detail::require_graph(name, shape);
    require(part >= 0, [&] { return "part = " + std::to_string(part) + ": must be 0 or more"; });
    require(p.count <= max_references, [&] {
      return "metis numbers edges with " + std::to_string(8 * sizeof(idx_t)) +
             " bits, which support at most " + std::to_string(max_references) +
             " references, but there are " + std::to_string(p.count) + ": use by_neighbours";
    });
    const detail::host_graph graph = detail::graph_of(exec, p, shape);
    const std::vector<idx_t> parts = parts_of(graph, shape.threads, part > 0 ? part : shape.block);
    std::vector<I> order(parts.size());
    std::iota(order.begin(), order.end(), I{0});
    std::ranges::sort(order, {}, [&](I v) { return std::pair{parts[static_cast<std::size_t>(v)], v}; });
    return to_executor(exec, order);
  }

 private:
  static std::vector<idx_t> parts_of(const detail::host_graph& graph, std::int64_t vertices, int each) {
    std::vector<idx_t> parts(static_cast<std::size_t>(vertices), 0);
    idx_t count = static_cast<idx_t>(ceil_div<std::int64_t>(vertices, each));
    if (count <= 1) return parts;
    std::vector<idx_t> starts(graph.starts.begin(), graph.starts.end()), to(graph.to.begin(), graph.to.end());
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1; // makes the parts repeat
    idx_t n = static_cast<idx_t>(vertices), weights = 1, cut = 0;
    const int status =
        METIS_PartGraphRecursive(&n, &weights, starts.data(), to.data(), nullptr, nullptr, nullptr, &count,
                                 nullptr, nullptr, options, &cut, parts.data());
    require(status == METIS_OK, [&] {
      return "METIS failed for " + std::to_string(vertices) + " elements (status " + std::to_string(status) +
             ")";
    });
    return parts;
  }
};

} // namespace evenly::layouts

#endif
