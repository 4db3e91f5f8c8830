// SPDX-License-Identifier: Apache-2.0
// commit: a permanent new order of the elements. The user permutes all arrays once, by permute() with
// plan.arrays().order, and keeps them in that order; no run copies anything. If thread i belongs to element i, as with
// molecules, jobs and elements both get numbers of the new order; otherwise only elements do.
//
//   commit<Order>          references go to the permuted A
//   commit<Order, On>      the references with their new numbers use another layout On, for instance share
//
// A list that is made from permuted arrays, such as a neighbour list of permuted positions, already has new numbers. It
// does not need this layout: use order(exec, P, shape), permute(), and a plan under On.
//
// Cost: the order, a copy of P with new numbers, and the cost of On.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

template <class Order, class On = none> struct commit {
  static_assert(Order::of != order_of::threads, "commit needs an order of elements");
  static constexpr const char* name = "commit";

  Order order = {};
  On on = {};

  template <class I> struct prepared_arrays {
    using below = typename On::template prepared_arrays<I>;
    static constexpr bool takes_blocks = below::takes_blocks;
    buffer<I> order; ///< [new number] of an element: the old number
    buffer<I> index;
    below on;

    auto view() const { return on.view(); }
    std::int64_t slots() const { return on.slots(); }
    auto source() const { return on.source(); }
    std::size_t bytes() const { return (order.size() + index.size()) * sizeof(I) + on.bytes(); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective& objective) const {
    auto made = detail::reordered(exec, p, shape, order);
    auto prepared = on.prepare(exec, index_list<I>(made.index, p.epoch), shape, objective);
    return {std::move(made.order), std::move(made.index), std::move(prepared)};
  }
};

/// Whether a layout requires the user to permute the arrays.
template <class Layout> inline constexpr bool commits = false;
template <class Order, class On> inline constexpr bool commits<commit<Order, On>> = true;

/// to[i] = from[order[i]] for the `order` of a committed plan, plan.arrays().order. Asynchronous on cuda. Cost: one
/// gather per element. Throws invalid_argument if the arrays overlap or one is null.
template <class Executor, class I, class T>
void permute(const Executor& exec, const buffer<I>& order, const T* from, T* to) {
  const auto count = static_cast<std::int64_t>(order.size());
  detail::require_memory("from", from, count);
  detail::require_apart("from", from, count, "to", to, count, false);
  tabulate(exec, count, detail::picked<T, I>{from, order.data()}, to);
}

} // namespace evenly::layouts
