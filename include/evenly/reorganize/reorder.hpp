// SPDX-License-Identifier: Apache-2.0
// reorder: the elements of A in another order, each once. Where there are as many threads, thread i is taken to be
// about element i, and moves with it.
//
// Which order is best is NP-hard to say (docs/reorganize.md); orders.hpp and its neighbours have heuristics. Two ways:
//   a copy      the plan has a slot for each element; refresh puts A in order before each run, and results keep their
//               numbers
//   committed   all arrays are put in order once and kept so, by the user, who has permute() for each of them: the plan
//               has no slots, and jobs are numbers of the new order, where threads are about elements
//
// Cost: the order, P once more with new numbers, and for a copy as many loads in random order as there are elements, at
// each refresh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "evenly/reorganize/detail/renumbered.hpp"
#include "evenly/reorganize/orders.hpp"
#include "evenly/reorganize/plan.hpp"

namespace evenly {

template <class Order = first_access> struct reorder {
  static_assert(Order::of != order_of::threads, "reorder takes an order of elements");
  static constexpr const char* name = "reorder";

  Order order = {};
  bool committed = false;

  template <class I> struct layout {
    static constexpr bool takes_blocks = false;
    access_shape shape;
    bool committed;
    bool moves_threads;
    buffer<I> order; ///< [new number] of an element: the old one
    buffer<I> index;

    indexed_view<I> view() const {
      const bool by_job = moves_threads && !committed;
      return {shape.threads, shape.references, by_job ? order.data() : nullptr, index.data(), !committed};
    }
    std::int64_t slots() const { return committed ? 0 : shape.elements; }
    ordered_source<I> source() const { return {order.data()}; }
    std::size_t bytes() const { return (order.size() + index.size()) * sizeof(I); }
  };

  template <class Executor, class I>
  layout<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                    const access_objective&) const {
    const bool moves_threads = shape.threads == shape.elements;
    buffer<I> in_order = order(exec, p, shape);
    const buffer<I> numbers = detail::inverse_of(exec, in_order);
    buffer<I> index = detail::renumbered(exec, p, shape, moves_threads ? in_order.data() : nullptr,
                                         numbers.data(), numbers.data());
    return {shape, committed, moves_threads, std::move(in_order), std::move(index)};
  }
};

/// to[i] = from[order[i]] for the `order` of a committed plan: plan.arrays().order. Asynchronous on cuda. Throws
/// invalid_argument if the arrays overlap.
template <class Executor, class I, class T>
void permute(const Executor& exec, const buffer<I>& order, const T* from, T* to) {
  const auto count = static_cast<std::int64_t>(order.size());
  detail::require_memory("from", from, count);
  detail::require_apart("from", from, count, "to", to, count, false);
  tabulate(exec, count, detail::picked<T, I>{from, order.data()}, to);
}

} // namespace evenly
