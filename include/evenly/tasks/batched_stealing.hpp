// SPDX-License-Identifier: Apache-2.0
// batched_stealing: each worker keeps its tasks on a private stack; a worker without tasks requests some (Acar,
// Charguéraud & Rainey, PPoPP 2013: work stealing with private deques, by requests). So a push and a pop cost no atomic
// operation, and the newest tasks stay in the block's storage.
//
// * Request: a worker without tasks sets its bit in a mask of its block. After a few attempts it also sets one in a
//   mask of the grid.
// * Gift: a worker with more tasks than it will run next reads the masks between two bursts. It claims a bit by an
//   atomic operation; if another worker has claimed it, this is a failed steal. Then it puts up to 128 of its oldest
//   tasks into the box of the requesting worker, and raises that worker's flag.
//   The interval follows the cost of the body on a GPU. If a body takes longer than a gift (runs_long, tasks/body.hpp),
//   the worker gives to several workers in turn, and passes on a part of what it is given before it runs the rest.
// * Two boxes: each worker has one for its block and one for the grid, since both may give at the same time. A worker
//   that receives a gift from its block withdraws its request to the grid. If it is too late, the other gift waits in
//   its box until it is needed, and until then the worker requests nothing.
// * Overflow: if the stack is full, its oldest half moves to the worker's ring in memory. It comes back, newest first,
//   when the stack is empty. Gifts take the oldest tasks. If the ring is full, the worker proceeds depth-first.
// * End: there is a token for each block in which some worker has tasks, and for each gift between blocks. It is added
//   before the gift is visible. If all other workers of the receiving block are idle, the worker keeps the token for
//   the block; otherwise it returns it. The worker that returns the last token raises all flags to `done`.
//
// Last in, first out, until a worker gives. Lock-free: a worker that stalls blocks only its own tasks. Linearizable:
// each stack and ring has one user, and a gift is published by one store.
//
// Wins nearly always, by most with short tasks. Loses if bodies run long while other workers have nothing: a worker
// gives only when its body returns.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// batched_stealing_view: the memory of batched_stealing.

