// SPDX-License-Identifier: Apache-2.0
#include "graphs/analysis.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "graphs/analysis_driver.hpp"
#include "graphs/analysis_laws.hpp"
#include "graphs/analysis_place.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/search_problem.hpp"
#include "graphs/vertex_lines.hpp"
#include "host/errors.hpp"
#include "io/edge_list.hpp"
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
using measure::candidate, measure::find_cuda, measure::grouped, measure::measure, measure::measurement,
    measure::milliseconds, measure::one_line, measure::prepared_run, measure::print,
    measure::require_executor, measure::result_file, measure::result_head, measure::unchecked_output,
    measure::usage_error, measure::usual_executor, measure::with_noun, measure::wrapped;

namespace {

// --- PageRank ---

class pagerank_analysis final : public analysis {
 public:
  explicit pagerank_analysis(const analysis_options& options)
      : options_(options.ranking), personalize_(options.personalize) {}

  const char* name() const override { return "pagerank"; }
  const char* title() const override { return "PageRank"; }
  void load(search_problem& problem) override {
    if (options_.weighted) weights_of(problem.graph, weight_source::file); // checks them
    if (personalize_.empty()) return;
    personalization_.assign(static_cast<std::size_t>(problem.graph.edges.rows), 0.0);
    if (io::names_file(personalize_))
      read_personalization(problem);
    else
      for (const std::string& label : parts(personalize_)) personalization_[vertex(problem, label)] += 1;
    options_.personalization = personalization_;
    detail::check_pagerank_options(options_, problem.graph.edges.rows);
  }
  graph_view<double> view(const search_problem& problem) const override {
    return problem.view<double>(options_.weighted ? problem.graph.edges.values.data() : nullptr);
  }
  void prepare() override { ranks_ = place_->ranks(options_); }
  void run() override { totals_ = ranks_->run(); }
  complaint wrong(const search_problem& problem) override {
    scores_ = ranks_->result();
    if (!totals_.converged)
      return fmt::format("no convergence: iteration {} still changed the scores by {:.3g}, more than the "
                         "tolerance {:g}",
                         totals_.iterations, totals_.error, options_.tolerance);
    return wrong_with_pagerank(view(problem), options_, scores_, [&](int v) { return problem.label(v); });
  }
  std::int64_t visited_edges(const search_problem& problem) const override {
    return problem.graph.edges.atoms() * totals_.iterations;
  }
  std::size_t bytes() const override { return ranks_->bytes(); }
  std::vector<named_number> numbers() const override {
    return {{"iterations", totals_.iterations}, {"error", totals_.error}};
  }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_vertex_values(path, labels, scores_);
  }

 private:
  static std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> found;
    std::istringstream text(list);
    for (std::string part; std::getline(text, part, ',');) found.push_back(part);
    return found;
  }
  static std::size_t vertex(const search_problem& problem, const std::string& label) {
    const auto found = problem.graph.labels.find(label, problem.graph.edges.rows);
    if (!found)
      throw usage_error(fmt::format("--personalize: {} is neither a file nor a vertex of the graph",
                                    host::in_quotes(label)));
    return static_cast<std::size_t>(*found);
  }
  /// Lines with a vertex, and its weight unless it is 1.
  void read_personalization(const search_problem& problem) {
    const std::string path = host::printable(personalize_);
    std::ifstream file(personalize_);
    if (!file) throw io::file_error(path + ": cannot be read");
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      std::istringstream words(line);
      std::string label, weight = "1", more;
      if (!(words >> label) || label.starts_with('#')) continue;
      words >> weight >> more;
      const auto found = problem.graph.labels.find(label, problem.graph.edges.rows);
      if (!found)
        throw io::file_error(
            fmt::format("{}:{}: {} is not a vertex of the graph", path, number, host::in_quotes(label)));
      double value = 0;
      const auto read = std::from_chars(weight.data(), weight.data() + weight.size(), value);
      if (read.ec != std::errc{} || read.ptr != weight.data() + weight.size() || !more.empty() ||
          !(value >= 0 && std::isfinite(value)))
        throw io::file_error(
            fmt::format("{}:{}: expected a vertex and optionally a weight that is finite and not negative",
                        path, number));
      personalization_[static_cast<std::size_t>(*found)] += value;
    }
    if (std::ranges::none_of(personalization_, [](double w) { return w > 0; }))
      throw io::file_error(path + ": no vertex has a weight");
  }

  pagerank_options options_;
  std::string personalize_;
  std::vector<double> personalization_;
  std::unique_ptr<device_ranks> ranks_;
  pagerank_totals totals_;
  std::vector<double> scores_;
};

