// SPDX-License-Identifier: Apache-2.0
// A joining body (tasks/joining.hpp) as an ordinary one, which any pool runs: its tasks are entries, a task and where
// its value goes.
//
// A call that joins has a frame in memory: its continuation, where its own value goes, how many children have not given
// yet, and places for what they give. A child's entry says the frame and its place there. Who gives stores the value
// and subtracts one from the count, the one atomic operation of a task; who subtracts the last one pushes an entry that
// says: go on with this frame. The call that goes on frees the frame, or joins again and uses it again.
//
// There is a frame for each task before it is run, since a body that has run must not be lost. Where there are too few,
// or a worker's reserve would be touched, those of its tasks that come last are put back, in their order, and run when
// frames have come back: the worker goes depth-first. Only if a single task finds no frame, and joins, the run ends.
//
// Orders: a frame is written before the entries that speak of it are pushed, and the pool has everybody see what was
// done before a push. The subtraction releases the child's value, and acquires those of the others, so who subtracts
// the last one has all of them, and pushes them on likewise. The frame's next user is the same worker, or one that
// acquired it from the store.
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

/// Why a run of joining bodies ends early, besides the reasons that all runs have.
enum class join_failure { none, no_frame, too_many };

/// The alignment of something of `bytes` bytes which lets a GPU move it by few instructions and makes it no larger.
constexpr std::size_t moving_alignment(std::size_t bytes, std::size_t min) {
  for (const std::size_t each : {std::size_t{16}, std::size_t{8}})
    if (bytes % each == 0 || (bytes < 16 && bytes > each / 2)) return larger(each, min);
  return min;
}

/// Where the value of a task goes: a place in a frame, or the result of an initial task, or nowhere. Or an entry is no
/// task but goes on with a frame.
struct join_places {
  static constexpr std::uint32_t no_place = 0x7FFFFFFF;
  static constexpr std::uint32_t continues = 0x80000000;

  int slot_bits;
  std::uint32_t roots; ///< the first that means an initial task

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

/// On sectors of a GPU's memory of its own.
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
  using form = in_step;
  using result = result_of<Body>;
  using entry = join_entry<T>;
  using head = join_head<T>;
  using frame = join_frame<T, result, detail::max_children<Body>>;
  /// A call that pushes none may push the continuation of who waited for it.
  static constexpr int max_children = larger(detail::max_children<Body>, 1);
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

    std::uint32_t at = resumes ? mine.where & ~join_places::continues : 0; // the frame of who has one
    head before{};
    if (resumes) before = traced(block, &frames[at].head)[0];
    join_sink<T, Body, Sink> asks(sink);
    call(team, mine.task, before, at, starts, resumes, resuming > 0, asks);

    const bool ran = starts || resumes;
    bool joins = ran && asks.joins();
    free.put(team.ballot(resumes && !joins), resumes && !joins, at);
    const lane_mask needing = team.ballot(starts && joins);
    const bool lost = starts && joins && lanes_in(needing) > free.count(); // one that began without a frame
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
  /// Puts back all tasks but the newest `max`, in their order. Whether the caller's is still to be run.
  template <class Team, class Free, class Sink>
  EVENLY_FN static bool defer(const Team& team, Free& free, const entry& mine, bool starts, int max,
                              Sink& sink) {
    const lane_mask wanting = team.ballot(starts);
    const bool stays = starts && lanes_in(wanting & first_lanes(team.rank())) >= max;
    const int opposite = team.size() - 1 - team.rank(); // what is pushed by the last lane is the newest
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
    const join_results<result, std::remove_cv_t<decltype(values)>> given(
        values, static_cast<int>(before.children >> 16));
    if constexpr (is_in_step<Body>) {
      task_lanes<block_type> begin(team, starts), go_on(team, resumes);
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

  /// Stores a value where somebody waits for it. Whether that was the last one that it waited for.
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

  /// The children, whose values go to `where` and the places after it, and the continuation that is ready, which is the
  /// newest then.
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
