// SPDX-License-Identifier: Apache-2.0
#include "graphs/search_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "generate/random.hpp"
#include "host/errors.hpp"
#include "host/remarks.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::find_cuda, measure::result_head, measure::usage_error, measure::with_noun;

namespace {

[[noreturn]] void refuse_source(const std::string& label, const io::vertex_labels& labels, int vertices) {
  const std::string why =
      vertices == 0 ? "the graph has no vertices"
      : labels.are_consecutive()
          ? fmt::format("vertices are numbered from {} to {}", labels.first(), vertices - 1 + labels.first())
          : "the graph has no vertex of this name";
  throw usage_error(fmt::format("--source {}: {}", host::in_quotes(label), why));
}

std::vector<int> sources_of(const search_problem& problem, const source_choice& chosen) {
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

search_problem load_problem(const search_options& options, io::graph_source& source) {
  search_problem problem;
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

json::value named_sources(const search_problem& problem) {
  auto names = json::array();
  for (const int each : problem.sources)
    if (problem.graph.labels.are_names())
      names.push_back(problem.label(each));
    else
      names.push_back(problem.graph.labels.number_of(each));
  return names;
}

place_options placing_of(const search_problem& problem, const bench_options& bench, std::int64_t reserve) {
  const auto& edges = problem.graph.edges;
  return {.bench = bench,
          .memory = {.name = fmt::format("a search of {} vertices and {} edges", edges.rows, edges.atoms()),
                     .remedy = problem.graph.memory_remedy(),
                     .reserve = reserve}};
}

std::vector<int> random_sources(const csr_matrix<double>& edges, int count) {
  std::vector<int> with_edges;
  for (int v = 0; v < edges.rows; ++v)
    if (edges.offsets[v + 1] > edges.offsets[v]) with_edges.push_back(v);
  if (std::ssize(with_edges) <= count) return with_edges;
  constexpr std::int64_t max_draws = 64; // per source, on average
  const bool draws_any = std::ssize(with_edges) * max_draws >= edges.rows;
  generate::random_sequence random(0, generate::stream::sources);
  std::vector<int> sources;
  while (static_cast<int>(sources.size()) < count) {
    const int v = draws_any ? random.below(edges.rows)
                            : with_edges[static_cast<std::size_t>(random.below(std::ssize(with_edges)))];
    if (edges.offsets[v + 1] > edges.offsets[v] && std::ranges::count(sources, v) == 0) sources.push_back(v);
  }
  return sources;
}

repetition repetition_of(const search_options& options, executor_kind kind) {
  const bool simulated = kind == executor_kind::simt;
  return {.exactly = options.repeat,
          .min_rounds = simulated ? 1 : 3,
          .max_rounds = simulated ? 1 : 20,
          .allow_single_run = simulated};
}

json::value head_of(executor_kind kind, const search_options& options) {
  auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"search", name_of(options.kind)},
               {"input", io::input_name(options.input)},
               {"undirected", options.reading.undirected},
               {"executor", name_of(kind)}});
  return head;
}

void check_outputs(const search_options& options) {
  for (const std::string& path : {options.output, options.parents, options.map, options.json})
    if (!path.empty()) io::check_output(path);
}

std::string title_of(const search_problem& problem, const search_options& options, executor_kind kind,
                     const std::string& place) {
  std::string title =
      fmt::format("{} of {} on {} ({}): {}, {}", name_of(options.kind), host::printable(problem.graph.name),
                  name_of(kind), place, with_noun(problem.graph.edges.rows, "vertex", "vertices"),
                  with_noun(problem.graph.edges.atoms(), "edge"));
  if (!problem.weights_from.empty()) title += fmt::format(", weights: {}", problem.weights_from);
  return title + (problem.sources.size() == 1
                      ? fmt::format(", from {}\n", problem.label(problem.sources.front()))
                      : fmt::format(", from {} vertices\n", problem.sources.size()));
}

} // namespace evenly::graphs