// --- core numbers ---

class core_analysis final : public analysis {
 public:
  const char* name() const override { return "kcore"; }
  const char* title() const override { return "core numbers"; }
  /// Throws file_error unless the graph is simple and symmetric.
  void load(search_problem& problem) override {
    const auto& edges = problem.graph.edges;
    const auto refuse = [&](const std::string& what) {
      throw io::file_error(
          fmt::format("{}: {}: core numbers need a simple undirected graph: add --undirected",
                      problem.graph.source, what));
    };
    if (const auto edge = io::find_one_way_edge(edges))
      refuse(fmt::format("the edge from {} to {} has no reverse", problem.label(edge->from),
                         problem.label(edge->to)));
    for (int v = 0; v < edges.rows; ++v) {
      const auto at = edges.columns.begin();
      const auto first = at + edges.offsets[static_cast<std::size_t>(v)],
                 last = at + edges.offsets[static_cast<std::size_t>(v) + 1];
      if (std::binary_search(first, last, v)) refuse("vertex " + problem.label(v) + " has a self-loop");
      if (const auto twice = std::adjacent_find(first, last); twice != last)
        refuse(fmt::format("{} and {} have parallel edges", problem.label(v), problem.label(*twice)));
    }
  }
  graph_view<double> view(const search_problem& problem) const override {
    return problem.view<double>(nullptr);
  }
  void prepare() override { cores_ = place_->cores(); }
  void run() override { rounds_ = cores_->run(); }
  complaint wrong(const search_problem& problem) override {
    numbers_ = cores_->result();
    return wrong_with_core_numbers(view(problem).out, numbers_, [&](int v) { return problem.label(v); });
  }
  std::int64_t visited_edges(const search_problem& problem) const override { return problem.counted_edges(); }
  std::size_t bytes() const override { return cores_->bytes(); }
  std::vector<named_number> numbers() const override {
    const std::int64_t max = numbers_.empty() ? 0 : std::ranges::max(numbers_);
    const std::int64_t in_max_core = std::ranges::count(numbers_, max);
    return {{"max_core", max}, {"in_max_core", in_max_core}, {"rounds", rounds_}};
  }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_vertex_values(path, labels, numbers_);
  }

 private:
  std::unique_ptr<device_cores> cores_;
  std::int64_t rounds_ = 0;
  std::vector<int> numbers_;
};

// --- runs ---

