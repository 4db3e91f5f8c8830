// SPDX-License-Identifier: Apache-2.0
// memory_races: finds races on memory that kernels access through views (execution/memory.hpp) or traced()
// (block/block.hpp), among all blocks of a launch.
//
// Memory is divided into cells of at most 16 bytes: the size of the smallest access nearby. A cell keeps the last write
// and two of the reads since. Two accesses of different threads race if one of them writes, one is not atomic, and the
// order of threads (block_order.hpp) does not order them. This is the happens-before relation of C++, by the method of
// FastTrack (Flanagan & Freund, PLDI 2009). Each report is a race. Some races are missed: if more than two threads
// read, or if a clock was rounded up. Launches are serial: each begins without history.
//
// Until a launch accesses memory in one of these ways there is nothing to order, and its atomic operations cost
// nothing. If these have passed on more than max_work entries of clocks, the launch is not checked further.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/simulator/detail/block_order.hpp"
#include "evenly/simulator/detail/clocks.hpp"
#include "evenly/simulator/detail/place.hpp"
#include "evenly/simulator/detail/race_check.hpp"

namespace evenly::detail {

/// An access of a thread to memory.
struct memory_access {
  std::uint64_t time = 0;
  source_place where;
  std::int32_t block = -1; ///< -1: no access
  std::int16_t thread = 0;
  bool writes = false;
  bool atomic = false;
};

/// Safe to use from the operating-system threads that run blocks of one launch.
class memory_races {
 public:
  /// `alone`: one operating-system thread runs all blocks.
  explicit memory_races(bool alone) : alone_(alone) {}

  /// Records `access` to `bytes` bytes that begin at `address`, by a thread of the block of `order`. Returns false if
  /// it races with an earlier access, which is stored in `other`.
  bool access(const block_order& order, std::uint64_t address, std::size_t bytes, const memory_access& access,
              memory_access& other) {
    if (!access.atomic && state_ == state::unused) state_ = state::used;
    if (state_ != state::used) return true;
    const std::uint64_t end = address + bytes;
    while (address < end) {
      const std::uint64_t number = address / page_bytes;
      const std::uint64_t stop = smaller(end, (number + 1) * page_bytes);
      shard& part = shards_[number % shards_.size()];
      const std::lock_guard lock(part.guard);
      if (!part.pages[number].touch(order, address % page_bytes, stop - number * page_bytes, access, other))
        return false;
      address = stop;
    }
    return true;
  }

  /// From here on atomic operations are recorded, even if there was no other access.
  void use() {
    if (state_ == state::unused) state_ = state::used;
  }

  /// Called before an operation: stores what its thread releases by it.
  void release(block_order& order, int thread, const atomic_operation& what) {
    const bool all = what.releases();
    if (state_ != state::used || what.kind == atomic_kind::load || !order.releases(thread, all)) return;
    const std::lock_guard lock(guard_);
    const void* const object = key_of(order, what);
    std::shared_ptr<block_clock>& clock = objects_[object];
    if (!clock || !alone_ || clock.use_count() > 1)
      clock = clock ? std::make_shared<block_clock>(*clock) : std::make_shared<block_clock>();
    order.release(*clock, thread, object, all);
    ++clock->releases;
    work_ += clock->size();
    if (work_ > max_work) state_ = state::given_up;
  }
  /// Called after an operation: gives its thread what it acquires.
  void acquire(block_order& order, int thread, const atomic_operation& what) {
    if (state_ != state::used || what.kind == atomic_kind::store) return;
    const std::lock_guard lock(guard_);
    const void* const object = key_of(order, what);
    if (const auto found = objects_.find(object); found != objects_.end())
      order.acquire(thread, found->second, object, what.acquires());
  }

 private:
  static constexpr std::uint64_t page_bytes = 256;
  static constexpr std::uint64_t max_work = std::uint64_t{1} << 25; ///< about a second

  enum class state { unused, used, given_up };

  /// Returns the key of the object. Other blocks have storage at the same address at another time, so the key of an
  /// element of storage is one that no memory has.
  static const void* key_of(const block_order& order, const atomic_operation& what) {
    const auto address = reinterpret_cast<std::uintptr_t>(what.object);
    const auto block = static_cast<std::uintptr_t>(order.block()) + 1;
    return reinterpret_cast<const void*>(what.in_storage() ? address ^ block << 48 : address);
  }

  struct cell {
    memory_access write, read, other_read;

    bool touch(const block_order& order, const memory_access& now, memory_access& other) {
      const auto races_with = [&](const memory_access& before) {
        if (before.block < 0 || (before.atomic && now.atomic) ||
            order.is_ordered(before.block, before.thread, before.time, now.thread))
          return false;
        other = before;
        return true;
      };
      if (races_with(write)) return false;
      if (now.writes) {
        if (races_with(read) || races_with(other_read)) return false;
        write = now;
        read.block = other_read.block = -1;
        return true;
      }
      // A thread ordered after a read takes its place in the cell. Otherwise both are kept, of two blocks if there are
      // two.
      if (read.block >= 0 && !order.is_ordered(read.block, read.thread, read.time, now.thread) &&
          (other_read.block < 0 || read.block != now.block))
        other_read = read;
      read = now;
      return true;
    }
  };

  class page {
   public:
    /// Records an access to bytes [first, end) of the page.
    bool touch(const block_order& order, std::uint64_t first, std::uint64_t end, const memory_access& now,
               memory_access& other) {
      const std::uint64_t fits = std::uint64_t{1} << std::countr_zero(first | end | max_bytes);
      if (cells_.empty()) cells_.resize(page_bytes / (each_ = fits));
      if (fits < each_) split(fits);
      for (std::uint64_t i = first / each_; i < end / each_; ++i)
        if (!cells_[i].touch(order, now, other)) return false;
      return true;
    }

   private:
    static constexpr std::uint64_t max_bytes = 16; ///< of a cell

    void split(std::uint64_t each) {
      std::vector<cell> fine(page_bytes / each);
      for (std::uint64_t i = 0; i < fine.size(); ++i) fine[i] = cells_[i * each / each_];
      cells_ = std::move(fine);
      each_ = each;
    }

    std::uint64_t each_ = 0; ///< bytes of a cell
    std::vector<cell> cells_;
  };
  struct shard {
    std::mutex guard;
    std::unordered_map<std::uint64_t, page> pages;
  };

  bool alone_;
  std::atomic<state> state_{state::unused};
  std::array<shard, 64> shards_;
  std::mutex guard_;
  std::unordered_map<const void*, std::shared_ptr<block_clock>> objects_; ///< the clocks released to them
  std::uint64_t work_ = 0; ///< entries of clocks that were passed on
};

} // namespace evenly::detail
