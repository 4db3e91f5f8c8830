// SPDX-License-Identifier: Apache-2.0
#include "graphs/ranked_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "evenly/distributed/communicator.hpp"
#include "evenly/execution/cpu.hpp"
#include "measure/executor_timer.hpp"
#include "measure/usage_error.hpp"
#include "ranks/ranked_matrix.hpp"
#include "ranks/worlds.hpp"

namespace evenly::graphs {

using distributed::communicator, distributed::incoming, distributed::outgoing, measure::usage_error;
using ranks::ranked_matrix;

namespace {

/// What rank 0 asks all ranks to do.
struct request {
  enum class what {
    stop,
    distribute,
    bfs,
    bfs_result,
    sssp,
    pagerank,
    numbers,
    components,
    labels,
    triangles
  };

  what kind = what::stop;
  std::int64_t source = 0;
  int vertices = 0;
  std::int64_t edges = 0;
  double damping = 0, tolerance = 0;
  std::int64_t max_iterations = 0;
};
using what = request::what;

/// Incoming edges, and the number of outgoing edges of each vertex.
struct edges_by_end {
  std::vector<std::int64_t> offsets;
  std::vector<int> starts;
  std::vector<double> weights;
  std::vector<int> out_degrees;

  edges_by_end() = default;
  /// O(vertices + edges).
  template <class Weight> explicit edges_by_end(const graph_view<Weight>& of) {
    const auto size = static_cast<std::size_t>(of.out.vertices),
               edges = static_cast<std::size_t>(of.out.edges);
    offsets.resize(size + 1);
    starts.resize(edges);
    weights.assign(edges, 1);
    out_degrees.resize(size);
    for (std::size_t e = 0; e < edges; ++e) ++offsets[static_cast<std::size_t>(of.out.ends[e]) + 1];
    for (std::size_t v = 0; v < size; ++v) offsets[v + 1] += offsets[v];
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t v = 0; v < size; ++v) {
      out_degrees[v] = of.out.offsets[v + 1] - of.out.offsets[v];
      for (auto e = static_cast<std::size_t>(of.out.offsets[v]);
           e < static_cast<std::size_t>(of.out.offsets[v + 1]); ++e) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(of.out.ends[e])]++);
        starts[at] = static_cast<int>(v);
        if constexpr (!std::is_same_v<Weight, std::monostate>)
          if (of.weights != nullptr) weights[at] = static_cast<double>(of.weights[e]);
      }
    }
  }
};

/// The ranks of a command and the graph that they have.
class command_ranks {
 public:
  command_ranks(int ranks, int threads) : world_(ranks::named_world(ranks, threads)) {}

  bool is_root() const { return world_.has_root(); }
  int size() const { return world_.size(); }

  /// On rank 0: all ranks get the graph.
  void distribute(edges_by_end edges) {
    edges_ = std::move(edges);
    request asked{.kind = what::distribute};
    asked.vertices = static_cast<int>(edges_.out_degrees.size());
    asked.edges = static_cast<std::int64_t>(edges_.starts.size());
    send(asked);
    make_graph(asked);
  }
  /// On rank 0: all ranks do what is asked. Results are in the members below.
  void perform(const request& asked) {
    send(asked);
    answer(asked);
  }
  /// On the other processes: until rank 0 says stop.
  void serve() {
    for (;;) {
      const request asked = shared({});
      if (asked.kind == what::stop) return;
      if (asked.kind == what::distribute) {
        edges_ = {};
        edges_.offsets.resize(static_cast<std::size_t>(asked.vertices) + 1);
        edges_.starts.resize(static_cast<std::size_t>(asked.edges));
        edges_.weights.resize(edges_.starts.size());
        edges_.out_degrees.resize(static_cast<std::size_t>(asked.vertices));
        make_graph(asked);
      } else {
        answer(asked);
      }
    }
  }
  void stop() { send({}); }

  ranked_matrix::levels_and_parents found;
  std::vector<double> numbers;
  std::vector<int> labels;
  pagerank_totals totals;
  std::int64_t triangles = 0;

