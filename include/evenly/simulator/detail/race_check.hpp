// SPDX-License-Identifier: Apache-2.0
// Finds races in a block's storage by happens-before, although the fibres of a block never run at the same
// time.
//
// Time is a counter that each completed sync and warp_sync advances. Two accesses of different threads are
// ordered if a sync lies between them, or if they are of one warp and a warp_sync of the whole warp, or a
// chain of warp_syncs of parts of it, lies between. For each 4 bytes (for each byte, once a smaller access
// has been seen there) a cell keeps the last write and the accesses since that may overlap: reads with reads,
// or atomics with atomics. This is the idea of FastTrack (Flanagan & Freund, PLDI 2009) with the block's two
// levels built in: accesses of two different warps with no sync between are never ordered, so one thread of a
// second warp stands for all of them. What it reports is a race; it can miss one only between accesses that
// differ in their time, of lanes of one warp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/access_kind.hpp"

namespace evenly::detail {

/// What an access is in conflict with; thread -1: it needs a value, and none has been written in this block.
struct access_conflict {
  int thread;
  access_kind kind;
  std::uint32_t where; ///< the number of a place
  std::uint32_t byte;  ///< from the start of the block's storage
};

class race_checker {
 public:
  /// A new block of this shape, with `bytes` of storage in which nothing has been written.
  void begin(std::size_t bytes, block_shape shape) {
    shape_ = shape;
    warp_bits_ = std::countr_zero(static_cast<unsigned>(shape.warp));
    begun_ = synced_ = ++time_;
    const std::size_t words = ceil_div(bytes, std::size_t{4});
    if (words_.size() < words) words_.resize(words);
    for (const std::uint32_t word : split_words_) words_[word].split = 0;
    split_words_.clear();
    bytes_.assign(1, {}); // split = 0 means none
    warps_.resize(larger(warps_.size(), static_cast<std::size_t>(shape.warps())));
  }

  /// All threads have met in sync.
  void sync() { synced_ = ++time_; }

  /// The lanes in `mask` have met in warp_sync; `all`: these are all lanes of the warp.
  void warp_sync(int warp, lane_mask mask, bool all) {
    warp_state& w = warps_[static_cast<std::size_t>(warp)];
    ++time_;
    if (all) {
      w.synced = time_;
      return;
    }
    if (w.known.empty()) w.known.resize(place_of_lanes(shape_.warp, 0), 0);
    std::uint64_t joined[64] = {};
    for (lane_mask from = mask; from; from &= from - 1)
      for (int i = 0; i < shape_.warp; ++i)
        joined[i] = larger(joined[i], known(w, std::countr_zero(from), i));
    for (lane_mask lanes = mask; lanes; lanes &= lanes - 1) joined[std::countr_zero(lanes)] = time_;
    for (lane_mask to = mask; to; to &= to - 1)
      for (int i = 0; i < shape_.warp; ++i) known(w, std::countr_zero(to), i) = joined[i];
  }

  /// The time. Whoever orders accesses otherwise than by barriers lets it go on, so that later ones are told apart.
  std::uint64_t now() const { return time_; }
  void tick() { ++time_; }

  /// What thread `by` did before that time happened before what `thread` does now.
  [[gnu::always_inline]] std::uint64_t ordered_until(int by, int thread) const {
    if (warp_of(by) != warp_of(thread)) return synced_;
    const warp_state& w = warps_[static_cast<std::size_t>(warp_of(thread))];
    const std::uint64_t of_warp = larger(synced_, w.synced);
    return w.known.empty() ? of_warp : larger(of_warp, w.known[place_of_lanes(lane_of(thread), lane_of(by))]);
  }
  /// Likewise of any thread of its warp, rounded up.
  std::uint64_t ordered_until_of_warp(int thread) const {
    std::uint64_t max = synced_;
    for (int lane = 0; lane < shape_.warp; ++lane)
      max = larger(max, ordered_until((warp_of(thread) << warp_bits_) + lane, thread));
    return max;
  }

  /// Thread `thread` accesses bytes [first, first + size), in the place of number `where`. False if that is an error,
  /// with what it conflicts with.
  [[gnu::always_inline]] bool access(std::uint32_t first, std::uint32_t size, int thread, access_kind kind,
                                     std::uint32_t where, access_conflict& conflict) {
    const std::uint32_t end = first + size;
    for (std::uint32_t byte = first; byte < end;) {
      const std::uint32_t word = byte / 4;
      const std::uint32_t stop = smaller(end, word * 4 + 4);
      conflict.byte = byte;
      if (stop - byte == 4 && words_[word].split == 0) {
        if (!touch(words_[word], thread, kind, where, conflict)) return false;
        byte = stop;
        continue;
      }
      const std::uint32_t cells = split(word);
      for (; byte < stop; ++byte) {
        conflict.byte = byte;
        if (!touch(bytes_[cells + byte % 4], thread, kind, where, conflict)) return false;
      }
    }
    return true;
  }