void drop_self_loops(csr_matrix<double>& edges) {
  std::size_t kept = 0, begin = 0;
  for (std::size_t v = 0; v + 1 < edges.offsets.size(); ++v) {
    const auto end = static_cast<std::size_t>(edges.offsets[v + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      if (edges.columns[e] == static_cast<int>(v)) continue;
      edges.columns[kept] = edges.columns[e];
      edges.values[kept++] = edges.values[e];
    }
    edges.offsets[v + 1] = static_cast<int>(kept);
    begin = end;
  }
  edges.columns.resize(kept);
  edges.values.resize(kept);
}

search_problem load_graph_of(const analysis_options& options, io::graph_source& source, analysis& what) {
  search_problem problem;
  problem.graph = source.load();
  if (!options.ranking.weighted) std::ranges::fill(problem.graph.edges.values, 1.0);
  if (options.reading.undirected) drop_self_loops(problem.graph.edges);
  what.load(problem);
  problem.symmetric = io::is_symmetric(problem.graph.edges);
  return problem;
}

measurement measured(const analysis_options& options, executor_kind kind, const search_problem& problem,
                     analysis& what) {
  bench on{std::make_unique<lent_timer>(what.time()), std::make_shared<unchecked_output>(), {}};
  std::optional<std::string> too_large;
  const auto within_memory = [&](const auto& work) {
    try {
      work();
    } catch (const host::memory_error& e) {
      too_large = e.what();
      throw;
    }
  };
  candidate made{.name = what.name(), .title = what.name(), .is_schedule = true};
  made.prepare = [&]() -> prepared_run {
    within_memory([&] { what.prepare(); });
    return {[&] { within_memory([&] { what.run(); }); }};
  };
  made.first_error = [&] { return what.wrong(problem); };
  search_options repetition;
  repetition.repeat = options.repeat;
  const measurement result = measure(on, made, repetition_of(repetition, kind));
  if (too_large) throw host::memory_error(*too_large);
  return result;
}

double million_edges_per_s(const search_problem& problem, const measurement& result, const analysis& what) {
  return static_cast<double>(what.visited_edges(problem)) / result.time.median / 1e3;
}

json::value json_of(const search_problem& problem, const measurement& result, const analysis& what) {
  json::value line{{"schedule", what.name()}, {"ok", !result.error}};
  if (result.error) {
    line.update({{"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}, {"medges_per_s", nullptr}});
    return line;
  }
  line.update({{"ms", result.time.median},
               {"ms_min", result.time.min},
               {"ms_max", result.time.max},
               {"medges_per_s", million_edges_per_s(problem, result, what)},
               {"bytes", what.bytes()},
               {"vertices", problem.graph.edges.rows},
               {"edges", problem.counted_edges()}});
  for (const auto& [name, value] : what.numbers())
    std::visit([&](auto number) { line[name] = number; }, value);
  return line;
}

std::string table_of(const search_problem& problem, const measurement& result, const analysis& what,
                     executor_kind kind, const std::string& place) {
  std::string table =
      fmt::format("{} of {} on {} ({}): {}, {}\n", what.title(), host::printable(problem.graph.name),
                  name_of(kind), place, with_noun(problem.graph.edges.rows, "vertex", "vertices"),
                  with_noun(problem.graph.edges.atoms(), "edge"));
  if (result.error) return table + wrapped(fmt::format("FAILED: {}", one_line(*result.error)), "  ");
  std::string names, values;
  for (const auto& [name, value] : what.numbers()) {
    names += fmt::format("{:>14}", name);
    values += std::holds_alternative<double>(value) ? fmt::format("{:>14.3g}", std::get<double>(value))
                                                    : fmt::format("{:>14}", std::get<std::int64_t>(value));
  }
  const auto& time = result.time;
  table += fmt::format("  {}{:>12}{:>22}{:>14}\n", names, "median ms", "min .. max", "M edges/s");
  table += fmt::format("  {}{:>12}{:>22}{:>14.4g}\n", values, milliseconds(time.median),
                       fmt::format("{} .. {}", milliseconds(time.min), milliseconds(time.max)),
                       million_edges_per_s(problem, result, what));
  table += fmt::format("    {} bytes of memory in addition to graph and result\n", grouped(what.bytes()));
  if (kind == executor_kind::simt) table += "  times are simulated and say nothing about a GPU\n";
  return table;
}

} // namespace

bool time_analysis(const analysis_options& options, analysis& what) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  io::graph_source source(options.input, options.reading);
  for (const std::string& path : {options.output, options.map, options.json})
    if (!path.empty()) io::check_output(path);
  result_file file(options.json, [&] {
    auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
    head.update({{"search", what.name()},
                 {"input", io::input_name(options.input)},
                 {"undirected", options.reading.undirected},
                 {"executor", name_of(kind)}});
    return head;
  });
  report_results(file, options.report);
  bool is_right = true;
  std::string table;
  file.measure(options.input, [&] {
    const search_problem problem = load_graph_of(options, source, what);
    constexpr std::int64_t bytes_of_check = 48; // of a vertex
    place_options placing = placing_of(problem, options.bench, bytes_of_check * problem.graph.edges.rows);
    placing.memory.name = fmt::format("{} of {} vertices and {} edges", what.title(),
                                      problem.graph.edges.rows, problem.graph.edges.atoms());
    what.set_place(place_for_analysis(kind, what.view(problem), placing));
    const measurement result = measured(options, kind, problem, what);
    is_right = !result.error;
    table = table_of(problem, result, what, kind, what.time().place());
    file.add(json_of(problem, result, what));
    const io::vertex_labels& labels = problem.graph.labels;
    if (is_right && !options.output.empty()) what.write(options.output, labels);
    if (!options.map.empty()) write_labels(options.map, labels, problem.graph.edges.rows);
  });
  const bool to_stdout =
      options.json != "-" && options.report != "-" && options.output != "-" && options.map != "-";
  print(to_stdout ? stdout : stderr, table);
  file.finish();
  return is_right;
}

bool time_pagerank(const analysis_options& options) {
  pagerank_analysis what(options);
  return time_analysis(options, what);
}

bool time_core_numbers(const analysis_options& options) {
  core_analysis what;
  return time_analysis(options, what);
}

} // namespace evenly::graphs
