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

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/layouts/detail/reading.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/layouts/view.hpp"
#include "evenly/primitives/scan.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Fills the windows of pad.hpp from left to right. One thread processes a run of warps if blocks are serial. Otherwise
// a group of as many lanes as such a warp has does, each of which looks for its own element in storage. The windows are
// the same.

namespace evenly::layouts {

/// How the elements of a warp are put into windows.
enum class pad_design { unaligned, copying, by_size, by_missing };

} // namespace evenly::layouts

namespace evenly::detail {

inline constexpr int max_window = 256; ///< in elements

/// The first pass stores the number of slots of each run in starts[run]. The second pass, with `elements`, stores the
/// elements of slots from starts[run] on, and the slot of each reference.
template <class I> struct pack_windows {
  const I* p;
  layouts::access_shape shape;
  int warp;
  int window;
  layouts::pad_design design;
  int run;
  std::int64_t* starts;
  I* index;    ///< null in the first pass
  I* elements; ///< [slot]: its element

  std::int64_t warps() const { return layouts::warps_in(shape.threads, shape.block, warp); }
  std::int64_t runs_of_reference() const { return ceil_div<std::int64_t>(warps(), run); }
  std::int64_t runs() const { return runs_of_reference() * shape.references; }
  template <class Executor> void launch_on(const Executor& exec) const;

  /// The distinct elements of a warp, in the order of its lanes.
  struct warp_elements {
    I of[64];
    int count = 0;
    EVENLY_FN int find(I element) const {
      for (int i = count - 1; i >= 0; --i)
        if (of[i] == element) return i;
      return -1;
    }
  };
  /// The open window: its begin and its elements.
  struct open_window {
    I of[max_window];
    int used = 0;
    std::int64_t base = 0;
    /// The latest slot of an element in it; -1 if there is none.
    EVENLY_FN int find(I element) const {
      for (int i = used - 1; i >= 0; --i)
        if (of[i] == element) return i;
      return -1;
    }
  };

  EVENLY_FN void pack_run(std::int64_t number, std::int64_t runs_each, std::int64_t all_warps) const {
    const std::int64_t r = number / runs_each, first = number % runs_each * run;
    const std::int64_t last = smaller(first + run, all_warps);
    open_window open;
    open.base = elements == nullptr ? 0 : starts[number];
    for (std::int64_t w = first; w < last; ++w) {
      const layouts::position_range lanes = layouts::positions_of_warp(w, shape.threads, shape.block, warp);
      warp_elements mine;
      for (std::int64_t q = lanes.first; q < lanes.last; ++q) {
        const I element = p[r * shape.threads + q];
        if (mine.find(element) < 0) mine.of[mine.count++] = element;
      }
      put(mine, open);
      if (elements != nullptr) note(r, lanes, open);
    }
    const std::int64_t end = end_of_run(number, runs_each * shape.references, open.base + open.used);
    if (elements == nullptr)
      starts[number] = end;
    else
      leave_empty(open.base + open.used, end);
  }

  /// Whether elements that the window has are put into it again.
  EVENLY_FN bool copies() const {
    return design == layouts::pad_design::copying || design == layouts::pad_design::unaligned;
  }
  /// The end of a run whose last slot is before `slots`. If another run follows, this is the begin of a window.
  EVENLY_FN std::int64_t end_of_run(std::int64_t number, std::int64_t all, std::int64_t slots) const {
    const bool aligned = design != layouts::pad_design::unaligned && number + 1 < all;
    return aligned ? ceil_div<std::int64_t>(slots, window) * window : slots;
  }

  /// Puts the elements of a warp into the open window, or into the next.
  EVENLY_FN void put(const warp_elements& mine, open_window& open) const {
    int missing = mine.count;
    if (!copies()) {
      missing = 0;
      for (int i = 0; i < mine.count; ++i) missing += open.find(mine.of[i]) < 0;
    }
    const int asked = design == layouts::pad_design::by_missing ? missing : mine.count;
    if (asked > window - open.used) {
      if (elements != nullptr) leave_empty(open.base + open.used, open.base + window);
      open.base += window;
      open.used = 0;
    }
    for (int i = 0; i < mine.count; ++i) {
      if (!copies() && open.find(mine.of[i]) >= 0) continue;
      if (elements != nullptr) elements[open.base + open.used] = mine.of[i];
      open.of[open.used++] = mine.of[i];
    }
  }
  /// Marks the slots [first + rank, last), in steps of `size`, as empty.
  EVENLY_FN void leave_empty(std::int64_t first, std::int64_t last, int rank = 0, int size = 1) const {
    for (std::int64_t slot = first + rank; slot < last; slot += size) elements[slot] = -1;
  }
  EVENLY_FN void note(std::int64_t r, layouts::position_range lanes, const open_window& open) const {
    for (std::int64_t q = lanes.first; q < lanes.last; ++q) {
      const std::int64_t at = r * shape.threads + q;
      index[at] = static_cast<I>(open.base + open.find(p[at]));
    }
  }
};

/// A run processed by all lanes of a group; each represents a lane of the warps.
template <class I, class Block, class Storage> class run_of_lanes {
 public:
  /// window, mine: room for the elements of a window and of a warp, up to a multiple of four.
  EVENLY_FN run_of_lanes(const pack_windows<I>& work, const lanes<Block>& group, const Storage& window,
                         const Storage& mine)
      : work_(work), group_(group), window_(window), mine_(mine) {
    for (int i = group.rank(); i < mine_.size(); i += group.size()) mine_[i] = none;
    group.sync();
  }

  EVENLY_FN void pack(std::int64_t number, std::int64_t runs_each, std::int64_t all_warps) {
    const std::int64_t r = quotient_of(number, runs_each), first = (number - r * runs_each) * work_.run;
    const std::int64_t last = smaller(first + work_.run, all_warps);
    base_ = work_.elements == nullptr ? 0 : work_.starts[number];
    begin_window();
    const int block = work_.shape.block; // positions_of_warp() without its divisions
    const std::int64_t in_block = ceil_div(block, work_.warp);
    std::int64_t begin = quotient_of(first, in_block) * block;
    int offset = static_cast<int>(first - quotient_of(first, in_block) * in_block) * work_.warp;
    for (std::int64_t w = first; w < last; ++w) {
      const std::int64_t here = begin + offset, end = smaller(begin + block, work_.shape.threads);
      const int count =
          static_cast<int>(larger<std::int64_t>(smaller<std::int64_t>(end - here, work_.warp), 0));
      const std::int64_t at = r * work_.shape.threads + here + group_.rank();
      offset += work_.warp;
      if (offset >= block) {
        offset = 0;
        begin += block;
      }
      const bool has = group_.rank() < count;
      const I element = has ? load_streaming(work_.p + at) : none;
      const int slot = slot_of(element, has, count);
      if (has && work_.elements != nullptr) work_.index[at] = static_cast<I>(base_ + slot);
    }
    const std::int64_t end = work_.end_of_run(number, runs_each * work_.shape.references, base_ + used_);
    if (work_.elements != nullptr)
      work_.leave_empty(base_ + used_, end, group_.rank(), group_.size());
    else if (group_.rank() == 0)
      work_.starts[number] = end;
  }

 private:
  static constexpr I none = -1;

  /// a / b for nonnegative numbers: in 32 bits if they fit, since GPUs divide 64 bits by a long loop.
  EVENLY_FN static std::int64_t quotient_of(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
  }

  EVENLY_FN void begin_window() {
    used_ = 0;
    for (int i = group_.rank(); i < window_.size(); i += group_.size()) window_[i] = none;
    group_.sync();
  }

  /// Puts the elements of the lanes into the open window, or the next. Returns the slot of the calling lane's element
  /// there.
  EVENLY_FN int slot_of(I element, bool has, int count) {
    const int leader = first_with(element, has, count);
    int there = -1; // the slot that has the element
    if (!work_.copies()) there = find(element);
    group_.sync(); // all have looked
    const bool leads = has && leader == group_.rank();
    const lane_mask all = group_.ballot(leads);
    lane_mask missing = group_.ballot(leads && there < 0);
    const int asked = lanes_in(work_.design == layouts::pad_design::by_missing ? missing : all);
    if (asked > work_.window - used_) {
      if (work_.elements != nullptr)
        work_.leave_empty(base_ + used_, base_ + work_.window, group_.rank(), group_.size());
      base_ += work_.window;
      begin_window();
      missing = all;
      there = -1;
    }
    int slot = there;
    if (leads && there < 0) {
      slot = used_ + lanes_in(missing & first_lanes(group_.rank()));
      window_[slot] = element;
      if (work_.elements != nullptr) work_.elements[base_ + slot] = element;
    }
    used_ += lanes_in(missing);
    slot = group_.shuffle(slot, leader);
    group_.sync();
    return slot;
  }

  /// The first lane with this element; any lane for lanes without an element.
  EVENLY_FN int first_with(I element, [[maybe_unused]] bool has, [[maybe_unused]] int count) const {
#if defined(__CUDA_ARCH__)
    const int first = lane_of(group_.block()) - group_.rank();
    const auto all = static_cast<unsigned>(first_lanes(group_.size()) << first);
    return __ffs(static_cast<int>(__match_any_sync(all, element))) - 1 - first;
#else
    mine_[group_.rank()] = element;
    group_.sync();
    int lane_with = group_.rank();
    for (int i = (count - 1) / 4 * 4; i >= 0; i -= 4)
      each_of_four_down(mine_, i, element, [&](int lane) { lane_with = has ? lane : lane_with; });
    return lane_with;
#endif
  }

  EVENLY_FN int find(I element) const {
    int there = -1;
    for (int i = (used_ + 3) / 4 * 4 - 4; i >= 0; i -= 4)
      each_of_four_down(window_, i, element, [&](int slot) { there = slot; });
    return there;
  }
  /// Calls visit(i + k) for k = 3, ..., 0 if the storage has the element at i + k.
  template <class Visit>
  EVENLY_INLINE_FN static void each_of_four_down(const Storage& from, int i, I element, const Visit& visit) {
    I four[4];
    read_four(from, i, four);
    EVENLY_UNROLL
    for (int k = 3; k >= 0; --k)
      if (four[k] == element) visit(i + k);
  }

  const pack_windows<I>& work_;
  const lanes<Block>& group_;
  Storage window_, mine_;
  int used_ = 0;
  std::int64_t base_ = 0;
};

template <class I> struct pack_windows_kernel {
  static constexpr int block_size = 128, tuned_block_size = block_size;

  pack_windows<I> work;
  std::int64_t runs_each;
  std::int64_t all_warps;
  std::int64_t runs;
  std::int64_t per_block;

  EVENLY_FN int of_window() const { return ceil_div(work.window, 4) * 4; }
  EVENLY_FN int of_warp() const { return ceil_div(work.warp, 4) * 4; }
  EVENLY_FN slot<I> lay_out(storage_layout& layout, block_shape shape) const {
    return layout.take<I>(ceil_div(shape.size, work.warp) * (of_window() + of_warp()));
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * per_block, last = smaller(first + per_block, runs);
    if constexpr (!Block::is_serial) {
      if (work.warp <= block.shape().warp) {
        storage_layout layout;
        const slot<I> all = lay_out(layout, block.shape());
        const int number = block.rank() / work.warp, each = of_window() + of_warp();
        const lanes<Block> group(block, lane_of(block) / work.warp * work.warp, work.warp);
        run_of_lanes pack(work, group, block.storage(all.part(number * each, of_window())),
                          block.storage(all.part(number * each + of_window(), of_warp())));
        for (std::int64_t i = first + number; i < last; i += block.size() / work.warp)
          pack.pack(i, runs_each, all_warps);
        return;
      }
    }
    for (std::int64_t i = first + block.rank(); i < last; i += block.size())
      work.pack_run(i, runs_each, all_warps);
  }
};

template <class I> template <class Executor> void pack_windows<I>::launch_on(const Executor& exec) const {
  using kernel = pack_windows_kernel<I>;
  const std::int64_t all = runs();
  if (all == 0) return;
  std::int64_t per_block = kernel::block_size / warp;
  if constexpr (Executor::serial_blocks) per_block = ceil_div<std::int64_t>(all, 8 * exec.threads());
  launch(exec, {block_count(all, per_block), kernel::block_size},
         kernel{*this, runs_of_reference(), warps(), all, per_block});
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// pad: see the head of this file.

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
    auto index = make_buffer<I>(exec, static_cast<std::size_t>(shape.total_references()));
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
