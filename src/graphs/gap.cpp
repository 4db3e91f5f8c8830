// SPDX-License-Identifier: Apache-2.0
#include "graphs/gap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/triangles.hpp"
#include "generate/generators.hpp"
#include "graphs/analysis_laws.hpp"
#include "graphs/analysis_place.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/gap_steps.hpp"
#include "graphs/generated_gap.hpp"
#include "graphs/graph_run.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/ranked_place.hpp"
#include "graphs/traversal_laws.hpp"
#include "host/errors.hpp"
#include "host/remarks.hpp"
#include "io/edge_list.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "report/measured_run.hpp"
#include "report/results_page.hpp"
#include "report/table.hpp"

namespace evenly::graphs {

using measure::find_cuda, measure::grouped, measure::one_line, measure::print, measure::result_file,
    measure::result_head, measure::with_noun, measure::wrapped;

namespace {

struct known_kernel {
  const char* name;
  int trials; ///< GAP's
};
constexpr known_kernel kernels[] = {{"bfs", 64}, {"sssp", 64}, {"pr", 16}, {"cc", 16}, {"bc", 16}, {"tc", 3}};

/// The kernels on one graph.
class gap_runs {
 public:
  virtual ~gap_runs() = default;
  virtual gap_result run(const std::string& kernel, int trials) = 0;
  virtual std::string title() const = 0;
  virtual std::int64_t vertices() const = 0;
  virtual std::int64_t edges() const = 0;
};

class loaded_runs final : public gap_runs {
 public:
  loaded_runs(const gap_options& options, executor_kind kind, loaded_graph problem)
      : options_(options), kind_(kind), problem_(std::move(problem)) {}

  gap_result run(const std::string& kernel, int trials) override {
    gap_result result;
    result.kernel = kernel;
    if (kernel == "bfs") time_bfs(result, trials);
    if (kernel == "sssp") time_sssp(result, trials);
    if (kernel == "pr") time_pagerank(result, trials);
    if (kernel == "cc") time_components(result, trials);
    if (kernel == "bc") time_betweenness(result, trials);
    if (kernel == "tc") time_triangles(result, trials);
    return result;
  }
  std::string title() const override { return title_of("GAP", problem_, kind_, place_); }
  std::int64_t vertices() const override { return problem_.graph.edges.rows; }
  std::int64_t edges() const override { return problem_.counted_edges(); }

 private:
  auto label() const {
    return [this](int v) { return problem_.label(v); };
  }
  place_options placing(const char* what) const {
    constexpr std::int64_t bytes_of_check = 48; // of a vertex
    return placing_of(what, problem_, options_.bench, bytes_of_check * problem_.graph.edges.rows);
  }
  std::unique_ptr<analysis_place> place_graph_for(const char* what) const {
    return place_for_analysis(kind_, problem_.view<double>(nullptr), placing(what));
  }

  void time_trials(gap_result& result, timer& time, int trials, const gap_steps& steps) {
    place_ = time.place();
    graphs::time_trials(result, time, trials, kind_ == executor_kind::cuda, steps);
  }
  gap_sources sources_of_graph() const {
    return {problem_.graph.edges.rows, [this](int v) { return problem_.degree(v) > 0; }};
  }

  template <class Wrong>
  void time_searches(gap_result& result, int trials, const graph_problem& graph, const path_way& way,
                     const char* what, const Wrong& wrong) {
    const auto place = place_graph(kind_, graph, placing(what));
    const auto search = place->resident(way);
    gap_sources sources = sources_of_graph();
    int source = 0;
    time_trials(result, place->time(), trials,
                {.prepare = [&](int) { source = sources.next(); },
                 .run = [&] { search->run(source, {}); },
                 .wrong = [&](int) { return wrong(source, search->result()); }});
    result.bytes = static_cast<std::int64_t>(search->bytes());
  }

  void time_bfs(gap_result& result, int trials) {
    path_way way;
    way.parents = parent_rule::any;
    time_searches(result, trials, problem_.view<std::monostate>(nullptr), way, "a breadth-first search",
                  [&](int source, const found_paths& found) {
                    return wrong_with_bfs(problem_.view<int>(nullptr).out, source,
                                          std::get<std::vector<int>>(found.values), found.parents, label(),
                                          way.parents);
                  });
  }

  void time_sssp(gap_result& result, int trials) {
    const bool has_weights = problem_.graph.has_weights;
    if (!has_weights)
      host::print_remark(
          fmt::format("{}: the edges have no weights: for sssp each weighs 1 to 255, a hash of "
                      "the edge",
                      problem_.graph.source));
    problem_.weights = weights_of(problem_.graph, has_weights ? weight_source::file : weight_source::hash);
    std::visit(
        [&](const auto& weights) {
          using distance = distance_of_weight<typename std::decay_t<decltype(weights)>::value_type>;
          const auto graph = problem_.view(weights.data());
          time_searches(result, trials, graph, {.settings = {.delta = options_.delta}}, "shortest paths",
                        [&](int source, const found_paths& found) {
                          return wrong_with_sssp(graph, source, std::get<std::vector<distance>>(found.values),
                                                 found.parents, label());
                        });
        },
        problem_.weights);
    problem_.weights = {};
  }
  template <class Weight>
  using distance_of_weight = std::conditional_t<std::is_same_v<Weight, int>, std::int64_t, Weight>;

