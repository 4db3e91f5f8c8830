// SPDX-License-Identifier: Apache-2.0
// reorder: the elements of A in another order, each once. Where there are as many threads, thread i is taken to be
// about element i, and moves with it.
//
// Which order is best is NP-hard to say (docs/reorganize.md); orders.hpp and its neighbours have heuristics. The plan
// has a slot for each element; refresh puts A in order before each run, and results keep their numbers. Who can keep
// his arrays in the new order needs no copy: commit.hpp.
//
// Cost: the order, P once more with new numbers, and as many loads in random order as there are elements, at each
// refresh.
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
    buffer<I> order; ///< [new number] of an element: the old one
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
