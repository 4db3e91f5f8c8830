// SPDX-License-Identifier: Apache-2.0
// What the blocks of a search for shortest paths go through next: the vertices that came nearer in buckets that are open,
// and further buckets, opened one after the other until there is enough to do.
//
// Each block finds this by itself, and all find the same: they look at the number of entries in lists that nobody adds
// to any more, since whoever has decided already adds to buckets behind those that it opened.
#pragma once

#include <cstdint>
#include <limits>
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
  int buckets = 64;         ///< lists of the circle: a power of two
  int window = 0;           ///< how many buckets beyond the last open one may have entries
  std::uint32_t enough = 1; ///< entries from which on no further bucket is opened
  int most_opened = 1;      ///< buckets behind the first with entries that are opened together, and that one
  int rounds = 1;           ///< that a block goes on by itself before blocks meet
  float growth = 1.5F;      ///< a frontier grows if it has so many times as many entries as the one before
  std::uint32_t first_turns = 4; ///< that count as growing: nobody knows what becomes of them
  std::uint32_t narrow = 0;      ///< entries up to which it does
  std::uint32_t most_alone = 0;  ///< entries of its own up to which it does
  std::uint32_t wide = 0; ///< entries from which on warps draw their share, and look before they compete
  int share = 1;          ///< the most entries of a warp's share
  int cut_log = 7;        ///< log2 of the most edges of an entry
  int stage = 2048;       ///< entries of a stage
};

/// A frontier: its entries are those of `segments` lists, one behind the other.
struct opened_buckets {
  std::uint32_t entries;
  int segments;
  int last;     ///< the last open bucket
  bool grows;   ///< it has grown much since the last one
  bool brought; ///< some list has more than its own chunk
};

inline constexpr int most_segments = 64;

struct opened_slots {
  slot<std::uint32_t> begin; ///< of each segment; the greatest number behind the last
  slot<int> bucket;          ///< of each segment; of the first, which are vertices in open buckets, -1
  slot<opened_buckets> all;

  EVENLY_FN static opened_slots lay_out(storage_layout& layout) {
    return {layout.take<std::uint32_t>(most_segments), layout.take<int>(most_segments),
            layout.take<opened_buckets>(1)};
  }
};

