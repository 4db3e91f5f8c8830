// SPDX-License-Identifier: Apache-2.0
#include "graphs/scores.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/triangles.hpp"
#include "graphs/score_laws.hpp"
#include "graphs/score_place.hpp"
#include "graphs/search_problem.hpp"
#include "graphs/vertex_lines.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/graph_input.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/results_page.hpp"

namespace evenly::graphs {

using evenly::report::report_results;
using measure::candidate, measure::find_cuda, measure::measure, measure::measurement, measure::milliseconds,
    measure::one_line, measure::prepared_run, measure::print, measure::require_executor, measure::result_file,
    measure::result_head, measure::unchecked_output, measure::usage_error, measure::usual_executor,
    measure::with_executor, measure::with_noun, measure::wrapped;

std::unique_ptr<score_place> place_scores(executor_kind kind, const graph_view<>& graph,
                                          const place_options& options) {
  return with_executor(kind, [&]<class Executor>() { return scores_on<Executor>(graph, options); });
}

namespace {

struct score_result {
  measurement time;
  std::vector<std::int64_t> triangles; ///< or
  std::vector<double> betweenness;
  std::int64_t all = 0; ///< triangles of the graph
  std::size_t max = 0;  ///< the first vertex of the greatest number
};

const char* name_of(score_kind kind) { return kind == score_kind::triangles ? "triangles" : "betweenness"; }

/// Replaces the edges by those of the simple graph.
void make_simple(csr_matrix<double>& edges) {
  const auto simple = simple_graph(edges, cpu());
  const auto& out = simple.view().out;
  edges.offsets.assign(out.offsets, out.offsets + out.vertices + 1);
  edges.columns.assign(out.ends, out.ends + out.edges);
  edges.values.assign(edges.columns.size(), 1);
}

/// Throws usage_error unless the graph is undirected and has no parallel edges.
void require_simple(const search_problem& problem) {
  if (!problem.symmetric)
    throw usage_error(
        "triangles belong to an undirected graph, but an edge has no reverse edge: add --undirected");
  const auto& edges = problem.graph.edges;
  std::vector<int> last_from(static_cast<std::size_t>(edges.rows), -1);
  for (int from = 0; from < edges.rows; ++from)
    for (int e = edges.offsets[from]; e < edges.offsets[from + 1]; ++e)
      if (std::exchange(last_from[edges.columns[e]], from) == from)
        throw usage_error(
            fmt::format("vertices {} and {} have parallel edges: add --undirected, which drops them",
                        problem.label(from), problem.label(edges.columns[e])));
}

std::vector<int> sources_of(const search_problem& problem, const score_sources& chosen) {
  const int vertices = problem.graph.edges.rows;
  if (chosen.random > 0) return random_sources(problem.graph.edges, chosen.random);
  if (chosen.are_all()) {
    std::vector<int> all(static_cast<std::size_t>(vertices));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> sources;
  for (const std::string& label : chosen.labels) {
    const auto vertex = problem.graph.labels.find(label, vertices);
    if (!vertex)
      throw usage_error(fmt::format("--sources {}: the graph has no such vertex", host::in_quotes(label)));
    sources.push_back(*vertex);
  }
  return sources;
}

search_problem load(const score_options& options, io::graph_source& source) {
  search_problem problem;
  problem.graph = source.load();
  if (options.simple) make_simple(problem.graph.edges);
  problem.symmetric = options.simple || io::is_symmetric(problem.graph.edges);
  if (options.kind == score_kind::triangles)
    require_simple(problem);
  else
    problem.sources = sources_of(problem, options.sources);
  return problem;
}

complaint check(const score_options& options, const search_problem& problem, const score_result& result) {
  const auto label = [&](int v) { return problem.label(v); };
  const auto out = problem.view<int>(nullptr).out;
  if (options.kind == score_kind::triangles) {
    constexpr std::int64_t max_steps = 2'000'000'000;
    return wrong_with_triangles(out, result.triangles, max_steps, label);
  }
  const auto n = static_cast<double>(out.vertices);
  const double factor =
      options.normalized && n > 2 ? n / (static_cast<double>(problem.sources.size()) * (n - 1) * (n - 2)) : 1;
  return wrong_with_betweenness(out, problem.sources, result.betweenness, factor, label);
}

score_result compute(const score_options& options, executor_kind kind, const search_problem& problem,
                     score_place& place) {
  score_result result;
  bench on{std::make_unique<lent_timer>(place.time()), std::make_shared<unchecked_output>(), {}};
  std::optional<std::string> too_large;
  const std::string name = name_of(options.kind);
  candidate scores{.name = name, .title = name, .is_schedule = true};
  scores.prepare = [&]() -> prepared_run {
    return {[&] {
      try {
        if (options.kind == score_kind::triangles)
          place.count_triangles();
        else
          place.compute_betweenness(problem.sources, options.normalized);
      } catch (const host::memory_error& e) {
        too_large = e.what();
        throw;
      }
    }};
  };
  scores.first_error = [&]() -> std::optional<std::string> {
    if (options.kind == score_kind::triangles)
      result.triangles = place.triangles();
    else
      result.betweenness = place.betweenness();
    return check(options, problem, result);
  };
  search_options repetition;
  repetition.repeat = options.repeat;
  result.time = measure(on, scores, repetition_of(repetition, kind));
  if (too_large) throw host::memory_error(*too_large);
  const auto greatest = [](const auto& numbers) {
    return static_cast<std::size_t>(std::ranges::max_element(numbers) - numbers.begin());
  };
  result.max =
      options.kind == score_kind::triangles ? greatest(result.triangles) : greatest(result.betweenness);
  result.all = std::accumulate(result.triangles.begin(), result.triangles.end(), std::int64_t{0}) / 3;
  return result;
}

/// The maximum memory of a run on cores, in addition to the graph and the result.
std::int64_t bytes_of(const score_options& options, const search_problem& problem, int threads) {
  const auto& edges = problem.graph.edges;
  if (options.kind == score_kind::triangles) return triangle_bytes(edges.rows, edges.atoms());
  return betweenness_bytes(edges.rows, concurrent_searches(threads, edges.rows, std::ssize(problem.sources)));
}

/// Edges that are visited: in a symmetric graph an edge and its reverse count once; for each source once.
double million_edges_per_s(const search_problem& problem, const score_result& result) {
  const auto edges = static_cast<double>(problem.graph.edges.atoms()) / (problem.symmetric ? 2 : 1);
  return edges * static_cast<double>(std::max<std::size_t>(problem.sources.size(), 1)) /
         result.time.time.median / 1e3;
}

json::value json_of(const score_options& options, const search_problem& problem, const score_result& result,
                    std::int64_t bytes) {
  json::value line{{"schedule", name_of(options.kind)}, {"ok", !result.time.error}};
  if (result.time.error) {
    line.update({{"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}, {"medges_per_s", nullptr}});
    return line;
  }
  line.update({{"ms", result.time.time.median},
               {"ms_min", result.time.time.min},
               {"ms_max", result.time.time.max},
               {"medges_per_s", million_edges_per_s(problem, result)},
               {"vertices", problem.graph.edges.rows},
               {"edges", problem.graph.edges.atoms()},
               {"bytes", bytes == 0 ? json::value() : json::value(bytes)}});
  if (options.kind == score_kind::triangles)
    line["triangles"] = result.all;
  else
    line["sources"] = static_cast<std::int64_t>(problem.sources.size());
  return line;
}

std::string table_of(const score_options& options, const search_problem& problem, const score_result& result,
                     executor_kind kind, const std::string& place) {
  const bool is_count = options.kind == score_kind::triangles;
  std::string table =
      fmt::format("{} of {} on {} ({}): {}, {}", name_of(options.kind), host::printable(problem.graph.name),
                  measure::name_of(kind), place, with_noun(problem.graph.edges.rows, "vertex", "vertices"),
                  with_noun(problem.graph.edges.atoms(), "edge"));
  table += is_count ? "\n" : fmt::format(", {}\n", with_noun(std::ssize(problem.sources), "source"));
  if (result.time.error)
    return table + wrapped(fmt::format("FAILED: {}", one_line(*result.time.error)), "  ");
  const auto& time = result.time.time;
  const int greatest = static_cast<int>(result.max);
  const std::string found = is_count                        ? std::to_string(result.all)
                            : problem.graph.edges.rows == 0 ? "-"
                                                            : problem.label(greatest);
  table += fmt::format("  {:>20}{:>10}{:>22}{:>14}\n", is_count ? "triangles" : "greatest at vertex",
                       "median ms", "min .. max", "M edges/s");
  table += fmt::format("  {:>20}{:>10}{:>22}{:>14.4g}\n", found, milliseconds(time.median),
                       fmt::format("{} .. {}", milliseconds(time.min), milliseconds(time.max)),
                       million_edges_per_s(problem, result));
  if (kind == executor_kind::simt) table += "  times are simulated and say nothing about a GPU\n";
  return table;
}

json::value head_of(const score_options& options, executor_kind kind) {
  auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"search", name_of(options.kind)},
               {"input", io::input_name(options.input)},
               {"undirected", options.simple},
               {"executor", measure::name_of(kind)}});
  return head;
}

} // namespace

bool time_scores(const score_options& options) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  io::graph_source source(options.input, options.reading);
  for (const std::string& path : {options.output, options.map, options.json})
    if (!path.empty()) io::check_output(path);
  result_file file(options.json, [&] { return head_of(options, kind); });
  report_results(file, options.report);
  bool is_right = true;
  std::string table;
  file.measure(options.input, [&] {
    const search_problem problem = load(options, source);
    constexpr std::int64_t bytes_of_check = 24; // per vertex
    place_options placing = placing_of(problem, options.bench, bytes_of_check * problem.graph.edges.rows);
    placing.memory.name = fmt::format("{} of {} vertices and {} edges", name_of(options.kind),
                                      problem.graph.edges.rows, problem.graph.edges.atoms());
    const auto place = place_scores(kind, problem.view<int>(nullptr), placing);
    std::int64_t bytes = 0;
    if (kind == executor_kind::cpu) {
      bytes = bytes_of(options, problem, place->time().threads());
      if (const auto shortage =
              host::memory_shortage(bytes + placing.memory.reserve, host::available_memory()))
        throw host::memory_error(placing.memory.name + ": " + *shortage + placing.memory.remedy);
    }
    const score_result result = compute(options, kind, problem, *place);
    is_right = !result.time.error;
    table = table_of(options, problem, result, kind, place->time().place());
    file.add(json_of(options, problem, result, bytes));
    const io::vertex_labels& labels = problem.graph.labels;
    if (is_right && !options.output.empty()) {
      if (options.kind == score_kind::triangles)
        write_vertex_values(options.output, labels, result.triangles);
      else
        write_vertex_values(options.output, labels, result.betweenness);
    }
    if (!options.map.empty()) write_labels(options.map, labels, problem.graph.edges.rows);
  });
  const bool to_stdout =
      options.json != "-" && options.report != "-" && options.output != "-" && options.map != "-";
  print(to_stdout ? stdout : stderr, table);
  file.finish();
  return is_right;
}

} // namespace evenly::graphs
