// SPDX-License-Identifier: Apache-2.0
// Orders for threads that belong to elements, such as molecules with neighbours. P is then a graph with an edge from
// thread t to each element that it refers to. No coordinates are needed.
//
//   by_neighbours   by the smallest neighbour, in `hops` rounds: threads with the same smallest neighbour form a
//                   group, and groups are in the order of their smallest neighbours' groups
//   propagated      by labels of random seeds, which spread to neighbours (Wu et al., 3.4, first clustering)
//
// Two more orders, made on the host: reverse_cuthill_mckee.hpp and metis.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::detail {

/// The smallest value of `of` for t and its neighbours.
template <class I> struct min_around {
  const I* p;
  std::int64_t threads;
  std::int64_t references;
  const I* of; ///< null: the numbers themselves
  EVENLY_FN I operator()(std::int64_t t) const {
    I min = of == nullptr ? static_cast<I>(t) : of[t];
    const auto of_neighbour = [&](std::int64_t r) {
      const I neighbour = load_streaming(p + r * threads + t);
      return of == nullptr ? neighbour : read_whole<false>(of + neighbour);
    };
    visit_under_way(0, references, 1, of_neighbour, [&](std::int64_t, I label) {
      min = smaller(min, label);
      return true;
    });
    return min;
  }
};
/// The same, only for t that lead a group; no other value is needed.
template <class I> struct min_around_leaders {
  min_around<I> min;
  const std::uint32_t* leads;
  EVENLY_FN I operator()(std::int64_t t) const { return leads[t] ? min(t) : I{0}; }
};
template <class I> struct mark_leaders {
  const I* label;
  std::uint32_t* leads;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    atomic_ref(leads[label[i]]).store(1, order::relaxed{}); // several threads may store the same value
  }
};

/// A pseudo-random number for each i: splitmix64.
EVENLY_FN constexpr std::uint64_t scattered(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}
/// Initial labels: on average one element in `every` has its own number.
template <class I> struct seed_label {
  std::uint64_t seed;
  std::uint64_t every;
  EVENLY_FN I operator()(std::int64_t i) const {
    const bool is_seed = scattered(static_cast<std::uint64_t>(i) ^ scattered(seed)) % every == 0;
    return is_seed ? static_cast<I>(i) : std::numeric_limits<I>::max();
  }
};
/// Keeps a label that is set; otherwise takes the smallest label of the neighbours.
template <class I> struct spread_label {
  min_around<I> min;
  EVENLY_FN I operator()(std::int64_t t) const {
    const I mine = min.of[t];
    return mine != std::numeric_limits<I>::max() ? mine : min(t);
  }
};
template <class I> struct is_unlabelled {
  const I* label;
  EVENLY_FN std::int64_t operator()(std::int64_t t) const {
    return label[t] == std::numeric_limits<I>::max() ? 1 : 0;
  }
};

} // namespace evenly::detail

namespace evenly::layouts {

struct by_neighbours {
  static constexpr const char* name = "by_neighbours";
  static constexpr order_of of = order_of::both;
  static constexpr int max_hops = 16;

  int hops = 3;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    detail::require_graph(name, shape);
    require(hops >= 1 && hops <= max_hops, [&] {
      return "hops = " + std::to_string(hops) + ": must be from 1 to " + std::to_string(max_hops);
    });
    const std::int64_t n = shape.threads;
    const auto size = static_cast<std::size_t>(n);
    const detail::min_around<I> around{p.at, n, shape.references, nullptr};
    auto label = make_buffer<I>(exec, size);
    tabulate(exec, n, around, label.data());
    const int bits = detail::bits_below(n);
    auto order = detail::ordered_by<I>(exec, label, bits);
    const auto leads = make_buffer<std::uint32_t>(exec, size);
    for (int hop = 1; hop < hops; ++hop) {
      exec.fill_zero(leads.data(), size * sizeof(std::uint32_t));
      detail::for_each_index(exec, n, 4, detail::mark_leaders<I>{label.data(), leads.data()});
      const auto of_leaders = make_buffer<I>(exec, size);
      detail::min_around<I> of_labels = around;
      of_labels.of = label.data();
      tabulate(exec, n, detail::min_around_leaders<I>{of_labels, leads.data()}, of_leaders.data());
      auto next = make_buffer<I>(exec, size);
      tabulate(exec, n, detail::picked<I, I>{of_leaders.data(), label.data()}, next.data());
      label = std::move(next);
      const auto keys = make_buffer<I>(exec, size);
      tabulate(exec, n, detail::picked<I, I>{label.data(), order.data()}, keys.data());
      order = detail::ordered_by<I>(exec, keys, order, bits);
    }
    return order;
  }
};

struct propagated {
  static constexpr const char* name = "propagated";
  static constexpr order_of of = order_of::both;

  std::uint64_t seed = 1;
  int rounds = 64; ///< at most

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    detail::require_graph(name, shape);
    const std::int64_t n = shape.threads;
    auto label = make_buffer<I>(exec, static_cast<std::size_t>(n));
    auto next = make_buffer<I>(exec, static_cast<std::size_t>(n));
    tabulate(exec, n, detail::seed_label<I>{seed, static_cast<std::uint64_t>(shape.block)}, label.data());
    std::int64_t left = -1;
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t unlabelled =
          reduce(exec, generated{detail::is_unlabelled<I>{label.data()}}, n, plus<std::int64_t>{});
      if (unlabelled == 0 || unlabelled == left) break;
      left = unlabelled;
      tabulate(exec, n, detail::spread_label<I>{{p.at, n, shape.references, label.data()}}, next.data());
      std::swap(label, next);
    }
    return detail::ordered_by<I>(exec, label);
  }
};

} // namespace evenly::layouts
