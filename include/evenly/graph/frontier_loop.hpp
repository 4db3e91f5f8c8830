// SPDX-License-Identifier: Apache-2.0
// The loop of a search that goes from frontier to frontier, under any schedule that takes sizes from the device.
//
// It has two lists that take turns, with their lengths on the executor, and one plan, which is bound to each frontier.
// The host starts each step, and reads back two numbers to determine whether another step follows. A loop is made
// once for a graph. It then serves any number of searches, one after the other, without allocating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/frontier.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_list.hpp"

namespace evenly::detail {

template <class T> struct always {
  T value;
  EVENLY_FN T operator()(std::int64_t) const { return value; }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// A frontier as a tile set: the edges of listed vertices. The list and its length are on the executor.
template <signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
using frontier_tiles =
    scanned<decltype(tile_list(csr_tile_set<Edge, Vertex>{}, static_cast<const Vertex*>(nullptr),
                               static_cast<const std::int64_t*>(nullptr), capacity{}))>;

/// Whether a schedule can process frontiers: whether it takes sizes from the device.
template <class Schedule, class Executor, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
inline constexpr bool takes_frontiers =
    detail::sizes_are_known<Schedule, Executor, frontier_tiles<Vertex, Edge>>;

/// The loop of one search at a time. Move-only.
template <class Executor, class Schedule, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
class frontier_loop {
  using source = std::remove_cvref_t<decltype(std::declval<frontier_tiles<Vertex, Edge>>().source())>;

 public:
  /// The frontier as a visit sees it: source(tile) is the vertex, source_atom(tile, atom) the edge.
  using frontier_type = frontier_tiles<Vertex, Edge>;

  /// Allocates two lists of vertices, and the memory of a plan for all vertices and edges; synchronises. The edges lie
  /// on `exec`, are valid (check_edges), and outlive this object.
  frontier_loop(const Executor& exec, const Schedule& schedule, const adjacency<Vertex, Edge>& edges)
      : exec_(exec), edges_(edges), now_(make_buffer<Vertex>(exec, room())),
        next_(make_buffer<Vertex>(exec, room())), count_(zero(exec)), found_(zero(exec)),
        plan_(exec, schedule, frontier()) {}

  const adjacency<Vertex, Edge>& edges() const { return edges_; }

  /// Sets the frontier to one vertex. Returns the loop.
  frontier_loop& start_from(Vertex vertex) {
    tabulate(exec_, 1, detail::always<Vertex>{vertex}, now_.data());
    tabulate(exec_, 1, detail::always<std::int64_t>{1}, count_.data());
    plan_.rebind(frontier());
    return *this;
  }
  /// Sets the frontier to all vertices that satisfy the predicate. Returns the loop.
  template <class Predicate> frontier_loop& start_where(const Predicate& predicate) {
    list_where(exec_, edges_.vertices, predicate,
               vertex_list<Vertex>{now_.data(), count_.data(), edges_.vertices}, memory_);
    plan_.rebind(frontier());
    return *this;
  }

  /// Visits the edges of the frontier as collect_atoms does. The vertices found, each at most once, become the next
  /// frontier. visit_of(frontier) makes the visit.
  template <class VisitOf> void step(const VisitOf& visit_of) {
    collect_atoms(exec_, plan_, visit_of(plan_.tiles()), next_.span(), found_.data(), in_any_order);
    std::swap(now_, next_);
    std::swap(count_, found_);
    plan_.rebind(frontier());
  }

  /// Steps until no vertex is found.
  ///
  /// - visit_of(frontier, number): makes the visit of frontier `number`, counted from 0.
  /// - report(frontier_report): called on the host before each step.
  /// - Returns the number of nonempty frontiers.
  /// - Synchronisation: waits at each step.
  template <class VisitOf, class Report = no_reports>
  std::int64_t run(const VisitOf& visit_of, const Report& report = {}) {
    for (std::int64_t number = 0;; ++number) {
      const auto found = plan_.read_sizes(exec_);
      if (found.tiles == 0) return number;
      report(frontier_report{number, found.tiles, found.all.atoms});
      step([&](const frontier_type& frontier) { return visit_of(frontier, number); });
    }
  }

 private:
  std::size_t room() const { return static_cast<std::size_t>(edges_.vertices); }
  source frontier() const {
    return tile_list(edges_.tiles(), now_.data(), count_.data(), capacity{edges_.vertices, edges_.edges});
  }
  static buffer<std::int64_t> zero(const Executor& exec) {
    auto number = make_buffer<std::int64_t>(exec, 1);
    exec.fill_zero(number.data(), sizeof(std::int64_t));
    return number;
  }

  Executor exec_;
  adjacency<Vertex, Edge> edges_;
  buffer<Vertex> now_, next_;
  buffer<std::int64_t> count_, found_;
  source_plan<Executor, Schedule, source> plan_;
  workspace memory_;
};

template <class Executor, class Schedule, class Vertex, class Edge>
frontier_loop(const Executor&, const Schedule&, const adjacency<Vertex, Edge>&)
    -> frontier_loop<Executor, Schedule, Vertex, Edge>;

} // namespace evenly::graphs

namespace evenly {

using graphs::frontier_loop;

} // namespace evenly
