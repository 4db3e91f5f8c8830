// SPDX-License-Identifier: Apache-2.0
#include "graphs/search.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "evenly/graph/persistent_bfs.hpp"
#include "evenly/graph/weights.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/reported_frontiers.hpp"
#include "graphs/traversal_laws.hpp"
#include "graphs/vertex_lines.hpp"
#include "io/graph_input.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "peers/peers.hpp"
#include "report/measured_run.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::graphs {

using measure::bench, measure::candidate, measure::measurement, measure::median_of, measure::milliseconds,
    measure::prepared_run, measure::usage_error;
using peers::candidates_of, peers::load_peers, peers::loaded_peer, peers::versions_of;
using report::timed_table;

namespace {

std::string name_of(const search_form& form, const search_options& options) {
  return form ? form->text() : options.way.name;
}

// --- what is searched ---

graph_problem device_problem(const loaded_graph& problem, search_kind kind) {
  if (kind != search_kind::sssp) return problem.view<std::monostate>(nullptr);
  return std::visit([&](const auto& weights) -> graph_problem { return problem.view(weights.data()); },
                    problem.weights);
}

// --- what was found ---

graphs::complaint wrong_with(const loaded_graph& problem, const search_options& options, int source,
                             const found_paths& found) {
  const auto label = [&](int v) { return problem.label(v); };
  if (options.kind == search_kind::dfs)
    return graphs::wrong_with_dfs(problem.view<int>(nullptr).out, source, found.parents,
                                  std::get<std::vector<int>>(found.values), label);
  if (const auto* levels = std::get_if<std::vector<int>>(&found.values))
    return graphs::wrong_with_bfs(problem.view<int>(nullptr).out, source, *levels, found.parents, label,
                                  options.way.parents);
  if (const auto* distances = std::get_if<std::vector<std::int64_t>>(&found.values))
    return graphs::wrong_with_sssp(problem.view(std::get<std::vector<int>>(problem.weights).data()), source,
                                   *distances, found.parents, label);
  return graphs::wrong_with_sssp(problem.view(std::get<std::vector<double>>(problem.weights).data()), source,
                                 std::get<std::vector<double>>(found.values), found.parents, label);
}

struct reached_part {
  std::int64_t vertices = 0;
  std::int64_t edges = 0; ///< outgoing edges; an edge and its reverse count once in a symmetric graph
};

/// Reached vertices are those with a parent.
reached_part reached_by(const loaded_graph& problem, const found_paths& found) {
  reached_part reached;
  for (std::size_t v = 0; v < found.parents.size(); ++v) {
    if (found.parents[v] < 0) continue;
    ++reached.vertices;
    reached.edges += problem.degree(static_cast<int>(v));
  }
  if (problem.symmetric) reached.edges /= 2;
  return reached;
}

/// Upper bound of the results' memory on the host: two results, and their check.
std::int64_t bytes_of_results(const loaded_graph& problem, search_kind kind) {
  const std::int64_t of_vertex = kind == search_kind::sssp ? 2 * 12 + 9 : 2 * 8 + 4;
  return of_vertex * problem.graph.edges.rows;
}

/// Levels or whole distances, and -1 for vertices that are not reached: the form in which peers return them.
std::vector<std::int64_t> values_of(const found_paths& found) {
  std::vector<std::int64_t> values;
  std::visit([&](const auto& all) { values.assign(all.begin(), all.end()); }, found.values);
  for (std::size_t v = 0; v < values.size(); ++v)
    if (found.parents[v] < 0) values[v] = -1;
  return values;
}

// --- runs ---

/// One algorithm, schedule or peer, from all sources.
struct search_result {
  std::string name;
  std::string title;
  std::vector<double> ms = {};    ///< the median of each source
  std::vector<double> min = {};   ///< the fastest run from each source
  std::vector<double> max = {};   ///< the slowest
  std::vector<double> rates = {}; ///< millions of edges per second
  std::int64_t frontiers = 0;
  std::size_t bytes = 0;     ///< in addition to graph and result; 0: unknown
  reached_part reached = {}; ///< from the last source
  std::optional<std::string> error = {};
};

class timed_searches {
 public:
  timed_searches(const search_options& options, executor_kind kind, const loaded_graph& problem)
      : options_(options), kind_(kind), problem_(problem),
        place_(place_graph(
            kind, device_problem(problem_, options.kind),
            placing_of("a search", problem_, options.bench, bytes_of_results(problem_, options.kind)))),
        on_(bench_of(place_->time())) {}

