// SPDX-License-Identifier: Apache-2.0
#include "graphs/components.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "graphs/place.hpp"
#include "graphs/search_problem.hpp"
#include "graphs/traversal_laws.hpp"
#include "graphs/vertex_lines.hpp"
#include "host/errors.hpp"
#include "io/graph_input.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"

namespace evenly::graphs {

using measure::candidate, measure::find_cuda, measure::measure, measure::measurement, measure::milliseconds,
    measure::one_line, measure::prepared_run, measure::print, measure::require_executor, measure::result_file,
    measure::result_head, measure::unchecked_output, measure::usual_executor, measure::with_noun,
    measure::wrapped;

namespace {

struct component_result {
  measurement time;
  std::vector<int> labels;
  std::int64_t components = 0;
  std::int64_t largest = 0; ///< vertices of the largest component
};

void count_components(component_result& result) {
  std::vector<std::int64_t> sizes(result.labels.size());
  for (const int label : result.labels) {
    std::int64_t& size = sizes[static_cast<std::size_t>(label)];
    result.components += size == 0 ? 1 : 0;
    result.largest = std::max(result.largest, ++size);
  }
}

component_result find_components(const component_options& options, executor_kind kind,
                                 const search_problem& problem, search_place& place) {
  component_result result;
  bench on{std::make_unique<lent_timer>(place.time()), std::make_shared<unchecked_output>(), {}};
  std::unique_ptr<device_components> search;
  std::optional<std::string> too_large;
  candidate components{.name = "scc", .title = "scc", .is_schedule = true};
  components.prepare = [&]() -> prepared_run {
    search = place.components();
    return {[&] {
      try {
        search->run();
      } catch (const host::memory_error& e) {
        too_large = e.what();
        throw;
      }
    }};
  };
  components.first_error = [&]() -> std::optional<std::string> {
    result.labels = search->result();
    return wrong_with_components(problem.view<std::monostate>(nullptr).out, result.labels,
                                 [&](int v) { return problem.label(v); });
  };
  search_options repetition;
  repetition.repeat = options.repeat;
  result.time = measure(on, components, repetition_of(repetition, kind));
  if (too_large) throw host::memory_error(*too_large);
  if (!result.time.error) count_components(result);
  return result;
}

double million_edges_per_s(const search_problem& problem, const component_result& result) {
  return static_cast<double>(problem.counted_edges()) / result.time.time.median / 1e3;
}

json::value json_of(const search_problem& problem, const component_result& result) {
  json::value line{{"schedule", "scc"}, {"ok", !result.time.error}};
  if (result.time.error) {
    line.update({{"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}, {"medges_per_s", nullptr}});
    return line;
  }
  line.update({{"ms", result.time.time.median},
               {"ms_min", result.time.time.min},
               {"ms_max", result.time.time.max},
               {"medges_per_s", million_edges_per_s(problem, result)},
               {"components", result.components},
               {"largest", result.largest},
               {"vertices", problem.graph.edges.rows},
               {"edges", problem.counted_edges()}});
  return line;
}

std::string table_of(const search_problem& problem, const component_result& result, executor_kind kind,
                     const std::string& place) {
  std::string table =
      fmt::format("strong components of {} on {} ({}): {}, {}\n", host::printable(problem.graph.name),
                  name_of(kind), place, with_noun(problem.graph.edges.rows, "vertex", "vertices"),
                  with_noun(problem.graph.edges.atoms(), "edge"));
  if (result.time.error)
    return table + wrapped(fmt::format("FAILED: {}", one_line(*result.time.error)), "  ");
  const auto& time = result.time.time;
  table += fmt::format("  {:>14}{:>10}{:>10}{:>22}{:>14}\n", "components", "largest", "median ms",
                       "min .. max", "M edges/s");
  table += fmt::format("  {:>14}{:>10}{:>10}{:>22}{:>14.4g}\n", result.components, result.largest,
                       milliseconds(time.median),
                       fmt::format("{} .. {}", milliseconds(time.min), milliseconds(time.max)),
                       million_edges_per_s(problem, result));
  if (kind == executor_kind::simt) table += "  times are simulated and say nothing about a GPU\n";
  return table;
}

json::value head_of(const component_options& options, executor_kind kind) {
  auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"search", "scc"},
               {"input", io::input_name(options.input)},
               {"undirected", options.reading.undirected},
               {"executor", name_of(kind)}});
  return head;
}

} // namespace

bool time_components(const component_options& options) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  io::graph_source source(options.input, options.reading);
  for (const std::string& path : {options.output, options.map, options.json})
    if (!path.empty()) io::check_output(path);
  result_file file(options.json, [&] { return head_of(options, kind); });
  bool is_right = true;
  std::string table;
  file.measure(options.input, [&] {
    search_problem problem;
    problem.graph = source.load();
    problem.symmetric = io::is_symmetric(problem.graph.edges);
    constexpr std::int64_t bytes_of_check = 40; // of a vertex, and 4 of an edge
    const std::int64_t reserve = bytes_of_check * problem.graph.edges.rows + 8 * problem.graph.edges.atoms();
    place_options placing = placing_of(problem, options.bench, reserve);
    placing.memory.name = fmt::format("strong components of {} vertices and {} edges",
                                      problem.graph.edges.rows, problem.graph.edges.atoms());
    const auto place = place_graph(kind, problem.view<std::monostate>(nullptr), placing);
    const component_result result = find_components(options, kind, problem, *place);
    is_right = !result.time.error;
    table = table_of(problem, result, kind, place->time().place());
    file.add(json_of(problem, result));
    const io::vertex_labels& labels = problem.graph.labels;
    if (is_right && !options.output.empty()) write_parents(options.output, labels, result.labels);
    if (!options.map.empty()) write_labels(options.map, labels, problem.graph.edges.rows);
  });
  print(options.json != "-" && options.output != "-" && options.map != "-" ? stdout : stderr, table);
  file.finish();
  return is_right;
}

} // namespace evenly::graphs