  void time_pagerank(gap_result& result, int trials) {
    const auto place = place_graph_for("PageRank");
    const pagerank_options options{.tolerance = 1e-4};
    values_pointer<double> ranks;
    pagerank_totals totals;
    time_trials(result, place->time(), trials,
                {.run =
                     [&] {
                       ranks = place->pagerank(options);
                       totals = ranks->run();
                     },
                 .wrong = same_result([&] { return ranks->result(); },
                                      [&](const std::vector<double>& scores) {
                                        return wrong_with_pagerank(problem_.view<double>(nullptr), options,
                                                                   scores, label());
                                      })});
    result.bytes = static_cast<std::int64_t>(ranks->bytes());
    result.name = "iterations";
    result.number = totals.iterations;
  }

  void time_components(gap_result& result, int trials) {
    if (ranks_in_use() > 0) make_symmetric(); // ranks take minima along edges
    const auto place = place_graph_for("connected components");
    const auto components = place->connected_components();
    time_trials(result, place->time(), trials,
                {.run = [&] { components->run(); },
                 .wrong = same_result([&] { return components->result(); },
                                      [&](const std::vector<int>& labels) {
                                        for (std::size_t v = 0; v < labels.size(); ++v)
                                          result.number += labels[v] == static_cast<int>(v) ? 1 : 0;
                                        return wrong_with_connected_components(
                                            problem_.view<double>(nullptr).out, labels, label());
                                      })});
    result.bytes = sizeof(int);
    result.name = "components";
  }

  void time_betweenness(gap_result& result, int trials) {
    constexpr int sources_of_trial = 4;
    const auto place = place_graph_for("betweenness");
    gap_sources picker = sources_of_graph();
    std::vector<int> sources(sources_of_trial);
    values_pointer<double> search;
    time_trials(result, place->time(), trials,
                {.prepare =
                     [&](int) {
                       for (int& source : sources) source = picker.next();
                       search = place->betweenness(sources, betweenness_scale::sums);
                     },
                 .run = [&] { search->run(); },
                 .wrong =
                     [&](int) {
                       return wrong_with_betweenness(problem_.view<double>(nullptr).out, sources,
                                                     search->result(), 1, label());
                     }});
    const int rows = problem_.graph.edges.rows;
    const int searches = concurrent_searches(std::max(place->time().threads(), 1), rows, sources_of_trial);
    result.bytes = betweenness_bytes(rows, searches);
  }

  void make_symmetric() {
    if (problem_.symmetric) return;
    problem_.graph.edges = io::both_directions(problem_.graph.edges);
    problem_.symmetric = true;
  }
  /// Of the undirected graph, as in GAP.
  void time_triangles(gap_result& result, int trials) {
    make_symmetric();
    const auto place = place_graph_for("triangles");
    const auto count = place->triangle_count();
    time_trials(result, place->time(), trials,
                {.run = [&] { result.number = count(); },
                 .wrong = same_result([&] { return result.number; },
                                      [&](std::int64_t all) -> complaint {
                                        constexpr std::int64_t max_steps = 2'000'000'000;
                                        const auto triangles = place->triangles();
                                        triangles->run();
                                        const std::vector<std::int64_t> counts = triangles->result();
                                        const std::int64_t sum =
                                            std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
                                        if (sum != 3 * all)
                                          return say("the graph has ", all,
                                                     " triangles, but its vertices have ", sum);
                                        return wrong_with_triangles(problem_.view<double>(nullptr).out,
                                                                    counts, max_steps, label());
                                      })});
    result.bytes = triangle_bytes(problem_.graph.edges.rows, problem_.graph.edges.atoms());
    result.name = "triangles";
  }

  const gap_options& options_;
  executor_kind kind_;
  loaded_graph problem_;
  std::string place_;
};

/// On a graph that was generated on the executor.
class generated_runs final : public gap_runs {
 public:
  generated_runs(const gap_options& options, executor_kind kind, const std::string& input,
                 const gap_shape& shape)
      : options_(options), kind_(kind), input_(input), graph_(generate_gap(kind, shape, options.bench)) {
    if (graph_->entries() == 0)
      throw host::spec_error(input_ + ": the graph has no edges, but sources need some");
  }