 private:
  /// The request of rank 0.
  request shared(const request& mine) {
    request of_root;
    world_.run([&](communicator& here) {
      const request first = here.all_gather("the next request", mine).front();
      if (here.rank() == world_.first()) of_root = first;
    });
    return of_root;
  }
  void send(const request& asked) {
    if (world_.count() < world_.size()) shared(asked);
  }
  template <class T> void send_array(communicator& here, const char* purpose, std::vector<T>& array) {
    std::vector<outgoing> out;
    std::vector<incoming> in;
    const std::size_t bytes = array.size() * sizeof(T);
    if (here.rank() > 0) in.push_back({0, array.data(), bytes});
    for (int r = 1; here.rank() == 0 && r < here.size(); ++r) out.push_back({r, array.data(), bytes});
    here.exchange(purpose, out, in);
  }
  void make_graph(const request& asked) {
    if (world_.count() < world_.size())
      world_.run([&](communicator& here) {
        send_array(here, "offsets of a graph", edges_.offsets);
        send_array(here, "edges of a graph", edges_.starts);
        send_array(here, "weights of a graph", edges_.weights);
        send_array(here, "degrees of a graph", edges_.out_degrees);
      });
    graph_.emplace(world_,
                   csr_view<double, std::int64_t>{asked.vertices, asked.vertices, edges_.offsets.data(),
                                                  edges_.starts.data(), edges_.weights.data()});
    edges_.starts = {};
    edges_.weights = {};
  }
  void answer(const request& asked) {
    switch (asked.kind) {
    case what::bfs:
      return graph_->run_bfs(asked.source);
    case what::bfs_result:
      found = graph_->bfs_result();
      return;
    case what::sssp:
      return graph_->run_sssp(asked.source);
    case what::pagerank:
      totals = graph_->run_pagerank(
          edges_.out_degrees,
          {.damping = asked.damping, .tolerance = asked.tolerance, .max_iterations = asked.max_iterations});
      return;
    case what::numbers:
      numbers = graph_->numbers();
      return;
    case what::components:
      return graph_->run_connected_components();
    case what::labels:
      labels = graph_->labels();
      return;
    case what::triangles:
      triangles = graph_->count_triangles();
      return;
    case what::stop:
    case what::distribute:
      return;
    }
  }

  ranks::world world_;
  edges_by_end edges_;
  std::optional<ranked_matrix> graph_;
};

/// The ranks of the command that runs; null without --ranks.
command_ranks* running_ranks = nullptr;

/// That of cpu, by which times are taken.
class ranked_timer final : public timer {
 public:
  explicit ranked_timer(const bench_options& bench)
      : of_cpu_(measure::make_timer(measure::make_executor<cpu>(bench), bench)) {}
  std::string place() const override {
    const int ranks = running_ranks->size();
    return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks);
  }
  int threads() const override { return of_cpu_->threads(); }
  double time_once(const std::function<void()>& run) override { return of_cpu_->time_once(run); }
  std::function<void()> copy(std::int64_t bytes) override { return of_cpu_->copy(bytes); }
  std::function<void()> fill(std::int64_t bytes) override { return of_cpu_->fill(bytes); }

 private:
  std::unique_ptr<timer> of_cpu_;
};

class ranked_bfs final : public device_search {
 public:
  void run(int source, const listener&) override {
    running_ranks->perform({.kind = what::bfs, .source = source});
  }
  found_paths result() override {
    running_ranks->perform({.kind = what::bfs_result});
    return {std::move(running_ranks->found.levels), std::move(running_ranks->found.parents)};
  }
};

/// Parents are found on rank 0: of the neighbours on shortest paths the first that is nearer than the vertex; of
/// vertices that are at their neighbours' distance, any that has a parent already.
template <class Weight, class Distance>
std::vector<int> parents_of(const graph_view<Weight>& graph, int source,
                            const std::vector<Distance>& distances, Distance unreached) {
  std::vector<int> parents(distances.size(), -1), resolved;
  const auto& out = graph.out;
  const auto for_each_tight = [&](int from, const auto& visit) {
    const Distance start = distances[static_cast<std::size_t>(from)];
    if (start == unreached) return;
    for (int e = out.offsets[from]; e < out.offsets[from + 1]; ++e)
      if (start + static_cast<Distance>(graph.weights[e]) == distances[static_cast<std::size_t>(out.ends[e])])
        visit(out.ends[e], start);
  };
  parents[static_cast<std::size_t>(source)] = source;
  for (int from = 0; from < out.vertices; ++from)
    for_each_tight(from, [&](int to, Distance start) {
      int& parent = parents[static_cast<std::size_t>(to)];
      if (parent < 0 && start < distances[static_cast<std::size_t>(to)]) parent = from;
    });
  for (int v = 0; v < out.vertices; ++v)
    if (parents[static_cast<std::size_t>(v)] >= 0) resolved.push_back(v);
  for (std::size_t next = 0; next < resolved.size(); ++next)
    for_each_tight(resolved[next], [&](int to, Distance) {
      int& parent = parents[static_cast<std::size_t>(to)];
      if (parent >= 0) return;
      parent = resolved[next];
      resolved.push_back(to);
    });
  return parents;
}

template <class Weight> class ranked_sssp final : public device_search {
  using distance = std::conditional_t<std::is_same_v<Weight, int>, std::int64_t, double>;

 public:
  explicit ranked_sssp(const graph_view<Weight>& graph) : graph_(graph) {}
  void run(int source, const listener&) override {
    source_ = source;
    running_ranks->perform({.kind = what::sssp, .source = source});
  }
  found_paths result() override {
    running_ranks->perform({.kind = what::numbers});
    using limits = std::numeric_limits<distance>;
    constexpr distance unreached = limits::has_infinity ? limits::infinity() : limits::max();
    std::vector<distance> distances;
    for (const double each : running_ranks->numbers)
      distances.push_back(each < std::numeric_limits<double>::infinity() ? static_cast<distance>(each)
                                                                         : unreached);
    std::vector<int> parents = parents_of(graph_, source_, distances, unreached);
    return {std::move(distances), std::move(parents)};
  }

 private:
  graph_view<Weight> graph_;
  int source_ = 0;
};