template <class Block, class Entry> class bucket_opener {
  template <class T> using view = decltype(std::declval<Block&>().storage(slot<T>{}));

 public:
  EVENLY_FN bucket_opener(Block& block, const opened_slots& slots, const entry_lists<Entry>& lists,
                          const path_rules& rules)
      : block_(block), lists_(lists), rules_(rules), begin_(block.storage(slots.begin)),
        bucket_(block.storage(slots.bucket)), all_(block.storage(slots.all)) {}

  /// The next frontier, valid in all threads; none if nothing is left, or a chunk was missing. `near`: the list of what
  /// came nearer in buckets up to `last`; `before`: entries of the frontier before. By all threads of the block, which it synchronises.
  EVENLY_FN opened_buckets open(int near, int last, std::uint32_t before, const list_turn& turn) {
    if (warp_of(block_) == 0) find(near, last, before, turn);
    block_.sync();
    return all_[0];
  }

  /// The segment of an entry: the last that begins at it or before.
  EVENLY_INLINE_FN int segment_of(std::uint32_t entry, int segments) const {
    int found = 0;
    if (segments > 1) {
      EVENLY_UNROLL
      for (int step = most_segments / 2; step > 0; step /= 2)
        if (begin_[found + step] <= entry) found += step;
    }
    return found;
  }
  EVENLY_INLINE_FN int bucket(int segment) const { return bucket_[segment]; }
  EVENLY_INLINE_FN std::uint32_t begin(int segment) const { return begin_[segment]; }

  /// Gives the chunks of all lists of the frontier back; returns how many. By all threads of the launch; synchronises
  /// the block if there are any.
  EVENLY_FN std::uint32_t give_back(const opened_buckets& now, int near, std::uint32_t free) {
    if (!now.brought) return 0;
    const std::int64_t thread = std::int64_t{block_.index()} * block_.size() + block_.rank();
    const std::int64_t threads = std::int64_t{block_.count()} * block_.size();
    std::uint32_t given = 0;
    for (int s = 0; s < now.segments; ++s) {
      const std::uint32_t end = s + 1 < now.segments ? begin(s + 1) : now.entries, size = end - begin(s);
      lists_.give_back(bucket(s) < 0 ? near : bucket(s) & (rules_.buckets - 1), size, free + given, thread,
                       threads);
      given += lists_.brought(size);
    }
    block_.sync(); // before another frontier takes the storage
    return given;
  }

 private:
  EVENLY_INLINE_FN std::uint32_t size_of(int list) const {
    return atomic_ref(lists_.count(list)).load(order::relaxed{});
  }
  EVENLY_INLINE_FN std::uint32_t size_of_bucket(int b, int end) const {
    return b <= end ? size_of(b & (rules_.buckets - 1)) : 0;
  }

  /// By all lanes of a warp.
  EVENLY_FN void find(int near, int last, std::uint32_t before, const list_turn& turn) {
    const lanes<Block> warp = this_warp(block_);
    const int window_end = last + rules_.window;
    std::uint32_t entries = size_of(near);
    std::uint32_t size = size_of_bucket(last + 1 + warp.rank(), window_end); // of the bucket of this lane
    const bool exhausted = lists_.are_exhausted(turn);
    for (int s = warp.rank(); s < most_segments; s += warp.size()) {
      begin_[s] = s == 0 ? 0 : std::numeric_limits<std::uint32_t>::max();
      bucket_[s] = -1;
    }
    warp.sync();
    const bool grows = turn.number <= rules_.first_turns ||
                       static_cast<float>(entries) > rules_.growth * static_cast<float>(before);
    const int most = grows ? 1 : rules_.most_opened;
    bool brought = lists_.brought(entries) > 0, has_end = entries > 0;
    int segments = 1, b = last, end = has_end ? smaller(last + most, window_end) : window_end;
    while (entries < rules_.enough && b < end && segments < most_segments) {
      const lane_mask having = warp.ballot(size > 0);
      if (having != 0 && !has_end) {
        has_end = true;
        end = smaller(b + first_lane(having) + most, window_end);
      }
      int taken = smaller(warp.size(), end - b); // lanes whose buckets are opened
      if (having != 0) {
        const std::uint32_t inclusive = warp.scan(size, plus<std::uint32_t>{});
        const int enough = warp.first_where(entries + inclusive >= rules_.enough);
        if (enough >= 0) taken = smaller(taken, enough + 1);
        const int segment = segments + lanes_in(having & first_lanes(warp.rank()));
        const int beyond = warp.first_where(size > 0 && segment >= most_segments);
        if (beyond >= 0) taken = smaller(taken, beyond);
        const bool mine = size > 0 && warp.rank() < taken;
        if (mine) {
          begin_[segment] = entries + inclusive - size;
          bucket_[segment] = b + 1 + warp.rank();
        }
        brought = warp.any(mine && lists_.brought(size) > 0) || brought;
        segments += lanes_in(having & first_lanes(taken));
        entries += warp.shuffle(inclusive, taken - 1);
      }
      b += taken;
      size = b < end ? size_of_bucket(b + 1 + warp.rank(), window_end) : 0;
    }
    if (warp.rank() == 0)
      all_[0] = opened_buckets{exhausted ? 0 : entries, segments, entries > 0 ? b : last, grows, brought};
  }

  Block& block_;
  const entry_lists<Entry>& lists_;
  const path_rules& rules_;
  view<std::uint32_t> begin_;
  view<int> bucket_;
  view<opened_buckets> all_;
};

} // namespace evenly::detail
