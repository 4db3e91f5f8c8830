// SPDX-License-Identifier: Apache-2.0
// Strongly connected components: two vertices are in the same one if there are paths both ways between them.
//
//   const auto labels = evenly::strong_components(g);    // labels[v]: the lowest-numbered vertex of v's component
//   evenly::strong_components(g, labels);                // in existing memory
//
// The labels are the same on every run and every executor. In an undirected graph they are those of the connected
// components.
//
// A GPU, and a CPU with many cores, trim, search forward and backward, and colour the rest. Otherwise one core does one
// depth-first search, since the parallel algorithm visits each edge several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/edge_tasks.hpp"
#include "evenly/graph/frontier.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/report.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Strong components in parallel: trimming, one search forward and backward from a vertex of many edges, then colours
// (Slota, Rajamanickam & Madduri, IPDPS 2014; colours: Orzan 2004), all as edge tasks (edge_tasks.hpp).
//
// A round works on the open vertices, which have no component yet, and on the edges within their parts:
// 1. Count the incoming and the outgoing edges. A self-loop does not count.
// 2. Trim: a vertex without incoming edges, or without outgoing edges, is a component of its own. Its edges then
//    no longer count.
// 3. Colour: starting vertices have their own colours, and a vertex takes the greatest colour that reaches it. In the
//    first round the vertex with the greatest product of both counts is the only start, so all colours are one search
//    forward. Later every open vertex is a start. Own colours are a permutation of the vertices which differs from
//    round to round, so that the expected number of rounds is small even for chains of components.
// 4. Backward: a vertex that kept its own colour is a root. The vertices of its colour from which it can be reached are
//    its component.
// 5. Colours become the parts of the next round: vertices of different colours are in different components.

