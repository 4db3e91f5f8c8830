// SPDX-License-Identifier: Apache-2.0
#include "graphs/search_problem.hpp"

#include <fmt/format.h>

#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/random.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {
namespace {

std::vector<int> sources_of(const search_problem& problem, const source_choice& chosen) {
  const int vertices = problem.graph.edges.rows, first = problem.graph.first_vertex;
  if (chosen.vertex) {
    if (*chosen.vertex < first || *chosen.vertex - first >= vertices)
      throw usage_error(vertices == 0 ? fmt::format("--source {}: the graph has no vertices", *chosen.vertex)
                                      : fmt::format("--source {}: vertices are numbered from {} to {}",
                                                    *chosen.vertex, first, vertices - 1 + first));
    return {static_cast<int>(*chosen.vertex - first)};
  }
  if (problem.graph.edges.atoms() == 0)
    throw usage_error(
        fmt::format("--source random:{} draws vertices with edges: the graph has none", chosen.random));
  return random_sources(problem.graph.edges, chosen.random);
}

weight_source source_of_weights(const search_options& options, const io::graph_input& graph) {
  return options.weights.value_or(graph.has_weights ? weight_source::file : weight_source::hash);
}

} // namespace

const char* name_of(search_kind kind) { return kind == search_kind::bfs ? "bfs" : "sssp"; }

search_problem load_problem(const search_options& options) {
  search_problem problem;
  problem.graph = io::load_graph(options.input, options.reading);
  problem.symmetric = io::is_symmetric(problem.graph.edges);
  problem.sources = sources_of(problem, options.source);
  if (options.kind == search_kind::bfs) return problem;
  const weight_source from = source_of_weights(options, problem.graph);
  problem.weights = weights_of(problem.graph, from);
  problem.weights_from = from == weight_source::file ? "file" : from == weight_source::unit ? "unit" : "hash";
  return problem;
}

std::vector<int> named_sources(const search_problem& problem) {
  std::vector<int> names;
  for (const int each : problem.sources) names.push_back(each + problem.graph.first_vertex);
  return names;
}

std::vector<int> random_sources(const csr_matrix<double>& edges, int count) {
  std::vector<int> sources;
  io::random_sequence random(0, io::stream::sources);
  while (static_cast<int>(sources.size()) < count && edges.atoms() > 0)
    if (const int v = random.below(edges.rows); edges.offsets[v + 1] > edges.offsets[v]) sources.push_back(v);
  return sources;
}

repetition repetition_of(const search_options& options, executor_kind kind) {
  const bool simulated = kind == executor_kind::simt;
  return {.exactly = options.repeat,
          .least = simulated ? 1 : 3,
          .enough = simulated ? 1 : 20,
          .may_be_one = simulated};
}

nlohmann::ordered_json head_of(executor_kind kind, const search_options& options) {
  auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"search", name_of(options.kind)},
               {"input", io::input_name(options.input)},
               {"undirected", options.reading.undirected},
               {"executor", name_of(kind)}});
  return head;
}

void check_outputs(const search_options& options) {
  for (const std::string& path : {options.output, options.parents, options.json})
    if (!path.empty()) io::check_output(path);
}

std::string title_of(const search_problem& problem, const search_options& options, executor_kind kind,
                     const std::string& place) {
  std::string title = fmt::format("{} of {} on {} ({}): {} vertices, {} edges", name_of(options.kind),
                                  io::printable(problem.graph.name), name_of(kind), place,
                                  grouped(problem.graph.edges.rows), grouped(problem.graph.edges.atoms()));
  if (!problem.weights_from.empty()) title += fmt::format(", weights: {}", problem.weights_from);
  return title + (problem.sources.size() == 1
                      ? fmt::format(", from {}\n", problem.sources.front() + problem.graph.first_vertex)
                      : fmt::format(", from {} vertices\n", problem.sources.size()));
}

} // namespace evenly::cli
