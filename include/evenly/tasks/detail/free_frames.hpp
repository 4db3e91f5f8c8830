// SPDX-License-Identifier: Apache-2.0
// The free frames of a run (detail/join_body.hpp). Each worker has a private list, and exchanges batches of frames with
// a store that all workers share.
//
// So a frame costs no atomic operation, and a freed frame is reused by the same worker next. At first all frames are in
// the store, and a worker takes a batch by adding to a count. Later the store has returned batches: each is a node with
// its frames in its part of `contents`. Full nodes and empty nodes wait on two stacks, linked by number (Treiber 1986).
// The head of a stack has a tag that grows with each operation, in one 64-bit word. So a node that was taken and put
// back meanwhile is not mistaken for an unchanged one, unless a worker stalls through 2^32 operations. There are as
// many nodes as batches, so a worker that returns a batch always finds a node.
//
// Memory orders: the frames of a node are written before the push that releases it, and read after the pop that
// acquires it. A pop may read the link of a node that another worker owns meanwhile. So links are read and written by
// relaxed operations, and the compare-and-swap fails in this case. A pop that succeeds changes a word released by
// pushes. A thread that acquires the pop's value also acquires these pushes, so a pop need not release. The counts
// assign numbers, and are relaxed.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/memory_view.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// A stack of numbers to which any thread may push, and from which any thread may pop. Several stacks may share `next`
/// if each number is on at most one at a time.
struct number_stack {
  task_word* head;     ///< tag << 32 | number + 1; zero at first
  std::uint32_t* next; ///< [number]: the next one + 1

  EVENLY_INLINE_FN void push(std::uint32_t number) const {
    const atomic_ref top(head->value);
    std::int64_t seen = top.load(order::relaxed{});
    do atomic_ref(next[number]).store(static_cast<std::uint32_t>(seen), order::relaxed{});
    while (!top.compare_exchange(seen, after(seen, number + 1), order::release{}));
  }
  /// Returns whether there was a number.
  EVENLY_INLINE_FN bool pop(std::uint32_t& number) const {
    const atomic_ref top(head->value);
    std::int64_t seen = top.load(order::acquire{});
    while (static_cast<std::uint32_t>(seen) != 0) {
      number = static_cast<std::uint32_t>(seen) - 1;
      const std::uint32_t link = atomic_ref(next[number]).load(order::relaxed{});
      if (top.compare_exchange(seen, after(seen, link), order::acquire{})) return true;
    }
    return false;
  }

 private:
  EVENLY_INLINE_FN static std::int64_t after(std::int64_t seen, std::uint32_t link) {
    return static_cast<std::int64_t>(((static_cast<std::uint64_t>(seen) >> 32) + 1) << 32 | link);
  }
};

/// The free frames of a run as kernels see them.
struct frame_pool {
  /// The data of a worker between two calls of the body.
  struct alignas(grid_barrier::line) row {
    std::uint64_t resumed;  ///< continuations that it ran
    std::uint64_t readied;  ///< continuations that it pushed
    std::uint64_t deferred; ///< tasks that it returned because no frame was free
    int free;               ///< frames in its list
  };
  struct shared_words {
    task_word full, empty; ///< heads of stacks
    task_word begun;       ///< frames that the store has handed out for the first time
    task_word nodes_begun;
    task_word failure; ///< a join_failure
  };

  shared_words* words;
  row* rows; ///< of workers
  std::uint32_t* lists;
  std::uint32_t* next;     ///< [node]
  std::uint32_t* contents; ///< [node][place]
  std::int64_t frames;
  int batch;
  int kept; ///< maximum number of frames in a worker's list when a call of the body ends
  int list; ///< places in a list

  /// The preferred number of frames in a batch; smaller if there are few frames for each worker.
  static constexpr int tuned_batch = 128;
  /// A worker keeps at most its even share, in batches of a fourth of it, and at most this number of frames. It is more
  /// than a descent takes and frees again; with fewer all workers would contend for the store. (On an H200,
  /// Fibonacci(35): 3 G tasks a second with 512.)
  static constexpr int max_kept = 2048;
  static constexpr int batches_of_share = 4;

  /// Returns the number of frames that a worker keeps for depth-first work: tasks that run side by side leave them.
  EVENLY_INLINE_FN int reserve() const { return 2 * batch; }

  static frame_pool make(tasks::pool_memory& memory, std::int64_t frames, std::int64_t workers, int lanes) {
    frame_pool made{};
    made.frames = frames;
    const auto share = static_cast<int>(smaller<std::int64_t>(frames / workers, max_kept));
    made.batch = larger(smaller(share / batches_of_share, tuned_batch), 1);
    made.kept = larger(share, batches_of_share * made.batch);
    made.list = made.kept + made.batch + lanes;
    const std::int64_t nodes = frames / made.batch;
    made.words = memory.take_zeroed<shared_words>(1);
    made.rows = memory.take_zeroed<row>(workers);
    made.lists = memory.take<std::uint32_t>(workers * made.list);
    made.next = memory.take<std::uint32_t>(nodes);
    made.contents = memory.take<std::uint32_t>(nodes * made.batch);
    return made;
  }