  std::string place() const { return on_.time->place(); }
  /// The correct result from the last source.
  const std::optional<found_paths>& found() const { return found_; }
  /// The frontiers from the last source, of the last algorithm or schedule.
  const std::vector<frontier_report>& frontiers() const { return frontiers_; }
  /// One line per frontier if they are requested.
  const std::string& trace() const { return trace_; }

  /// All forms, and then the peers. These take turns with all forms; otherwise each form is measured alone, so that
  /// others take no memory. Throws file_error for distances that overflow their type, and memory_error for too little
  /// memory, because these errors depend on the input only; usage_error if a peer refuses the search.
  std::vector<search_result> run(std::span<const loaded_peer> peers) {
    const std::vector<candidate> others = peer_candidates(peers);
    if (!others.empty()) return run_in_turns(options_.forms, others);
    std::vector<search_result> all;
    for (const search_form& form : options_.forms)
      all.push_back(std::move(run_in_turns({&form, 1}, {}).front()));
    return all;
  }

 private:
  std::vector<candidate> peer_candidates(std::span<const loaded_peer> peers) {
    if (peers.empty()) return {};
    const auto& edges = problem_.graph.edges;
    csr_view<int> view{edges.rows, edges.cols, edges.offsets.data(), edges.columns.data(), nullptr};
    if (options_.kind == search_kind::sssp) {
      const auto* const weights = std::get_if<std::vector<int>>(&problem_.weights);
      if (weights == nullptr)
        throw usage_error("--beside " + peers.front().about->name +
                          ": peers need weights that are whole numbers: add --weights hash or unit");
      view.values = weights->data();
    }
    return candidates_of(peers, kind_, peers::graph_search{view, &source_, &values_},
                         place_->time().threads());
  }

  std::vector<search_result> run_in_turns(std::span<const search_form> forms,
                                          std::span<const candidate> others) {
    std::vector<search_result> results;
    for (const search_form& form : forms)
      results.push_back({name_of(form, options_), name_of(form, options_)});
    for (const candidate& each : others) results.push_back({each.name, each.title});
    std::vector<std::unique_ptr<device_search>> searches(forms.size());
    std::vector<prepared_run> ready(others.size());
    for (const int source : problem_.sources) {
      source_ = source;
      right_.reset();
      std::vector<candidate> all;
      std::vector<search_result*> whose;
      for (std::size_t i = 0; i < results.size(); ++i) {
        search_result& result = results[i];
        if (result.error) continue;
        all.push_back(i < forms.size()
                          ? candidate_of(forms[i], searches[i], result)
                          : candidate_of(others[i - forms.size()], ready[i - forms.size()], result));
        whose.push_back(&result);
      }
      const auto measured = measure_in_turns(on_, all, report::few_rounds(options_.repeat, kind_, false));
      if (too_far_) throw io::file_error(describe(*too_far_));
      within_memory_.rethrow();
      for (std::size_t i = 0; i < measured.size(); ++i) take(measured[i], *whose[i]);
    }
    return results;
  }

  static void take(const measurement& m, search_result& result) {
    result.error = m.error;
    if (m.error) return;
    result.ms.push_back(m.time.median);
    result.min.push_back(m.time.min);
    result.max.push_back(m.time.max);
    result.rates.push_back(static_cast<double>(result.reached.edges) / m.time.median / 1e3);
  }

