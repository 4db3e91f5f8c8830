// SPDX-License-Identifier: Apache-2.0
// A pass over chunks by resident blocks, which go on from chunk to chunk and do not wait for each other: the loop that
// scans have in common.
//
// In each turn a block does five things. It scans the chunk whose elements have come; publishes what it combines to;
// parks it in storage; asks for the elements of its next chunk; and finishes the chunk that it parked `Parked` turns
// ago. What all chunks before that one combine to has come in the meantime, from the block that serves (look_back.hpp).
// The number of a chunk is drawn from a ticket, a turn before it is needed.
//
// A `Work` is made by each thread of a block:
//   void load(chunk)                  asks for the chunk's elements, into registers
//   sum scan(chunk)                   scans what has come, within the warp; returns the warp's sum, in all lanes
//   void park(before_warp, ring)      adds what the block has before the warp, and keeps the chunk in place `ring` of
//                                     storage
//   void finish(chunk, ring, before)  writes the chunk in that place; `before`: what all chunks before it combine to
// and, where it wants them,
//   void foresee(chunk)               by the block's first thread, a turn ahead: asks for what the load of a chunk
//                                     needs to know
//   void tell()                       by that thread, later in the same turn: writes it to storage, for load
//   void emit(chunk, ring)            writes what of the chunk in that place depends on no other chunk; after the load
//                                     of the next
// The block is synchronised between scan (and tell) and park; and, once park and the load of the next chunk
// are done, before finish and emit.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/primitives/detail/chunk_items.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

template <class Sum> struct persistent_slots {
  slot<Sum> of_warp;
  slot<Sum> prefix;
  slot<std::uint32_t> next;

  EVENLY_FN static constexpr persistent_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<Sum>(shape.warps()), layout.take<Sum>(1), layout.take<std::uint32_t>(1)};
  }
};

/// What the warps before the caller's combine to, and what all do; of_warp: a value for each warp. log2(warps) steps
/// where a warp has a lane for each of them.
template <class Block, monoid Op, class OfWarp>
EVENLY_INLINE_FN scan_result<typename Op::value_type> scan_warps_by_lanes(Block& block, const OfWarp& of_warp,
                                                                          const Op& op) {
  using sum = typename Op::value_type;
  const lanes<Block> warp = this_warp(block);
  const int warps = block.shape().warps(), my_warp = warp_of(block);
  if (block.size() % block.shape().warp == 0 && warps <= warp.size()) {
    sum mine = op.identity();
    if (warp.rank() < warps) mine = of_warp[warp.rank()];
    EVENLY_UNROLL
    for (int d = 1; d < warps; d *= 2) {
      const sum lower = warp.shuffle_up(mine, d);
      if (warp.rank() >= d) mine = op(lower, mine);
    }
    const sum before = warp.shuffle(mine, my_warp == 0 ? 0 : my_warp - 1);
    return {my_warp == 0 ? op.identity() : before, warp.shuffle(mine, warps - 1)};
  }
  scan_result<sum> all{op.identity(), op.identity()};
  for (int w = 0; w < warps; ++w) {
    if (w == my_warp) all.before = all.total;
    all.total = op(all.total, static_cast<sum>(of_warp[w]));
  }
  return all;
}

/// The pass, by all threads of a block, which is not serial. One block of the launch works on no chunk but serves the
/// others, unless there is only one chunk.
template <int Parked, class Block, monoid Op, class Work>
EVENLY_INLINE_FN void persistent_pass(Block& block, const persistent_slots<typename Op::value_type>& place,
                                      const look_back<typename Op::value_type>& sequence, const Op& op,
                                      Work& work) {
  using sum = typename Op::value_type;
  constexpr bool foresees = requires { work.foresee(std::uint32_t{}); };
  constexpr bool emits = requires { work.emit(std::uint32_t{}, 0); };
  const auto of_warp = block.storage(place.of_warp);
  const auto prefix = block.storage(place.prefix);
  const auto next = block.storage(place.next);
  const std::uint32_t stamp = sequence.stamp();
  const std::uint32_t count = sequence.chunks;
  const bool leads = block.rank() == 0;
  const bool alone = count == 1;

  if (leads) next[0] = sequence.draw();
  block.sync();
  std::uint32_t now = next[0];
  block.sync();
  if (!alone) {
    if (now == 0) {
      if (warp_of(block) == 0) sequence.serve(block, stamp, op);
      if (leads && sequence.retire(block.count())) sequence.finish(stamp);
      return;
    }
    --now;
  }
  if constexpr (foresees) {
    if (leads && now < count) {
      work.foresee(now);
      work.tell();
    }
    block.sync();
  }
  if (now < count) work.load(now);
  std::uint32_t drawn = leads ? sequence.draw() - !alone : 0; // used a turn later: nobody waits for it

  std::uint32_t waiting[Parked]; // chunks in storage, the oldest first
  EVENLY_UNROLL
  for (int p = 0; p < Parked; ++p) waiting[p] = count;
  int ring = 0;
  bool any = true;
  while (any) {
    std::uint32_t then = now;
    if (now < count) {
      if constexpr (foresees) {
        if (leads && drawn < count) work.foresee(drawn);
      }
      const sum warp_sum = work.scan(now);
      if (lane_of(block) == 0) of_warp[warp_of(block)] = warp_sum;
      if (leads) next[0] = drawn;
      if constexpr (foresees) {
        if (leads && drawn < count) work.tell();
      }
      block.sync();
      then = next[0];
      const scan_result<sum> of_warps = scan_warps_by_lanes(block, of_warp, op);
      if (leads && !alone) sequence.publish(stamp, now, of_warps.total);
      work.park(of_warps.before, ring);
      if (then < count) work.load(then);
      if (leads) drawn = sequence.draw() - !alone;
    } else {
      block.sync();
    }
    const int present = ring;
    ring = ring == Parked ? 0 : ring + 1;
    const std::uint32_t oldest = waiting[0];
    if (oldest < count && leads)
      prefix[0] = alone ? op.identity() : sequence.await_server(block, stamp, oldest);
    block.sync();
    if (oldest < count) work.finish(oldest, ring, static_cast<sum>(prefix[0]));
    if constexpr (emits) {
      if (now < count) work.emit(now, present);
    }
    EVENLY_UNROLL
    for (int p = 0; p + 1 < Parked; ++p) waiting[p] = waiting[p + 1];
    waiting[Parked - 1] = now;
    now = then;
    any = now < count;
    EVENLY_UNROLL
    for (int p = 0; p < Parked; ++p) any = any || waiting[p] < count;
  }
  if (leads && sequence.retire(block.count())) sequence.finish(stamp);
}

/// Starts a kernel whose blocks go through so many chunks by persistent_pass; at least one, also where there are none.
/// As many blocks as have room at the same time go on from chunk to chunk, and one more serves them.
template <class Executor, class Kernel>
void launch_persistent(const Executor& exec, const Kernel& kernel, std::int64_t chunks, int block_size) {
  const bool served = !Executor::serial_blocks && chunks > 1;
  const std::int64_t room = larger(resident_blocks(exec, kernel, block_size), served ? 2 : 1);
  const auto blocks = static_cast<int>(smaller(chunks + served, room));
  launch(exec, {.blocks = blocks, .block_size = block_size, .two_at_once = served}, kernel);
}

} // namespace evenly
