// SPDX-License-Identifier: Apache-2.0
// The two forms of a bucketed persistent search for shortest paths: blocks of many threads (path_worker.hpp), and cores
// (paths_on_cores.hpp). Each owns its memory and launches the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/growing_memory.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_rules.hpp"
#include "evenly/graph/detail/paths_kernel.hpp"
#include "evenly/graph/detail/paths_on_cores.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

/// The problem and the parameters of a search.
template <class Weight, class Vertex, class Edge> struct path_problem {
  graph_view<Weight, Vertex, Edge> graph;
  graphs::path_settings settings;
  path_tuning tuning;
  path_facts facts;

  template <class Found> planned_buckets<Found> plan() const {
    return plan_buckets<Found>(settings, tuning, facts);
  }
};

template <class Executor, class Weight, class Vertex, class Edge> class paths_in_blocks {
  using problem = path_problem<Weight, Vertex, Edge>;

 public:
  explicit paths_in_blocks(const Executor& exec) : exec_(exec) {}

  /// Repeats the search with distances of type `Found` until memory suffices, including the log.
  template <class Found, class Distance>
  path_outcome search(const problem& of, Vertex source, std::span<Distance> distances,
                      std::span<Vertex> parents, bool logs) {
    while (true) {
      const auto outcome = search_once<Found>(of, source, distances, parents, logs ? log_size_ : 0);
      if (outcome.exhausted != 0)
        room_ *= 2;
      else if (logs && outcome.frontiers > log_size_)
        log_size_ = 2 * outcome.frontiers;
      else
        return outcome;
    }
  }

  /// Reports the frontiers of the last search, which must have logged them.
  template <class Report> void tell(std::uint32_t frontiers, const Report& report) {
    const auto logged =
        to_host(exec_, std::span<const path_frontier>(log_.template of<path_frontier>(exec_, 0), frontiers));
    for (std::size_t i = 0; i < logged.size(); ++i)
      report(graphs::frontier_report{static_cast<std::int64_t>(i),
                                     static_cast<std::int64_t>(logged[i].entries),
                                     static_cast<std::int64_t>(logged[i].edges)});
  }

  std::size_t bytes() const {
    return words_.bytes() + entries_.bytes() + table_.bytes() + control_.bytes() + log_.bytes();
  }

 private:
  static constexpr int line = words_of_line;

  template <class Found, class Distance>
  path_outcome search_once(const problem& of, Vertex source, std::span<Distance> distances,
                           std::span<Vertex> parents, std::uint32_t log_size) {
    using kernel_type = paths_kernel<Weight, Vertex, Edge, Found, Distance>;
    using entry = typename kernel_type::entry;
    const auto planned = of.template plan<Found>();
    const std::int64_t vertices = of.graph.out.vertices;
    kernel_type kernel{};
    kernel.out = of.graph.out;
    kernel.weights = of.graph.weights;
    kernel.words = words_.template of<std::uint64_t>(exec_, vertices);
    kernel.buckets = planned.buckets;
    kernel.rules = planned.rules;
    kernel.lists = size_lists<entry>(planned.rules, of.tuning, vertices, of.graph.out.edges, room_);
    auto& lists = kernel.lists;
    lists.entries = entries_.template of<entry>(exec_, std::int64_t{lists.chunks} << lists.chunk_log);
    const std::int64_t cells = std::int64_t{lists.lists} * lists.row,
                       ring = std::int64_t{lists.ring_mask} + 1;
    lists.table = table_.template of<std::uint32_t>(exec_, cells + ring + lists.count_words() + 2 * line);
    lists.ring = lists.table + cells;
    lists.counts = lists.ring + ring;
    lists.taken = lists.counts + lists.count_words();
    lists.exhausted = lists.taken + line;
    kernel.control = control_.template of<path_control>(exec_, 1);
    kernel.source = source;
    kernel.distances = distances.data();
    kernel.parents = parents.empty() || !kernel_type::word::has_parent ? nullptr : parents.data();
    kernel.log = log_.template of<path_frontier>(exec_, log_size);
    kernel.log_size = log_size;
    launch_staying(exec_, kernel, meetings_);
    return to_host(exec_, std::span<const path_outcome>(&kernel.control->outcome, 1)).front();
  }

  Executor exec_;
  std::int64_t room_ = 1; ///< factor on the initial capacity
  std::uint32_t log_size_ = 4096;
  growing_memory words_, entries_, table_, control_, log_;
  workspace meetings_;
};

/// The form for cores, with the interface of paths_in_blocks.
template <class Executor, class Weight, class Vertex, class Edge> class paths_on_cores {
  using problem = path_problem<Weight, Vertex, Edge>;
  template <class Found> using lists_of = graphs::queue_lists<waiting_vertex<Found>>;

 public:
  explicit paths_on_cores(const Executor& exec)
      : exec_(exec), lists_(exec.resource(), exec.resource(), exec.resource(), exec.resource()) {}

  template <class Found, class Distance>
  path_outcome search(const problem& of, Vertex source, std::span<Distance> distances,
                      std::span<Vertex> parents, bool logs) {
    const auto planned = of.template plan<Found>();
    const int blocks = smaller(exec_.threads(), max_serial_blocks(of.graph.out, of.tuning.core_share));
    std::vector<path_outcome> outcomes(static_cast<std::size_t>(blocks));
    auto& lists = std::get<lists_of<Found>>(lists_);
    lists.begin(blocks, planned.rules.buckets);
    log_.clear();
    launch(exec_, {.blocks = blocks, .block_size = 1, .co_resident = blocks > 1},
           cores_paths_kernel<Weight, Vertex, Edge, Found, Distance>{
               {.out = of.graph.out,
                .weights = of.graph.weights,
                .words = words_.template of<std::uint64_t>(exec_, of.graph.out.vertices),
                .buckets = planned.buckets,
                .rounds = of.settings.rounds > 0 ? of.settings.rounds : std::numeric_limits<int>::max(),
                .lists = &lists,
                .source = source,
                .distances = distances.data(),
                .parents = parents.empty() || !path_word<Found>::has_parent ? nullptr : parents.data(),
                .outcomes = outcomes.data(),
                .log = logs ? &log_ : nullptr}});
    path_outcome all = outcomes.front();
    for (const path_outcome& each : outcomes) {
      all.too_far |= each.too_far;
      all.lacks_parents |= each.lacks_parents;
    }
    return all;
  }
  template <class Report> void tell(std::uint32_t, const Report& report) const {
    std::int64_t number = 0;
    for (const graphs::queue_totals& each : log_)
      report(graphs::frontier_report{number++, each.entries, each.counted[0]});
  }
  std::size_t bytes() const {
    return words_.bytes() + std::apply([](const auto&... each) { return (each.bytes() + ...); }, lists_);
  }

 private:
  Executor exec_;
  growing_memory words_;
  std::tuple<lists_of<std::int32_t>, lists_of<std::int64_t>, lists_of<float>, lists_of<double>> lists_;
  std::vector<graphs::queue_totals> log_;
};

template <class Executor, class Weight, class Vertex, class Edge>
using paths_form = std::conditional_t<Executor::serial_blocks, paths_on_cores<Executor, Weight, Vertex, Edge>,
                                      paths_in_blocks<Executor, Weight, Vertex, Edge>>;

} // namespace evenly::detail
