// SPDX-License-Identifier: Apache-2.0
// race_checker: finds races in a block's storage by happens-before, although the fibres of a block never run at the
// same time.
//
// Time is a counter that each completed sync and warp_sync advances. Two accesses of different threads are ordered if a
// sync lies between them. Two accesses of one warp are also ordered by a warp_sync of the whole warp between them, or
// by a chain of warp_syncs of parts of it.
//
// For each 4 bytes (for each byte, after a smaller access) a cell keeps the last write and the accesses since then that
// may overlap: reads with reads, or atomics with atomics. This is the idea of FastTrack (Flanagan & Freund, PLDI 2009)
// with the two levels of a block built in. Accesses of two different warps with no sync between them are never ordered,
// so one thread of a second warp represents all of them. Each report is a race. It can miss a race only between
// accesses at different times by lanes of one warp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/access_kind.hpp"

namespace evenly::detail {

/// The earlier access of a conflict. thread -1: a value is needed, and none has been written in this block.
struct access_conflict {
  int thread;
  access_kind kind;
  std::uint32_t where; ///< the number of a place
  std::uint32_t byte;  ///< from the start of the block's storage
};

class race_checker {
 public:
  /// Begins a block of this shape, with `bytes` of storage in which nothing has been written.
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

  /// Return and advance the time. Code that orders accesses by other means than barriers advances it, to distinguish
  /// later accesses.
  std::uint64_t now() const { return time_; }
  void tick() { ++time_; }

  /// Returns a time: accesses of thread `by` before it happened before the next step of `thread`.
  [[gnu::always_inline]] std::uint64_t ordered_until(int by, int thread) const {
    if (warp_of(by) != warp_of(thread)) return synced_;
    const warp_state& w = warps_[static_cast<std::size_t>(warp_of(thread))];
    const std::uint64_t of_warp = larger(synced_, w.synced);
    return w.known.empty() ? of_warp : larger(of_warp, w.known[place_of_lanes(lane_of(thread), lane_of(by))]);
  }
  /// Returns such a time for any thread of its warp, rounded up.
  std::uint64_t ordered_until_of_warp(int thread) const {
    std::uint64_t max = synced_;
    for (int lane = 0; lane < shape_.warp; ++lane)
      max = larger(max, ordered_until((warp_of(thread) << warp_bits_) + lane, thread));
    return max;
  }

  /// Records an access of `thread` to bytes [first, first + size) at place number `where`. Returns false if it is an
  /// error, and stores the conflicting access in `conflict`.
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
  /// The accesses to some bytes. A time before the block's beginning, or its last sync, counts as none.
  struct cell {
    std::uint64_t written = 0;
    std::uint64_t shared = 0; ///< time of the earliest relevant access since the write
    lane_mask lanes = 0;      ///< the lanes of `warp` with such accesses
    std::uint32_t write_place = 0, shared_place = 0, other_place = 0; ///< numbers
    std::int16_t writer = -1;
    std::int16_t warp = -1;
    std::int16_t other = -1; ///< a thread of another warp with such an access, or -1
    access_kind shared_kind = access_kind::read;
    std::uint32_t split = 0; ///< if not 0, the index in bytes_ of the cells of the four bytes
  };
  struct warp_state {
    std::uint64_t synced = 0; ///< time of the last warp_sync of the whole warp
    std::vector<std::uint64_t>
        known; ///< [lane v][lane u]: earlier accesses of u are ordered for v; empty: none
  };

  std::uint64_t& known(warp_state& w, int lane, int of) { return w.known[place_of_lanes(lane, of)]; }
  std::size_t place_of_lanes(int lane, int of) const {
    return static_cast<std::size_t>(lane * shape_.warp + of);
  }
  int warp_of(int thread) const { return thread >> warp_bits_; }
  int lane_of(int thread) const { return thread & (shape_.warp - 1); }
  int thread_of(int warp, lane_mask lanes) const { return (warp << warp_bits_) + std::countr_zero(lanes); }

  /// Returns the index of the cells of the word's four bytes. They start as copies of the word's cell.
  [[gnu::noinline]] std::uint32_t split(std::uint32_t word) {
    if (words_[word].split == 0) {
      const auto cells = static_cast<std::uint32_t>(bytes_.size());
      bytes_.insert(bytes_.end(), 4, cell(words_[word]));
      words_[word].split = cells;
      split_words_.push_back(word);
    }
    return words_[word].split;
  }

  /// Returns whether the access of `by` at `time` happened before the next step of `thread`.
  [[gnu::always_inline]] bool ordered(int by, std::uint64_t time, int thread) const {
    return time < synced_ || by == thread || time < ordered_until(by, thread);
  }

  /// Returns the lanes in `c`, all of `thread`'s warp, whose accesses are not ordered before the next step of `thread`.
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

  /// Returns a thread whose shared access is not ordered before the next step of `thread`, or -1.
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
        // Atomics changed the value. For reads that are not ordered after them they count as a write.
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

  /// Adds a read or an atomic access to the shared accesses, which do not conflict with each other.
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
        unordered_lanes(c, thread) == 0) { // threads ordered after this one are after those too
      c.lanes = lane;
      c.shared = time_;
    }
    c.lanes |= lane;
    c.shared_place = where;
  }

  block_shape shape_;
  int warp_bits_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t begun_ = 0;  ///< beginning of the block
  std::uint64_t synced_ = 0; ///< time of the block's last sync
  std::vector<cell> words_;  ///< of each 4 bytes
  std::vector<cell> bytes_;
  std::vector<std::uint32_t> split_words_;
  std::vector<warp_state> warps_;
};

} // namespace evenly::detail
