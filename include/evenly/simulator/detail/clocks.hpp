// SPDX-License-Identifier: Apache-2.0
// What is known to have happened before, among the blocks of a launch: vector clocks, an entry for a block.
//
// Each block counts time (race_check.hpp). An entry says that accesses of the block before a time are ordered before
// whoever has the clock; and, for one of its threads, that those before a later time are. That is exact for a block of
// which one thread speaks for all that met at a barrier. What more threads of a block say is rounded up: then an access
// may be taken for ordered that is not, and no other way round.
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
  int thread;        ///< one that has a time of its own
  std::uint64_t all; ///< before it: accesses of all threads
  std::uint64_t own; ///< before it: those of `thread`
};

class block_clock {
 public:
  std::uint64_t releases = 0; ///< of an object: how many it is of

  std::size_t size() const { return entries_.size(); }

  /// Whether an access at `time` by that thread is ordered before.
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
    else if (into.own <= into.all) // says no more than `all` does
      into.thread = more.thread, into.own = more.own;
    else if (more.own > into.all)
      into.all = larger(into.own, more.own);
  }
  /// Of very many blocks that all wait for each other nothing is said.
  void give_up_if_long() {
    if (entries_.size() <= max_entries) return;
    covers_all_ = true;
    entries_.clear();
  }

  std::vector<clock_entry> entries_; ///< by ascending block
  bool covers_all_ = false;
};

using clock_view = std::shared_ptr<const block_clock>;

/// Both; either may be null.
inline clock_view joined(const clock_view& a, const clock_view& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto both = std::make_shared<block_clock>(*a);
  both->join(*b);
  return both;
}

} // namespace evenly::detail
