// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and shortest paths on the cores of this machine, in the launch that stays, beside Boost.Graph
// and scipy.sparse.csgraph, which go on one core.
//
//   bench_graph_cpu [--threads N] [--sources N] [--python PROGRAM] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly bfs` takes it. Weights are 1 to 255, by a hash of the edge. From each of N vertices with edges
// each runs a few times; shown is the median over the sources of the medians. Results are held to the laws; those of
// the others are compared with ours: levels, distances, and of scipy's breadth_first_order, which finds no levels,
// whether parents are on the level before. Without Boost.Graph's headers, or a Python with scipy, these are left out,
// and it is said so. `ratio`: how many times as long as ours another one takes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(EVENLY_WITH_BOOST_GRAPH)
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#endif

#include "arguments.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "io/edge_list.hpp"
#include "io/graph_input.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "python_peer.hpp"
#include "search_times.hpp"

namespace evenly::bench {
namespace {

using namespace graphs;
using namespace measure;

const std::vector<std::string> usual_inputs = {"kron_g500-logn20:scale=0.25", "regular8",
                                               "as-Skitter:scale=0.5", "great-britain_osm:scale=0.25",
                                               "grid:x=1000,y=1000"};

struct problem {
  io::graph_input input;
  std::vector<int> weights;
  graph_view<int> view;
  std::vector<int> sources;

  problem(const std::string& name, int count) : input(io::load_graph(name, {})) {
    weights = std::get<std::vector<int>>(weights_of(input, weight_source::hash));
    const auto& edges = input.edges;
    view.out = {edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()};
    view.weights = weights.data();
    if (io::is_symmetric(edges)) {
      view.in = view.out;
      view.in_weights = weights.data();
    }
    sources = random_sources(edges, count);
  }
  graph_view<std::monostate> unweighted() const { return {view.out, view.in}; }
};

/// What one finds from each source, and how fast.
struct findings {
  std::vector<std::vector<std::int64_t>> values; ///< levels or distances; -1: none
  std::vector<double> ms;
  std::optional<std::string> error;

  measurement time() const {
    measurement all{.what = {}, .error = error};
    if (!error) all.time = timing_of(ms);
    return all;
  }
};

/// Milliseconds: the median of up to five runs, of fewer if they are long.
double median_of_runs(const std::function<void()>& run) {
  std::vector<double> ms;
  double sum = 0;
  while (ms.size() < 5 && (ms.empty() || sum < 2000)) {
    ms.push_back(time_on_host(run));
    sum += ms.back();
  }
  return median_of(ms);
}

std::vector<std::int64_t> as_numbers(const found_paths& found) {
  std::vector<std::int64_t> values;
  std::visit([&](const auto& all) { values.assign(all.begin(), all.end()); }, found.values);
  for (std::size_t v = 0; v < values.size(); ++v)
    if (found.parents[v] < 0) values[v] = -1;
  return values;
}

findings ours(const problem& on, bool weighted, int threads) {
  const auto place =
      place_graph(executor_kind::cpu, weighted ? graph_problem(on.view) : graph_problem(on.unweighted()),
                  {.bench = {.threads = threads}});
  const auto search = place->resident();
  findings all;
  for (const int source : on.sources) {
    search->run(source, {});
    const found_paths found = search->result();
    const auto wrong =
        weighted ? graphs::wrong_with_sssp(on.view, source, std::get<std::vector<std::int64_t>>(found.values),
                                           found.parents)
                 : graphs::wrong_with_bfs(on.view.out, source, std::get<std::vector<int>>(found.values),
                                          found.parents);
    if (wrong) all.error = wrong;
    all.values.push_back(as_numbers(found));
    all.ms.push_back(median_of_runs([&] { search->run(source, {}); }));
  }
  return all;
}

void compare(findings& other, const findings& right) {
  for (std::size_t i = 0; i < right.values.size() && !other.error; ++i)
    if (other.values[i] != right.values[i]) other.error = "what is found differs from what evenly finds";
}

#if defined(EVENLY_WITH_BOOST_GRAPH)

struct boost_weight {
  int weight;
};
using boost_graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost_weight,
                                                       boost::no_property, int, int>;

boost_graph make_boost_graph(const problem& on) {
  std::vector<std::pair<int, int>> edges;
  std::vector<boost_weight> weights;
  const auto& out = on.view.out;
  for (int v = 0; v < out.vertices; ++v)
    for (int e = out.offsets[v]; e < out.offsets[v + 1]; ++e) {
      edges.emplace_back(v, out.ends[e]);
      weights.push_back({on.weights[static_cast<std::size_t>(e)]});
    }
  return {boost::edges_are_sorted, edges.begin(), edges.end(), weights.begin(), out.vertices};
}

findings boosts(const problem& on, bool weighted, const boost_graph& graph) {
  const auto size = static_cast<std::size_t>(on.view.out.vertices);
  std::vector<int> values(size), parents(size);
  std::vector<boost::default_color_type> colours(size);
  const auto index = get(boost::vertex_index, graph);
  const auto map = [&](auto& of) { return boost::make_iterator_property_map(of.begin(), index); };
  constexpr int none = std::numeric_limits<int>::max();
  findings all;
  for (const int source : on.sources) {
    const auto run = [&] {
      std::ranges::fill(parents, -1);
      parents[source] = source;
      if (weighted) {
        boost::dijkstra_shortest_paths(graph, source,
                                       boost::weight_map(get(&boost_weight::weight, graph))
                                           .distance_map(map(values))
                                           .predecessor_map(map(parents))
                                           .color_map(map(colours)));
        return;
      }
      std::ranges::fill(values, none);
      values[source] = 0;
      const auto levels = boost::record_distances(map(values), boost::on_tree_edge());
      const auto before = boost::record_predecessors(map(parents), boost::on_tree_edge());
      boost::breadth_first_search(
          graph, source,
          boost::visitor(boost::make_bfs_visitor(std::make_pair(levels, before))).color_map(map(colours)));
    };
    run();
    all.values.emplace_back(values.begin(), values.end());
    for (auto& each : all.values.back())
      if (each == none) each = -1;
    all.ms.push_back(median_of_runs(run));
  }
  return all;
}

#endif

/// A parent of each reached vertex is on the level before, and only reached ones have one.
bool fits(const std::vector<int>& parents, const std::vector<std::int64_t>& levels, int source) {
  for (std::size_t v = 0; v < levels.size(); ++v) {
    const int parent = parents[v];
    if (static_cast<int>(v) == source) continue;
    if ((parent >= 0) != (levels[v] >= 0)) return false;
    if (parent >= 0 && levels[static_cast<std::size_t>(parent)] + 1 != levels[v]) return false;
  }
  return true;
}

/// bench/graph_scipy.py in a process of its own, which gets the graph in files. Nothing where it does not run.
struct scipy_findings {
  findings bfs, sssp;
};
std::optional<scipy_findings> scipys(const problem& on, const std::string& python, const findings& levels) {
  const exchange_folder folder("evenly-graph");
  const auto& out = on.view.out;
  const auto edges = static_cast<std::size_t>(out.edges);
  folder.write("offsets", std::span(out.offsets, static_cast<std::size_t>(out.vertices) + 1));
  folder.write("ends", std::span(out.ends, edges));
  folder.write("weights", std::span(on.weights.data(), edges));
  folder.write("sources", std::span(on.sources));
  std::optional<scipy_findings> all;
  if (folder.run(python, EVENLY_BENCH_FOLDER "/graph_scipy.py")) {
    all.emplace();
    const auto size = static_cast<std::size_t>(out.vertices);
    const std::size_t count = on.sources.size();
    all->bfs.ms = folder.read<double>("bfs_ms", count);
    all->sssp.ms = folder.read<double>("sssp_ms", count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      if (!fits(folder.read<int>("parents" + number, size), levels.values[i], on.sources[i]))
        all->bfs.error = "a parent is not on the level before";
      all->sssp.values.emplace_back();
      for (const double each : folder.read<double>("distances" + number, size))
        all->sssp.values.back().push_back(each < 1e18 ? static_cast<std::int64_t>(each) : -1);
    }
  }
  return all;
}

class comparison {
 public:
  comparison(const arguments& args) : args_(args), threads_(args.number("--threads")) {}

