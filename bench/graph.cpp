// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: in one launch that stays, and from frontier to frontier under every schedule that takes sizes
// from the device, which is the loop on the host that libraries have.
//
//   bench_graph [--on cuda|cpu] [--sources N] [--schedules all|none|NAME] [--json FILE] [INPUT ...]
//
// INPUT is a file or a generator, as `evenly bfs` takes it; without: graphs with the names and the properties of
// well-known ones, a grid and a strip. From each of N vertices with edges, the same on every run, each form searches,
// one after the other; shown is the median over the sources of the medians. What the form that stays finds from a
// source is checked by its laws, and all others are to find the same bits. `together`: 64 searches in one launch,
// beside as many of the form that stays, one by one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/graph/persistent_together.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "io/edge_list.hpp"
#include "io/graph_input.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "search_times.hpp"

namespace {

using namespace evenly;
using namespace evenly::graphs;
using namespace evenly::measure;

const std::vector<std::string> usual_inputs = {"kron_g500-logn20", "as-Skitter",        "web-NotreDame",
                                               "regular8",         "great-britain_osm", "grid:x=3000,y=3000",
                                               "grid:x=30,y=20000"};

class searches_of_input {
 public:
  searches_of_input(const std::string& name, const evenly::bench::arguments& args)
      : name_(name.substr(name.find_last_of('/') + 1)), schedules_(evenly::bench::schedules_of(args)),
        input_(io::load_graph(name, {})) {
    const auto& edges = input_.edges;
    view_.out = {edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()};
    if (io::is_symmetric(edges)) view_.in = view_.out;
    sources_ = random_sources(edges, args.number("--sources"));
  }

  void measure_on(executor_kind kind, report& lines) {
    std::printf("%s on %s: %d vertices, %d edges%s\n", name_.c_str(), name_of(kind).c_str(),
                view_.out.vertices, view_.out.edges, view_.is_undirected() ? ", undirected" : "");
    const std::unique_ptr<search_place> place = place_graph(kind, view_, {.bench = {.warm = true}});
    add_line(kind, "resident", *place->resident(), *place, lines);
    for (const any_schedule& each : schedules_)
      add_line(kind, each.text(), *place->under(each), *place, lines);
    add_together(kind, *place, lines);
  }

 private:
  void add_line(executor_kind kind, const std::string& name, device_search& search, search_place& place,
                report& lines) {
    std::vector<int> levels;
    const measurement all = evenly::bench::measure_from(sources_, search, place.time(), [&](int source) {
      const std::optional<std::string> error = first_error(source, search);
      levels.push_back(levels_);
      return error;
    });
    std::vector<double> us_a_level;
    for (std::size_t s = 0; s < all.time.rounds.size(); ++s)
      us_a_level.push_back(1000 * all.time.rounds[s] / levels[s]);
    const double us = us_a_level.empty() ? 0 : median_of(us_a_level);
    std::ranges::sort(levels);
    lines.add({{"workload", name_},
               {"op", "bfs"},
               {"executor", name_of(kind)},
               {"form", name},
               {"vertices", view_.out.vertices},
               {"edges", view_.out.edges},
               {"levels", levels.empty() ? 0 : levels[levels.size() / 2]}, // as many from half of the sources
               {"bytes_a_vertex", static_cast<double>(search.bytes()) / view_.out.vertices},
               {"us_a_level", us}},
              all);
    char level[64];
    std::snprintf(level, sizeof(level), ", %8.3f us a level, of %d to %d", us,
                  levels.empty() ? 0 : levels.front(), levels.empty() ? 0 : levels.back());
    evenly::bench::print_time(name, all, level);
  }

  /// From 64 vertices at once, beside as many searches one by one; each is to find what the one finds.
  void add_together(executor_kind kind, search_place& place, report& lines) {
    const std::vector<int> sources = random_sources(input_.edges, graphs::max_together);
    const std::unique_ptr<device_search> single = place.resident();
    const std::unique_ptr<device_together> together = place.together();
    std::int64_t frontiers = 0;
    together->run(sources, [&](const graphs::frontier_report&, const char*) { ++frontiers; });
    const std::vector<int> levels = together->result();
    measurement all;
    double one_by_one = 0;
    for (std::size_t s = 0; s < sources.size() && !all.error; ++s) {
      all.error = first_error(sources[s], *single, levels, s, sources.size());
      one_by_one += evenly::bench::median_time(sources[s], *single, place.time());
    }
    if (!all.error) {
      std::vector<double> rounds;
      for (int i = 0; i < 5; ++i)
        rounds.push_back(place.time().time_once([&] { together->run(sources, {}); }));
      all.time = timing_of(rounds);
    }
    const double each = all.time.median / static_cast<double>(sources.size());
    lines.add({{"workload", name_},
               {"op", "bfs together"},
               {"executor", name_of(kind)},
               {"form", "together"},
               {"vertices", view_.out.vertices},
               {"edges", view_.out.edges},
               {"levels", frontiers},
               {"searches", sources.size()},
               {"searches_per_s", 1000 / each},
               {"times_one_by_one", one_by_one / all.time.median},
               {"ms_one_by_one", one_by_one},
               {"bytes_a_vertex", static_cast<double>(together->bytes()) / view_.out.vertices}},
              all);
    char rate[96];
    std::snprintf(rate, sizeof(rate), ", %zu searches, %.0f a second, %.1f times as many as one by one",
                  sources.size(), 1000 / each, one_by_one / all.time.median);
    evenly::bench::print_time("together", all, rate);
  }

  /// What is wrong with level s of each vertex, where a search has found others.
  std::optional<std::string> first_error(int source, device_search& search, const std::vector<int>& levels,
                                         std::size_t s, std::size_t searches) {
    search.run(source, {});
    const found_paths found = search.result();
    const auto& right = std::get<std::vector<int>>(found.values);
    for (std::size_t v = 0; v < right.size(); ++v)
      if (levels[v * searches + s] != right[v])
        return "from " + std::to_string(source) + " vertex " + std::to_string(v) + " is on level " +
               std::to_string(right[v]) + ", and together on " + std::to_string(levels[v * searches + s]);
    return {};
  }

  /// What is wrong with what is found; and how many levels there are.
  std::optional<std::string> first_error(int source, device_search& search) {
    search.run(source, {});
    found_paths found = search.result();
    const auto& levels = std::get<std::vector<int>>(found.values);
    levels_ = *std::ranges::max_element(levels) + 1;
    const auto [right, is_new] = right_.try_emplace(source, found);
    if (is_new) return graphs::wrong_with_bfs(view_.out, source, levels, found.parents);
    if (right->second.values == found.values && right->second.parents == found.parents) return {};
    return "what is found differs from what the first form found, from " + std::to_string(source);
  }

  std::string name_; ///< of a file without its folder
  std::vector<any_schedule> schedules_;
  io::graph_input input_;
  graph_view<std::monostate> view_;
  std::vector<int> sources_;
  std::map<int, found_paths> right_;
  int levels_ = 1;
};

int run(const evenly::bench::arguments& args) {
  return evenly::bench::measure_inputs<searches_of_input>(args, usual_inputs);
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_graph", argc, argv, run,
                                 {{"--on", ""}, {"--sources", "8"}, {"--schedules", "all"}});
}
