// SPDX-License-Identifier: Apache-2.0
// What ranks hold and send in products with a random graph, from the distribution of its degrees: the graph is not made,
// so it may be larger than the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "evenly/distributed/costs.hpp"

namespace evenly::ranks {

/// A graph of `edges` R-MAT edges on 2^scale vertices with random labels, in both directions, without loops and
/// duplicates. a + b + c + d is 1.
struct random_graph_shape {
  int scale = 0;
  std::int64_t edges = 0;
  double a = 0.25, b = 0.25, c = 0.25, d = 0.25;
};

/// The shape of a generator's graph: of rmat, kron and urand, also of graphs that are too large to be made (scale at
/// most 40). None for other generators. Throws spec_error.
std::optional<random_graph_shape> shape_of(std::string_view generator);

/// Expected numbers for each rank: averages over the random edges and labels. The real rank with the heaviest vertices
/// has fewer rows and more to send than the average.
///
/// Vertices whose numbers have equally many ones have equal expected degrees. For each such class and a rank's part of
/// the rows: the probability that no edge leads from a vertex there. Cost: O(scale^3 + parts).
std::vector<distributed::rank_costs> expected_costs(const random_graph_shape& graph, int parts,
                                                    const distributed::split_options& options);

} // namespace evenly::ranks
