// SPDX-License-Identifier: Apache-2.0
// The stages of a search for shortest paths: shared memory for the vertices that a block found, before they go to the
// lists. So a block reserves places in a list once for all its vertices. Vertices without room in a stage go to the
// lists directly.
//
// Two stages hold vertices in open buckets: a block visits the edges of one while it fills the other. A third stage
// holds vertices farther off, with the bucket of each.
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

/// A vertex found by a lane: its edges are [entry.begin, entry.begin + degree).
template <class Entry, class Edge> struct nearer_vertex {
  static constexpr int nowhere = -2, near = -1;

  Entry entry; ///< without its edges
  Edge degree;
  int where; ///< nowhere: no vertex; near; or the bucket, as an index of the lists
};

/// The stage that is filled in a round of a block; two stages take turns. Their sizes are in three words that take
/// turns. So the size of a stage that has been read is reset while no thread reads it or adds to it, with one sync()
/// per round.
struct stage_turn {
  int storage = 0;
  int count = 0;

  EVENLY_INLINE_FN stage_turn next() const { return {1 - storage, count == 2 ? 0 : count + 1}; }
  EVENLY_INLINE_FN stage_turn before() const { return {1 - storage, count == 0 ? 2 : count - 1}; }
};

template <class Entry> struct path_stage_slots {
  static constexpr int of_far = 3, counts = 4, first_near = 2 * counts, words = first_near + 1;

  slot<Entry> near; ///< two stages
  slot<Entry> far;
  slot<std::uint32_t> far_at;    ///< per entry of `far`: the bucket << 16, and its place in the bucket
  slot<std::uint32_t> of_bucket; ///< per bucket: its entries in `far`
  slot<std::uint32_t> first_of;  ///< per bucket: the first place in its list
  slot<std::uint32_t>
      filled; ///< places reserved and used: of three near counts and the far one; the first near place

  EVENLY_FN static path_stage_slots lay_out(storage_layout& layout, int stage, int buckets) {
    return {layout.take<Entry>(2 * stage),       layout.take<Entry>(stage),
            layout.take<std::uint32_t>(stage),   layout.take<std::uint32_t>(buckets),
            layout.take<std::uint32_t>(buckets), layout.take<std::uint32_t>(words)};
  }
};

