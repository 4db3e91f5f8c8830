// SPDX-License-Identifier: Apache-2.0
// reorder: a copy of A in another order, each element once. If there are as many threads as elements, thread i stands
// for element i, and moves with it.
//
// The best order is NP-hard to find (docs/reorganize.md); orders.hpp and related headers have heuristics. The plan has
// one slot per element. refresh copies A to the new order before each run, and results keep their numbers. Programs
// that can keep their arrays in the new order need no copy: commit.hpp.
//
// Cost: the order, a copy of P with new numbers, and at each refresh one random load per element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

template <class Order = first_access> struct reorder {
  static_assert(Order::of != order_of::threads, "reorder needs an order of elements");
  static constexpr const char* name = "reorder";

  Order order = {};

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = false;
    access_shape shape;
    bool moves_threads;
    buffer<I> order; ///< [new number] of an element: the old number
    buffer<I> index;

    indexed_view<I> view() const {
      return {shape.threads, shape.references, moves_threads ? order.data() : nullptr, index.data(), true};
    }
    std::int64_t slots() const { return shape.elements; }
    ordered_source<I> source() const { return {order.data()}; }
    std::size_t bytes() const { return (order.size() + index.size()) * sizeof(I); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective&) const {
    auto made = detail::reordered(exec, p, shape, order);
    return {shape, made.moves_threads, std::move(made.order), std::move(made.index)};
  }
};

} // namespace evenly::layouts
