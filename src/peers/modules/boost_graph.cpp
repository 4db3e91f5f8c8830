// SPDX-License-Identifier: Apache-2.0
// Boost.Graph: searches of a graph in compressed rows, on one core, with parents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/version.hpp>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

struct edge_weight {
  int weight;
};
using graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, edge_weight,
                                                 boost::no_property, int, int>;

graph make_graph(const csr_view<int>& from) {
  std::vector<std::pair<int, int>> edges;
  std::vector<edge_weight> weights;
  for (int v = 0; v < from.rows; ++v)
    for (int e = from.offsets[v]; e < from.offsets[v + 1]; ++e) {
      edges.emplace_back(v, from.columns[e]);
      weights.push_back({from.values == nullptr ? 1 : from.values[e]});
    }
  return {boost::edges_are_sorted, edges.begin(), edges.end(), weights.begin(), from.rows};
}

struct search_state {
  graph edges;
  std::vector<std::int64_t> values;
  std::vector<int> parents;
  std::vector<boost::default_color_type> colours;

  static constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();

  explicit search_state(const csr_view<int>& from)
      : edges(make_graph(from)), values(static_cast<std::size_t>(from.rows)), parents(values.size()),
        colours(values.size()) {}

  template <class T> auto map(std::vector<T>& of) {
    return boost::make_iterator_property_map(of.begin(), get(boost::vertex_index, edges));
  }
  void find_levels(int source) {
    std::ranges::fill(values, unreached);
    std::ranges::fill(parents, -1);
    values[static_cast<std::size_t>(source)] = 0;
    const auto levels = boost::record_distances(map(values), boost::on_tree_edge());
    const auto before = boost::record_predecessors(map(parents), boost::on_tree_edge());
    boost::breadth_first_search(
        edges, source,
        boost::visitor(boost::make_bfs_visitor(std::make_pair(levels, before))).color_map(map(colours)));
  }
  void find_paths(int source) {
    boost::dijkstra_shortest_paths(edges, source,
                                   boost::weight_map(get(&edge_weight::weight, edges))
                                       .distance_map(map(values))
                                       .predecessor_map(map(parents))
                                       .color_map(map(colours)));
  }
};

struct boost_graph {
  prepared_peer operator()(const graph_search& p, int) const {
    const auto state = std::make_shared<search_state>(p.edges);
    return {[p, state] {
              if (p.edges.values == nullptr)
                state->find_levels(*p.source);
              else
                state->find_paths(*p.source);
            },
            [p, state] {
              *p.values = state->values;
              std::ranges::replace(*p.values, search_state::unreached, -1);
            }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::boost_graph,
            evenly::peers::dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100))