namespace evenly::detail {

enum class component_step { count, list_arriving, trim, colour, backward };

/// The rule of all steps, so that the kernel of tasks is compiled once; it is also the state of the search.
template <class Vertex, class Edge> struct component_rule {
  using number = std::make_unsigned_t<Vertex>;
  using edge_number = std::make_unsigned_t<Edge>;

  adjacency<Vertex, Edge> out, in;
  Vertex* roots; ///< of each vertex: the root of its component, -1 if it is open
  number* colours;
  number* parts;           ///< colours of the previous round
  Edge* arriving;          ///< counts, or the next free place in in_ends
  Edge* leaving;           ///< counts
  Vertex* in_ends;         ///< written by list_arriving
  Vertex start_vertex = 0; ///< of the first round
  std::uint32_t round = 0;
  component_step step = component_step::count;

  component_rule at(component_step next) const {
    component_rule made = *this;
    made.step = next;
    return made;
  }

  /// The outgoing edges come first, then the incoming ones.
  EVENLY_FN edge_range<Edge> edges(Vertex v) const {
    const edge_number leave = degree(out, v);
    if (step == component_step::trim) return {0, leave + degree(in, v)};
    if (step == component_step::backward) return {leave, degree(in, v)};
    return {0, leave};
  }
  EVENLY_FN edge_range<Edge> start(Vertex v) const {
    if (step == component_step::trim || step == component_step::backward) roots[v] = v;
    return edges(v);
  }
  EVENLY_FN Vertex end(Vertex from, edge_number e) const {
    const edge_number leave = degree(out, from);
    return e < leave ? read_only(out.ends + read_only(out.offsets + from) + static_cast<Edge>(e))
                     : in.ends[in.offsets[from] + static_cast<Edge>(e - leave)];
  }
  EVENLY_FN bool admits(Vertex from, Vertex to) const {
    if (to == from) return false;
    if (step == component_step::list_arriving) return true;
    if (!is_open(to)) return false;
    if (step == component_step::backward) return colours[to] == colours[from];
    if (parts[to] != parts[from]) return false;
    return step != component_step::colour || colour_of(to) < colour_of(from);
  }
  EVENLY_FN bool claim(Vertex from, edge_number e, Vertex to) const {
    switch (step) {
    case component_step::count:
      atomic_ref(arriving[to]).fetch_add(1, order::relaxed{});
      atomic_ref(leaving[from]).fetch_add(1, order::relaxed{});
      return false;
    case component_step::list_arriving:
      in_ends[atomic_ref(arriving[to]).fetch_add(1, order::relaxed{})] = from;
      return false;
    case component_step::trim: {
      Edge* const counts = e < degree(out, from) ? arriving : leaving;
      return atomic_ref(counts[to]).fetch_sub(1, order::relaxed{}) == 1 && close(to, to);
    }
    case component_step::colour: {
      const number mine = colour_of(from);
      return atomic_ref(colours[to]).fetch_max(mine, order::relaxed{}) < mine;
    }
    case component_step::backward:
      break;
    }
    return close(to, atomic_ref(roots[from]).load(order::relaxed{}));
  }

  EVENLY_FN bool is_open(Vertex v) const { return atomic_ref(roots[v]).load(order::relaxed{}) == -1; }
  /// Gives an open vertex its root. Returns whether this call did.
  EVENLY_FN bool close(Vertex v, Vertex root) const {
    Vertex open = -1;
    return atomic_ref(roots[v]).compare_exchange(open, root, order::relaxed{});
  }
  /// The colour of a vertex as a start; 0: it is none.
  EVENLY_FN number own_colour(Vertex v) const {
    if (round == 0) return v == start_vertex ? 1 : 0;
    constexpr int half = sizeof(number) * 4;
    number mixed = (static_cast<number>(v) + round * number{0x9e3779b9}) * number{0x85ebca6b};
    mixed = (mixed ^ mixed >> half) * number{0xc2b2ae35};
    return mixed ^ mixed >> half;
  }
  EVENLY_FN bool keeps_own_colour(Vertex v) const {
    return round == 0 ? v == start_vertex : colours[v] == own_colour(v);
  }

 private:
  EVENLY_FN static edge_number degree(const adjacency<Vertex, Edge>& of, Vertex v) {
    return static_cast<edge_number>(of.offsets[v + 1] - of.offsets[v]);
  }
  EVENLY_FN number colour_of(Vertex v) const { return atomic_ref(colours[v]).load(order::relaxed{}); }
};

// --- passes over vertices ---

/// A pass over all vertices. One kernel for all steps, as above.
enum class component_pass_step {
  open,
  place_arriving,
  count_arriving,
  own_colour,
  no_label,
  lower_label,
  label
};
template <class Rule> struct component_pass {
  Rule rule;
  component_pass_step step;

  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    using vertex = std::remove_cvref_t<decltype(rule.start_vertex)>;
    const auto v = static_cast<vertex>(i);
    switch (step) {
    case component_pass_step::open:
      rule.roots[v] = -1;
      rule.parts[v] = 0;
      return;
    case component_pass_step::place_arriving:
      rule.arriving[v] = rule.in.offsets[v];
      return;
    case component_pass_step::count_arriving:
      rule.arriving[v] = rule.in.offsets[v + 1] - rule.in.offsets[v];
      return;
    case component_pass_step::own_colour:
      rule.colours[v] = rule.own_colour(v);
      return;
    case component_pass_step::no_label:
      rule.colours[v] = ~typename Rule::number{0};
      return;
    case component_pass_step::lower_label: { // most vertices find a lower one
      const atomic_ref label(rule.colours[rule.roots[v]]);
      if (static_cast<typename Rule::number>(v) < label.load(order::relaxed{}))
        label.fetch_min(static_cast<typename Rule::number>(v), order::relaxed{});
      return;
    }
    case component_pass_step::label:
      rule.roots[v] = static_cast<vertex>(rule.colours[rule.roots[v]]);
      return;
    }
  }
};

enum class component_list { open, trimmable, roots };
template <class Rule> struct is_in_component_list {
  Rule rule;
  component_list list;
  template <class Vertex> EVENLY_FN bool operator()(Vertex v) const {
    if (rule.roots[v] != -1) return false;
    if (list == component_list::trimmable) return rule.arriving[v] == 0 || rule.leaving[v] == 0;
    return list == component_list::open || rule.keeps_own_colour(v);
  }
};

