// SPDX-License-Identifier: Apache-2.0
// Shortest paths: by buckets in one launch, with what it chooses itself, with the settings that are best, and by each
// method; and from frontier to frontier under schedules, which is the loop on the host that libraries have.
//
//   bench_paths [--on cuda|cpu] [--sources N] [--schedules all|none|NAME] [--json FILE] [INPUT ...]
//
// INPUT is a file or a generator, as `evenly sssp` takes it; weights are the file's, or 1 to 255, of the edge. From
// each of N vertices that reach a sixteenth of all, the same on every run, each form searches, one after the other;
// shown is the median over the sources of the medians. What the first form finds is checked by its laws, all others are
// to find the same bits. Under schedules the first two sources have to do: they may take very long.
//
// The best settings are looked for from the first two sources: the width of buckets, the rounds, and how many entries
// are enough, one after the other, beginning with what the search chooses itself.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/schedules/registry.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "io/graph_input.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "search_times.hpp"

namespace {

using namespace evenly;
using namespace evenly::graphs;
using namespace evenly::measure;

const std::vector<std::string> usual_inputs = {"kron_g500-logn20", "as-Skitter",        "web-NotreDame",
                                               "regular8",         "great-britain_osm", "grid:x=3000,y=3000"};

/// A way without a schedule, or a schedule.
struct path_form {
  path_way way;
  std::optional<any_schedule> schedule = {};
};

std::vector<path_form> forms_of(const evenly::bench::arguments& args) {
  std::vector<path_form> forms{{{.name = "resident", .settings = {}}}};
  for (const auto& [name, method] : {std::pair("delta_stepping", graphs::path_method::delta_stepping),
                                     std::pair("near_far", graphs::path_method::near_far),
                                     std::pair("bellman_ford", graphs::path_method::bellman_ford)})
    forms.push_back({{.name = name, .settings = {.method = method}}});
  for (const any_schedule& each : evenly::bench::schedules_of(args)) forms.push_back({{}, each});
  return forms;
}

std::string text_of(const graphs::path_settings& settings) {
  char text[128];
  std::snprintf(text, sizeof(text), "delta %g, rounds %d, enough %lld", settings.delta, settings.rounds,
                static_cast<long long>(settings.target_entries));
  return text;
}

/// What is tried of the settings, each while the others stay.
std::vector<std::vector<graphs::path_settings>> trials_of(double mean_weight) {
  std::vector<std::vector<graphs::path_settings>> trials(3);
  for (int i = -6; i <= 6; ++i) trials[0].push_back({.delta = std::ldexp(mean_weight, i)});
  for (const int rounds : {1, 2, 4, 6, 8, 12, 16, 24}) trials[1].push_back({.rounds = rounds});
  for (const std::int64_t enough : {1, 500, 1000, 2000, 4000, 8000, 16000, 32000})
    trials[2].push_back({.target_entries = enough});
  return trials;
}

graphs::path_settings with(graphs::path_settings settings, const graphs::path_settings& changed) {
  if (changed.delta > 0) settings.delta = changed.delta;
  if (changed.rounds > 0) settings.rounds = changed.rounds;
  if (changed.target_entries > 0) settings.target_entries = changed.target_entries;
  return settings;
}

/// Whether a 16th of all vertices can be reached from there.
bool reaches_much(const csr_matrix<double>& edges, int source) {
  std::vector<char> seen(static_cast<std::size_t>(edges.rows), 0);
  std::vector<int> found{source};
  seen[source] = 1;
  for (std::size_t i = 0; i < found.size() && static_cast<std::int64_t>(found.size()) * 16 < edges.rows; ++i)
    for (int e = edges.offsets[found[i]]; e < edges.offsets[found[i] + 1]; ++e)
      if (!std::exchange(seen[edges.columns[e]], 1)) found.push_back(edges.columns[e]);
  return static_cast<std::int64_t>(found.size()) * 16 >= edges.rows;
}

/// Random ones, the same on every run and with every library. None where 1,000 of them reach too little.
std::vector<int> sources_of(const csr_matrix<double>& edges, int count) {
  std::vector<int> sources;
  std::mt19937 random(7);
  for (int tried = 0; std::ssize(sources) < count && tried < 1000 && edges.rows > 0; ++tried) {
    const auto v = static_cast<int>(random() % static_cast<unsigned>(edges.rows));
    if (edges.offsets[v + 1] > edges.offsets[v] && reaches_much(edges, v)) sources.push_back(v);
  }
  return sources;
}

class paths_of_input {
 public:
  paths_of_input(const std::string& name, const evenly::bench::arguments& args)
      : name_(std::filesystem::path(name).filename()), forms_(forms_of(args)),
        input_(io::load_graph(name, {})) {
    weights_ = weights_of(input_, input_.has_weights ? weight_source::file : weight_source::hash);
    sources_ = sources_of(input_.edges, args.number("--sources"));
    if (sources_.empty()) throw invalid_argument(name_ + ": no vertex was found that reaches a 16th of all");
    first_sources_ = {sources_.begin(), sources_.begin() + std::min<std::ptrdiff_t>(2, std::ssize(sources_))};
  }

