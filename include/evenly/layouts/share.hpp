// SPDX-License-Identifier: Apache-2.0
// share: what the threads of a block refer to is brought to its storage once, and references are places in it (Wu et
// al., PPoPP 2013, section 3.4). Each block has a list of its different elements, in ascending order, and each
// reference a number of 16 bits. Irregular accesses are then those to storage.
//
// Elements come from A by the list, or, packed, from a copy in which those of a block lie side by side, each block's
// from the start of a window on, as in the paper's figure 5 (blockPos, blockSizes; its outputIndArray is by reference).
// A block that refers to more elements than fit, or than 16 bits can number, goes to A itself; the others do not
// notice. So cluster first: an order of threads decides how many elements blocks share.
//
// Cost: P in the order of threads, if there is one, two passes over it and a sort in storage for each block; 2 bytes a
// reference and the lists. A block takes as
// much storage as the greatest needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "evenly/layouts/detail/block_sets.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

template <class Order = identity_order> struct share {
  static constexpr const char* name = "share";
  static constexpr int max_elements = 8192; ///< whose table fits the storage of a block while plans are made

  Order order = {};
  bool packed = false;
  std::size_t max_storage = 64 * 1024; ///< bytes of a block, so that several have room on a multiprocessor

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = true;
    access_shape shape;
    const I* p;
    bool packed;
    buffer<I> jobs;
    detail::block_sets<I> sets;

    share_view<I> view() const {
      return {shape.threads,
              shape.references,
              shape.block,
              jobs.size() > 0 ? jobs.data() : nullptr,
              p,
              sets.elements.data(),
              sets.starts.data(),
              sets.sizes.data(),
              sets.local.data(),
              sets.max,
              packed};
    }
    std::int64_t slots() const { return packed ? sets.all : 0; }
    ordered_source<I> source() const { return {sets.elements.data()}; }
    std::size_t bytes() const { return jobs.size() * sizeof(I) + sets.bytes(); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective& objective) const {
    const auto fit = static_cast<std::int64_t>(max_storage / static_cast<std::size_t>(shape.element_bytes));
    const std::int64_t there_are = smaller(shape.references * shape.block, shape.elements);
    const auto max = static_cast<int>(smaller(smaller<std::int64_t>(fit, max_elements), there_are));
    buffer<I> jobs = detail::order_threads(exec, p, shape, order);
    const int window = objective.sectors_of_window(shape.element_bytes) * access_objective::sector_bytes;
    const int step = packed ? larger(window / shape.element_bytes, 1) : 1;
    buffer<I> in_order; // P as threads stand, for as long as the plan is made
    if (jobs.size() > 0) {
      const I* const none = nullptr;
      in_order = detail::renumbered(exec, p, shape, jobs.data(), none, none);
    }
    const I* const lists = jobs.size() > 0 ? in_order.data() : p.at;
    detail::block_sets<I> sets = detail::make_block_sets(exec, lists, shape, max, step);
    return {shape, p.at, packed, std::move(jobs), std::move(sets)};
  }
};

} // namespace evenly::layouts
