// SPDX-License-Identifier: Apache-2.0
// Compaction: moves the elements for which a predicate holds together, in order, and optionally the others too.
// `select` and `partition` use it. It is a staged pass (staged_pass.hpp) over counts.
//
// A warp's ballot on an element gives each lane the number of accepted elements before its own, so no scan is needed
// within a warp. Accepted elements are staged from the front of a warp's part of storage, rejected ones from its back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/staged_pass.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly::detail {

/// As an output: nothing is written.
struct nowhere {};

/// Writes the elements for which the predicate holds to accepted[0], accepted[1], ..., the others to rejected[0], ... .
/// Writes the number of accepted elements to *found, unless `found` is null.
template <int Width, class Input, class Predicate, class Accepted, class Rejected> struct compaction {
  using T = element_of<Input>;
  using monoid = plus<std::int64_t>;
  using slots = slot<T>;
  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  static constexpr bool is_copyable =
      is_device_copyable<Input, Predicate> && is_device_copyable<Accepted, Rejected>;
  static constexpr bool keeps_rejected = !std::is_same_v<Rejected, nowhere>;

  Input in;
  Predicate predicate;
  Accepted accepted;
  Rejected rejected;
  std::int64_t* found;

  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, int elements) {
    return layout.take<T>(elements);
  }
  template <class Block> EVENLY_FN static auto staged(Block& block, const slots& place) {
    return block.storage(place);
  }
  EVENLY_FN static constexpr monoid op() { return {}; }

  template <int Items> struct thread_items {
    chunk_items<T, Width, Items> of;

    template <class Block>
    EVENLY_INLINE_FN void load(Block& block, const compaction& work, std::int64_t begin, std::int64_t count) {
      of.load(block, work.in, begin, count, T{});
    }
  };

  template <class Block, class Staged, int Items>
  EVENLY_INLINE_FN std::int64_t stage(const lanes<Block>& warp, const Staged& staged,
                                      const staged_range& range, const thread_items<Items>& mine) const {
    const lane_mask lower = first_lanes(warp.rank());
    const int back = range.place + range.room - 1;
    int row_accepted = 0;
    EVENLY_UNROLL
    for (int r = 0; r < Items / Width; ++r) {
      bool holds[Width];
      int before = row_accepted; // the accepted ones before this lane's
      EVENLY_UNROLL
      for (int j = 0; j < Width; ++j) {
        const int i = r * Width + j;
        holds[j] =
            index_in_range<Width>(warp, i) < range.length && static_cast<bool>(predicate(mine.of.of[i]));
        const lane_mask accepts = warp.ballot(holds[j]);
        before += lanes_in(accepts & lower);
        row_accepted += lanes_in(accepts);
      }
      EVENLY_UNROLL
      for (int j = 0; j < Width; ++j) {
        const int i = r * Width + j;
        if (holds[j])
          staged[range.place + before++] = mine.of.of[i];
        else if (keeps_rejected)
          staged[back - index_in_range<Width>(warp, i) + before] = mine.of.of[i];
      }
    }
    return row_accepted;
  }

  template <class Staged> std::int64_t stage_serially(const Staged& staged, const staged_range& range) const {
    // Each element is written, and overwritten by the next if it is rejected: a branch would be mispredicted.
    int front = range.place;
    int back = range.place + range.room - 1;
    for (int i = 0; i < range.length; ++i) {
      const T value = in[range.begin + i];
      const bool holds = static_cast<bool>(predicate(value));
      staged[front] = value;
      if constexpr (keeps_rejected) {
        staged[back] = value;
        back -= holds ? 0 : 1;
      }
      front += holds ? 1 : 0;
    }
    return front - range.place;
  }

  template <class Block, class Staged>
  EVENLY_INLINE_FN void write(Block& block, const lanes<Block>& warp, const Staged& staged,
                              const staged_range& range, std::int64_t own, std::int64_t before) const {
    const auto to = seen(block, accepted);
    for (int i = warp.rank(); i < own; i += warp.size()) {
      const T value = staged[range.place + i];
      to[before + i] = as_stored_in<Accepted>(value);
    }
    if constexpr (keeps_rejected) {
      const auto rest = seen(block, rejected);
      for (int i = warp.rank(); i < range.length - own; i += warp.size()) {
        const T value = staged[range.place + range.room - 1 - i];
        rest[range.begin - before + i] = as_stored_in<Rejected>(value);
      }
    }
  }

  EVENLY_FN void finish(std::int64_t all) const {
    if (found != nullptr) *found = all;
  }
};

/// The tuned number of threads per block for compactions.
template <class Input>
inline constexpr int compaction_block_size =
    staged_tuning::block_size(static_cast<int>(sizeof(element_of<Input>)));

/// Requires count >= 0 and memory that does not overlap, except that `in` and `accepted` may be the same.
template <class Executor, class Input, class Predicate, class Accepted, class Rejected>
void compact(const Executor& exec, const Input& in, std::int64_t count, const Predicate& predicate,
             const Accepted& accepted, const Rejected& rejected, std::int64_t* found, workspace& memory,
             int block_size) {
  using T = element_of<Input>;
  static_assert(std::is_trivially_copyable_v<T>,
                "elements must be trivially copyable: replace std::pair and std::string by your own struct");
  constexpr int width = width_of<T, Input>;
  if constexpr (!Executor::serial_blocks && width > 1) {
    using work = compaction<width, Input, Predicate, Accepted, Rejected>;
    if (is_wide(in))
      return run_staged<width>(exec, work{in, predicate, accepted, rejected, found}, count, memory,
                               block_size);
  }
  using work = compaction<1, Input, Predicate, Accepted, Rejected>;
  run_staged<1>(exec, work{in, predicate, accepted, rejected, found}, count, memory, block_size);
}

} // namespace evenly::detail
