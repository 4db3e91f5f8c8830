// SPDX-License-Identifier: Apache-2.0
// Entries that wait by a key, shared among cores: blocks of one thread in one co-resident launch go together from the
// entries of one key to those of the next.
//
// Each block has its own lists, which only it writes: one per key, in a circular array, and the list `near` of entries
// at the open key. At a barrier a block posts its sizes. After it all blocks find the same open entries: the near
// entries of all blocks, or, if there are none, those of the smallest key. No entry is copied, and no place is reserved
// in common: the open list has one part per block. A block takes its own part first, some entries at a time, and then
// what is left of the others' parts.
//
// New entries wait for the next barrier, unless a block continues alone:
//
//   go_on              with its near entries, for an order that need not be kept: saves a barrier
//   run_single_block   one block with all entries, from key to key, while there is too little for two
//
// Sources: the lists per core are those of Beamer, Asanovic, Patterson: The GAP benchmark suite, 2015; go_on is the
// bucket fusion of Zhang et al., CGO 2020.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>
#include <span>
#include <vector>

#include "evenly/core/index.hpp"

namespace evenly::detail {

/// A pause of a core between two loads of a word that another core is about to change.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause(); // _mm_pause without its header, which takes 0.2 s to compile
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace evenly::detail

namespace evenly::graphs {

/// The result of a barrier, the same for all blocks.
struct queue_totals {
  std::int64_t entries = 0;  ///< number of open entries
  std::int64_t behind = 0;   ///< number of entries that wait for another key
  std::int64_t counted[2]{}; ///< the sums of the counts of the blocks
};

/// The lists of all blocks, on the host, for one launch at a time. Entries remain only if a launch fails; begin()
/// removes them.
template <class Entry> class queue_lists {
 public:
  using list = std::pmr::vector<Entry>;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max(); ///< no key

  /// What a block posts to the others. Two posts take turns.
  struct post {
    std::atomic<std::uint32_t> barrier{0}; ///< the last barrier that it was written for
    std::int64_t key = none;               ///< the smallest key that waits
    const Entry *near = nullptr, *next = nullptr;
    std::int64_t near_size = 0, next_size = 0; ///< next: entries of that key
    std::int64_t waiting = 0;                  ///< entries of all keys
    std::int64_t counted[2]{};
  };
  struct alignas(128) block_lists {
    explicit block_lists(std::pmr::memory_resource* memory)
        : near{list(memory), list(memory)}, going(memory), waiting(memory) {}

    post posts[2];
    alignas(128) std::atomic<std::int64_t> taken[2]; ///< entries of the block's part of the open list
    alignas(128) list near[2];
    list going;                     ///< the entries that the block processes in go_on
    std::pmr::vector<list> waiting; ///< by key
  };

  explicit queue_lists(std::pmr::memory_resource* memory) : blocks_(memory) {}

  /// Prepares a launch of `blocks` blocks. No entry's key exceeds the open key by `keys` or more; keys: a power of two.
  void begin(int blocks, int keys) {
    while (blocks_.size() < static_cast<std::size_t>(blocks))
      blocks_.emplace_back(blocks_.get_allocator().resource());
    mask_ = keys - 1;
    for (block_lists& each : blocks_) {
      while (each.waiting.size() < static_cast<std::size_t>(keys)) each.waiting.emplace_back();
      for (list& waits : each.waiting) waits.clear();
      for (int i = 0; i < 2; ++i) {
        each.near[i].clear();
        each.posts[i].barrier = 0;
        each.taken[i] = 0;
      }
    }
  }
  block_lists& of(int block) { return blocks_[static_cast<std::size_t>(block)]; }
  int mask() const { return mask_; }
  std::size_t bytes() const {
    std::size_t entries = 0;
    for (const block_lists& each : blocks_) {
      entries += each.near[0].capacity() + each.near[1].capacity() + each.going.capacity();
      for (const list& waits : each.waiting) entries += waits.capacity();
    }
    return entries * sizeof(Entry) + blocks_.size() * sizeof(block_lists);
  }

 private:
  std::pmr::deque<block_lists> blocks_; ///< a deque, as elements must not move
  int mask_ = 0;
};

/// The view of one block; each block of the launch makes one.
template <class Block, class Entry> class persistent_queues {
  using lists_type = queue_lists<Entry>;
  using list = typename lists_type::list;
  using post = typename lists_type::post;
  static constexpr std::int64_t none = lists_type::none;

 public:
  persistent_queues(Block& block, lists_type& lists)
      : block_(block), lists_(lists), mine_(lists.of(block.index())) {}

  /// The key of the open entries; -1 before the first ones.
  std::int64_t open_key() const { return open_; }
  bool is_only() const { return block_.count() == 1; }

  /// Puts an entry into the list of its key; an entry at or below the open key goes to the near list.
  void put(std::int64_t key, const Entry& entry) {
    if (key > open_)
      wait(key, entry);
    else
      near_->push_back(entry);
  }
  void put_next(const Entry& entry) { wait(open_ + 1, entry); }
  /// The same for several entries of the next key, which is faster: the end of a list is in memory.
  void put_next(const Entry* first, std::int64_t count) {
    list& next = waiting(open_ + 1);
    next.insert(next.end(), first, first + count);
    waits_ += count;
  }
  /// The entries of this block that wait for the key after the open one. They may be put in another order.
  std::span<Entry> next() { return waiting(open_ + 1); }
  /// The number of entries of this block that wait for another key.
  std::int64_t waits() const { return waits_; }

  /// Waits for all blocks, makes their writes visible, and opens entries. The entries open before are removed.
  queue_totals sync(std::int64_t first = 0, std::int64_t second = 0) {
    publish(first, second);
    queue_totals all;
    std::int64_t near = 0, next = 0, key = none;
    for (int b = 0; b < block_.count(); ++b) {
      const post& theirs = await(b);
      near += theirs.near_size;
      if (theirs.key < key) next = 0;
      key = smaller(key, theirs.key);
      if (theirs.key == key) next += theirs.next_size;
      all.behind += theirs.waiting;
      for (int i = 0; i < 2; ++i) all.counted[i] += theirs.counted[i];
    }
    forget();
    opens_near_ = near > 0;
    if (!opens_near_ && key != none) {
      open_ = key;
      opened_ = &waiting(key);
      waits_ -= static_cast<std::int64_t>(opened_->size());
      all.behind -= next;
    }
    all.entries = opens_near_ ? near : next;
    return all;
  }

  /// Calls visit(first entry, count) for the open entries, a part at a time, until all are taken. Between two barriers
  /// a block calls this or distribute once.
  template <class Visit> void visit_open(std::int64_t entries, const Visit& visit) {
    const std::int64_t some = std::clamp<std::int64_t>(entries / (8 * block_.count()), 16, 256);
    for_parts(
        [&](int b) { return part(b).count; }, some,
        [&](int b, std::int64_t begin, std::int64_t end) { visit(part(b).first + begin, end - begin); });
  }
  /// Calls visit(begin, end) for parts of [0, count), of `some` except the last. Between two barriers a block calls
  /// this or visit_open once.
  template <class Visit> void distribute(std::int64_t count, std::int64_t some, const Visit& visit) {
    const std::int64_t per_block = ceil_div<std::int64_t>(count, block_.count());
    for_parts([&](int b) { return std::clamp<std::int64_t>(count - b * per_block, 0, per_block); }, some,
              [&](int b, std::int64_t begin, std::int64_t end) {
                visit(b * per_block + begin, b * per_block + end);
              });
  }

  /// Processes this block's near entries for up to `rounds` rounds, while there are some, and at most `max`.
  template <class Visit> void go_on(std::int64_t rounds, std::size_t max, const Visit& visit) {
    for (; rounds > 0 && !near_->empty() && near_->size() <= max; --rounds) {
      check_sometimes();
      mine_.going.swap(*near_);
      visit(mine_.going.data(), static_cast<std::int64_t>(mine_.going.size()));
      mine_.going.clear();
    }
  }
  /// This block alone processes the open entries of all blocks, and all entries that follow. The others wait at the
  /// next barrier and have no waiting entries. continues(): called before the entries of the next key.
  template <class Visit, class Continues>
  void run_single_block(const Visit& visit, const Continues& continues) {
    for (int b = 0; b < block_.count(); ++b)
      if (const opened open = part(b); open.count > 0) visit(open.first, open.count);
    if (opened_ != nullptr) opened_->clear();
    opened_ = nullptr;
    for (;;) {
      go_on(none, std::numeric_limits<std::size_t>::max(), visit);
      const std::int64_t key = min_key();
      if (key == none || !continues()) return;
      check_sometimes();
      open_ = key;
      list& now = waiting(key);
      waits_ -= static_cast<std::int64_t>(now.size());
      visit(now.data(), static_cast<std::int64_t>(now.size()));
      now.clear();
    }
  }

 private:
  static constexpr int looks = 1024;                ///< failed polls, before a block yields to other threads
  static constexpr std::int64_t max_part = 1 << 16; ///< entries of a part, if there is only one block
  static constexpr std::int64_t rounds_per_check = 1 << 8; ///< of one block that continues alone

  /// A block's part of the open entries.
  struct opened {
    const Entry* first;
    std::int64_t count;
  };

  void check_sometimes() {
    if (++rounds_ % rounds_per_check == 0) block_.check_interrupt();
  }
  void wait(std::int64_t key, const Entry& entry) {
    waiting(key).push_back(entry);
    ++waits_;
  }
  list& waiting(std::int64_t key) { return mine_.waiting[static_cast<std::size_t>(key & lists_.mask())]; }
  std::int64_t min_key() {
    for (std::int64_t key = open_ + 1; key <= open_ + lists_.mask(); ++key)
      if (!waiting(key).empty()) return key;
    return none;
  }
  void publish(std::int64_t first, std::int64_t second) {
    turn_ = static_cast<int>(++barrier_ & 1);
    post& posted = mine_.posts[turn_];
    const list& near = *near_;
    posted.near = near.data();
    posted.near_size = static_cast<std::int64_t>(near.size());
    posted.key = min_key();
    posted.next_size = 0;
    if (posted.key != none) {
      const list& next = waiting(posted.key);
      posted.next = next.data();
      posted.next_size = static_cast<std::int64_t>(next.size());
    }
    posted.waiting = waits_;
    posted.counted[0] = first;
    posted.counted[1] = second;
    mine_.taken[turn_].store(0, std::memory_order_relaxed); // its last takers have reached the last barrier
    posted.barrier.store(barrier_, std::memory_order_release);
  }
  const post& await(int b) {
    const post& theirs = lists_.of(b).posts[turn_];
    for (int i = 0; theirs.barrier.load(std::memory_order_acquire) != barrier_; ++i)
      if (i < looks)
        detail::pause_core();
      else
        block_.backoff();
    return theirs;
  }
  /// Removes the entries open before a barrier, which no block reads any more.
  void forget() {
    near_ = near_ == &mine_.near[0] ? &mine_.near[1] : &mine_.near[0];
    near_->clear();
    if (opened_ != nullptr) opened_->clear();
    opened_ = nullptr;
  }
  opened part(int b) {
    const post& posted = lists_.of(b).posts[turn_];
    if (opens_near_) return {posted.near, posted.near_size};
    if (posted.key == open_) return {posted.next, posted.next_size};
    return {nullptr, 0};
  }
  template <class Size, class Visit> void for_parts(const Size& size, std::int64_t some, const Visit& visit) {
    const int blocks = block_.count();
    if (is_only()) some = max_part;
    for (int i = 0; i < blocks; ++i) {
      const int b = (block_.index() + i) % blocks;
      const std::int64_t count = size(b);
      if (count == 0) continue;
      auto& taken = lists_.of(b).taken[turn_];
      while (taken.load(std::memory_order_relaxed) < count) {
        const std::int64_t begin = taken.fetch_add(some, std::memory_order_relaxed);
        block_.check_interrupt();
        if (begin < count) visit(b, begin, smaller(begin + some, count));
      }
    }
  }

  Block& block_;
  lists_type& lists_;
  typename lists_type::block_lists& mine_;
  list* near_ = &mine_.near[0];
  list* opened_ = nullptr;
  std::int64_t open_ = -1;
  std::int64_t waits_ = 0;
  std::int64_t rounds_ = 0; ///< in which this block continued alone
  std::uint32_t barrier_ = 0;
  int turn_ = 0;
  bool opens_near_ = false;
};

} // namespace evenly::graphs