  EVENLY_INLINE_FN number_stack full() const { return {&words->full, next}; }
  EVENLY_INLINE_FN number_stack empty() const { return {&words->empty, next}; }
};

/// The list of a worker during one call of the body. Its members are called by all lanes.
template <class Block> class frame_list {
 public:
  EVENLY_INLINE_FN frame_list(const frame_pool& pool, Block& block, const lanes<Block>& warp)
      : pool_(pool), block_(block), warp_(warp),
        worker_(block.index() * block.shape().warps() + warp_of(block)) {
    count_ = traced(block, &row().free)[0];
  }

  EVENLY_INLINE_FN int count() const { return count_; }
  /// Counts tasks that the worker puts back.
  EVENLY_INLINE_FN void note_deferred(int tasks) const {
    if (warp_.rank() == 0) row().deferred += static_cast<unsigned>(tasks);
  }

  /// Fetches batches until the list has `wanted` frames or the store is empty. Returns the number of frames in the
  /// list. Requires that `wanted` is at most the number of a warp's lanes plus the reserve.
  EVENLY_INLINE_FN int fetch(int wanted) {
    while (count_ < wanted && fetch_batch()) {
    }
    return count_;
  }
  /// Puts the frame of each lane with `leaves` into the list.
  EVENLY_INLINE_FN void put(lane_mask leaving, bool leaves, std::uint32_t frame) {
    if (leaves) list()[count_ + rank_in(leaving)] = frame;
    count_ += lanes_in(leaving);
    warp_.sync();
  }
  /// Takes a frame for each lane with `wants`, the last ones put first. `wanting`: the lanes that need one; if they are
  /// more than count(), no lane has `wants`.
  EVENLY_INLINE_FN std::uint32_t take(lane_mask wanting, bool wants) {
    std::uint32_t frame = 0;
    if (wants) frame = list()[count_ - 1 - rank_in(wanting)];
    count_ = larger(count_ - lanes_in(wanting), 0);
    return frame;
  }
  /// Ends the call.
  EVENLY_INLINE_FN void close(int resumed, int readied) {
    while (count_ > pool_.kept) give_back();
    warp_.sync(); // all have read the row
    if (warp_.rank() != 0) return;
    row().resumed += static_cast<unsigned>(resumed);
    row().readied += static_cast<unsigned>(readied);
    traced(block_, &row().free)[0] = count_;
  }

 private:
  EVENLY_INLINE_FN frame_pool::row& row() const { return pool_.rows[worker_]; }
  EVENLY_INLINE_FN auto list() const {
    return traced(block_, pool_.lists + std::int64_t{worker_} * pool_.list);
  }
  EVENLY_INLINE_FN auto contents(std::uint32_t node) const {
    return traced(block_, pool_.contents + std::int64_t{node} * pool_.batch);
  }
  EVENLY_INLINE_FN int rank_in(lane_mask of) const { return lanes_in(of & first_lanes(warp_.rank())); }

  struct batch_of_frames {
    std::uint32_t from; ///< the first of consecutive frames, or the node
    int count;
    int has_node;
  };
  EVENLY_INLINE_FN bool fetch_batch() {
    batch_of_frames got{};
    if (warp_.rank() == 0) got = find_batch();
    got = warp_.shuffle(got, 0);
    warp_.sync(); // the first lane has acquired it
    EVENLY_DO_NOT_UNROLL
    for (int i = warp_.rank(); i < got.count; i += warp_.size()) {
      std::uint32_t frame = got.from + static_cast<unsigned>(i);
      if (got.has_node != 0) frame = contents(got.from)[i];
      list()[count_ + i] = frame;
    }
    count_ += got.count;
    warp_.sync();
    if (got.has_node != 0 && warp_.rank() == 0) pool_.empty().push(got.from);
    return got.count > 0;
  }
  EVENLY_INLINE_FN batch_of_frames find_batch() const {
    std::uint32_t node = 0;
    if (pool_.full().pop(node)) return {node, pool_.batch, 1};
    const atomic_ref begun(pool_.words->begun.value);
    std::int64_t first = begun.load(order::relaxed{});
    if (first < pool_.frames) first = begun.fetch_add(pool_.batch, order::relaxed{});
    const std::int64_t left = larger<std::int64_t>(pool_.frames - first, 0);
    return {static_cast<std::uint32_t>(first), static_cast<int>(smaller<std::int64_t>(left, pool_.batch)), 0};
  }
  EVENLY_INLINE_FN void give_back() {
    std::uint32_t node = 0;
    if (warp_.rank() == 0 && !pool_.empty().pop(node))
      node = static_cast<std::uint32_t>(
          atomic_ref(pool_.words->nodes_begun.value).fetch_add(1, order::relaxed{}));
    node = warp_.shuffle(node, 0);
    warp_.sync();
    count_ -= pool_.batch;
    EVENLY_DO_NOT_UNROLL
    for (int i = warp_.rank(); i < pool_.batch; i += warp_.size()) {
      const std::uint32_t frame = list()[count_ + i];
      contents(node)[i] = frame;
    }
    warp_.sync();
    if (warp_.rank() == 0) pool_.full().push(node);
  }

  const frame_pool& pool_;
  Block& block_;
  const lanes<Block>& warp_;
  int worker_;
  int count_;
};

} // namespace evenly::detail
