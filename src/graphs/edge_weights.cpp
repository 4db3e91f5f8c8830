// SPDX-License-Identifier: Apache-2.0
#include "graphs/edge_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/parallel.hpp"

namespace evenly::graphs {
namespace {

/// The first number of the splitmix64 sequence (Steele, Lea and Flood 2014) with start `x`.
std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::vector<int> hashes(const csr_matrix<double>& edges) {
  std::vector<int> weights(edges.columns.size());
  host::for_each_range(edges.rows, [&](std::int64_t begin, std::int64_t end) {
    for (int u = static_cast<int>(begin); u < static_cast<int>(end); ++u)
      for (int k = edges.offsets[static_cast<std::size_t>(u)];
           k < edges.offsets[static_cast<std::size_t>(u) + 1]; ++k)
        weights[static_cast<std::size_t>(k)] = hash_weight(u, edges.columns[static_cast<std::size_t>(k)]);
  });
  return weights;
}

void refuse_bad(const io::graph_input& graph) {
  const auto& values = graph.edges.values;
  const auto bad = std::ranges::find_if(values, [](double w) { return !(w >= 0 && std::isfinite(w)); });
  if (bad == values.end()) return;
  const auto at = static_cast<int>(bad - values.begin());
  const auto& offsets = graph.edges.offsets;
  const auto from = std::ranges::upper_bound(offsets, at) - offsets.begin() - 1;
  const auto label = [&](std::int64_t v) { return host::printable(graph.labels.of(v)); };
  throw io::file_error(fmt::format("{}: the edge from {} to {} has weight {}: weights must be 0 or greater",
                                   graph.source, label(from),
                                   label(graph.edges.columns[static_cast<std::size_t>(at)]), *bad));
}

edge_weights weights_of_file(const io::graph_input& graph) {
  if (!graph.has_weights)
    throw io::file_error(
        fmt::format("{}: the edges have no weights: add --weights unit or --weights hash", graph.source));
  refuse_bad(graph);
  const auto& values = graph.edges.values;
  const bool whole = std::ranges::all_of(
      values, [](double w) { return w == std::floor(w) && w <= std::numeric_limits<int>::max(); });
  if (!whole) return values;
  return std::vector<int>(values.begin(), values.end());
}

} // namespace

int hash_weight(int u, int v) {
  const auto [low, high] = std::minmax(u, v);
  return 1 + static_cast<int>(
                 splitmix64(static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high)) % 255);
}

edge_weights weights_of(const io::graph_input& graph, weight_source from) {
  const std::int64_t edges = graph.edges.atoms();
  if (const auto shortage = host::memory_shortage(edges * std::int64_t{sizeof(double)}))
    throw host::memory_error(fmt::format("{}: weights of {} edges: {}", graph.source, edges, *shortage));
  if (from == weight_source::file) return weights_of_file(graph);
  if (from == weight_source::hash) return hashes(graph.edges);
  return std::vector<int>(graph.edges.columns.size(), 1);
}

} // namespace evenly::graphs