  candidate candidate_of(const candidate& peer, prepared_run& ready, search_result& result) {
    candidate made = peer;
    made.prepare = [&] {
      if (!ready.run) ready = peer.prepare();
      return ready;
    };
    made.first_error = [&] { return wrong_with_peer(result); };
    return made;
  }

  /// Levels and distances are unique, so those of a peer must be those that a form found from the same source.
  std::optional<std::string> wrong_with_peer(search_result& result) const {
    if (!right_) return "there is no correct result to compare with";
    const std::vector<std::int64_t>& right = right_->values;
    for (std::size_t v = 0; v < right.size(); ++v)
      if (v >= values_.size() || values_[v] != right[v])
        return fmt::format("vertex {} has {}, but must have {}", problem_.label(static_cast<int>(v)),
                           v < values_.size() ? std::to_string(values_[v]) : "no value", right[v]);
    result.reached = right_->reached;
    return {};
  }

  candidate candidate_of(const search_form& form, std::unique_ptr<device_search>& search,
                         search_result& result) {
    candidate made{.name = result.name, .title = result.title, .is_schedule = true};
    made.prepare = [&]() -> prepared_run {
      if (!search) search = within_memory_([&] { return placed(form); });
      return {[this, &search] { search_from(*search); }};
    };
    made.first_error = [&]() -> std::optional<std::string> {
      found_paths found = search->result();
      if (auto wrong = wrong_with(problem_, options_, source_, found)) return wrong;
      result.reached = reached_by(problem_, found);
      if (!options_.beside.empty()) right_ = {values_of(found), result.reached};
      found_ = std::move(found);
      count_frontiers(form, *search, result);
      return {};
    };
    return made;
  }

  std::unique_ptr<device_search> placed(const search_form& form) {
    if (options_.kind == search_kind::dfs) return place_->depth_first();
    return form ? place_->under(*form) : place_->resident(options_.way);
  }

  void search_from(device_search& search) {
    try {
      within_memory_([&] { search.run(source_, {}); });
    } catch (const distance_overflow& e) {
      too_far_ = e.where();
      throw;
    }
  }

  std::string describe(const far_edge& edge) const {
    return fmt::format("{}: the edge from {} to {} has weight {}: added to the distance of its start, {}, it "
                       "overflows 64 bits",
                       problem_.graph.source, problem_.label(static_cast<int>(edge.from)),
                       problem_.label(static_cast<int>(edge.to)), edge.weight, edge.distance);
  }

  /// Runs once more to count the frontiers and, if requested, to log them.
  void count_frontiers(const search_form& form, device_search& search, search_result& result) {
    const bool is_bfs = options_.kind == search_kind::bfs;
    const bool turns = is_bfs && !form; // whether the number of remaining edges matters
    const auto line = [turns](const auto& number, const auto& vertices, const auto& edges, const auto& left) {
      return fmt::format("  {:>8}{:>14}{:>14}", number, vertices, edges) +
             (turns ? fmt::format("{:>14}", left) : "");
    };
    if (options_.trace)
      trace_ += fmt::format("{} from {}{}\n{}\n", name_of(options_.kind), problem_.label(source_), how(form),
                            line(is_bfs ? "level" : "round", "vertices", "edges", "edges left"));
    result.frontiers = 0;
    frontiers_.clear();
    result.bytes = search.bytes();
    std::int64_t left = problem_.graph.edges.atoms();
    search.run(source_, [&](const frontier_report& each, const char* way) {
      ++result.frontiers;
      frontiers_.push_back(each);
      left -= each.edges;
      if (options_.trace)
        trace_ += line(each.number, each.vertices, each.edges, left) +
                  fmt::format("{}{}\n", *way == '\0' ? "" : "  ", way);
    });
  }

  std::string how(const search_form& form) const {
    if (form) return " under " + form->text();
    if (options_.kind == search_kind::sssp) return ", " + options_.way.name;
    const search_rule rule;
    return fmt::format(", one persistent kernel; bottom-up above (edges left) / {:g} edges (alpha), top-down "
                       "again below vertices / {:g} (beta)",
                       rule.alpha, rule.beta);
  }