/// A vertex and the product of its counts; of two, the one with the greater product.
template <class Vertex> struct busy_vertex {
  double product;
  Vertex vertex;
};
template <class Vertex> struct busiest {
  using value_type = busy_vertex<Vertex>;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr value_type identity() const { return {-1, 0}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return a.product < b.product || (a.product == b.product && b.vertex < a.vertex) ? b : a;
  }
};
template <class Rule, class Vertex> struct busyness {
  Rule rule;
  EVENLY_FN busy_vertex<Vertex> operator()(std::int64_t v) const {
    if (rule.roots[v] != -1) return {-1, static_cast<Vertex>(v)};
    return {static_cast<double>(rule.arriving[v]) * static_cast<double>(rule.leaving[v]),
            static_cast<Vertex>(v)};
  }
};
/// The counts as input of a scan, with a 0 behind the last one.
template <class Edge> struct counts_and_zero {
  const Edge* counts;
  std::int64_t size;
  EVENLY_FN Edge operator()(std::int64_t i) const { return i < size ? counts[i] : 0; }
};

/// A search for the components of a graph on `exec`.
template <class Executor, class Vertex, class Edge> class components_by_colour {
  using rule_type = component_rule<Vertex, Edge>;
  using number = typename rule_type::number;

 public:
  template <class Weight>
  components_by_colour(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                       const tasks::task_options& options, const batched_stealing& pool)
      : exec_(exec), size_(static_cast<std::size_t>(graph.out.vertices)), pool_(pool),
        colours_(make_buffer<number>(exec, size_)), parts_(make_buffer<number>(exec, size_)),
        arriving_(make_buffer<Edge>(exec, size_)), leaving_(make_buffer<Edge>(exec, size_)),
        list_(make_buffer<Vertex>(exec, size_)), listed_(make_buffer<std::int64_t>(exec, 1)) {
    runs_.options = options;
    rule_.out = graph.out;
    if (graph.has_in_edges())
      rule_.in = graph.in;
    else {
      in_offsets_ = make_buffer<Edge>(exec, size_ + 1);
      in_ends_ = make_buffer<Vertex>(exec, static_cast<std::size_t>(graph.out.edges));
    }
    rule_.colours = colours_.data();
    rule_.parts = parts_.data();
    rule_.arriving = arriving_.data();
    rule_.leaving = leaving_.data();
    rule_.in_ends = in_ends_.data();
  }

  /// Writes the lowest-numbered vertex of each vertex's component to `labels`. Waits.
  void run(Vertex* labels) {
    rule_.roots = labels;
    pass(component_pass_step::open);
    for (rule_.round = 0; list(component_list::open) > 0; ++rule_.round) {
      count_edges();
      if (list(component_list::trimmable) > 0) visit(component_step::trim);
      if (!colour()) break;
      list(component_list::roots);
      visit(component_step::backward);
      std::swap(rule_.colours, rule_.parts);
    }
    pass(component_pass_step::no_label);
    pass(component_pass_step::lower_label);
    pass(component_pass_step::label);
    exec_.synchronize();
  }

 private:
  std::int64_t vertices() const { return static_cast<std::int64_t>(size_); }

  /// Lists vertices. Returns their number. Waits.
  std::int64_t list(component_list which) {
    graphs::list_where(exec_, rule_.out.vertices, is_in_component_list<rule_type>{rule_, which},
                       graphs::vertex_list<Vertex>{list_.data(), listed_.data(), vertices()}, memory_);
    exec_.copy_to_host(&count_, listed_.data(), sizeof(count_));
    return count_;
  }
  /// Runs a step from the listed vertices. Waits.
  void visit(component_step step) { runs_.run(exec_, list_.data(), count_, rule_.at(step), pool_); }
  void pass(component_pass_step step) {
    for_each_index(exec_, vertices(), 4, component_pass<rule_type>{rule_, step});
  }

  /// Counts the edges of open vertices, which are listed. If the graph has no incoming edges, makes them.
  void count_edges() {
    exec_.fill_zero(arriving_.data(), arriving_.size() * sizeof(Edge));
    exec_.fill_zero(leaving_.data(), leaving_.size() * sizeof(Edge));
    visit(component_step::count);
    if (rule_.in.offsets != nullptr) return;
    exclusive_scan(exec_, generated{counts_and_zero<Edge>{arriving_.data(), vertices()}}, vertices() + 1,
                   plus<Edge>{}, in_offsets_.data(), memory_);
    rule_.in = {rule_.out.vertices, rule_.out.edges, in_offsets_.data(), in_ends_.data()};
    pass(component_pass_step::place_arriving);
    visit(component_step::list_arriving);
    pass(component_pass_step::count_arriving);
  }
  /// Propagates the colours of this round. Returns false if no vertex is open.
  bool colour() {
    if (rule_.round == 0) {
      const auto best = make_buffer<busy_vertex<Vertex>>(exec_, 1);
      reduce(exec_, generated{busyness<rule_type, Vertex>{rule_}}, vertices(), busiest<Vertex>{}, best.data(),
             memory_);
      const busy_vertex<Vertex> start = to_host(exec_, best).front();
      if (start.product < 0) return false;
      rule_.start_vertex = start.vertex;
      tabulate(exec_, 1, same_vertex<Vertex>{start.vertex}, list_.data());
      count_ = 1;
    } else if (list(component_list::open) == 0)
      return false;
    pass(component_pass_step::own_colour);
    visit(component_step::colour);
    return true;
  }

  Executor exec_;
  std::size_t size_;
  batched_stealing pool_;
  buffer<number> colours_, parts_;
  buffer<Edge> arriving_, leaving_, in_offsets_;
  buffer<Vertex> list_, in_ends_;
  buffer<std::int64_t> listed_;
  std::int64_t count_ = 0; ///< of listed vertices
  rule_type rule_{};
  workspace memory_;
  edge_task_runs<Vertex, Edge> runs_;
};

