// SPDX-License-Identifier: Apache-2.0
// evenly bfs --together.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "evenly/graph/search_rule.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/reported_frontiers.hpp"
#include "graphs/search.hpp"
#include "graphs/vertex_lines.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "report/measured_run.hpp"

namespace evenly::graphs {

using measure::bench, measure::candidate, measure::measurement, measure::prepared_run, measure::with_noun;
using report::timed_table;

namespace {

/// The result of all searches and its timing.
struct together_result {
  measurement time;
  std::vector<int> levels;
  std::int64_t frontiers = 0;
  std::vector<frontier_report> frontiers_of_all; ///< of all searches together
  std::size_t bytes = 0;
  std::int64_t reached = 0; ///< pairs of a search and a vertex
  std::int64_t edges =
      0; ///< outgoing edges of these; an edge and its reverse count once in a symmetric graph
  std::string trace;

  double searches_per_s(std::size_t searches) const {
    return 1000 * static_cast<double>(searches) / time.time.median;
  }
  double million_edges_per_s() const { return static_cast<double>(edges) / time.time.median / 1e3; }
};

void count_reached(const loaded_graph& problem, together_result& result) {
  const std::size_t searches = problem.sources.size();
  for (std::size_t i = 0; i < result.levels.size(); ++i) {
    if (result.levels[i] < 0) continue;
    ++result.reached;
    result.edges += problem.degree(static_cast<int>(i / searches));
  }
  if (problem.symmetric) result.edges /= 2;
}

/// Upper bound of the results' memory on the host for 8-bit levels: levels, levels as integers, and their check.
std::int64_t bytes_of_results(const loaded_graph& problem) {
  return 6 * static_cast<std::int64_t>(problem.sources.size()) * problem.graph.edges.rows;
}

together_result search_together(const search_options& options, executor_kind kind,
                                const loaded_graph& problem, search_place& place) {
  together_result result;
  const auto view = problem.view<std::monostate>(nullptr);
  bench on = bench_of(place.time());
  std::unique_ptr<device_together> searches;
  memory_guard within_memory;
  candidate together{.name = "together", .title = "together", .is_schedule = true};
  together.prepare = [&]() -> prepared_run {
    searches = within_memory([&] { return place.together(); });
    return {[&] { within_memory([&] { searches->run(problem.sources, {}); }); }};
  };
  together.first_error = [&]() -> std::optional<std::string> {
    result.levels = searches->result();
    return wrong_with_bfs_together(view.out, problem.sources, result.levels,
                                   [&](int v) { return problem.label(v); });
  };
  result.time = measure::measure(on, together, report::few_rounds(options.repeat, kind, false));
  within_memory.rethrow();
  if (result.time.error) return result;
  count_reached(problem, result);
  result.bytes = searches->bytes();
  if (options.trace)
    result.trace = fmt::format("bfs from {} together; bottom-up above (edges left + vertices) / {:g} edges "
                               "(alpha)\n  {:>8}{:>14}{:>14}\n",
                               with_noun(std::ssize(problem.sources), "vertex", "vertices"),
                               together_rule{}.alpha, "level", "vertices", "edges");
  searches->run(problem.sources, [&](const frontier_report& each, const char* way) {
    ++result.frontiers;
    result.frontiers_of_all.push_back(each);
    if (options.trace)
      result.trace += fmt::format("  {:>8}{:>14}{:>14}  {}\n", each.number, each.vertices, each.edges, way);
  });
  return result;
}

json::value json_of(const loaded_graph& problem, const together_result& result) {
  const bool right = !result.time.error;
  json::value line{{"schedule", "together"}, {"ok", right}};
  put_times(line, result.time.time, right);
  line["searches_per_s"] = measure::number_if(right, result.searches_per_s(problem.sources.size()));
  line["medges_per_s"] = measure::number_if(right, result.million_edges_per_s());
  if (right)
    line.update({{"sources", named_sources(problem)},
                 {"frontiers", result.frontiers},
                 {"bytes", result.bytes},
                 {"reached", result.reached},
                 {"edges", result.edges}});
  return line;
}

std::string table_of(const loaded_graph& problem, const together_result& result) {
  timed_table table("form", {{"searches/s", 14}, {"M edges/s", 14}}, 28);
  table.row(result.time, {fmt::format("{:.4g}", result.searches_per_s(problem.sources.size())),
                          fmt::format("{:.4g}", result.million_edges_per_s())});
  if (!result.time.error) table.note(memory_note(result.bytes));
  return table.text();
}

} // namespace

bool time_together(const search_options& options) {
  reported_frontiers frontiers;
  return time_on_graph(options,
                       {.name = name_of(options.kind),
                        .load = [&](io::graph_source& source) { return load_problem(options, source); },
                        .run =
                            [&](executor_kind kind, const loaded_graph& problem, measure::result_file& file,
                                std::string& table) {
                              const std::unique_ptr<search_place> place = place_graph(
                                  kind, problem.view<std::monostate>(nullptr),
                                  placing_of("a search", problem, options.bench, bytes_of_results(problem)));
                              const together_result result = search_together(options, kind, problem, *place);
                              table = result.trace + title_of(problem, options, kind, place->time().place()) +
                                      table_of(problem, result);
                              frontiers.set(result.frontiers_of_all);
                              file.add(json_of(problem, result));
                              if (!result.time.error && !options.output.empty())
                                write_vertex_values(options.output, problem.graph.labels, result.levels,
                                                    std::ssize(problem.sources));
                              return !result.time.error;
                            },
                        .of_page = [&] { return frontiers.json(); }});
}

} // namespace evenly::graphs