namespace evenly::detail {

/// batched_stealing as kernels see it.
template <class T> struct batched_stealing_view {
  static constexpr bool keeps_tasks = true;
  static constexpr bool has_shares = true;
  static constexpr int boxes_of_worker = 2; ///< for gifts from the block, and from the grid
  struct slots {
    slot<std::uint32_t> idle; ///< one word: a bit for each worker of the block
    slot<std::uint32_t> mail; ///< of each worker: tasks in its first box
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, int workers) {
    return {layout.take<std::uint32_t>(1), layout.take<std::uint32_t>(workers)};
  }

  std::uint32_t* asking; ///< a bit for each worker
  task_word* flags;      ///< of each worker: tasks in its second box, or done
  task_word* broadcast;  ///< one word: whether a worker has raised all flags to end the run early
  T* boxes;
  T* rings;
  int box;  ///< tasks in a box
  int ring; ///< tasks in a ring
  int give_from;
  std::int64_t busy_blocks; ///< at the beginning

  template <class Worker> class exchange;
};

// --- details ---------------------------------------------------------------------------------------------------------
// The exchange of batched_stealing: how workers request, give and receive tasks. The head of this file describes
// the protocol.

template <class T> template <class Worker> class batched_stealing_view<T>::exchange {
  using block_type = std::remove_reference_t<decltype(std::declval<Worker&>().block)>;
  using words = decltype(std::declval<block_type&>().storage(slot<std::uint32_t>{}));

  static constexpr int done = -1;
  static constexpr int rounds_before_asking = 4; ///< rounds before a request to the grid
  static constexpr int looks_of_round = 3;       ///< reads of the block's words per read of the grid's words
  static constexpr int nanoseconds_of_look = 20;
  /// Offers between two reads of the grid's mask, and offers until the value that was read is used, since it takes a
  /// while to arrive.
  static constexpr unsigned offers_of_look = block_type::is_serial ? 1 : 16;
  static constexpr unsigned offers_until_seen = block_type::is_serial ? 0 : 3;

 public:
  EVENLY_INLINE_FN exchange(const batched_stealing_view& pool, Worker& worker, const slots& places)
      : pool_(pool), me_(worker), idle_workers_(worker.block.storage(places.idle)),
        mail_(worker.block.storage(places.mail)) {
    is_idle_ = !begins_with_tasks(me_.in_block);
    part_ = me_.index() % parts_of_grid() * me_.warp.size(); // each worker begins at a different place
    if (me_.leads() && warp_of(me_.block) == me_.in_block) mail_[me_.in_block] = 0;
    if (me_.block.rank() != 0) return;
    std::uint32_t idle = 0;
    EVENLY_DO_NOT_UNROLL
    for (int worker_here = 0; worker_here < me_.of_block; ++worker_here)
      if (!begins_with_tasks(worker_here)) idle |= 1u << worker_here;
    idle_workers_[0] = idle;
  }

  template <class Stack> EVENLY_INLINE_FN bool obtain(Stack& stack) {
    if (!stack.empty()) return true;
    if (in_ring_ > 0) {
      refill(stack);
      return true;
    }
    if (me_.take_initial(stack) > 0) return true;
    const std::int64_t since = task_clock();
    const arrived came = wait_for_gift();
    if (came.any()) {
      unpack(stack, came);
      look_at_grid();
      saw_some_ = true; // other workers may have nothing either: the first offer checks
      if (has_long_bursts()) give(stack, static_cast<unsigned>(me_.taken));
    }
    me_.note_idle(since);
    return came.any();
  }

  template <class Stack> EVENLY_INLINE_FN void offer(Stack& stack, unsigned turn) {
    if (!has_enough(stack)) return;
    ++offers_since_gift_;
    if (has_long_bursts()) {
      look_at_grid();
      saw_some_ = true;
      return give(stack, turn);
    }
    if (me_.of_block > 1)
      if (const std::uint32_t idle = idle_of_block(); idle != 0) return give_in_block(stack, idle);
    const unsigned phase = (turn + static_cast<unsigned>(me_.in_block)) % offers_of_look;
    if (phase == 0) look_at_grid();
    if (phase == offers_until_seen || saw_some_) give_to_grid(stack, turn);
  }

  EVENLY_INLINE_FN bool is_calm() const { return offers_since_gift_ >= 2; }

  template <class Stack> EVENLY_INLINE_FN void relieve(Stack& stack, int wanted) {
    const int missing = stack.size() + wanted - stack.capacity();
    if (missing > 0) spill(stack, smaller(larger(missing, stack.size() / 2), stack.size()));
    stack.compact(me_.warp);
  }

  /// Leaves the run before all tasks are done. A worker that receives a gift later sees the run's outcome when it has
  /// no tasks again.
  EVENLY_INLINE_FN void leave() {
    std::int64_t before = 0;
    if (me_.leads()) before = atomic_ref(pool_.broadcast->value).exchange(1, order::relaxed{});
    ends_run_ = me_.broadcast(before) == 0;
  }
  EVENLY_INLINE_FN bool next_round() const {
    if (ends_run_) raise_all_flags();
    return false;
  }

 private:
  EVENLY_INLINE_FN bool begins_with_tasks(int worker_here) const {
    return (std::int64_t{me_.block.index()} * me_.of_block + worker_here) * me_.width < me_.run.count;
  }
  EVENLY_INLINE_FN std::uint32_t my_bit() const { return 1u << me_.in_block; }
  EVENLY_INLINE_FN std::uint32_t my_bit_of_grid() const { return 1u << me_.index() % 32; }
  EVENLY_INLINE_FN auto my_word_of_grid() const { return atomic_ref(pool_.asking[me_.index() / 32]); }
  EVENLY_INLINE_FN auto idle_mask() const { return atomic_ref(idle_workers_[0], scope::block{}); }
  EVENLY_INLINE_FN auto flag_of(int worker) const { return atomic_ref(pool_.flags[worker].value); }
  EVENLY_INLINE_FN auto tokens() const { return atomic_ref(me_.run.control->tokens.value); }
  EVENLY_INLINE_FN auto box_of(int worker, int which) const {
    return traced(me_.block, pool_.boxes + (std::int64_t{worker} * boxes_of_worker + which) * pool_.box);
  }

  // --- without tasks ---

  /// The number of tasks in the worker's boxes. None means that the run is over.
  struct arrived {
    int of_block = 0;
    int of_grid = 0;
    EVENLY_FN bool any() const { return of_block + of_grid > 0; }
  };

  EVENLY_INLINE_FN arrived wait_for_gift() {
    int patience = is_idle_ || me_.of_block == 1 ? 0 : rounds_before_asking;
    if (!is_idle_ && become_idle()) {
      ends_run_ = true;
      return {};
    }
    for (int round = 0;; ++round) {
      if (round >= patience && !asks_ && !awaits_) ask();
      // The distant word is requested first, and its value is used after some reads of near words.
      std::int64_t flag = 0;
      if (me_.leads()) flag = flag_of(me_.index()).load(order::relaxed{});
      if (const int mail = look_for_mail(); mail != 0) {
        note_mail();
        return {mail, 0};
      }
      const int gift = me_.broadcast(static_cast<int>(flag));
      if (gift == done) return {};
      if (gift != 0) return {note_gift(), gift};
      if (round % 16 == 15 && me_.stopped()) {
        leave();
        return {};
      }
    }
  }
  /// Polls the first box for a while.
  EVENLY_INLINE_FN int look_for_mail() const {
    if (me_.of_block == 1) {
      pause();
      return 0;
    }
    EVENLY_DO_NOT_UNROLL
    for (int look = 0; look < looks_of_round; ++look) {
      int mail = 0;
      if (me_.leads())
        mail = static_cast<int>(atomic_ref(mail_[me_.in_block], scope::block{}).load(order::relaxed{}));
      mail = me_.broadcast(mail);
      if (mail != 0) return mail;
      pause();
    }
    return 0;
  }
  EVENLY_INLINE_FN void pause() const {
    if (me_.leads()) me_.note_spin();
    me_.block.backoff(nanoseconds_of_look);
  }

  /// Sets the worker's idle bit. Returns whether no worker has tasks.
  EVENLY_INLINE_FN bool become_idle() {
    int is_last = 0;
    if (me_.leads()) {
      const std::uint32_t idle = idle_mask().fetch_or(my_bit(), order::acq_rel{}) | my_bit();
      is_last = idle == first_lanes(me_.of_block) &&
                pool_.busy_blocks + tokens().fetch_sub(1, order::acq_rel{}) == 1;
    }
    is_idle_ = true;
    if (check_withdrawal_) awaits_ = (me_.broadcast(withdrawn_) & my_bit_of_grid()) == 0;
    check_withdrawal_ = false;
    return me_.broadcast(is_last) != 0;
  }
  EVENLY_INLINE_FN void ask() {
    if (me_.leads()) my_word_of_grid().fetch_or(my_bit_of_grid(), order::release{});
    asks_ = true;
  }
  EVENLY_INLINE_FN void raise_all_flags() const {
    EVENLY_DO_NOT_UNROLL
    for (int worker = me_.warp.rank(); worker < me_.count(); worker += me_.warp.size())
      flag_of(worker).store(done, order::relaxed{});
  }

  /// Records a gift from the block.
  EVENLY_INLINE_FN void note_mail() {
    if (asks_) {
      if (me_.leads()) withdrawn_ = my_word_of_grid().fetch_and(~my_bit_of_grid(), order::relaxed{});
      check_withdrawal_ = true; // checked when the worker is idle again: until then the answer may arrive
    }
    asks_ = is_idle_ = false;
  }
  /// Records a gift from the grid. Returns the number of tasks that the block also gives: a worker may have claimed
  /// this worker's bit.
  EVENLY_INLINE_FN int note_gift() {
    std::uint32_t idle = 0;
    if (me_.leads()) {
      idle = idle_mask().fetch_and(~my_bit(), order::acq_rel{});
      if (idle != first_lanes(me_.of_block)) tokens().fetch_sub(1, order::acq_rel{}); // the block has one
    }
    asks_ = awaits_ = is_idle_ = false;
    int mail = 0;
    for (bool is_claimed = (me_.broadcast(idle) & my_bit()) == 0; is_claimed && mail == 0;)
      mail = look_for_mail();
    return mail;
  }

  /// Moves the tasks in the worker's boxes to its stack, which is empty.
  template <class Stack> EVENLY_INLINE_FN void unpack(Stack& stack, arrived came) {
    if (me_.leads()) { // acquires the gifts
      if (came.of_block != 0) atomic_ref(mail_[me_.in_block], scope::block{}).load(order::acquire{});
      if (came.of_grid != 0) flag_of(me_.index()).load(order::acquire{});
    }
    me_.warp.sync();
    const auto tasks = box_of(me_.index(), 0);
    const int count = came.of_block + came.of_grid;
    EVENLY_DO_NOT_UNROLL
    for (int i = me_.warp.rank(); i < count; i += me_.warp.size()) {
      const T task = tasks[i < came.of_block ? i : i - came.of_block + pool_.box];
      stack.store(i, task);
    }
    stack.hold(count);
    me_.taken += count;
    me_.warp.sync();
    if (!me_.leads()) return;
    if (came.of_block != 0) atomic_ref(mail_[me_.in_block], scope::block{}).store(0, order::relaxed{});
    if (came.of_grid != 0) flag_of(me_.index()).store(0, order::relaxed{});
  }

  // --- with tasks ---

  /// Whether a burst takes longer than a gift. Then the worker reads the grid's mask at each offer, gives to several
  /// workers, and passes on a part of a gift before it runs the rest.
  static constexpr bool has_long_bursts() { return !block_type::is_serial && Worker::runs_long; }
  /// Gives tasks while the worker has enough, and workers of the block or, if saw_some_, of the grid request some.
  template <class Stack> EVENLY_INLINE_FN void give(Stack& stack, unsigned turn) {
    while (has_enough(stack)) {
      const std::uint32_t idle = me_.of_block > 1 ? idle_of_block() : 0;
      if (idle != 0)
        give_in_block(stack, idle);
      else if (saw_some_)
        give_to_grid(stack, turn);
      else
        return;
    }
  }
  template <class Stack> EVENLY_INLINE_FN bool has_enough(const Stack& stack) const {
    return stack.size() >= pool_.give_from || in_ring_ >= larger(me_.width, 2);
  }
  EVENLY_INLINE_FN std::uint32_t idle_of_block() const {
    return me_.broadcast(idle_mask().load(order::relaxed{})); // all lanes load: faster than one lane alone
  }
  template <class Stack> EVENLY_INLINE_FN void give_in_block(Stack& stack, std::uint32_t idle) {
    const std::uint32_t behind = idle & ~((2u << me_.in_block) - 1u);
    const int to = first_lane(behind != 0 ? behind : idle);
    std::uint32_t before = 0;
    if (me_.leads()) before = idle_mask().fetch_and(~(1u << to), order::acq_rel{});
    if ((me_.broadcast(before) >> to & 1u) == 0) {
      ++me_.failed;
      return;
    }
    const int count = pack(stack, me_.index() - me_.in_block + to, 0);
    if (me_.leads())
      atomic_ref(mail_[to], scope::block{}).store(static_cast<std::uint32_t>(count), order::release{});
  }

  EVENLY_INLINE_FN int parts_of_grid() const { return ceil_div(ceil_div(me_.count(), 32), me_.warp.size()); }
  /// Reads a part of the grid's mask, one word per lane; each call reads the next part.
  EVENLY_INLINE_FN void look_at_grid() {
    const int words_of_grid = ceil_div(me_.count(), 32);
    part_ = part_ + me_.warp.size() < words_of_grid ? part_ + me_.warp.size() : 0;
    const int word = part_ + me_.warp.rank();
    word_ = word < words_of_grid ? atomic_ref(pool_.asking[word]).load(order::relaxed{}) : 0;
  }
  template <class Stack> EVENLY_INLINE_FN void give_to_grid(Stack& stack, unsigned turn) {
    const lane_mask asked = me_.warp.ballot(word_ != 0);
    saw_some_ = asked != 0;
    if (asked == 0) return;
    const unsigned chance = (static_cast<unsigned>(me_.index()) * 2654435761u + turn * 40503u) >> 7;
    const int lane = from(asked, static_cast<int>(chance % static_cast<unsigned>(me_.warp.size())));
    const int bit = from(me_.warp.shuffle(word_, lane), static_cast<int>(chance >> 5 & 31u));
    const int to = (part_ + lane) * 32 + bit;
    std::uint32_t before = 0;
    if (me_.leads()) {
      before = atomic_ref(pool_.asking[to / 32]).fetch_and(~(1u << bit), order::acquire{});
      if (before >> bit & 1u) tokens().fetch_add(1, order::relaxed{}); // before the gift is visible
    }
    if (me_.broadcast(before) >> bit & 1u) {
      const int count = pack(stack, to, 1);
      if (me_.leads()) flag_of(to).store(count, order::release{});
    } else
      ++me_.failed;
    look_at_grid();
  }
  /// Returns the first lane of the set that is at least `at`, or else the first lane of the set.
  EVENLY_INLINE_FN static int from(lane_mask set, int at) {
    const lane_mask behind = set & ~first_lanes(at);
    return first_lane(behind != 0 ? behind : set);
  }

  /// Puts the oldest tasks into a worker's box, those of the ring if it has at least as many as the worker runs at a
  /// time, and at least two.
  template <class Stack> EVENLY_INLINE_FN int pack(Stack& stack, int to, int which) {
    me_.warp.sync(); // the first lane has acquired the box
    const auto tasks = box_of(to, which);
    const bool of_ring = in_ring_ >= larger(me_.width, 2);
    const int max =
        of_ring ? larger(me_.width, in_ring_ / 2) : smaller(stack.size() / 2, larger(me_.width, 32));
    const int count = smaller(max, pool_.box);
    offers_since_gift_ = 0;
    EVENLY_DO_NOT_UNROLL
    for (int i = me_.warp.rank(); i < count; i += me_.warp.size()) {
      if (of_ring) {
        const T task = ring()[in_turn(i)];
        tasks[i] = task;
      } else
        tasks[i] = stack.oldest(i);
    }
    if (of_ring)
      drop_from_ring(count);
    else
      stack.drop_oldest(count);
    me_.warp.sync();
    return count;
  }

  // --- the ring ---

  EVENLY_INLINE_FN auto ring() const {
    return traced(me_.block, pool_.rings + std::int64_t{me_.index()} * pool_.ring);
  }
  /// Returns the place of the ring's i-th oldest task.
  EVENLY_INLINE_FN int in_turn(int i) const {
    const int at = ring_begin_ + i;
    return at < pool_.ring ? at : at - pool_.ring;
  }
  EVENLY_INLINE_FN void drop_from_ring(int count) {
    ring_begin_ = in_turn(count);
    in_ring_ -= count;
  }
  /// Moves the `max` oldest tasks of the stack to the ring, or as many as have room.
  template <class Stack> EVENLY_INLINE_FN void spill(Stack& stack, int max) {
    const int count = smaller(max, pool_.ring - in_ring_);
    if (count == 0) return;
    me_.warp.sync();
    EVENLY_DO_NOT_UNROLL
    for (int i = me_.warp.rank(); i < count; i += me_.warp.size())
      ring()[in_turn(in_ring_ + i)] = stack.oldest(i);
    stack.drop_oldest(count);
    in_ring_ += count;
    me_.note_high_water(stack.size() + in_ring_);
    me_.warp.sync();
  }
  template <class Stack> EVENLY_INLINE_FN void refill(Stack& stack) {
    const int count = smaller(in_ring_, larger(stack.capacity() / 4, 1));
    EVENLY_DO_NOT_UNROLL
    for (int i = me_.warp.rank(); i < count; i += me_.warp.size()) {
      const T task = ring()[in_turn(in_ring_ - count + i)];
      stack.store(i, task);
    }
    stack.hold(count);
    in_ring_ -= count;
    me_.warp.sync();
  }

  const batched_stealing_view& pool_;
  Worker& me_;
  words idle_workers_;
  words mail_;
  bool is_idle_ = false;          ///< its bit in the block's mask was set by itself, or at the beginning
  bool asks_ = false;             ///< likewise in the grid's mask
  bool awaits_ = false;           ///< a gift of the grid is in its box, or will be
  bool check_withdrawal_ = false; ///< withdrawn_ has whether the withdrawal was in time
  bool saw_some_ = false;
  bool ends_run_ = false;          ///< it has to raise all flags
  std::uint32_t withdrawn_ = 0;    ///< of the first lane: its word of the grid's mask at the withdrawal
  std::uint32_t word_ = 0;         ///< a word of the grid's mask
  unsigned offers_since_gift_ = 0; ///< offers with enough tasks to give
  int part_ = 0;                   ///< of the grid's mask: the first lane's word
  int ring_begin_ = 0;
  int in_ring_ = 0;
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// batched_stealing: see the head of this file.

namespace evenly::tasks {

/// The pool of private stacks. See the head of this file.
struct batched_stealing {
  static constexpr task_order order = task_order::lifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  /// A worker gives if it has at least this many batches of tasks; a batch is what it runs at a time. Less than 2 is
  /// too few: the same tasks circulate. On an H200 searches of many short bodies gain by 3 (Fibonacci(40) 3%), others
  /// lose by it (14 queens 20%).
  double give_from = 2.5;

  template <class T> using view = detail::batched_stealing_view<T>;

  /// Each worker's share is enough for a depth-first descent of thousands of levels.
  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t workers) {
    return workers * tasks_in<T>(on_host ? 1 << 20 : 128 << 10);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    const std::int64_t workers = shape.workers(), busy = ceil_div<std::int64_t>(shape.initial, shape.width);
    made.asking = memory.take_zeroed<std::uint32_t>(ceil_div<std::int64_t>(workers, 32));
    made.flags = memory.take_zeroed<detail::task_word>(workers);
    made.broadcast = memory.take_zeroed<detail::task_word>(1);
    // Two gifts fit on the stack of a worker, with room for the children of a task.
    made.box = smaller(128, (shape.stack - shape.growth) / 2);
    made.ring = static_cast<int>(smaller<std::int64_t>(ceil_div(shape.capacity, workers), 1 << 30));
    made.boxes = memory.take<T>(workers * view<T>::boxes_of_worker * made.box);
    made.rings = memory.take<T>(workers * made.ring);
    made.give_from = larger(static_cast<int>(give_from * shape.width), 2);
    made.busy_blocks =
        smaller<std::int64_t>(ceil_div<std::int64_t>(busy, shape.workers_in_block), shape.blocks);
    return made;
  }
};

static_assert(task_pool<batched_stealing>);

} // namespace evenly::tasks

namespace evenly {

using tasks::batched_stealing;

} // namespace evenly