template <class Block, class Entry, class Edge> class path_stage {
  using slots_type = path_stage_slots<Entry>;
  template <class T> using view = decltype(std::declval<Block&>().storage(slot<T>{}));

 public:
  using vertex = nearer_vertex<Entry, Edge>;

  EVENLY_FN path_stage(Block& block, const path_stage_slots<Entry>& slots, const entry_lists<Entry>& lists,
                       int cut_log)
      : block_(block), lists_(lists), near_(block.storage(slots.near)), far_(block.storage(slots.far)),
        far_at_(block.storage(slots.far_at)), of_bucket_(block.storage(slots.of_bucket)),
        first_of_(block.storage(slots.first_of)), filled_(block.storage(slots.filled)), cut_log_(cut_log) {}

  /// Empties all stages. Called by all threads, before the block's next sync().
  EVENLY_FN void clear() {
    for (int b = block_.rank(); b < of_bucket_.size(); b += block_.size()) of_bucket_[b] = 0;
    if (block_.rank() == 0)
      for (int which = 0; which < slots_type::counts; ++which) empty_count(which);
  }
  /// Empties a stage. Called by one thread, in the round after the one that read it.
  EVENLY_FN void empty(stage_turn which) { empty_count(which.count); }
  /// The number of entries of a stage, after a sync().
  EVENLY_FN int near_size(stage_turn which) const { return size(which.count); }
  EVENLY_INLINE_FN Entry near(stage_turn which, int i) const {
    return near_[which.storage * far_.size() + i];
  }

  /// Adds the vertices of all lanes of a warp, near ones to stage `which`. Returns whether all were added. The rest,
  /// which must be cut or does not fit, is for add_any.
  template <int Many>
  EVENLY_INLINE_FN bool add(const lanes<Block>& warp, vertex (&found)[Many], stage_turn which) {
    lane_mask near[Many], far[Many];
    int near_count = 0, far_count = 0;
    bool is_long = false;
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      near[i] = warp.ballot(found[i].where == vertex::near);
      far[i] = warp.ballot(found[i].where >= 0);
      near_count += lanes_in(near[i]);
      far_count += lanes_in(far[i]);
      is_long = is_long || (found[i].where != vertex::nowhere && found[i].degree > Edge{1} << cut_log_);
    }
    if (near_count + far_count == 0) return true;
    if (warp.any(is_long)) return false;
    int near_at = near_count > 0 ? take(warp, which.count, near_count) : 0;
    int far_at = far_count > 0 ? take(warp, slots_type::of_far, far_count) : 0;
    const bool near_fits = near_at >= 0, far_fits = far_at >= 0;
    near_at += which.storage * far_.size();
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      const lane_mask before = first_lanes(warp.rank());
      Entry entry = found[i].entry;
      entry.edges = static_cast<std::uint32_t>(found[i].degree);
      if (near_fits && found[i].where == vertex::near) {
        near_[near_at + lanes_in(near[i] & before)] = entry;
        found[i].where = vertex::nowhere;
      } else if (far_fits && found[i].where >= 0) {
        const int at = far_at + lanes_in(far[i] & before);
        const std::uint32_t among =
            atomic_ref(of_bucket_[found[i].where], scope::block{}).fetch_add(1, order::relaxed{});
        far_[at] = entry;
        far_at_[at] = static_cast<std::uint32_t>(found[i].where) << 16 | among;
        found[i].where = vertex::nowhere;
      }
      near_at += lanes_in(near[i]);
      far_at += lanes_in(far[i]);
    }
    return near_fits && far_fits;
  }
  /// Adds any vertex; near ones may go directly to list `list`.
  EVENLY_FN void add_any(const lanes<Block>& warp, const vertex& found, stage_turn which, int list,
                         const list_turn& turn) {
    const bool is_near = found.where == vertex::near, is_far = found.where >= 0;
    if (!warp.any(is_near || is_far)) return;
    const int pieces =
        is_near || is_far ? static_cast<int>((found.degree + (Edge{1} << cut_log_) - 1) >> cut_log_) : 0;
    const bool cut = warp.any(pieces > 1);
    if (warp.any(is_near)) add_near(warp, is_near, cut, pieces, found, which, list, turn);
    if (warp.any(is_far)) add_far(warp, is_far, cut, pieces, found, turn);
  }

  /// Moves the entries of a near stage and of the far stage to the lists. Called by all threads of the block;
  /// synchronises the block. The next sync() must follow before the stages are used.
  EVENLY_FN void flush(stage_turn which, int list, const list_turn& turn) {
    const int near = near_size(which), far = size(slots_type::of_far);
    if (near + far > 0) {
      if (near > 0 && block_.rank() == 0)
        filled_[slots_type::first_near] = lists_.take(list, static_cast<std::uint32_t>(near), turn);
      if (far > 0)
        for (int b = block_.rank(); b < of_bucket_.size(); b += block_.size()) {
          const std::uint32_t here = of_bucket_[b];
          if (here == 0) continue;
          first_of_[b] = lists_.take(b, here, turn);
          of_bucket_[b] = 0;
        }
      block_.sync();
      for (int i = block_.rank(); i < near; i += block_.size()) {
        const std::uint32_t first = filled_[slots_type::first_near];
        store(list, first + static_cast<std::uint32_t>(i), this->near(which, i));
      }
      for (int i = block_.rank(); i < far; i += block_.size()) {
        const std::uint32_t at = far_at_[i];
        const auto bucket = static_cast<int>(at >> 16);
        const std::uint32_t first = first_of_[bucket];
        const Entry entry = far_[i];
        store(bucket, first + (at & 0xffff), entry);
      }
    }
    block_.sync();
    if (block_.rank() == 0)
      for (int each = 0; each < slots_type::counts; ++each) empty_count(each);
  }

 private:
  EVENLY_FN void empty_count(int which) {
    filled_[2 * which] = 0;
    filled_[2 * which + 1] = static_cast<std::uint32_t>(far_.size());
  }
  EVENLY_FN int size(int which) const {
    const std::uint32_t given = filled_[2 * which], used = filled_[2 * which + 1];
    return static_cast<int>(smaller(given, used));
  }
  EVENLY_INLINE_FN void store(int list, std::uint32_t place, const Entry& entry) {
    if (Entry* const at = lists_.at(block_, list, place)) *at = entry;
  }

  /// Reserves `count` places in the stage with count `which`. If there are too few, reserves none and closes the stage.
  /// Returns the first place, or -1.
  EVENLY_INLINE_FN int take(const lanes<Block>& warp, int which, int count) {
    int first = 0;
    if (warp.rank() == 0) {
      const auto size = static_cast<std::uint32_t>(count);
      const std::uint32_t at =
          atomic_ref(filled_[2 * which], scope::block{}).fetch_add(size, order::relaxed{});
      first = static_cast<int>(at);
      if (at + size > static_cast<std::uint32_t>(far_.size())) {
        atomic_ref(filled_[2 * which + 1], scope::block{}).fetch_min(at, order::relaxed{});
        first = -1;
      }
    }
    return warp.shuffle(first, 0);
  }

  EVENLY_FN void add_near(const lanes<Block>& warp, bool mine, bool cut, int pieces, const vertex& found,
                          stage_turn which, int list, const list_turn& turn) {
    const lane_mask active = warp.ballot(mine);
    const scan_result<int> before = count(warp, active, cut, mine ? pieces : 0);
    const int first = take(warp, which.count, before.total);
    if (first >= 0) {
      const int base = which.storage * far_.size() + first + before.before;
      put(warp, active, cut, pieces, found, base, 0,
          [&](int at, int, const Entry& entry) { near_[at] = entry; });
      return;
    }
    std::uint32_t place = 0;
    if (warp.rank() == 0) place = lists_.take(list, static_cast<std::uint32_t>(before.total), turn);
    place = warp.shuffle(place, 0);
    put(warp, active, cut, pieces, found, static_cast<int>(place) + before.before, list,
        [&](int at, int to, const Entry& entry) { store(to, static_cast<std::uint32_t>(at), entry); });
  }

  EVENLY_FN void add_far(const lanes<Block>& warp, bool mine, bool cut, int pieces, const vertex& found,
                         const list_turn& turn) {
    const lane_mask active = warp.ballot(mine);
    const scan_result<int> before = count(warp, active, cut, mine ? pieces : 0);
    const int first = take(warp, slots_type::of_far, before.total);
    if (first >= 0) {
      std::uint32_t among = 0;
      if (mine)
        among = atomic_ref(of_bucket_[found.where], scope::block{})
                    .fetch_add(static_cast<std::uint32_t>(pieces), order::relaxed{});
      // The place in the list grows with the place in the stage, so the tag stores their difference.
      const int base = first + before.before;
      const int tag = static_cast<int>(static_cast<std::uint32_t>(found.where) << 16 | among) - base;
      put(warp, active, cut, pieces, found, base, tag, [&](int at, int to, const Entry& entry) {
        far_[at] = entry;
        far_at_[at] = static_cast<std::uint32_t>(to + at);
      });
      return;
    }
    std::uint32_t place = 0;
    if (mine) place = lists_.take(found.where, static_cast<std::uint32_t>(pieces), turn);
    put(warp, active, cut, pieces, found, static_cast<int>(place), found.where,
        [&](int at, int to, const Entry& entry) { store(to, static_cast<std::uint32_t>(at), entry); });
  }

  /// The number of pieces of the lanes before the caller's, and of all lanes.
  EVENLY_INLINE_FN static scan_result<int> count(const lanes<Block>& warp, lane_mask active, bool cut,
                                                 int pieces) {
    if (!cut) return {lanes_in(active & first_lanes(warp.rank())), lanes_in(active)};
    const int inclusive = warp.scan(pieces, plus<int>{});
    return {inclusive - pieces, warp.shuffle(inclusive, warp.size() - 1)};
  }

  /// Calls write(first + i, tag, entry) for piece i of each lane in `active`: by that lane, or, if some lanes have
  /// several pieces, by all lanes together.
  template <class Write>
  EVENLY_INLINE_FN void put(const lanes<Block>& warp, lane_mask active, bool cut, int pieces,
                            const vertex& found, int first, int tag, const Write& write) {
    if (!cut) {
      Entry entry = found.entry;
      entry.edges = static_cast<std::uint32_t>(found.degree);
      if ((active >> warp.rank() & 1) != 0) write(first, tag, entry);
      return;
    }
    for (lane_mask rest = active; rest != 0; rest &= rest - 1) {
      const int of = first_lane(rest), count = warp.shuffle(pieces, of);
      const int to = warp.shuffle(first, of), with = warp.shuffle(tag, of);
      const Edge degree = warp.shuffle(found.degree, of);
      Entry entry = warp.shuffle(found.entry, of);
      const Edge begin = entry.begin;
      for (int i = warp.rank(); i < count; i += warp.size()) {
        const Edge skipped = static_cast<Edge>(i) << cut_log_;
        entry.begin = begin + skipped;
        entry.edges = static_cast<std::uint32_t>(smaller(degree - skipped, Edge{1} << cut_log_));
        write(to + i, with, entry);
      }
    }
  }

  Block& block_;
  const entry_lists<Entry>& lists_;
  view<Entry> near_, far_;
  view<std::uint32_t> far_at_, of_bucket_, first_of_, filled_;
  int cut_log_;
};

} // namespace evenly::detail
