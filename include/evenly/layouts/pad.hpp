// SPDX-License-Identifier: Apache-2.0
// pad: the elements of a warp are in one window of memory (Wu et al., PPoPP 2013, section 3.3). A window holds as many
// elements as a warp has threads, so duplicates are needed only at the end of a window.
//
// The enhanced design: elements are ordered by their number of references (ties by the first reference). Threads are
// ordered by their first element in that order. Windows are filled with the elements of one warp after the other. The
// designs differ as follows; docs/reorganize.md has the example of figure 4 for all:
//
//   by_missing   the test of this library: whether the elements that are not in the open window fit into it
//   by_size      the paper's test: whether all elements of the warp fit; it closes windows too early
//   copying      the paper's figure 3 as printed: it also copies elements that the window has
//   unaligned    the simple design: threads stay in place; a warp's elements are consecutive, and may cross windows
//
// Each run of `run` warps has windows of its own, which are filled independently. The references r = 0, 1, ... are
// packed one after the other, each for all warps.
//
// Cost: a count and an order of elements, a sort of threads, two passes over P in that order; each refresh copies as
// many slots as the windows have. Other arrays of the kernel are read by job, B[job], so these accesses are not
// coalesced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/layouts/detail/pack_windows.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/scan.hpp"

namespace evenly::layouts {

/// Threads by the number of references of their first element.
struct by_frequency {
  static constexpr const char* name = "by_frequency";
  static constexpr order_of of = order_of::threads;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    if (shape.references == 0) return detail::counted_up<I>(exec, shape.threads);
    const buffer<I> ranks = detail::inverse_of(exec, hubs_first{}(exec, p, shape));
    const auto keys = make_buffer<I>(exec, static_cast<std::size_t>(shape.threads));
    tabulate(exec, shape.threads, detail::picked<I, I>{ranks.data(), p.at}, keys.data());
    return detail::ordered_by<I>(exec, keys, detail::bits_below(shape.elements));
  }
};

struct pad {
  static constexpr const char* name = "pad";

  pad_design design = pad_design::by_missing;
  int run = 64; ///< in warps

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = false;
    access_shape shape;
    std::int64_t used; ///< number of slots
    buffer<I> jobs;
    buffer<I> index;
    buffer<I> elements; ///< the element of each slot

    indexed_view<I> view() const {
      return {shape.threads, shape.references, jobs.size() > 0 ? jobs.data() : nullptr, index.data(), true};
    }
    std::int64_t slots() const { return used; }
    ordered_source<I> source() const { return {elements.data()}; }
    std::size_t bytes() const { return (jobs.size() + index.size() + elements.size()) * sizeof(I); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective& objective) const {
    require(run >= 1, [&] { return "run = " + std::to_string(run) + ": must be at least 1 warp"; });
    detail::pack_windows<I> pack{};
    pack.shape = shape;
    pack.warp = objective.warp;
    pack.window = window_of(shape, objective);
    pack.design = design;
    pack.run = design == pad_design::unaligned ? 1 : run;

    buffer<I> jobs, in_order;
    if (design != pad_design::unaligned) {
      jobs = by_frequency{}(exec, p, shape);
      const I* const none = nullptr;
      in_order = detail::renumbered(exec, p, shape, jobs.data(), none, none);
    }
    pack.p = in_order.size() > 0 ? in_order.data() : p.at;

    const std::int64_t runs = pack.runs();
    const auto starts = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(runs + 1));
    exec.fill_zero(starts.data(), starts.size() * sizeof(std::int64_t));
    pack.starts = starts.data();
    pack.launch_on(exec);
    exclusive_scan(exec, starts.data(), runs + 1, plus<std::int64_t>{}, starts.data());
    std::int64_t used = 0;
    exec.copy_to_host(&used, starts.data() + runs, sizeof(used));
    require(used <= std::numeric_limits<I>::max(), [&] {
      return "padding needs " + std::to_string(used) + " slots, which numbers of " +
             std::to_string(8 * sizeof(I)) + " bits cannot number: use 64-bit indices";
    });
    auto index = make_buffer<I>(exec, static_cast<std::size_t>(shape.positions()));
    auto elements = make_buffer<I>(exec, static_cast<std::size_t>(used));
    pack.index = index.data();
    pack.elements = elements.data();
    pack.launch_on(exec);
    return {shape, used, std::move(jobs), std::move(index), std::move(elements)};
  }

 private:
  /// The number of elements of a window. Throws invalid_argument if windows cannot be aligned, or are too small for a
  /// warp.
  int window_of(const access_shape& shape, const access_objective& objective) const {
    const int bytes = objective.sectors_of_window(shape.element_bytes) * access_objective::sector_bytes;
    require(bytes % shape.element_bytes == 0, [&] {
      return "elements of " + std::to_string(shape.element_bytes) + " bytes must divide a window of " +
             std::to_string(bytes) + " bytes under pad";
    });
    const int window = bytes / shape.element_bytes;
    require(window >= objective.warp && window <= detail::max_window, [&] {
      return "a window of " + std::to_string(bytes) + " bytes has " + std::to_string(window) +
             " elements of " + std::to_string(shape.element_bytes) + " bytes: pad takes " +
             std::to_string(objective.warp) + ", as many as a warp has threads, to " +
             std::to_string(detail::max_window);
    });
    return window;
  }
};

} // namespace evenly::layouts