  gap_result run(const std::string& kernel, int trials) override {
    gap_result result;
    result.kernel = kernel;
    const gap_steps steps = graph_->steps(kernel, options_.delta, result);
    time_trials(result, graph_->time(), trials, kind_ == executor_kind::cuda, steps);
    return result;
  }
  std::string title() const override {
    return fmt::format("GAP of {} on {} ({}): {}, {}", host::printable(input_), name_of(kind_),
                       graph_->time().place(), with_noun(vertices(), "vertex", "vertices"),
                       with_noun(graph_->entries(), "edge"));
  }
  std::int64_t vertices() const override { return graph_->vertices(); }
  std::int64_t edges() const override { return graph_->entries() / 2; }

 private:
  const gap_options& options_;
  executor_kind kind_;
  std::string input_;
  std::unique_ptr<generated_gap> graph_;
};

json::value json_of(const std::string& graph, const gap_runs& runs, const gap_result& result) {
  json::value line{{"workload", graph}, {"schedule", result.kernel}, {"ok", !result.error}};
  if (result.error) {
    line.update({{"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}});
    return line;
  }
  const auto [min, max] = std::ranges::minmax(result.ms);
  line.update({{"ms", result.mean()},
               {"ms_min", min},
               {"ms_max", max},
               {"trials", result.ms.size()},
               {"bytes", result.bytes},
               {"vertices", runs.vertices()},
               {"edges", runs.edges()}});
  if (!result.name.empty()) line[result.name] = result.number;
  return line;
}

void add_row(report::table& table, std::string& errors, const gap_result& result) {
  if (result.error) {
    table.row({result.kernel, "FAILED"});
    errors += wrapped(fmt::format("FAILED {}: {}", result.kernel, one_line(*result.error)), "  ");
    return;
  }
  const auto [min, max] = std::ranges::minmax(result.ms);
  table.row({result.kernel, std::to_string(result.ms.size()), fmt::format("{:.6f}", result.mean() / 1e3),
             fmt::format("{:.6f} .. {:.6f}", min / 1e3, max / 1e3),
             grouped(static_cast<std::size_t>(result.bytes)),
             result.name.empty() ? "" : std::to_string(result.number)});
}

/// Throws file_error if the graph has no edges.
loaded_graph load_graph_of(io::graph_source& source) {
  loaded_graph problem;
  problem.graph = source.load();
  problem.symmetric = io::is_symmetric(problem.graph.edges);
  if (problem.graph.edges.atoms() == 0)
    throw io::file_error(problem.graph.source + ": the graph has no edges, but sources need some");
  return problem;
}

std::unique_ptr<gap_runs> make_runs(const gap_options& options, executor_kind kind,
                                    const std::string& input) {
  const auto shape = shape_in_place(options, input);
  const bool is_large = shape && 2 * shape->edges() > std::numeric_limits<int>::max();
  if (shape && (options.in_place || (is_large && ranks_in_use() == 0)))
    return std::make_unique<generated_runs>(options, kind, input, *shape);
  io::graph_source source(input, options.reading);
  return std::make_unique<loaded_runs>(options, kind, load_graph_of(source));
}

} // namespace

std::vector<std::string> gap_kernels() {
  std::vector<std::string> names;
  for (const known_kernel& each : kernels) names.emplace_back(each.name);
  return names;
}

std::optional<gap_shape> shape_in_place(const gap_options& options, const std::string& input) {
  if (options.reading.format || io::names_file(input)) return {};
  return generate::gap_shape_of(input);
}

bool time_gap(const gap_options& options) {
  const executor_kind kind = report::executor_of(options.executor);
  result_file file(options.json, [&] {
    auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
    head.update({{"benchmark", "gap"}, {"executor", name_of(kind)}});
    if (options.delta > 0) head["delta"] = options.delta;
    if (ranks_in_use() > 0) head["ranks"] = ranks_in_use();
    return head;
  });
  report::report_results(file, options.report);
  file.expect(options.inputs);
  const bool to_stdout = options.json != "-" && options.report != "-";
  bool is_right = true;
  for (const std::string& input : options.inputs)
    file.measure(input, [&] {
      const auto runs = make_runs(options, kind, input);
      report::table table({"kernel", "trials", "mean s", "min .. max", "bytes", "result"},
                          {-6, 8, 10, 23, 14, 15});
      std::string errors;
      for (const std::string& kernel : options.kernels.empty() ? gap_kernels() : options.kernels) {
        const int trials = std::ranges::find(kernels, kernel, &known_kernel::name)->trials;
        const gap_result result = runs->run(kernel, options.trials > 0 ? options.trials : trials);
        is_right &= !result.error;
        file.add(json_of(input, *runs, result));
        add_row(table, errors, result);
      }
      print(to_stdout ? stdout : stderr, runs->title() + "\n" + table.text() + errors);
    });
  file.finish();
  return is_right;
}

} // namespace evenly::graphs