  void run(const std::string& name) {
    const problem on(name, args_.number("--sources"));
    std::printf("%s: %d vertices, %d edges\n", name.c_str(), on.view.out.vertices, on.view.out.edges);
    const findings bfs = ours(on, false, threads_), bfs_alone = ours(on, false, 1);
    const findings sssp = ours(on, true, threads_);
    add(name, "bfs", "evenly", threads_, bfs, bfs);
    add(name, "bfs", "evenly", 1, bfs_alone, bfs);
#if defined(EVENLY_WITH_BOOST_GRAPH)
    {
      const boost_graph graph = make_boost_graph(on);
      findings levels = boosts(on, false, graph), distances = boosts(on, true, graph);
      compare(levels, bfs);
      compare(distances, sssp);
      add(name, "bfs", "Boost.Graph", 1, levels, bfs);
      add(name, "sssp", "evenly", threads_, sssp, sssp);
      add(name, "sssp", "Boost.Graph", 1, distances, sssp);
    }
#else
    std::printf("  Boost.Graph is left out: its headers were not there when this was built\n");
    add(name, "sssp", "evenly", threads_, sssp, sssp);
#endif
    if (auto scipy = scipys(on, args_.options.at("--python"), bfs)) {
      compare(scipy->sssp, sssp);
      add(name, "bfs", "scipy.sparse.csgraph", 1, scipy->bfs, bfs);
      add(name, "sssp", "scipy.sparse.csgraph", 1, scipy->sssp, sssp);
    } else {
      std::printf("  scipy is left out: %s with scipy does not run here\n",
                  args_.options.at("--python").c_str());
    }
  }
  int finish() {
    lines_.write(args_.json());
    return lines_.all_right() ? 0 : 1;
  }

 private:
  void add(const std::string& workload, const char* op, const char* form, int threads, const findings& found,
           const findings& right) {
    const measurement time = found.time();
    const double ratio = time.time.median / right.time().time.median;
    lines_.add({{"workload", workload},
                {"op", op},
                {"executor", "cpu"},
                {"form", form},
                {"threads", threads},
                {"ratio", ratio}},
               time);
    char rest[64];
    std::snprintf(rest, sizeof(rest), ", %.2f times ours on %d threads", ratio, threads_);
    print_time(std::string(op) + " " + form + ", threads: " + std::to_string(threads), time, rest);
  }

  const arguments& args_;
  int threads_;
  report lines_;
};

int run(const arguments& args) {
  comparison all(args);
  for (const std::string& name : args.words.empty() ? usual_inputs : args.words) all.run(name);
  return all.finish();
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_graph_cpu", argc, argv, evenly::bench::run,
                                 {{"--threads", "2"}, {"--sources", "3"}, {"--python", "python3"}});
}