  const search_options& options_;
  executor_kind kind_;
  const loaded_graph& problem_;
  std::unique_ptr<search_place> place_;
  bench on_;
  std::optional<found_paths> found_;
  std::optional<far_edge> too_far_;
  memory_guard within_memory_;
  std::vector<frontier_report> frontiers_;
  std::string trace_;
  struct right_result {
    std::vector<std::int64_t> values;
    reached_part reached;
  };
  std::optional<right_result> right_; ///< from the current source, for peers
  int source_ = 0;                    ///< of the current runs
  std::vector<std::int64_t> values_;  ///< of a peer's last run
};

// --- output ---

void add_row(timed_table& table, const search_result& result) {
  if (result.error) return table.failed(result.title, *result.error);
  table.row(result.title, {median_of(result.ms), median_of(result.min), median_of(result.max)},
            {fmt::format("{:.4g}", median_of(result.rates))});
  if (result.ms.size() > 1) {
    const auto [fastest, slowest] = std::ranges::minmax(result.ms);
    table.note(fmt::format("medians of the {} sources: {} .. {} ms", result.ms.size(), milliseconds(fastest),
                           milliseconds(slowest)));
  }
  if (result.bytes > 0) table.note(memory_note(result.bytes));
}

json::value json_of(const loaded_graph& problem, const search_result& result) {
  json::value line{{"schedule", result.name}, {"ok", !result.error}};
  if (result.error) {
    measure::put_times(line, {}, false);
    line["medges_per_s"] = nullptr;
    return line;
  }
  measure::put_times(line, {median_of(result.ms), median_of(result.min), median_of(result.max)}, true);
  line.update({{"medges_per_s", median_of(result.rates)},
               {"sources", named_sources(problem)},
               {"ms_of_sources", result.ms},
               {"frontiers", result.frontiers},
               {"bytes", result.bytes == 0 ? json::value() : json::value(result.bytes)},
               {"reached", result.reached.vertices},
               {"edges", result.reached.edges}});
  return line;
}

void write_found(const search_options& options, const loaded_graph& problem, const timed_searches& searches) {
  if (!searches.found()) return;
  const io::vertex_labels& labels = problem.graph.labels;
  const auto& [values, parents] = *searches.found();
  if (!options.output.empty())
    std::visit([&](const auto& of_vertices) { write_vertex_values(options.output, labels, of_vertices); },
               values);
  if (!options.parents.empty()) write_parents(options.parents, labels, parents);
}

} // namespace

std::vector<any_schedule> search_schedules() { return evenly::detail::frontier_schedules(); }

bool time_search(const search_options& options) {
  if (options.together) return time_together(options);
  const executor_kind kind = report::executor_of(options.executor);
  const std::vector<loaded_peer> peers = load_peers(options.beside, {&kind, 1});
  json::value head;
  if (!peers.empty()) head["peers"] = versions_of(peers);
  reported_frontiers frontiers;
  return time_on_graph(
      options,
      {.name = name_of(options.kind),
       .load = [&](io::graph_source& source) { return load_problem(options, source); },
       .run =
           [&](executor_kind, const loaded_graph& problem, measure::result_file& file, std::string& text) {
             timed_searches searches(options, kind, problem);
             timed_table table("form", {{"M edges/s", 14}}, 28);
             bool all_right = true;
             for (const search_result& each : searches.run(peers)) {
               all_right &= !each.error;
               add_row(table, each);
               file.add(json_of(problem, each));
             }
             frontiers.set(searches.frontiers());
             text = searches.trace() + title_of(problem, options, kind, searches.place()) + table.text();
             write_found(options, problem, searches);
             return all_right;
           },
       .head = head,
       .of_page = [&] { return frontiers.json(); }});
}

} // namespace evenly::graphs