// --- details ---------------------------------------------------------------------------------------------------------
// Strong components by one depth-first search on one core (Tarjan 1972, in the form of Pearce, Information Processing
// Letters 2016, which keeps one number per vertex).
//
// The number of a vertex is 0 before it is visited, then its place among the visited vertices, later the first place
// that it reaches, and in the end the complement of its component's label. Compared as unsigned numbers, those of
// finished components are greater than all others, so one comparison leaves them out. There is no recursion: a frame is
// kept for each vertex on the path.
//
// A visit prefetches the numbers and the offsets at the ends of the vertex's first edges.

/// A vertex on the path from the root.
template <class Vertex, class Edge> struct component_frame {
  Edge next; ///< its next edge
  Vertex vertex;
  Vertex lowest; ///< the first place that it reaches so far
};

/// The kernel, for one serial block.
template <class Vertex, class Edge> struct components_on_cores {
  using number = std::make_unsigned_t<Vertex>;
  using frame = component_frame<Vertex, Edge>;

  adjacency<Vertex, Edge> out;
  Vertex* labels;  ///< also the numbers of vertices
  frame* frames;   ///< one per vertex
  Vertex* waiting; ///< one per vertex: those that wait for the root of their component

  template <class Block> void operator()(Block&) const {
    Vertex* top = waiting;
    Vertex visited = 0;
    for (Vertex v = 0; v < out.vertices; ++v) labels[v] = 0;
    for (Vertex v = 0; v < out.vertices; ++v)
      if (labels[v] == 0) search(v, visited, top);
    for (Vertex v = 0; v < out.vertices; ++v) labels[v] = ~labels[v];
  }

 private:
  static bool is_lower(Vertex a, Vertex b) { return static_cast<number>(a) < static_cast<number>(b); }

  void prefetch_ends(Vertex v) const {
    constexpr Edge some = 8;
    const Edge begin = out.offsets[v], end = smaller<Edge>(out.offsets[v + 1], begin + some);
    for (Edge e = begin; e < end; ++e) {
      prefetch_read(labels + out.ends[e]);
      prefetch_read(out.offsets + out.ends[e]);
    }
  }

  void search(Vertex root, Vertex& visited, Vertex*& top) const {
    frame* path = frames; // one past the last frame
    frame now{out.offsets[root], root, ++visited};
    labels[root] = visited;
    prefetch_ends(root);
    for (;;) {
      const Edge end = out.offsets[now.vertex + 1];
      Vertex child = -1;
      while (now.next < end) {
        const Vertex to = out.ends[now.next++];
        const Vertex seen = labels[to];
        if (seen == 0) {
          child = to;
          break;
        }
        if (is_lower(seen, now.lowest)) now.lowest = seen;
      }
      if (child >= 0) {
        *path++ = now;
        now = {out.offsets[child], child, ++visited};
        labels[child] = visited;
        prefetch_ends(child);
        continue;
      }
      const bool is_root = now.lowest == labels[now.vertex];
      if (is_root)
        top = finish(now.vertex, top);
      else {
        labels[now.vertex] = now.lowest;
        *top++ = now.vertex;
      }
      if (path == frames) return;
      const Vertex lowest = now.lowest;
      now = *--path;
      if (!is_root && is_lower(lowest, now.lowest)) now.lowest = lowest;
    }
  }
  /// Labels the component of `root`: those that wait and have no lower number. Returns the new top.
  Vertex* finish(Vertex root, Vertex* top) const {
    const Vertex lowest = labels[root];
    Vertex least = root;
    Vertex* first = top;
    while (first != waiting && labels[first[-1]] >= lowest) least = smaller(least, *--first);
    labels[root] = ~least;
    for (Vertex* each = first; each != top; ++each) labels[*each] = ~least;
    return first;
  }
};

