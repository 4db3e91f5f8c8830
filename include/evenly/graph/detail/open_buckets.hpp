// SPDX-License-Identifier: Apache-2.0
// The next frontier of a search for shortest paths: the vertices whose distance fell into open buckets, plus one more
// bucket if these are too few to keep all blocks busy.
//
// Each block computes this alone, with the same result. It reads lists that no block appends to any more: a block that
// has already decided appends only to buckets behind the one it opened.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/entry_lists.hpp"

namespace evenly::detail {

/// How buckets are opened and processed; the same for all blocks.
struct path_rules {
  int buckets = 64;                   ///< lists of the circular buffer: a power of two
  int window = 0;                     ///< buckets beyond the last open one that may have entries
  std::uint32_t target_entries = 1;   ///< buckets are opened until the frontier has so many entries
  int rounds = 1;                     ///< maximum rounds of a block between two grid barriers
  std::uint32_t narrow = 0;           ///< maximum entries of a frontier for more than one round
  std::uint32_t max_single_block = 0; ///< maximum entries of a block for a further round
  std::uint32_t wide = 0; ///< with this many entries, warps draw parts and read before they compete
  int max_range = 1;      ///< maximum entries of a warp's range
  int cut_log = 7;        ///< log2 of the maximum edges of an entry
  int stage = 2048;       ///< entries of a stage
};

/// A frontier: new entries in buckets that were open, and the entries of a bucket opened now.
struct opened_buckets {
  std::uint32_t near = 0;   ///< entries in buckets that were open
  std::uint32_t opened = 0; ///< entries of bucket `last`, opened now
  int last = 0;             ///< the last open bucket

  EVENLY_INLINE_FN std::uint32_t entries() const { return near + opened; }
};

template <class Block, class Entry> class bucket_opener {
  using view = decltype(std::declval<Block&>().storage(slot<opened_buckets>{}));

 public:
  EVENLY_FN bucket_opener(Block& block, slot<opened_buckets> place, const entry_lists<Entry>& lists,
                          const path_rules& rules)
      : block_(block), lists_(lists), rules_(rules), found_(block.storage(place)) {}

  /// The next frontier, valid in all threads; empty if nothing is left or a chunk was missing. `near`: the list of new
  /// entries in buckets up to `last`. Called by all threads of the block; synchronises the block.
  EVENLY_FN opened_buckets open(int near, int last, const list_turn& turn) {
    if (warp_of(block_) == 0) find(near, last, turn);
    block_.sync();
    return found_[0];
  }

  /// Returns the chunks of the frontier's lists to the ring; returns their number. Called by all threads of the launch.
  EVENLY_FN std::uint32_t give_back(const opened_buckets& now, int near, std::uint32_t free) const {
    const std::uint32_t of_near = lists_.brought(now.near), of_bucket = lists_.brought(now.opened);
    const std::int64_t thread = std::int64_t{block_.index()} * block_.size() + block_.rank();
    const std::int64_t threads = std::int64_t{block_.count()} * block_.size();
    if (of_near > 0) lists_.give_back(near, now.near, free, thread, threads);
    if (of_bucket > 0) lists_.give_back(list_of(now.last), now.opened, free + of_near, thread, threads);
    return of_near + of_bucket;
  }

  /// The list of a bucket.
  EVENLY_INLINE_FN int list_of(int bucket) const { return bucket & (rules_.buckets - 1); }

 private:
  EVENLY_INLINE_FN std::uint32_t size_of(int list) const {
    return atomic_ref(lists_.count(list)).load(order::relaxed{});
  }

  /// Finds the next frontier. Called by all lanes of a warp.
  EVENLY_FN void find(int near, int last, const list_turn& turn) {
    const lanes<Block> warp = this_warp(block_);
    const int end = last + rules_.window; // buckets from here on are empty
    const auto size_behind = [&](int bucket) {
      const int mine = bucket + 1 + warp.rank();
      return mine <= end ? size_of(list_of(mine)) : 0;
    };
    opened_buckets next{size_of(near), 0, last};
    std::uint32_t size = size_behind(last); // of the lane's bucket
    const bool exhausted = lists_.are_exhausted(turn);
    if (next.near > 0 && next.near < rules_.target_entries && last < end) {
      next.last = last + 1;
      next.opened = warp.shuffle(size, 0);
    }
    if (next.near == 0)
      for (int b = last; b < end; b += warp.size(), size = size_behind(b)) {
        const int first = warp.first_where(size > 0);
        if (first < 0) continue;
        next.last = b + 1 + first;
        next.opened = warp.shuffle(size, first);
        break;
      }
    if (warp.rank() == 0) found_[0] = exhausted ? opened_buckets{} : next;
  }

  Block& block_;
  const entry_lists<Entry>& lists_;
  const path_rules& rules_;
  view found_;
};

} // namespace evenly::detail
