// SPDX-License-Identifier: Apache-2.0
// sort_threads: threads in the order of the elements they refer to; no data are moved. With one reference each and
// uniform keys, four threads per element, a request of 32 lanes touches 1.97 sectors instead of 32.
//
// Cost: the order (by_smallest: a pass over P and a sort of T keys), and a copy of P in that order; with one reference
// each, the sort makes both. A body that writes by job scatters its results, which may cost more than sorting saves. If
// results may be in the order of positions, write by load.position (docs/reorganize.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

template <class Order = by_smallest> struct sort_threads {
  static constexpr const char* name = "sort_threads";

  Order order = {};

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = false;
    access_shape shape;
    buffer<I> jobs;
    buffer<I> index;

    indexed_view<I> view() const {
      return {shape.threads, shape.references, jobs.data(), index.data(), false};
    }
    std::int64_t slots() const { return 0; }
    no_source source() const { return {}; }
    std::size_t bytes() const { return (jobs.size() + index.size()) * sizeof(I); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective&) const {
    if constexpr (requires { order.with_references(exec, p, shape); }) {
      if (shape.references == 1) {
        auto sorted = order.with_references(exec, p, shape);
        return {shape, std::move(sorted.order), std::move(sorted.keys)};
      }
    }
    buffer<I> jobs = detail::order_threads(exec, p, shape, order);
    const I* const none = nullptr;
    buffer<I> index = detail::renumbered(exec, p, shape, jobs.data(), none, none);
    return {shape, std::move(jobs), std::move(index)};
  }
};

} // namespace evenly::layouts
