// SPDX-License-Identifier: Apache-2.0
#include "graphs/search.hpp"

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/remarks.hpp"
#include "json/value.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::usage_error;

namespace {

[[noreturn]] void refuse_source(const std::string& label, const io::vertex_labels& labels, int vertices) {
  const std::string why =
      vertices == 0 ? "the graph has no vertices"
      : labels.are_consecutive()
          ? fmt::format("vertices are numbered from {} to {}", labels.first(), vertices - 1 + labels.first())
          : "the graph has no vertex of this name";
  throw usage_error(fmt::format("--source {}: {}", host::in_quotes(label), why));
}

std::vector<int> sources_of(const loaded_graph& problem, const source_choice& chosen) {
  const int vertices = problem.graph.edges.rows;
  if (chosen.label) {
    const auto vertex = problem.graph.labels.find(*chosen.label, vertices);
    if (!vertex) refuse_source(*chosen.label, problem.graph.labels, vertices);
    return {*vertex};
  }
  if (problem.graph.edges.atoms() == 0)
    throw usage_error(
        fmt::format("--source random:{} needs vertices with edges, but the graph has none", chosen.random));
  return random_sources(problem.graph.edges, chosen.random);
}

weight_source source_of_weights(const search_options& options, const io::graph_input& graph) {
  return options.weights.value_or(graph.has_weights ? weight_source::file : weight_source::hash);
}

} // namespace

const char* name_of(search_kind kind) {
  return kind == search_kind::bfs ? "bfs" : kind == search_kind::sssp ? "sssp" : "dfs";
}

loaded_graph load_problem(const search_options& options, io::graph_source& source) {
  loaded_graph problem;
  problem.graph = source.load();
  problem.symmetric = io::is_symmetric(problem.graph.edges);
  problem.sources = sources_of(problem, options.source);
  if (options.kind != search_kind::sssp) return problem;
  const weight_source from = source_of_weights(options, problem.graph);
  if (from == weight_source::hash && !options.weights && !options.output.empty())
    host::print_remark(fmt::format(
        "{}: the edges have no weights: each weighs 1 to 255, a hash of the edge (--weights unit: 1)",
        problem.graph.source));
  problem.weights = weights_of(problem.graph, from);
  problem.weights_from = from == weight_source::file ? "file" : from == weight_source::unit ? "unit" : "hash";
  return problem;
}

json::value named_sources(const loaded_graph& problem) {
  auto names = json::array();
  for (const int each : problem.sources)
    if (problem.graph.labels.are_names())
      names.push_back(problem.label(each));
    else
      names.push_back(problem.graph.labels.number_of(each));
  return names;
}

std::string title_of(const loaded_graph& of, const search_options& options, executor_kind kind,
                     const std::string& place) {
  std::string title = title_of(name_of(options.kind), of, kind, place);
  if (!of.weights_from.empty()) title += fmt::format(", weights: {}", of.weights_from);
  return title + (of.sources.size() == 1 ? fmt::format(", from {}\n", of.label(of.sources.front()))
                                         : fmt::format(", from {} vertices\n", of.sources.size()));
}

} // namespace evenly::graphs
