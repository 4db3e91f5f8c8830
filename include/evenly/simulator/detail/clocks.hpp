// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what is known to have happened before, among the blocks of a launch, with one entry per block.
//
// Each block counts time (race_check.hpp). An entry states that accesses of the block before a time are ordered before
// the threads that hold the clock. For one thread of the block it may state a later time. This is exact for a block in
// which one thread releases for all threads that met at a barrier. Entries of more threads are rounded up: then an
// access may be considered ordered although it is not, but never the reverse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "evenly/core/index.hpp"

namespace evenly::detail {

struct clock_entry {
  int block;
  int thread;        ///< the thread with its own time
  std::uint64_t all; ///< accesses of all threads before it are ordered
  std::uint64_t own; ///< those of `thread` before it are ordered
};

class block_clock {
 public:
  std::uint64_t releases = 0; ///< of an object: the number of releases that it includes

  std::size_t size() const { return entries_.size(); }

  /// Returns whether an access of that thread at `time` is ordered before.
  bool covers(int block, int thread, std::uint64_t time) const {
    if (covers_all_) return true;
    const auto at = find(block);
    if (at == entries_.end() || at->block != block) return false;
    return time < at->all || (thread == at->thread && time < at->own);
  }
  void add(const clock_entry& entry) {
    if (covers_all_) return;
    const auto at = entries_.begin() + (find(entry.block) - entries_.begin());
    if (at == entries_.end() || at->block != entry.block)
      entries_.insert(at, entry);
    else
      merge(*at, entry);
    give_up_if_long();
  }
  void join(const block_clock& other) {
    covers_all_ = covers_all_ || other.covers_all_;
    if (covers_all_) return entries_.clear();
    std::vector<clock_entry> both;
    both.reserve(entries_.size() + other.entries_.size());
    auto a = entries_.begin();
    for (const clock_entry& b : other.entries_) {
      while (a != entries_.end() && a->block < b.block) both.push_back(*a++);
      both.push_back(b);
      if (a != entries_.end() && a->block == b.block) merge(both.back(), *a++);
    }
    both.insert(both.end(), a, entries_.end());
    entries_ = std::move(both);
    give_up_if_long();
  }

 private:
  static constexpr std::size_t max_entries = 4096;

  std::vector<clock_entry>::const_iterator find(int block) const {
    return std::lower_bound(entries_.begin(), entries_.end(), block,
                            [](const clock_entry& e, int wanted) { return e.block < wanted; });
  }
  static void merge(clock_entry& into, const clock_entry& more) {
    into.all = larger(into.all, more.all);
    if (into.thread == more.thread)
      into.own = larger(into.own, more.own);
    else if (into.own <= into.all) // adds nothing to `all`
      into.thread = more.thread, into.own = more.own;
    else if (more.own > into.all)
      into.all = larger(into.own, more.own);
  }
  /// If very many blocks wait for each other, considers all accesses as ordered.
  void give_up_if_long() {
    if (entries_.size() <= max_entries) return;
    covers_all_ = true;
    entries_.clear();
  }

  std::vector<clock_entry> entries_; ///< by ascending block
  bool covers_all_ = false;
};

using clock_view = std::shared_ptr<const block_clock>;

/// Returns a clock with the knowledge of both. Either may be null.
inline clock_view joined(const clock_view& a, const clock_view& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto both = std::make_shared<block_clock>(*a);
  both->join(*b);
  return both;
}

} // namespace evenly::detail
