// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/memory_view.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/detail/free_frames.hpp"
#include "evenly/tasks/joining.hpp"

namespace evenly::detail {

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
  std::uint32_t roots; ///< the first place that stands for an initial task

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