 private:
  /// What has been done with some bytes. A time that lies before the block's beginning, or its last sync, is
  /// as none.
  struct cell {
    std::uint64_t written = 0;
    std::uint64_t shared = 0; ///< time of the earliest access since the write that is still of interest
    lane_mask lanes = 0;      ///< the lanes of `warp` that made one
    std::uint32_t write_place = 0, shared_place = 0, other_place = 0; ///< numbers
    std::int16_t writer = -1;
    std::int16_t warp = -1;
    std::int16_t other = -1; ///< a thread of another warp that made one too, or -1
    access_kind shared_kind = access_kind::read;
    std::uint32_t split = 0; ///< if not 0, the four bytes have cells of their own from here on in bytes_
  };
  struct warp_state {
    std::uint64_t synced = 0; ///< time of the last warp_sync of the whole warp
    std::vector<std::uint64_t>
        known; ///< [lane v][lane u]: what u did before is ordered for v; empty: nothing
  };

  std::uint64_t& known(warp_state& w, int lane, int of) { return w.known[place_of_lanes(lane, of)]; }
  std::size_t place_of_lanes(int lane, int of) const {
    return static_cast<std::size_t>(lane * shape_.warp + of);
  }
  int warp_of(int thread) const { return thread >> warp_bits_; }
  int lane_of(int thread) const { return thread & (shape_.warp - 1); }
  int thread_of(int warp, lane_mask lanes) const { return (warp << warp_bits_) + std::countr_zero(lanes); }

  /// The cells of the word's four bytes, which start with what is known of the word.
  [[gnu::noinline]] std::uint32_t split(std::uint32_t word) {
    if (words_[word].split == 0) {
      const auto cells = static_cast<std::uint32_t>(bytes_.size());
      bytes_.insert(bytes_.end(), 4, cell(words_[word]));
      words_[word].split = cells;
      split_words_.push_back(word);
    }
    return words_[word].split;
  }

  /// Whether what `by` did at `time` happened before what `thread` does now.
  [[gnu::always_inline]] bool ordered(int by, std::uint64_t time, int thread) const {
    return time < synced_ || by == thread || time < ordered_until(by, thread);
  }

  /// The lanes in `c`, all of `thread`'s warp, whose accesses are not ordered before what `thread` does now.
  [[gnu::noinline]] lane_mask unordered_lanes(const cell& c, int thread) {
    warp_state& w = warps_[static_cast<std::size_t>(c.warp)];
    if (c.shared < w.synced) return 0;
    lane_mask left = c.lanes & ~(lane_mask{1} << lane_of(thread));
    if (w.known.empty()) return left;
    for (lane_mask rest = left; rest; rest &= rest - 1)
      if (const int lane = std::countr_zero(rest); c.shared < known(w, lane_of(thread), lane))
        left &= ~(lane_mask{1} << lane);
    return left;
  }

  /// A thread whose shared access is not ordered before what `thread` does now, or -1.
  [[gnu::noinline]] int unordered_sharer(const cell& c, int thread) {
    if (c.lanes == 0 || c.shared < synced_) return -1;
    if (c.warp != warp_of(thread)) return thread_of(c.warp, c.lanes);
    if (c.other >= 0) return c.other;
    const lane_mask left = unordered_lanes(c, thread);
    return left ? thread_of(c.warp, left) : -1;
  }

  [[gnu::always_inline]] bool touch(cell& c, int thread, access_kind kind, std::uint32_t where,
                                    access_conflict& conflict) {
    auto fail = [&](int other, access_kind with, std::uint32_t place) {
      conflict = {other, with, place, conflict.byte};
      return false;
    };
    if (kind != access_kind::write && c.written < begun_) return fail(-1, access_kind::write, where);
    if (!ordered(c.writer, c.written, thread)) return fail(c.writer, access_kind::write, c.write_place);
    if (kind == access_kind::write || kind != c.shared_kind) {
      if (const int other = unordered_sharer(c, thread); other >= 0)
        return fail(other, c.shared_kind, other == c.other ? c.other_place : c.shared_place);
      if (c.shared_kind == access_kind::atomic && c.lanes != 0 && c.shared >= synced_) {
        // Atomics changed the value, so for reads not ordered after them they stay on as a write.
        c.written = c.shared;
        c.writer = static_cast<std::int16_t>(thread_of(c.warp, c.lanes));
        c.write_place = c.shared_place;
      }
      c.lanes = 0;
    }
    if (kind == access_kind::write) {
      c.written = time_;
      c.writer = static_cast<std::int16_t>(thread);
      c.write_place = where;
    } else
      share(c, thread, kind, where);
    return true;
  }

  /// Adds a read or an atomic access to those that do not conflict with each other.
  [[gnu::always_inline]] void share(cell& c, int thread, access_kind kind, std::uint32_t where) {
    const int warp = warp_of(thread);
    const lane_mask lane = lane_mask{1} << lane_of(thread);
    if (c.lanes == 0 || c.shared < synced_) {
      c.lanes = 0;
      c.other = -1;
      c.warp = static_cast<std::int16_t>(warp);
      c.shared_kind = kind;
    } else if (c.warp != warp) {
      c.other = static_cast<std::int16_t>(thread);
      c.other_place = where;
      return;
    }
    if (c.lanes == 0 ||
        unordered_lanes(c, thread) == 0) { // whoever is ordered after this one is after those too
      c.lanes = lane;
      c.shared = time_;
    }
    c.lanes |= lane;
    c.shared_place = where;
  }

  block_shape shape_;
  int warp_bits_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t begun_ = 0;  ///< when the block began
  std::uint64_t synced_ = 0; ///< time of the block's last sync
  std::vector<cell> words_;  ///< what is known of each 4 bytes
  std::vector<cell> bytes_;
  std::vector<std::uint32_t> split_words_;
  std::vector<warp_state> warps_;
};

} // namespace evenly::detail
