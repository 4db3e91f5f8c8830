// SPDX-License-Identifier: Apache-2.0
#include "graphs/search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "evenly/graph/persistent_bfs.hpp"
#include "evenly/graph/weights.hpp"
#include "generate/random.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/reported_frontiers.hpp"
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
#include "measure/usage_error.hpp"
#include "peers/peers.hpp"
#include "report/results_page.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::graphs {

using evenly::report::report_results;
using measure::candidate, measure::grouped, measure::measure, measure::measurement, measure::median_of,
    measure::milliseconds, measure::one_line, measure::prepared_run, measure::print,
    measure::require_executor, measure::result_file, measure::unchecked_output, measure::usage_error,
    measure::usual_executor, measure::wrapped;
using peers::candidates_of, peers::load_peers, peers::loaded_peer, peers::versions_of;

namespace {

std::string name_of(const search_form& form, const search_options& options) {
  return form ? form->text() : options.way.name;
}

// --- what is searched ---

graph_problem device_problem(const search_problem& problem, search_kind kind) {
  if (kind != search_kind::sssp) return problem.view<std::monostate>(nullptr);
  return std::visit([&](const auto& weights) -> graph_problem { return problem.view(weights.data()); },
                    problem.weights);
}

// --- what was found ---

graphs::complaint wrong_with(const search_problem& problem, const search_options& options, int source,
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
reached_part reached_by(const search_problem& problem, const found_paths& found) {
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
std::int64_t bytes_of_results(const search_problem& problem, search_kind kind) {
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

/// One algorithm or schedule, from all sources.
struct search_result {
  std::vector<double> ms;    ///< the median of each source
  std::vector<double> min;   ///< the fastest run from each source
  std::vector<double> max;   ///< the slowest
  std::vector<double> rates; ///< millions of edges per second
  std::int64_t frontiers = 0;
  std::size_t bytes = 0; ///< in addition to graph and result; 0: unknown
  reached_part reached;  ///< from the last source
  std::optional<std::string> error;
};

class timed_searches {
 public:
  timed_searches(const search_options& options, executor_kind kind, io::graph_source& source)
      : options_(options), kind_(kind), problem_(load_problem(options, source)),
        place_(place_graph(kind, device_problem(problem_, options.kind),
                           placing_of(problem_, options.bench, bytes_of_results(problem_, options.kind)))),
        on_{std::make_unique<lent_timer>(place_->time()), std::make_shared<unchecked_output>(), {}} {}

  const search_problem& problem() const { return problem_; }
  std::string place() const { return on_.time->place(); }
  /// The correct result from the last source.
  const std::optional<found_paths>& found() const { return found_; }
  /// The frontiers from the last source, of the last algorithm or schedule.
  const std::vector<frontier_report>& frontiers() const { return frontiers_; }
  /// One line per frontier if they are requested.
  const std::string& trace() const { return trace_; }

  /// Throws file_error for distances that overflow their type, and memory_error for too little memory, because these
  /// errors depend on the input only.
  search_result run(const search_form& form) {
    std::unique_ptr<device_search> search;
    return run_from_sources(
        [&](int source, search_result& result) { return candidate_of(form, source, search, result); });
  }

  /// A search by a peer. `peer`: one of peer_candidates().
  search_result run(const candidate& peer) {
    std::optional<prepared_run> ready;
    return run_from_sources([&](int source, search_result& result) {
      candidate made = peer;
      made.prepare = [&, source]() -> prepared_run {
        source_ = source;
        if (!ready) ready = peer.prepare();
        return *ready;
      };
      made.first_error = [&, source] { return wrong_with_peer(source, result); };
      return made;
    });
  }

  /// The peers, whose source is that of the current run. Throws usage_error if one refuses the search.
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

 private:
  /// candidate_from(source, result): the candidate of each source.
  template <class CandidateFrom> search_result run_from_sources(const CandidateFrom& candidate_from) {
    search_result result;
    for (const int source : problem_.sources) {
      const measurement m = measure(on_, candidate_from(source, result), repetition_of(options_, kind_));
      if (too_far_) throw io::file_error(describe(*too_far_));
      if (too_large_) throw host::memory_error(*too_large_);
      if (m.error) {
        result.error = *m.error;
        return result;
      }
      result.ms.push_back(m.time.median);
      result.min.push_back(m.time.min);
      result.max.push_back(m.time.max);
      result.rates.push_back(static_cast<double>(result.reached.edges) / m.time.median / 1e3);
    }
    return result;
  }

  /// Levels and distances are unique, so those of a peer must be those that were found from the source before.
  std::optional<std::string> wrong_with_peer(int source, search_result& result) const {
    const auto right = right_.find(source);
    if (right == right_.end()) return "there is no correct result to compare with";
    for (std::size_t v = 0; v < right->second.values.size(); ++v)
      if (v >= values_.size() || values_[v] != right->second.values[v])
        return fmt::format("vertex {} has {}, but must have {}", problem_.label(static_cast<int>(v)),
                           v < values_.size() ? std::to_string(values_[v]) : "no value",
                           right->second.values[v]);
    result.reached = right->second.reached;
    return {};
  }

  candidate candidate_of(const search_form& form, int source, std::unique_ptr<device_search>& search,
                         search_result& result) {
    const std::string name = name_of(form, options_);
    candidate made{.name = name, .title = name, .is_schedule = true};
    made.prepare = [&, source]() -> prepared_run {
      if (!search) search = placed(form);
      return {[this, &search, source] { search_from(source, *search); }};
    };
    made.first_error = [&, source]() -> std::optional<std::string> {
      found_paths found = search->result();
      if (auto wrong = wrong_with(problem_, options_, source, found)) return wrong;
      result.reached = reached_by(problem_, found);
      if (!options_.beside.empty()) right_[source] = {values_of(found), result.reached};
      found_ = std::move(found);
      count_frontiers(form, source, *search, result);
      return {};
    };
    return made;
  }

  std::unique_ptr<device_search> placed(const search_form& form) {
    try {
      if (options_.kind == search_kind::dfs) return place_->depth_first();
      return form ? place_->under(*form) : place_->resident(options_.way);
    } catch (const host::memory_error& e) {
      too_large_ = e.what();
      throw;
    }
  }

  void search_from(int source, device_search& search) {
    try {
      search.run(source, {});
    } catch (const host::memory_error& e) {
      too_large_ = e.what();
      throw;
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
  void count_frontiers(const search_form& form, int source, device_search& search, search_result& result) {
    const bool is_bfs = options_.kind == search_kind::bfs;
    const bool turns = is_bfs && !form; // whether the number of remaining edges matters
    const auto line = [turns](const auto& number, const auto& vertices, const auto& edges, const auto& left) {
      return fmt::format("  {:>8}{:>14}{:>14}", number, vertices, edges) +
             (turns ? fmt::format("{:>14}", left) : "");
    };
    if (options_.trace)
      trace_ += fmt::format("{} from {}{}\n{}\n", name_of(options_.kind), problem_.label(source), how(form),
                            line(is_bfs ? "level" : "round", "vertices", "edges", "edges left"));
    result.frontiers = 0;
    frontiers_.clear();
    result.bytes = search.bytes();
    std::int64_t left = problem_.graph.edges.atoms();
    search.run(source, [&](const frontier_report& each, const char* way) {
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
  search_problem problem_;
  std::unique_ptr<search_place> place_;
  bench on_;
  std::optional<found_paths> found_;
  std::optional<far_edge> too_far_;
  std::optional<std::string> too_large_; ///< the allocation that does not fit into memory
  std::vector<frontier_report> frontiers_;
  std::string trace_;
  struct right_result {
    std::vector<std::int64_t> values;
    reached_part reached;
  };
  std::map<int, right_result> right_; ///< by source, for peers
  int source_ = 0;                    ///< of a peer's next run
  std::vector<std::int64_t> values_;  ///< of a peer's last run
};

// --- output ---

std::string row_of(const std::string& name, const search_result& result) {
  if (result.error) return fmt::format("  {:<28}{:>10}\n", name, "FAILED");
  std::string row = fmt::format(
      "  {:<28}{:>10}{:>22}{:>14.4g}\n", name, milliseconds(median_of(result.ms)),
      fmt::format("{} .. {}", milliseconds(median_of(result.min)), milliseconds(median_of(result.max))),
      median_of(result.rates));
  if (result.ms.size() > 1) {
    const auto [fastest, slowest] = std::ranges::minmax(result.ms);
    row += fmt::format("    medians of the {} sources: {} .. {} ms\n", result.ms.size(),
                       milliseconds(fastest), milliseconds(slowest));
  }
  if (result.bytes > 0)
    row += fmt::format("    {} bytes of memory in addition to graph and result\n", grouped(result.bytes));
  return row;
}

json::value json_of(const std::string& name, const search_problem& problem, const search_result& result) {
  json::value line{{"schedule", name}, {"ok", !result.error}};
  if (result.error) {
    line.update({{"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}, {"medges_per_s", nullptr}});
    return line;
  }
  line.update({{"ms", median_of(result.ms)},
               {"ms_min", median_of(result.min)},
               {"ms_max", median_of(result.max)},
               {"medges_per_s", median_of(result.rates)},
               {"sources", named_sources(problem)},
               {"ms_of_sources", result.ms},
               {"frontiers", result.frontiers},
               {"bytes", result.bytes == 0 ? json::value() : json::value(result.bytes)},
               {"reached", result.reached.vertices},
               {"edges", result.reached.edges}});
  return line;
}

void write_found(const search_options& options, const timed_searches& searches) {
  if (!searches.found()) return;
  const io::vertex_labels& labels = searches.problem().graph.labels;
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
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  io::graph_source source(options.input, options.reading);
  check_outputs(options);
  const std::vector<loaded_peer> peers = load_peers(options.beside, {&kind, 1});
  reported_frontiers frontiers;
  result_file file(options.json, [&] {
    json::value head = head_of(kind, options);
    if (!peers.empty()) head["peers"] = versions_of(peers);
    return head;
  });
  report_results(file, options.report, [&] { return frontiers.json(); });
  bool all_right = true;
  std::string table;
  file.measure(options.input, [&] {
    timed_searches searches(options, kind, source);
    std::string rows =
        fmt::format("  {:<28}{:>10}{:>22}{:>14}\n", "form", "median ms", "min .. max", "M edges/s");
    std::string errors;
    const auto add = [&](const std::string& name, const std::string& title, const search_result& result) {
      all_right &= !result.error;
      rows += row_of(title, result);
      if (result.error) errors += wrapped(fmt::format("FAILED {}: {}", title, one_line(*result.error)), "  ");
      file.add(json_of(name, searches.problem(), result));
    };
    const std::vector<candidate> others = searches.peer_candidates(peers);
    for (const search_form& form : options.forms) {
      const search_result result = searches.run(form);
      frontiers.set(searches.frontiers());
      add(name_of(form, options), name_of(form, options), result);
    }
    for (const candidate& each : others) add(each.name, each.title, searches.run(each));
    table = searches.trace() + title_of(searches.problem(), options, kind, searches.place()) + rows + errors;
    if (kind == executor_kind::simt) table += "  times are simulated and say nothing about a GPU\n";
    write_found(options, searches);
    if (!options.map.empty())
      write_labels(options.map, searches.problem().graph.labels, searches.problem().graph.edges.rows);
  });
  const bool to_stdout = options.json != "-" && options.report != "-" && options.output != "-" &&
                         options.parents != "-" && options.map != "-";
  print(to_stdout ? stdout : stderr, table);
  file.finish();
  return all_right;
}

} // namespace evenly::graphs
