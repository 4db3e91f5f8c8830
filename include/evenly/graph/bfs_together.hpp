// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches from up to 64 vertices at once, by one persistent kernel (persistent_together.hpp).
//
//   bfs_together searches(exec, graph.view());          // allocates
//   searches.run(sources, levels);                      // levels[v * sources.size() + s]; asynchronous on cuda
//   searches.totals().levels;                           // waits
//   parents_from_levels(exec, schedule, view, levels, sources, s, parents);
//
// The levels are those of a bfs_search from each source. Use it for graphs with few levels. On these, all searches
// visit the same vertices at about the same time, so a batch takes little longer than one search.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/persistent_together.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::graphs {

/// The number types of levels. int8 holds levels up to 127.
template <class Level>
concept level_number = std::same_as<Level, std::int8_t> || std::same_as<Level, std::int16_t> ||
                       std::same_as<Level, std::int32_t>;

/// Batched searches of one graph, one run at a time. Move-only.
template <class Executor, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
class bfs_together {
  static constexpr int block_size = 1024; ///< frontiers are wide
  template <class Level> using kernel_of = persistent_together_kernel<Vertex, Edge, Level, block_size>;
  using giants_type = sweep_giants<Vertex, Edge>;
  using lists_type = persistent_lists<Vertex, Edge>;

 public:
  /// Prepares searches of `graph`.
  ///
  /// - graph: its edges are in memory of `exec`, are valid (check_edges), and outlive this object. If the graph has
  ///   incoming edges, some levels are searched bottom-up.
  /// - logs_levels: required for levels().
  /// - Allocates.
  /// - Throws invalid_argument if the numbers of vertices and edges together need more than 64 bits.
  template <class Weight>
  bfs_together(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph, bool logs_levels = false,
               const together_rule& rule = {}, const search_shape& shape = {})
      : exec_(exec), out_(graph.out), in_(graph.in), rule_(rule), shape_(shape),
        atom_bits_(detail::bits_of_atoms(graph.out)),
        lists_(make_buffer<listed_tile<Vertex, Edge>>(exec, 2 * vertices())),
        ends_(make_buffer<std::byte>(exec, lists_type::bytes_of_ends)),
        words_(make_buffer<std::uint64_t>(exec, 3 * vertices())),
        giants_(make_buffer<Vertex>(exec, unless_serial(giants_type::max_giants(in_.edges)))),
        parts_(
            make_buffer<typename giants_type::part>(exec, unless_serial(giants_type::max_parts(in_.edges)))),
        giant_counts_(make_buffer<typename giants_type::counts_type>(exec, 1)),
        totals_(make_buffer<together_totals>(exec, 1)),
        level_log_(make_buffer<search_level>(exec, logs_levels ? vertices() : 0)) {
    exec.fill_zero(giant_counts_.data(), sizeof(typename giants_type::counts_type));
    if constexpr (!Executor::serial_blocks)
      if (in_.offsets != nullptr) {
        constexpr int size = 256;
        const list_giants<Vertex, Edge> kernel{in_.offsets, in_.vertices, giants()};
        launch(exec, {.blocks = resident_blocks(exec, kernel, size), .block_size = size}, kernel);
      }
    choose();
  }

  /// Searches from all sources.
  ///
  /// - sources: 1 to 64 vertices, on the host; duplicates are allowed.
  /// - levels: vertices * sources.size() values, on the executor. levels[v * sources.size() + s] becomes the smallest
  ///   number of edges on a path from sources[s] to v; -1 if there is no path.
  /// - Asynchronous on cuda, except that the first run allocates 8 bytes per vertex and bit of the level type.
  /// - Throws invalid_argument for a wrong number of sources, a source that is not a vertex, or a wrong size of levels.
  template <level_number Level> void run(std::span<const Vertex> sources, std::span<Level> levels) {
    require(!sources.empty() && sources.size() <= max_together, [&] {
      return std::to_string(sources.size()) + " sources: 1 to " + std::to_string(max_together) +
             " searches go together";
    });
    for (const Vertex source : sources) require_source(out_, source);
    require(levels.size() == vertices() * sources.size(), [&] {
      return "levels has " + std::to_string(levels.size()) + " elements: " + std::to_string(sources.size()) +
             " searches of " + std::to_string(out_.vertices) + " vertices need " +
             std::to_string(vertices() * sources.size());
    });
    persistent_together_work<Vertex, Edge, Level> work{};
    work.out = out_;
    work.in = in_;
    work.count = static_cast<int>(sources.size());
    work.levels = levels.data();
    std::ranges::copy(sources, work.sources);
    work.rule = rule_;
    work.reached = words_.data();
    work.other = words_.data() + vertices();
    work.found = words_.data() + 2 * vertices();
    const int planes = planes_for<Level>();
    plane_bytes_ = vertices() * static_cast<std::size_t>(planes) * sizeof(std::uint64_t);
    workspace::lease lease(memory_);
    const auto memory = lease.take(exec_, totals_memory::bytes, plane_bytes_);
    work.planes = {reinterpret_cast<std::uint64_t*>(memory.scratch), out_.vertices, planes};
    work.lists = {lists_.data(), lists_.data() + vertices(), ends_.data(), atom_bits_};
    work.totals = {memory.kept.data()};
    work.giants = giants();
    work.done = totals_.data();
    work.level_log = level_log_.size() > 0 ? level_log_.data() : nullptr;
    launch(exec_, {.blocks = shape_.blocks, .block_size = shape_.block_size, .co_resident = true},
           kernel_of<Level>{work});
  }