class ranked_search_place final : public search_place {
 public:
  ranked_search_place(const graph_problem& graph, const place_options& options)
      : graph_(graph), time_(options.bench) {
    std::visit([](const auto& view) { running_ranks->distribute(edges_by_end(view)); }, graph_);
  }
  timer& time() override { return time_; }
  std::unique_ptr<device_search> resident(const path_way&) override {
    return std::visit(
        []<class Weight>(const graph_view<Weight>& view) -> std::unique_ptr<device_search> {
          if constexpr (std::is_same_v<Weight, std::monostate>)
            return std::make_unique<ranked_bfs>();
          else
            return std::make_unique<ranked_sssp<Weight>>(view);
        },
        graph_);
  }
  std::unique_ptr<device_search> under(const any_schedule&) override { refuse("--schedule"); }
  std::unique_ptr<device_together> together() override { refuse("--together"); }
  std::unique_ptr<device_search> depth_first() override { refuse("dfs"); }

 private:
  [[noreturn]] static void refuse(const char* option) {
    throw usage_error(fmt::format("{} has no effect with --ranks", option));
  }
  graph_problem graph_;
  ranked_timer time_;
};

template <class Value> class ranked_values final : public device_values<Value> {
 public:
  ranked_values(const request& asked, what result) : asked_(asked), result_(result) {}
  pagerank_totals run() override {
    running_ranks->perform(asked_);
    return running_ranks->totals;
  }
  std::vector<Value> result() override {
    running_ranks->perform({.kind = result_});
    if constexpr (std::is_same_v<Value, double>)
      return std::move(running_ranks->numbers);
    else
      return std::move(running_ranks->labels);
  }
  std::size_t bytes() const override { return 0; } // not measured

 private:
  request asked_;
  what result_;
};

class ranked_analysis_place final : public analysis_place {
 public:
  ranked_analysis_place(const graph_view<double>& graph, const place_options& options)
      : graph_(graph), options_(options), time_(options.bench) {
    running_ranks->distribute(edges_by_end(graph));
  }
  timer& time() override { return time_; }
  /// Neither weighted nor personalized.
  values_pointer<double> pagerank(const pagerank_options& options) override {
    request asked{.kind = what::pagerank};
    asked.damping = options.damping;
    asked.tolerance = options.tolerance;
    asked.max_iterations = options.max_iterations;
    return std::make_unique<ranked_values<double>>(asked, what::numbers);
  }
  /// Ranks take minima along edges, so edges must have both directions.
  values_pointer<int> connected_components() override {
    if (!graph_.is_undirected())
      throw usage_error("--ranks: components need a symmetric graph: add --undirected");
    return std::make_unique<ranked_values<int>>(request{.kind = what::components}, what::labels);
  }
  std::function<std::int64_t()> triangle_count() override {
    return [] {
      running_ranks->perform({.kind = what::triangles});
      return running_ranks->triangles;
    };
  }
  /// On rank 0 alone, for checks.
  values_pointer<std::int64_t> triangles() override {
    if (!alone_) alone_ = analysis_on<cpu>(graph_, options_);
    return alone_->triangles();
  }
  values_pointer<int> core_numbers() override { refuse("core numbers"); }
  values_pointer<double> betweenness(const std::vector<int>&, betweenness_scale) override {
    refuse("betweenness");
  }
  values_pointer<int> strong_components() override { refuse("strong components"); }
  values_pointer<int> spanning_forest() override { refuse("spanning forests"); }
  values_pointer<int> structure(const structure_options&) override { refuse("colours"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw usage_error(fmt::format("--ranks: ranks have no {}", what));
  }
  graph_view<double> graph_;
  place_options options_;
  ranked_timer time_;
  std::unique_ptr<analysis_place> alone_;
};

} // namespace

bool run_on_ranks(const bench_options& bench, const std::function<bool()>& work) {
  if (bench.ranks == ranks::without_ranks) return work();
  command_ranks all(bench.ranks, bench.threads);
  if (!all.is_root()) {
    all.serve();
    return true;
  }
  const struct in_use {
    explicit in_use(command_ranks& of) { running_ranks = &of; }
    ~in_use() { running_ranks = nullptr; }
  } here(all);
  const bool is_right = work();
  all.stop();
  return is_right;
}

int ranks_in_use() { return running_ranks == nullptr ? 0 : running_ranks->size(); }

std::unique_ptr<search_place> place_on_ranks(const graph_problem& graph, const place_options& options) {
  return std::make_unique<ranked_search_place>(graph, options);
}
std::unique_ptr<analysis_place> place_for_analysis_on_ranks(const graph_view<double>& graph,
                                                            const place_options& options) {
  return std::make_unique<ranked_analysis_place>(graph, options);
}

} // namespace evenly::graphs
