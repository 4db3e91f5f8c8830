// SPDX-License-Identifier: Apache-2.0
// A pass over chunks by resident blocks, which go from chunk to chunk and do not wait for each other: the common loop
// of scans.
//
// In each turn a block does five things. It scans the chunk whose elements have arrived; publishes its aggregate; parks
// it in storage; starts to load its next chunk; and finishes the chunk that it parked `Parked` turns ago. The prefix of
// that chunk has arrived in the meantime from the serving block (look_back.hpp). The number of a chunk is drawn from a
// ticket, a turn before it is needed.
//
// Each thread of a block makes a `Work`:
//   void load(chunk)                  starts to load the chunk's elements into registers
//   sum scan(chunk)                   scans the loaded elements within the warp; returns the warp's sum, in all lanes
//   void park(before_warp, ring)      adds the block's sum before the warp, and keeps the chunk in slot `ring` of
//                                     storage
//   void finish(chunk, ring, before)  writes the chunk in that slot; `before`: the combination of all chunks before it
//
// Optional members:
//   void foresee(chunk)               by the block's first thread, a turn ahead: starts to load what the load of a
//                                     chunk depends on
//   void tell()                       by that thread, later in the same turn: writes this to storage, for load
//   void emit(chunk, ring)            writes the output of the chunk in that slot that depends on no other chunk;
//                                     after the load of the next
//
// The block is synchronised between scan (and tell) and park, and, after park and the load of the next chunk, before
// finish and emit.
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

/// The storage of persistent_pass.
template <class Sum> struct persistent_slots {
  slot<Sum> of_warp;
  slot<Sum> prefix;
  slot<std::uint32_t> next;

  EVENLY_FN static constexpr persistent_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<Sum>(shape.warps()), layout.take<Sum>(1), layout.take<std::uint32_t>(1)};
  }
};

/// Returns the combination of the warps before the caller's, and of all warps. `of_warp`: one value per warp.
/// log2(warps) steps if a warp has a lane for each warp.
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

/// The pass, by all threads of a parallel block. One block of the launch processes no chunk and serves the others,
/// unless there is only one chunk.
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
  std::uint32_t drawn = leads ? sequence.draw() - !alone : 0; // used a turn later, so no thread waits for it

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

/// Starts a kernel whose blocks process `chunks` chunks by persistent_pass; at least one block, even without chunks. As
/// many blocks as are resident go from chunk to chunk, and one of them serves the others.
template <class Executor, class Kernel>
void launch_persistent(const Executor& exec, const Kernel& kernel, std::int64_t chunks, int block_size) {
  const bool served = !Executor::serial_blocks && chunks > 1;
  const std::int64_t room = larger(resident_blocks(exec, kernel, block_size), served ? 2 : 1);
  const auto blocks = static_cast<int>(smaller(chunks + served, room));
  launch(exec, {.blocks = blocks, .block_size = block_size, .two_at_once = served}, kernel);
}

} // namespace evenly
