// SPDX-License-Identifier: Apache-2.0
// The options of PageRank, and how its iterations ended: on one device (pagerank.hpp) and on ranks
// (distributed/solvers.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "evenly/core/digits.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::graphs {

/// Options of pagerank.
struct pagerank_options {
  double damping = 0.85;   ///< the probability of following an edge: at least 0 and less than 1
  double tolerance = 1e-6; ///< iterations end if the scores change by at most this in total (L1 norm)
  std::int64_t max_iterations = 1000;
  bool weighted = false; ///< edges are followed in proportion to their weights instead of equally
  /// The vertices that jumps lead to: one weight per vertex, on the host. Empty: all alike.
  std::span<const double> personalization = {};
};

/// How an iteration ended.
struct pagerank_totals {
  std::int64_t iterations = 0;
  double error = 0;       ///< the total change of the scores in the last iteration, or an upper bound
  bool converged = false; ///< whether the error is at most the tolerance
};

} // namespace evenly::graphs

namespace evenly::detail {

inline void check_pagerank_options(const graphs::pagerank_options& options, std::int64_t vertices) {
  require(options.damping >= 0 && options.damping < 1, [&] {
    return concat("damping = ", digits_of(options.damping), ": must be at least 0 and less than 1");
  });
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), [&] {
    return concat("tolerance = ", digits_of(options.tolerance), ": must be finite and not negative");
  });
  require(options.max_iterations >= 1,
          [&] { return concat("max_iterations = ", options.max_iterations, ": must be at least 1"); });
  const auto& weights = options.personalization;
  if (weights.empty()) return;
  require(std::ssize(weights) == vertices, [&] {
    return concat("the personalization has ", weights.size(), " weights, but the graph has ", vertices,
                  " vertices");
  });
  const auto bad = std::ranges::find_if(weights, [](double w) { return !(w >= 0 && std::isfinite(w)); });
  require(bad == weights.end(), [&] {
    return concat("the personalization of vertex ", bad - weights.begin(), " is ", digits_of(*bad),
                  ": it must be finite and not negative");
  });
  require(std::ranges::any_of(weights, [](double w) { return w > 0; }),
          [] { return std::string("the personalization is 0 at all vertices"); });
}

} // namespace evenly::detail