  void measure_on(executor_kind kind, report& lines) {
    const graph_problem problem =
        std::visit([&](const auto& weights) -> graph_problem { return view(weights.data()); }, weights_);
    const std::unique_ptr<search_place> place = place_graph(kind, problem, {.bench = {.warm = true}});
    std::printf("%s on %s: %d vertices, %d edges\n", name_.c_str(), name_of(kind).c_str(), input_.edges.rows,
                input_.edges.atoms());
    bool is_first = true;
    for (const path_form& form : forms_) {
      add_line(kind, form, *place, lines);
      if (std::exchange(is_first, false))
        add_line(kind, {{.name = "best_settings", .settings = best_settings(*place)}}, *place, lines);
    }
  }

 private:
  template <class Weight> graph_view<Weight> view(const Weight* weights) const {
    const auto& edges = input_.edges;
    return {{edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()}, {}, weights};
  }

  graphs::path_settings best_settings(search_place& place) const {
    const double mean = std::visit(
        [](const auto& weights) {
          return std::accumulate(weights.begin(), weights.end(), 0.0) /
                 static_cast<double>(std::max<std::size_t>(weights.size(), 1));
        },
        weights_);
    graphs::path_settings best;
    double min = time_from_first(place, best);
    for (const auto& trials : trials_of(mean)) {
      const graphs::path_settings before = best;
      for (const graphs::path_settings& changed : trials) {
        const graphs::path_settings tried = with(before, changed);
        const double ms = time_from_first(place, tried);
        if (ms < min) {
          min = ms;
          best = tried;
        }
      }
    }
    return best;
  }
  double time_from_first(search_place& place, const graphs::path_settings& settings) const {
    const auto search = place.resident({.name = "", .settings = settings});
    double sum = 0;
    for (const int source : first_sources_) {
      search->run(source, {});
      std::vector<double> ms;
      for (int i = 0; i < 3; ++i) ms.push_back(place.time().time_once([&] { search->run(source, {}); }));
      sum += median_of(ms);
    }
    return sum;
  }

  void add_line(executor_kind kind, const path_form& form, search_place& place, report& lines) {
    const std::string name = form.schedule ? form.schedule->text() : form.way.name;
    const auto search = form.schedule ? place.under(*form.schedule) : place.resident(form.way);
    double frontiers = 0, visited = 0;
    const auto& sources = form.schedule ? first_sources_ : sources_;
    const measurement all = evenly::bench::measure_from(sources, *search, place.time(), [&](int source) {
      search->run(source, [&](const graphs::frontier_report& each, const char*) {
        frontiers += 1;
        visited += static_cast<double>(each.edges);
      });
      return first_error(source, search->result());
    });
    const double searches = static_cast<double>(sources.size());
    json::value head = {{"workload", name_},
                        {"op", "sssp"},
                        {"executor", name_of(kind)},
                        {"form", name},
                        {"vertices", input_.edges.rows},
                        {"edges", input_.edges.atoms()},
                        {"frontiers", frontiers / searches},
                        {"edges_visited", visited / searches},
                        {"sources", sources.size()}};
    if (!form.schedule) {
      head["bytes_a_vertex"] = static_cast<double>(search->bytes()) / input_.edges.rows;
      head["settings"] = text_of(form.way.settings);
    }
    lines.add(head, all);
    evenly::bench::print_time(name, all,
                              form.way.name == "best_settings" ? ", " + text_of(form.way.settings) : "");
  }

  std::optional<std::string> first_error(int source, found_paths found) {
    const auto known = right_.find(source);
    if (known != right_.end()) {
      if (known->second.values == found.values && known->second.parents == found.parents) return {};
      return "what is found differs from what the first form found, from " + std::to_string(source);
    }
    const auto wrong = std::visit(
        [&](const auto& weights) {
          using weight = typename std::remove_cvref_t<decltype(weights)>::value_type;
          using distance = std::conditional_t<std::is_same_v<weight, int>, std::int64_t, double>;
          return graphs::wrong_with_sssp(view(weights.data()), source,
                                         std::get<std::vector<distance>>(found.values), found.parents);
        },
        weights_);
    right_.emplace(source, std::move(found));
    return wrong;
  }

  std::string name_;
  std::vector<path_form> forms_;
  io::graph_input input_;
  edge_weights weights_;
  std::vector<int> sources_, first_sources_;
  std::map<int, found_paths> right_;
};

int run(const evenly::bench::arguments& args) {
  return evenly::bench::measure_inputs<paths_of_input>(args, usual_inputs);
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_paths", argc, argv, run,
                                 {{"--on", ""}, {"--sources", "8"}, {"--schedules", "merge_path"}});
}