  /// The totals of the last run. Waits. Throws invalid_argument if a level did not fit its type.
  together_totals totals() const {
    const together_totals all = to_host(exec_, totals_).front();
    require(!all.is_too_deep, [&] {
      return "the search has more than " + std::to_string(all.levels) +
             " levels, too many for their type: use a wider one";
    });
    return all;
  }
  /// Whether all levels of the last run fit their type. Waits.
  bool holds_levels() const { return !to_host(exec_, totals_).front().is_too_deep; }
  /// Returns the level log of the last run. Waits. Requires logs_levels.
  std::vector<search_level> levels() const {
    const auto count = static_cast<std::size_t>(totals().levels);
    return to_host(exec_, std::span<const search_level>(level_log_.data(), count));
  }
  /// Bytes in addition to the graph, the result and the level log.
  std::size_t bytes() const {
    return lists_.size() * sizeof(listed_tile<Vertex, Edge>) + ends_.size() +
           words_.size() * sizeof(std::uint64_t) + giants_.size() * sizeof(Vertex) +
           parts_.size() * sizeof(typename giants_type::part) + sizeof(typename giants_type::counts_type) +
           sizeof(together_totals) + plane_bytes_ + totals_memory::bytes;
  }

 private:
  std::size_t vertices() const { return static_cast<std::size_t>(out_.vertices); }
  static std::size_t unless_serial(std::int64_t count) {
    return Executor::serial_blocks ? 0 : static_cast<std::size_t>(count);
  }
  giants_type giants() {
    return {giants_.data(), parts_.data(), giant_counts_.data(), words_.data() + 2 * vertices()};
  }
  template <class Level> int planes_for() const {
    return smaller<int>(
        std::numeric_limits<Level>::digits,
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(larger<Vertex>(out_.vertices, 1) - 1))));
  }
  void choose() {
    if (shape_.block_size == 0) shape_.block_size = Executor::serial_blocks ? 1 : block_size;
    if (shape_.blocks > 0) return;
    shape_.blocks = smaller(resident_blocks(exec_, kernel_of<std::int32_t>{}, shape_.block_size),
                            grid_totals<detail::any_kernel>::max_blocks);
    if constexpr (Executor::serial_blocks)
      shape_.blocks = smaller(shape_.blocks, detail::max_serial_blocks(out_));
  }
  Executor exec_;
  adjacency<Vertex, Edge> out_, in_;
  together_rule rule_;
  search_shape shape_;
  int atom_bits_;
  buffer<listed_tile<Vertex, Edge>> lists_;
  buffer<std::byte> ends_;
  buffer<std::uint64_t> words_;
  buffer<Vertex> giants_;
  buffer<typename giants_type::part> parts_;
  buffer<typename giants_type::counts_type> giant_counts_;
  buffer<together_totals> totals_;
  buffer<search_level> level_log_;
  std::size_t plane_bytes_ = 0;
  workspace memory_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Rest>
bfs_together(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Rest&...)
    -> bfs_together<Executor, Vertex, Edge>;

} // namespace evenly::graphs

namespace evenly::detail {

/// Lowers the parent of an edge's end in search `which`.
template <class Vertex, class Edge, class Level> struct parent_of_edge {
  const Vertex* ends;
  const Level* levels;
  std::int64_t searches, which;
  Vertex* parents;

  EVENLY_FN Level level(Vertex v) const { return levels[v * searches + which]; }
  EVENLY_FN void operator()(Vertex from, Edge edge) const {
    const Vertex to = read_only(ends + edge);
    const Level at = level(from);
    if (at >= 0 && level(to) == at + 1) lower_parent(parents, to, from);
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// The parents of one search of a bfs_together::run.
///
/// - levels, sources: those of the run. `which` is the number of the search, which began at sources[which].
/// - parents: one per vertex, on `exec`. parents[v] becomes the vertex of lowest number among those on the previous
///   level with an edge to v. The source is its own parent; unreached vertices get -1.
/// - Cost: one visit of each edge under the schedule.
/// - Asynchronous on cuda, except for making the plan.
/// - Throws invalid_argument if there is no such search, or if a size is wrong.
template <class Executor, class Schedule, class Weight, class Vertex, class Edge, level_number Level>
void parents_from_levels(const Executor& exec, const Schedule& schedule,
                         const graph_view<Weight, Vertex, Edge>& graph, std::span<Level> levels,
                         std::type_identity_t<std::span<const Vertex>> sources, int which,
                         std::type_identity_t<std::span<Vertex>> parents) {
  require(which >= 0 && static_cast<std::size_t>(which) < sources.size(), [&] {
    return "search " + std::to_string(which) + ": there are " + std::to_string(sources.size());
  });
  detail::require_for_vertices("parents", parents, graph.out);
  require(levels.size() == parents.size() * sources.size(), [&] {
    return "levels has " + std::to_string(levels.size()) + " elements: " + std::to_string(sources.size()) +
           " searches of " + std::to_string(graph.out.vertices) + " vertices have " +
           std::to_string(parents.size() * sources.size());
  });
  const Vertex source = sources[static_cast<std::size_t>(which)];
  tabulate(exec, graph.out.vertices, detail::first_values<Vertex>{source, source}, parents.data());
  const auto searches = static_cast<std::int64_t>(sources.size());
  for_each_atom(exec, schedule, graph.out.tiles(),
                detail::parent_of_edge<Vertex, Edge, Level>{graph.out.ends, levels.data(), searches, which,
                                                            parents.data()});
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs_together;

} // namespace evenly
