// SPDX-License-Identifier: Apache-2.0
// Entries that wait by a key, shared among cores: blocks of one thread that stay in one co-resident launch, and go from
// the entries of one key to those of the next together.
//
// Each block has its own lists, which nobody else writes: one for each key, in a circle, and one for what was put at
// the open key, near. At a meeting a block posts what it has; after it all find the same: the open entries are what was
// near, of all blocks, or else what has the least key. Nothing is copied, and no place is reserved in common: the open
// list is one part of each block. A block takes its own part first, some entries at a time, and then what is left of
// the others'.
//
// What is put while the open entries are gone through waits for the next meeting, unless the block goes on by itself:
//   go_on      with what it put near: for an order that need not be kept, one meeting less
//   run_single_block   one block, with all, from key to key, for as long as there is too little for two
//
// (The lists of each core are those of Beamer, Asanovic, Patterson: The GAP benchmark suite, 2015, and going on by
// oneself is what Zhang et al., CGO 2020, call bucket fusion.)
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>
#include <vector>

#include "evenly/core/index.hpp"

namespace evenly {

namespace detail {

/// Between two looks of a core at a word that another one is about to change.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause(); // _mm_pause without its header, which takes a fifth of a second to read
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace detail

/// What all blocks find at a meeting.
struct queue_totals {
  std::int64_t entries = 0;  ///< that are open
  std::int64_t behind = 0;   ///< that wait for another key
  std::int64_t counted[2]{}; ///< the sums of what the blocks counted
};

/// The lists of all blocks, on the host. One launch uses them at a time. Entries stay in them only where a
/// launch fails: begin() forgets them.
template <class Entry> class queue_lists {
 public:
  using list = std::pmr::vector<Entry>;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max(); ///< as a key

  /// What a block tells the others. Two take turns.
  struct post {
    std::atomic<std::uint32_t> meeting{0}; ///< the last it was written for
    std::int64_t key = none;               ///< the least one that waits
    const Entry *near = nullptr, *next = nullptr;
    std::int64_t near_size = 0, next_size = 0; ///< next: those of the key
    std::int64_t waiting = 0;                  ///< of all keys
    std::int64_t counted[2]{};
  };
  struct alignas(128) block_lists {
    explicit block_lists(std::pmr::memory_resource* memory)
        : near{list(memory), list(memory)}, going(memory), waiting(memory) {}

    post posts[2];
    alignas(128) std::atomic<std::int64_t> taken[2]; ///< entries of the block's part of the open list
    alignas(128) list near[2];
    list going;                     ///< what the block goes on with by itself
    std::pmr::vector<list> waiting; ///< by key
  };

  explicit queue_lists(std::pmr::memory_resource* memory) : blocks_(memory) {}

  /// Before a launch of so many blocks, which put no entry `keys` or more above the open key: a power of two.
  void begin(int blocks, int keys) {
    while (blocks_.size() < static_cast<std::size_t>(blocks))
      blocks_.emplace_back(blocks_.get_allocator().resource());
    mask_ = keys - 1;
    for (block_lists& each : blocks_) {
      while (each.waiting.size() < static_cast<std::size_t>(keys)) each.waiting.emplace_back();
      for (list& waits : each.waiting) waits.clear();
      for (int i = 0; i < 2; ++i) {
        each.near[i].clear();
        each.posts[i].meeting = 0;
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
  std::pmr::deque<block_lists> blocks_; ///< which stay where they are
  int mask_ = 0;
};

/// What one block has of them; each block of the launch makes one.
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

  /// Puts an entry where its key says; with the open one, or one below it, near.
  void put(std::int64_t key, const Entry& entry) {
    if (key > open_)
      wait(key, entry);
    else
      near_->push_back(entry);
  }
  void put_next(const Entry& entry) { wait(open_ + 1, entry); }
  /// The same for several at once, which is faster: a list's end is in memory.
  void put_next(const Entry* first, std::int64_t count) {
    list& next = waiting(open_ + 1);
    next.insert(next.end(), first, first + count);
    waits_ += count;
  }
  /// Entries that this block has put and that wait for another key.
  std::int64_t waits() const { return waits_; }

  /// Waits for all blocks, orders what they did to memory, and opens entries. What was open is no more.
  queue_totals sync(std::int64_t first = 0, std::int64_t second = 0) {
    tell(first, second);
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

  /// Calls visit(first entry, count) for the open entries, a part at a time, until all are taken. Between two meetings
  /// once, or share_out is.
  template <class Visit> void visit_open(std::int64_t entries, const Visit& visit) {
    const std::int64_t some = std::clamp<std::int64_t>(entries / (8 * block_.count()), 16, 256);
    for_parts(
        [&](int b) { return part(b).count; }, some,
        [&](int b, std::int64_t begin, std::int64_t end) { visit(part(b).first + begin, end - begin); });
  }
  /// Calls visit(begin, end) for parts of [0, count), of `some` but for the last. Between two meetings once, or
  /// visit_open is.
  template <class Visit> void share_out(std::int64_t count, std::int64_t some, const Visit& visit) {
    const std::int64_t share = ceil_div<std::int64_t>(count, block_.count());
    for_parts(
        [&](int b) { return std::clamp<std::int64_t>(count - b * share, 0, share); }, some,
        [&](int b, std::int64_t begin, std::int64_t end) { visit(b * share + begin, b * share + end); });
  }

  /// Goes on with what this block has put near, for so many rounds, while that is no more than `max` entries and there
  /// is some.
  template <class Visit> void go_on(std::int64_t rounds, std::size_t max, const Visit& visit) {
    for (; rounds > 0 && !near_->empty() && near_->size() <= max; --rounds) {
      mine_.going.swap(*near_);
      visit(mine_.going.data(), static_cast<std::int64_t>(mine_.going.size()));
      mine_.going.clear();
    }
  }
  /// The open entries of all, and then what comes of them, by this block alone, while the others go to the next meeting
  /// and have nothing that waits. continues(): asked before the entries of the next key.
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
      open_ = key;
      list& now = waiting(key);
      waits_ -= static_cast<std::int64_t>(now.size());
      visit(now.data(), static_cast<std::int64_t>(now.size()));
      now.clear();
    }
  }

 private:
  static constexpr int looks = 1024; ///< in vain, before a block lets others run

  /// A block's part of the open entries.
  struct opened {
    const Entry* first;
    std::int64_t count;
  };

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
  void tell(std::int64_t first, std::int64_t second) {
    turn_ = static_cast<int>(++meeting_ & 1);
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
    mine_.taken[turn_].store(0, std::memory_order_relaxed); // whose last takers have come to the last meeting
    posted.meeting.store(meeting_, std::memory_order_release);
  }
  const post& await(int b) {
    const post& theirs = lists_.of(b).posts[turn_];
    for (int i = 0; theirs.meeting.load(std::memory_order_acquire) != meeting_; ++i)
      if (i < looks)
        detail::pause_core();
      else
        block_.backoff();
    return theirs;
  }
  /// After a meeting nobody reads any more what was open before it.
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
    if (is_only()) some = std::numeric_limits<std::int64_t>::max() / 2;
    for (int i = 0; i < blocks; ++i) {
      const int b = (block_.index() + i) % blocks;
      const std::int64_t count = size(b);
      if (count == 0) continue;
      auto& taken = lists_.of(b).taken[turn_];
      while (taken.load(std::memory_order_relaxed) < count) {
        const std::int64_t begin = taken.fetch_add(some, std::memory_order_relaxed);
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
  std::uint32_t meeting_ = 0;
  int turn_ = 0;
  bool opens_near_ = false;
};

} // namespace evenly
