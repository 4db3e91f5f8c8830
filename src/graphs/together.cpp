// SPDX-License-Identifier: Apache-2.0
// evenly bfs --together.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evenly/graph/search_rule.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/reported_frontiers.hpp"
#include "graphs/search.hpp"
#include "graphs/search_problem.hpp"
#include "graphs/vertex_lines.hpp"
#include "host/errors.hpp"
#include "io/graph_input.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "report/results_page.hpp"

namespace evenly::graphs {

using evenly::report::report_results;
using measure::candidate, measure::grouped, measure::measure, measure::measurement, measure::milliseconds,
    measure::one_line, measure::prepared_run, measure::print, measure::require_executor, measure::result_file,
    measure::timing, measure::unchecked_output, measure::usual_executor, measure::with_noun, measure::wrapped;

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

void count_reached(const search_problem& problem, together_result& result) {
  const std::size_t searches = problem.sources.size();
  for (std::size_t i = 0; i < result.levels.size(); ++i) {
    if (result.levels[i] < 0) continue;
    ++result.reached;
    result.edges += problem.degree(static_cast<int>(i / searches));
  }
  if (problem.symmetric) result.edges /= 2;
}

/// Upper bound of the results' memory on the host for 8-bit levels: levels, levels as integers, and their check.
std::int64_t bytes_of_results(const search_problem& problem) {
  return 6 * static_cast<std::int64_t>(problem.sources.size()) * problem.graph.edges.rows;
}

together_result search_together(const search_options& options, executor_kind kind,
                                const search_problem& problem, search_place& place) {
  together_result result;
  const auto view = problem.view<std::monostate>(nullptr);
  bench on{std::make_unique<lent_timer>(place.time()), std::make_shared<unchecked_output>(), {}};
  std::unique_ptr<device_together> searches;
  std::optional<std::string> too_large;
  const auto run = [&] {
    try {
      searches->run(problem.sources, {});
    } catch (const host::memory_error& e) {
      too_large = e.what();
      throw;
    }
  };
  candidate together{.name = "together", .title = "together", .is_schedule = true};
  together.prepare = [&]() -> prepared_run {
    try {
      searches = place.together();
    } catch (const host::memory_error& e) {
      too_large = e.what();
      throw;
    }
    return {[&] { run(); }};
  };
  together.first_error = [&]() -> std::optional<std::string> {
    result.levels = searches->result();
    return graphs::wrong_with_bfs_together(view.out, problem.sources, result.levels,
                                           [&](int v) { return problem.label(v); });
  };
  result.time = measure(on, together, repetition_of(options, kind));
  if (too_large) throw host::memory_error(*too_large);
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

/// One line per vertex: its level in each search.
json::value json_of(const search_problem& problem, const together_result& result) {
  json::value line{{"schedule", "together"}, {"ok", !result.time.error}};
  if (result.time.error) {
    line.update({{"ms", nullptr}, {"searches_per_s", nullptr}, {"medges_per_s", nullptr}});
    return line;
  }
  line.update({{"ms", result.time.time.median},
               {"ms_min", result.time.time.min},
               {"ms_max", result.time.time.max},
               {"searches_per_s", result.searches_per_s(problem.sources.size())},
               {"medges_per_s", result.million_edges_per_s()},
               {"sources", named_sources(problem)},
               {"frontiers", result.frontiers},
               {"bytes", result.bytes},
               {"reached", result.reached},
               {"edges", result.edges}});
  return line;
}

std::string table_of(const search_problem& problem, const together_result& result) {
  std::string table = fmt::format("  {:<28}{:>10}{:>22}{:>14}{:>14}\n", "form", "median ms", "min .. max",
                                  "searches/s", "M edges/s");
  if (result.time.error)
    return table + fmt::format("  {:<28}{:>10}\n", "together", "FAILED") +
           wrapped(fmt::format("FAILED together: {}", one_line(*result.time.error)), "  ");
  const timing& time = result.time.time;
  table += fmt::format("  {:<28}{:>10}{:>22}{:>14.4g}{:>14.4g}\n", "together", milliseconds(time.median),
                       fmt::format("{} .. {}", milliseconds(time.min), milliseconds(time.max)),
                       result.searches_per_s(problem.sources.size()), result.million_edges_per_s());
  return table +
         fmt::format("    {} bytes of memory in addition to graph and result\n", grouped(result.bytes));
}

} // namespace

bool time_together(const search_options& options) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  io::graph_source source(options.input, options.reading);
  check_outputs(options);
  reported_frontiers frontiers;
  result_file file(options.json, [&] { return head_of(kind, options); });
  report_results(file, options.report, [&] { return frontiers.json(); });
  bool right = true;
  std::string table;
  file.measure(options.input, [&] {
    const search_problem problem = load_problem(options, source);
    const std::unique_ptr<search_place> place =
        place_graph(kind, problem.view<std::monostate>(nullptr),
                    placing_of(problem, options.bench, bytes_of_results(problem)));
    const together_result result = search_together(options, kind, problem, *place);
    right = !result.time.error;
    table =
        result.trace + title_of(problem, options, kind, place->time().place()) + table_of(problem, result);
    if (kind == executor_kind::simt) table += "  times are simulated and say nothing about a GPU\n";
    frontiers.set(result.frontiers_of_all);
    file.add(json_of(problem, result));
    if (right && !options.output.empty())
      write_vertex_values(options.output, problem.graph.labels, result.levels, std::ssize(problem.sources));
    if (!options.map.empty()) write_labels(options.map, problem.graph.labels, problem.graph.edges.rows);
  });
  print(options.json != "-" && options.report != "-" && options.output != "-" && options.map != "-" ? stdout
                                                                                                    : stderr,
        table);
  file.finish();
  return right;
}

} // namespace evenly::graphs
