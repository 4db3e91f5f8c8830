// SPDX-License-Identifier: Apache-2.0
// run_fork_join: runs tasks that wait for their children. A parent resumes when these are done, with their results.
//
//   const auto first = to_executor(exec, std::vector<int>{35});
//   auto number = make_buffer<std::uint64_t>(exec, 1);
//   const join_report done = run_fork_join(exec, batched_stealing{}, first, fibonacci{}, number.span());
//   to_host(exec, number)[0], done.run            // 9227465, 29860703; fibonacci is in tasks/joining.hpp
//
// It works under any pool of run_tasks, with the same order, synchronisation and errors (tasks/run_tasks.hpp).
//
// Memory: a waiting task is a frame in memory, not a thread. A task that joins holds a frame
// until its children and its continuation have given their values. So a run needs as many frames as tasks wait at the
// same time:
// * in a pool that is last in, first out: the depth of the tree for each task that runs
// * with rounds or a queue: possibly as many as there are tasks with children
//
// If frames run short, workers proceed depth-first. If that does not suffice, the run ends with frame_overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/detail/task_kernel.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/joining.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The free frames of a run. Each worker has a private list, and exchanges batches of frames with
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
    task_word begun;       ///< frames that the store has given for the first time
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
  static constexpr int batches_of_worker = 4;

  /// Returns the number of frames that a worker keeps for depth-first work: tasks that run side by side leave them.
  EVENLY_INLINE_FN int reserve() const { return 2 * batch; }

  static frame_pool make(tasks::pool_memory& memory, std::int64_t frames, std::int64_t workers, int lanes) {
    frame_pool made{};
    made.frames = frames;
    const auto per_worker = static_cast<int>(smaller<std::int64_t>(frames / workers, max_kept));
    made.batch = larger(smaller(per_worker / batches_of_worker, tuned_batch), 1);
    made.kept = larger(per_worker, batches_of_worker * made.batch);
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

// --- details ---------------------------------------------------------------------------------------------------------
// join_body: a joining body (tasks/joining.hpp) as an ordinary body, which any pool runs. Its tasks are entries: a
// task, and the place for its value.
//
// A call that joins has a frame in memory: its continuation, the place for its own value, the number of children that
// have not given yet, and places for their values. A child's entry names the frame and the place in it. A child stores
// its value and subtracts one from the number, by the one atomic operation of a task. The child that subtracts the last
// one pushes an entry that resumes this frame. The resumed call frees the frame, or joins again and reuses it.
//
// Each task has a frame reserved before it runs, since a call of a body cannot be repeated. If frames would run short,
// or a worker's reserve would be used, the worker puts its last tasks back, in their order. They run when frames have
// come back: the worker proceeds depth-first. The run ends only if a single task finds no frame, and joins.
//
// Memory orders: a frame is written before the entries that refer to it are pushed, and the pool makes earlier writes
// visible with a push. The subtraction releases the child's value and acquires those of the others. So the last child
// has all values, and its push passes them on. The frame's next user is the same worker, or one that acquired the frame
// from the store.

/// Why a run of joining bodies ends early, in addition to the reasons of all runs.
enum class join_failure { none, no_frame, too_many };

/// Returns an alignment for an object of `bytes` bytes, with which a GPU moves it in few instructions and which does
/// not enlarge it.
constexpr std::size_t moving_alignment(std::size_t bytes, std::size_t min) {
  for (const std::size_t each : {std::size_t{16}, std::size_t{8}})
    if (bytes % each == 0 || (bytes < 16 && bytes > each / 2)) return larger(each, min);
  return min;
}

/// The encoding of where the value of a task goes: a place in a frame, the result of an initial task, or nowhere. With
/// the bit `continues` an entry is not a task but resumes a frame.
struct join_places {
  static constexpr std::uint32_t no_place = 0x7FFFFFFF;
  static constexpr std::uint32_t continues = 0x80000000;

  int slot_bits;
  std::uint32_t roots; ///< the first place of an initial task

  EVENLY_INLINE_FN bool is_in_frame(std::uint32_t where) const { return where < roots; }
  EVENLY_INLINE_FN std::uint32_t frame_of(std::uint32_t where) const { return where >> slot_bits; }
  EVENLY_INLINE_FN std::uint32_t slot_of(std::uint32_t where) const {
    return where & ((1u << slot_bits) - 1);
  }
  EVENLY_INLINE_FN std::uint32_t first_of(std::uint32_t frame) const { return frame << slot_bits; }

  static constexpr int bits_for(int max) {
    int bits = 0;
    while (1 << bits < max) ++bits;
    return bits;
  }
};

template <class T>
struct alignas(moving_alignment(alignof(T) > 4 ? sizeof(T) + alignof(T) : (sizeof(T) + 3) / 4 * 4 + 4,
                                larger<std::size_t>(alignof(T), 4))) join_entry {
  T task;
  std::uint32_t where;
};

template <class T>
struct alignas(moving_alignment((sizeof(T) + 3) / 4 * 4 + 8, larger<std::size_t>(alignof(T), 4))) join_head {
  static constexpr std::uint32_t one_child =
      0x10001; ///< children that were pushed << 16 | that have not given

  T continuation;
  std::uint32_t parent; ///< where the value goes
  std::uint32_t children;

  EVENLY_INLINE_FN static bool is_last(std::uint32_t children_before) {
    return (children_before & 0xFFFF) == 1;
  }
};

/// A frame. It shares no sector of a GPU's memory with other frames.
template <class T, class R, int Most> struct alignas(32) join_frame {
  join_head<T> head;
  R values[larger(Most, 1)];
};

template <class Body> struct block_size_of {};
template <class Body>
requires requires { Body::block_size; }
struct block_size_of<Body> {
  static constexpr int block_size = Body::block_size;
};

template <class T, class Body> struct join_body : block_size_of<Body> {
  using form = tasks::in_step;
  using result = result_of<Body>;
  using entry = join_entry<T>;
  using head = join_head<T>;
  using frame = join_frame<T, result, detail::max_children<Body>>;
  /// At least 1: a call without children may push the continuation of its parent.
  static constexpr int max_children = larger(detail::max_children<Body>, 1);
  static constexpr bool runs_long = takes_long<Body>();
  static constexpr bool is_copyable = is_device_copyable<Body>;

  Body body;
  frame_pool pool;
  frame* frames;
  result* results; ///< of initial tasks
  join_places places;

  EVENLY_MAY_CALL_HOST
  template <class Team, class Sink>
  EVENLY_FN void operator()(Team& team, const entry& mine, Sink& sink) const {
    auto& block = team.block();
    frame_list free(pool, block, static_cast<const lanes<std::remove_reference_t<decltype(block)>>&>(team));
    const bool has = team.has_task();
    const bool resumes = has && (mine.where & join_places::continues) != 0;
    bool starts = has && !resumes;
    const int resuming = lanes_in(team.ballot(resumes));
    const int wanted = lanes_in(team.ballot(starts)) + pool.reserve();
    if (free.count() < wanted && free.fetch(wanted) < wanted)
      starts =
          defer(team, free, mine, starts, larger(free.count() - pool.reserve(), resuming > 0 ? 0 : 1), sink);

    std::uint32_t at = resumes ? mine.where & ~join_places::continues : 0; // the frame of a task that resumes
    head before{};
    if (resumes) before = traced(block, &frames[at].head)[0];
    tasks::join_sink<T, Body, Sink> asks(sink);
    call(team, mine.task, before, at, starts, resumes, resuming > 0, asks);

    const bool ran = starts || resumes;
    bool joins = ran && asks.joins();
    free.put(team.ballot(resumes && !joins), resumes && !joins, at);
    const lane_mask needing = team.ballot(starts && joins);
    const bool lost = starts && joins && lanes_in(needing) > free.count(); // began without a frame
    joins = joins && !lost;
    if (const std::uint32_t free_one = free.take(needing, starts && joins); starts && joins) at = free_one;

    const std::uint32_t up = resumes ? before.parent : mine.where;
    const int count = ran && !lost ? asks.count() : 0;
    bool ready = joins && count == 0;
    if (ran && !joins && !lost) {
      ready = give(block, up, asks.value());
      at = places.frame_of(up);
    }
    if (joins)
      traced(block, &frames[at].head)[0] = {asks.continuation(), up,
                                            static_cast<unsigned>(count) * head::one_child};
    if (lost || count > detail::max_children<Body> || (ready && count == max_children))
      fail(lost ? join_failure::no_frame : join_failure::too_many, sink);
    push(team, asks, count, joins ? places.first_of(at) : join_places::no_place, ready, at, sink);
    free.close(resuming, lanes_in(team.ballot(ready)));
  }

 private:
  /// Puts back all tasks except the newest `max`, in their order. Returns whether the caller's task still runs.
  template <class Team, class Free, class Sink>
  EVENLY_FN static bool defer(const Team& team, Free& free, const entry& mine, bool starts, int max,
                              Sink& sink) {
    const lane_mask wanting = team.ballot(starts);
    const bool stays = starts && lanes_in(wanting & first_lanes(team.rank())) >= max;
    const int opposite = team.size() - 1 - team.rank(); // the last lane's push is the newest task
    const bool pushes = team.shuffle(static_cast<int>(stays), opposite) != 0;
    const entry pushed = team.shuffle(mine, opposite);
    sink.push(pushes, pushed);
    free.note_deferred(lanes_in(team.ballot(stays)));
    return starts && !stays;
  }

  EVENLY_MAY_CALL_HOST
  template <class Team, class Asks>
  EVENLY_INLINE_FN void call(Team& team, const T& task, const head& before, std::uint32_t at, bool starts,
                             bool resumes, bool any_resumes, Asks& asks) const {
    auto& block = team.block();
    using block_type = std::remove_reference_t<decltype(block)>;
    const auto values = traced(block, static_cast<const result*>(frames[at].values));
    const tasks::join_results<result, std::remove_cv_t<decltype(values)>> given(
        values, static_cast<int>(before.children >> 16));
    if constexpr (is_in_step<Body>) {
      tasks::task_lanes<block_type> begin(team, starts), go_on(team, resumes);
      body(begin, task, asks);
      if (any_resumes) body.resume(go_on, before.continuation, given, asks);
    } else {
      evenly::team<1, block_type> alone(block);
      if (starts)
        body(alone, task, asks);
      else if (resumes)
        body.resume(alone, before.continuation, given, asks);
    }
  }

  /// Stores a value for the parent. Returns whether it was the last one for which the parent waits.
  template <class Block>
  EVENLY_INLINE_FN bool give(Block& block, std::uint32_t where, const result& value) const {
    if (!places.is_in_frame(where)) {
      if (where != join_places::no_place) traced(block, results)[where - places.roots] = value;
      return false;
    }
    frame& to = frames[places.frame_of(where)];
    traced(block, to.values)[places.slot_of(where)] = value;
    return head::is_last(atomic_ref(to.head.children).fetch_sub(1, order::acq_rel{}));
  }

  /// Pushes the children, whose values go to `where` and the places after it, and then the continuation if it is ready.
  template <class Team, class Asks, class Sink>
  EVENLY_INLINE_FN static void push(const Team& team, const Asks& asks, int count, std::uint32_t where,
                                    bool ready, std::uint32_t frame, Sink& sink) {
    const auto child = [&](int i) -> entry {
      return {asks.child(i), where == join_places::no_place ? where : where + static_cast<unsigned>(i)};
    };
    const entry continuation{T{}, join_places::continues | frame};
    if constexpr (max_children <= 8) {
      EVENLY_UNROLL
      for (int i = 0; i < max_children; ++i) {
        const bool is_last = i == max_children - 1 && ready;
        sink.push(i < count || is_last, is_last ? continuation : child(i));
      }
    } else {
      for (int i = 0; team.any(i < count); ++i) sink.push(i < count, child(smaller(i, max_children - 1)));
      sink.push(ready, continuation);
    }
  }

  template <class Sink> EVENLY_FN void fail(join_failure why, Sink& sink) const {
    std::int64_t none = 0;
    atomic_ref(pool.words->failure.value)
        .compare_exchange(none, static_cast<std::int64_t>(why), order::relaxed{});
    sink.cancel();
  }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// fork_join: see the head of this file.

namespace evenly::tasks {

/// The options of run_fork_join.
struct join_options : task_options { ///< capacity and stack count tasks and ready continuations
  std::int64_t frames = 0; ///< frames of waiting tasks; 0: 256 MiB of them on the host, 512 MiB on a GPU
};

/// The counts of a run. Calls of the body count as tasks; calls of resume are counted separately. high_water counts
/// both.
struct join_report : task_report {
  std::int64_t resumed = 0;     ///< calls of resume
  std::int64_t deferred = 0;    ///< how often a task was returned to the pool because no frame was free
  std::int64_t frames = 0;      ///< frames of the run
  std::int64_t frames_used = 0; ///< frames that were used at least once, or were in the lists of workers
};

/// A task joined, but there was no free frame.
class frame_overflow : public error {
 public:
  explicit frame_overflow(const join_report& report)
      : error("no free frame for a waiting task after " + std::to_string(report.run) + " were run: all " +
              std::to_string(report.frames) +
              " frames are in use or in the lists of workers: increase frames in join_options"),
        run(report.run), frames(report.frames) {}

  std::int64_t run;    ///< tasks that were run
  std::int64_t frames; ///< frames of the run
};

/// Memory for consecutive runs, like a task_workspace. Move-only.
class join_workspace {
 public:
  /// Used by run_fork_join and finish.
  task_workspace tasks, frames;
  detail::frame_pool pool{};
  std::size_t bytes = 0; ///< of frames
};

} // namespace evenly::tasks

namespace evenly::detail {

template <class Frame> constexpr std::int64_t tuned_frames(bool on_host) {
  return tasks::tasks_in<Frame>(on_host ? 256 << 20 : 512 << 20);
}

/// Makes the entry of each initial task.
template <class T> struct initial_entry {
  const T* tasks;
  std::uint32_t roots;
  EVENLY_FN join_entry<T> operator()(std::int64_t i) const {
    return {tasks[i], roots + static_cast<std::uint32_t>(i)};
  }
};

/// Returns the encoding of where values go, and the number of frames in `frames`. Throws invalid_argument for too many.
template <class Frame>
join_places places_of(const tasks::join_options& options, int max_children, bool on_host,
                      std::int64_t initial, std::int64_t& frames) {
  join_places places{join_places::bits_for(max_children), 0};
  const std::int64_t max = (join_places::no_place - initial) >> places.slot_bits;
  require(options.frames >= 0,
          [&] { return "frames = " + std::to_string(options.frames) + ": must not be negative"; });
  require(max > 0 && options.frames <= max, [&] {
    return "frames = " + std::to_string(options.frames) + ": must be at most " +
           std::to_string(larger<std::int64_t>(max, 0)) + " with " + std::to_string(max_children) +
           " children and " + std::to_string(initial) + " initial tasks";
  });
  frames = options.frames > 0 ? options.frames : smaller(tuned_frames<Frame>(on_host), max);
  places.roots = static_cast<std::uint32_t>(frames << places.slot_bits);
  return places;
}

/// Sets the number of blocks of the run. Returns the number of workers, and of the threads of each.
template <class Kernel, class Entry, class Body, class Executor>
std::pair<std::int64_t, int> workers_of_run(const Executor& exec, const Body& body, task_options& options) {
  check_options(options);
  const int block_size = task_threads<Kernel>(exec, options);
  Kernel kernel{{}, body, {}};
  kernel.run.stack = options.stack > 0 ? options.stack : tuned_stack<Entry, Body>;
  tasks::pool_shape shape = shape_of_run<Kernel>(exec, block_size);
  options.blocks = shape.blocks = task_blocks(exec, kernel, block_size, options);
  return {shape.workers(), shape.lanes};
}

} // namespace evenly::detail

namespace evenly::tasks {

/// Runs `initial` and all tasks that bodies push, and stores the value of each initial task. Asynchronous on cuda,
/// except for static_list with launches.
///
/// * `pool`: a pool of tasks/registry.hpp.
/// * `initial`: a contiguous range of tasks in memory that `exec` can read.
/// * `body`: the function called for each task, and for each continuation (tasks/joining.hpp).
/// * `results`: a contiguous range of Body::result in memory that `exec` can write. It has the size of `initial`:
///   results[i] receives the value of initial[i].
/// * Throws invalid_argument for invalid options. finish() reports errors of the run.
template <class Executor, task_pool Pool, class Tasks, class Body, class Results>
void run_fork_join(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
                   Results&& results, const join_options& options, join_workspace& memory) {
  using task = std::remove_cvref_t<decltype(*std::data(initial))>;
  static_assert(detail::joining_types<task, Body>::are_right);
  using joined_body = detail::join_body<task, Body>;
  using entry = typename joined_body::entry;
  using kernel = detail::task_kernel_for<Executor, Pool, entry, joined_body>;
  const auto count = static_cast<std::int64_t>(std::size(initial));
  require(static_cast<std::int64_t>(std::size(results)) == count, [&] {
    return std::to_string(std::size(results)) + " results for " + std::to_string(count) +
           " initial tasks: the numbers must be equal";
  });
  detail::note_parts(exec, pool, body);

  joined_body what{{}, body, {}, nullptr, std::data(results), {}};
  std::int64_t frames = 0;
  what.places = detail::places_of<typename joined_body::frame>(options, detail::max_children<Body>,
                                                               Executor::on_host, count, frames);
  task_options given = options;
  const auto [workers, lanes] = detail::workers_of_run<kernel, entry>(exec, what, given);
  entry* entries = nullptr;
  const auto lay_out = [&, all = workers, width = lanes](pool_memory at) {
    what.pool = detail::frame_pool::make(at, frames, all, width);
    what.frames = at.take<typename joined_body::frame>(frames);
    entries = at.take<entry>(count);
    return at;
  };
  if (count == 0) return memory.tasks.note({});
  const pool_memory sizes = lay_out(pool_memory());
  const auto [zeroed, other] = memory.frames.take(exec, sizes.zeroed_bytes(), sizes.other_bytes());
  lay_out(pool_memory(zeroed, other));
  memory.pool = what.pool;
  memory.bytes = sizes.zeroed_bytes() + sizes.other_bytes();

  tabulate(exec, count, detail::initial_entry<task>{std::data(initial), what.places.roots}, entries);
  run_tasks(exec, pool, std::span<const entry>(entries, static_cast<std::size_t>(count)), what, given,
            memory.tasks);
}

/// Waits for the last run with the workspace, and reports. Throws
/// * task_overflow if there was no room for a task
/// * frame_overflow if there was no frame for a task that joins
/// * invalid_argument if a call of the body pushed more than max_children tasks
template <class Executor> join_report finish(const Executor& exec, const join_workspace& memory) {
  join_report report;
  static_cast<task_report&>(report) = finish(exec, memory.tasks);
  report.bytes += memory.bytes;
  report.frames = memory.pool.frames;
  if (!memory.tasks.last().control) return report;
  detail::frame_pool::shared_words words;
  exec.copy_to_host(&words, memory.pool.words, sizeof(words));
  report.frames_used = smaller(words.begun.value, report.frames);
  const std::span<const detail::frame_pool::row> rows(memory.pool.rows, report.workers.size());
  auto worker = report.workers.begin();
  for (const detail::frame_pool::row& row : to_host(exec, rows)) { // entries that are no tasks
    worker->run -= static_cast<std::int64_t>(row.resumed + row.deferred);
    worker->pushed -= static_cast<std::int64_t>(row.readied + row.deferred);
    ++worker;
    report.run -= static_cast<std::int64_t>(row.resumed + row.deferred);
    report.pushed -= static_cast<std::int64_t>(row.readied + row.deferred);
    report.resumed += static_cast<std::int64_t>(row.resumed);
    report.deferred += static_cast<std::int64_t>(row.deferred);
  }
  const auto failure = static_cast<detail::join_failure>(words.failure.value);
  if (failure == detail::join_failure::no_frame) throw frame_overflow(report);
  if (failure == detail::join_failure::too_many) report.outcome = task_outcome::too_many;
  check(report);
  return report;
}

/// Runs `initial` and all tasks that bodies push, waits, and reports. Throws as run_fork_join with a workspace, and
/// finish, do.
template <class Executor, task_pool Pool, class Tasks, class Body, class Results>
join_report run_fork_join(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
                          Results&& results, const join_options& options = {}) {
  join_workspace memory;
  run_fork_join(exec, pool, initial, body, results, options, memory);
  return finish(exec, memory);
}

} // namespace evenly::tasks

namespace evenly {

using tasks::join_options, tasks::join_report, tasks::join_workspace, tasks::run_fork_join, tasks::finish;

} // namespace evenly
