// SPDX-License-Identifier: Apache-2.0
// Strong components in parallel: trimming, one search forward and backward from a vertex of many edges, then colours
// (Slota, Rajamanickam & Madduri, IPDPS 2014; colours: Orzan 2004), all as edge tasks (edge_tasks.hpp).
//
// A round works on the open vertices, which have no component yet, and on the edges within their parts:
// 1. Count the edges that arrive and leave. An edge from a vertex to itself does not count.
// 2. Trim: a vertex without edges that arrive, or without edges that leave, is a component of its own. Its edges then
//    no longer count.
// 3. Colour: starting vertices have their own colours, and a vertex takes the greatest colour that reaches it. In the
//    first round the vertex with the greatest product of both counts is the only start, so all colours are one search
//    forward. Later every open vertex is a start. Own colours are a permutation of the vertices which differs from
//    round to round, so that the expected number of rounds is small even for chains of components.
// 4. Backward: a vertex that kept its own colour is a root. The vertices of its colour from which it can be reached are
//    its component.
// 5. Colours become the parts of the next round: vertices of different colours are in different components.
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
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/edge_tasks.hpp"
#include "evenly/graph/frontier.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/report.hpp"

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

  /// The edges that leave come first, then those that arrive.
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

  /// Writes the least vertex of each vertex's component to `labels`. Waits.
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

  /// Counts the edges of open vertices, which are listed. If the graph has no edges that arrive, makes them.
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

} // namespace evenly::detail