/// Finds the components on one core, and waits.
template <class Executor, class Vertex, class Edge>
void find_components_on_cores(const Executor& exec, const adjacency<Vertex, Edge>& out, Vertex* labels) {
  using kernel = components_on_cores<Vertex, Edge>;
  const auto size = static_cast<std::size_t>(out.vertices);
  const auto frames = make_buffer<typename kernel::frame>(exec, size);
  const auto waiting = make_buffer<Vertex>(exec, size);
  launch(exec, {.blocks = 1, .block_size = 1}, kernel{out, labels, frames.data(), waiting.data()});
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// strong_components: see the head of this file.

namespace evenly::graphs {

/// Finds strong components in parallel, on any executor.
///
/// - labels: one per vertex, on `exec`. labels[v] becomes the lowest-numbered vertex of v's component.
/// - options: those of run_tasks. Without room for its tasks the search begins again with a larger pool.
/// - Memory: in addition to the graph and the labels, about 36 bytes per vertex with 32-bit numbers, a vertex per edge
///   if the graph has no incoming edges, and the pool.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the size is wrong. The edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
void strong_components_on_tasks(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                                std::type_identity_t<std::span<Vertex>> labels,
                                const tasks::task_options& options = {},
                                const batched_stealing& pool = detail::search_pool) {
  detail::require_for_vertices("labels", labels, graph.out);
  detail::with_room_for_tasks(
      detail::room_for_vertices<Executor>(options, graph.out.vertices), [&](const tasks::task_options& with) {
        detail::components_by_colour<Executor, Vertex, Edge>(exec, graph, with, pool).run(labels.data());
        return 0;
      });
}

/// Finds strong components: on tasks, or on one core if `exec` has few. The contract is that of
/// strong_components_on_tasks; one core needs 16 bytes per vertex with 32-bit numbers.
template <class Executor, class Weight, class Vertex, class Edge>
void find_strong_components(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                            std::type_identity_t<std::span<Vertex>> labels) {
  if constexpr (Executor::serial_blocks) {
    constexpr int many_threads = 16;
    if (exec.threads() < many_threads) {
      detail::require_for_vertices("labels", labels, graph.out);
      return detail::find_components_on_cores(exec, graph.out, labels.data());
    }
  }
  strong_components_on_tasks(exec, graph, labels);
}

/// The strong components: result[v] is the lowest-numbered vertex of v's component.
///
/// - g, env: as for bfs (searches.hpp), without a schedule.
/// - Complexity: O(vertices + edges) on one core. In parallel, each round visits the edges of the vertices whose
///   component is not known yet several times.
/// - Allocates and synchronises. Throws as bfs does for edges that do not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto strong_components(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto labels = detail::make_values<detail::vertex_of<G>>(exec, view.out.vertices);
    find_strong_components(exec, view, {std::data(labels), std::size(labels)});
    return labels;
  });
}
/// The same in existing memory: `labels` has one element per vertex.
template <graph_like G, detail::contiguous_values Labels, environment_argument Env = environment<>>
void strong_components(const G& g, Labels&& labels, Env&& env = {}) {
  static_assert(std::is_same_v<decltype(std::data(labels)), detail::vertex_of<G>*>,
                "labels need elements of the type of vertices");
  const auto where = detail::environment_without_schedule(env);
  detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    find_strong_components(exec, view, {std::data(labels), std::size(labels)});
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::strong_components;

} // namespace evenly
