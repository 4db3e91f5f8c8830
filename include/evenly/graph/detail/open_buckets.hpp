// SPDX-License-Identifier: Apache-2.0
// What the blocks of a search for shortest paths go through next: the vertices that came nearer in buckets that are
// open, and, where these are too few to keep all blocks busy, one bucket more.
//
// Each block finds this by itself, and all find the same: they look at the number of entries in lists that nobody adds
// to any more, since whoever has decided already adds to buckets behind the one that it opened.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/entry_lists.hpp"

namespace evenly::detail {

/// How buckets are opened and gone through. All blocks have the same.
struct path_rules {
  int buckets = 64;                   ///< lists of the circle: a power of two
  int window = 0;                     ///< how many buckets beyond the last open one may have entries
  std::uint32_t enough = 1;           ///< entries from which on no further bucket is opened
  int rounds = 1;                     ///< that a block goes on by itself before blocks synchronise
  std::uint32_t narrow = 0;           ///< entries up to which it does
  std::uint32_t max_single_block = 0; ///< entries of its own up to which it does
  std::uint32_t wide = 0; ///< entries from which on warps draw their share, and look before they compete
  int share = 1;          ///< the most entries of a warp's share
  int cut_log = 7;        ///< log2 of the most edges of an entry
  int stage = 2048;       ///< entries of a stage
};

/// A frontier: what came nearer in buckets that were open, and what is in a bucket that is open from then on.
struct opened_buckets {
  std::uint32_t near = 0;   ///< entries of the one
  std::uint32_t opened = 0; ///< and of the other, which is bucket `last`
  int last = 0;             ///< the last open bucket

  EVENLY_INLINE_FN std::uint32_t entries() const { return near + opened; }
};

template <class Block, class Entry> class bucket_opener {
  using view = decltype(std::declval<Block&>().storage(slot<opened_buckets>{}));

 public:
  EVENLY_FN bucket_opener(Block& block, slot<opened_buckets> place, const entry_lists<Entry>& lists,
                          const path_rules& rules)
      : block_(block), lists_(lists), rules_(rules), found_(block.storage(place)) {}

  /// The next frontier, valid in all threads; without entries if nothing is left, or a chunk was missing. `near`: the
  /// list of what came nearer in buckets up to `last`. By all threads of the block, which it synchronises.
  EVENLY_FN opened_buckets open(int near, int last, const list_turn& turn) {
    if (warp_of(block_) == 0) find(near, last, turn);
    block_.sync();
    return found_[0];
  }

  /// Gives the chunks of the frontier's lists back; returns how many. By all threads of the launch.
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

  /// By all lanes of a warp.
  EVENLY_FN void find(int near, int last, const list_turn& turn) {
    const lanes<Block> warp = this_warp(block_);
    const int end = last + rules_.window; // nothing is behind it
    const auto size_behind = [&](int bucket) {
      const int mine = bucket + 1 + warp.rank();
      return mine <= end ? size_of(list_of(mine)) : 0;
    };
    opened_buckets next{size_of(near), 0, last};
    std::uint32_t size = size_behind(last); // of the bucket of this lane
    const bool exhausted = lists_.are_exhausted(turn);
    if (next.near > 0 && next.near < rules_.enough && last < end) {
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
