// SPDX-License-Identifier: Apache-2.0
// The common base of `select`, `partition` and `reduce_by_key`: one pass that moves elements, in order, to places that
// depend on all elements before.
//
// Blocks go from chunk to chunk as those of scans do (look_back.hpp). Each warp moves its output to the front of
// its own part of storage, independently of other warps, and computes the sum that the others need. Two chunks later,
// when the sum before the chunk has arrived, the warp writes its staged output coalesced. On the CPU a chunk fits into
// the cache, and one thread stages all of it. Nothing is written before the whole chunk, and all chunks before it, have
// been read.
//
// A `Work` defines what is staged:
//   monoid                               of the sums of warps and chunks; its value_type is `sum` here
//   element_bytes                        bytes staged per element, at most 2,048
//   slots, lay_out(layout, elements)     its part of storage, with room for `elements` elements
//   staged(block, slots)                 storage, as an argument of the three functions below
//   held<Items>                          a thread's elements of a warp's part, in registers: load(block, work, begin,
//                                        count)
//   stage(warp, staged, range, held)     by a warp; returns its sum in all lanes
//   stage_serially(staged, range)        by one thread; returns the sum
//   write(block, warp, staged, range, own, before)
//                                        by a warp: writes its staged output. own: its sum; before: the sum before it
//   finish(sum)                          by one thread, once: the sum of everything
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly::detail {

/// Tuning, by the bytes that are staged per element.
struct staged_tuning {
  static constexpr int thread_bytes = 64;        ///< of a chunk, per thread
  static constexpr int serial_bytes = 64 * 1024; ///< a chunk on the CPU
  static constexpr int blocks = 2;               ///< per multiprocessor
  static constexpr int parked = 2;               ///< chunks of a block that wait, besides the current one
  static constexpr int parked_serially = 1;

  /// Elements per thread, a multiple of `width`.
  static constexpr int items(int bytes, int width) { return larger(thread_bytes / bytes / width, 1) * width; }
  /// So that a block's chunks fit into its storage.
  static constexpr int block_size(int bytes) { return bytes <= thread_bytes ? 512 : bytes <= 256 ? 128 : 32; }
};

/// A warp's part of a chunk: elements [begin, begin + length), and storage [place, place + room). Without elements,
/// `length` is 0.
struct staged_range {
  std::int64_t begin;
  int length;
  int place;
  int room;

  EVENLY_FN staged_range(std::int64_t first, std::int64_t count, int at, int elements)
      : begin(first),
        length(static_cast<int>(smaller<std::int64_t>(larger<std::int64_t>(count - first, 0), elements))),
        place(at), room(elements) {}
};

template <class Work, int Items, bool Serial> struct staged_kernel {
  using Op = typename Work::monoid;
  using sum = typename Op::value_type;
  static_assert(Work::element_bytes <= 2048, "elements are too large: move their indices instead");
  static constexpr int tuned_block_size = staged_tuning::block_size(Work::element_bytes);
  static constexpr int min_blocks = staged_tuning::blocks, max_blocks = min_blocks;
  static constexpr int parked = Serial ? staged_tuning::parked_serially : staged_tuning::parked;
  static constexpr bool is_copyable = Work::is_copyable;

  Work work;
  std::int64_t count;
  look_back<sum> sequence;

  struct slots {
    typename Work::slots of_work;
    persistent_slots<sum> pass;
    slot<sum> own,
        before; ///< per warp, in the current chunk and in those that wait: its sum, and the sum before it
  };
  EVENLY_FN static constexpr int chunk_size(int block_size) {
    return Serial ? staged_tuning::serial_bytes / Work::element_bytes : Items * block_size;
  }
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const int sums = (parked + 1) * shape.warps();
    return {Work::lay_out(layout, (parked + 1) * chunk_size(shape.size)),
            persistent_slots<sum>::lay_out(layout, shape), layout.take<sum>(sums), layout.take<sum>(sums)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    static_assert(Block::is_serial == Serial);
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    if constexpr (Serial) {
      pass_serially(block, place);
    } else {
      worker<Block> here{*this, block, place};
      persistent_pass<parked>(block, place.pass, sequence, work.op(), here);
    }
  }

 private:
  /// A block publishes a chunk before it waits for the one before, so that other blocks have time to publish theirs.
  template <class Block> void pass_serially(Block& block, const slots& place) const {
    const std::uint32_t stamp = sequence.stamp();
    const auto staged = Work::staged(block, place.of_work);
    std::uint32_t last = sequence.chunks;
    sum of_last = work.op().identity();
    int ring = 0;
    const auto write_last = [&] {
      if (last == sequence.chunks) return;
      const sum before = sequence.await_serially(block, stamp, last, work.op());
      work.write(block, this_warp(block), staged, range_of(block, last, 1 - ring), of_last, before);
      if (last == sequence.chunks - 1) work.finish(work.op()(before, of_last));
    };
    for (std::uint32_t now = sequence.draw(); now < sequence.chunks; now = sequence.draw()) {
      const sum own = work.stage_serially(staged, range_of(block, now, ring));
      sequence.publish(stamp, now, own);
      write_last();
      last = now;
      of_last = own;
      ring = 1 - ring;
    }
    write_last();
    if (sequence.retire(block.count())) sequence.finish(stamp);
  }

  /// Required by persistent_pass.
  template <class Block> struct worker {
    const staged_kernel& kernel;
    Block& block;
    slots place;
    typename Work::template thread_items<Items> mine = {};
    sum own = {};
    int present = 0; ///< where the current chunk is staged

    EVENLY_INLINE_FN void load(std::uint32_t c) {
      mine.load(block, kernel.work, begin_of(block, c), kernel.count);
    }

    EVENLY_INLINE_FN sum scan(std::uint32_t c) {
      const auto staged = Work::staged(block, place.of_work);
      own = kernel.work.stage(this_warp(block), staged, kernel.range_of(block, c, present), mine);
      return own;
    }
    EVENLY_INLINE_FN void park(const sum& before_warp, int ring) {
      if (lane_of(block) == 0) {
        block.storage(place.own)[of_warp(ring)] = own;
        block.storage(place.before)[of_warp(ring)] = before_warp;
      }
      present = ring == parked ? 0 : ring + 1;
    }
    EVENLY_INLINE_FN void finish(std::uint32_t c, int ring, const sum& before_chunk) {
      const lanes<Block> warp = this_warp(block);
      const Op op = kernel.work.op();
      const sum parked_own = block.storage(place.own)[of_warp(ring)];
      const sum before = op(before_chunk, static_cast<sum>(block.storage(place.before)[of_warp(ring)]));
      kernel.work.write(block, warp, Work::staged(block, place.of_work), kernel.range_of(block, c, ring),
                        parked_own, before);
      const bool very_last = c == kernel.sequence.chunks - 1 && block.rank() == block.size() - 1;
      if (very_last) kernel.work.finish(op(before, parked_own));
      warp.sync(); // another chunk is staged at the same place
    }
    EVENLY_INLINE_FN int of_warp(int ring) const { return ring * block.shape().warps() + warp_of(block); }
  };

  /// The first element of the warp's part of a chunk.
  template <class Block> EVENLY_INLINE_FN static std::int64_t begin_of(Block& block, std::uint32_t chunk) {
    return std::int64_t{chunk} * chunk_size(block.size()) + (block.rank() - lane_of(block)) * Items;
  }
  /// The warp's part of a chunk that is staged at `ring`.
  template <class Block>
  EVENLY_INLINE_FN staged_range range_of(Block& block, std::uint32_t chunk, int ring) const {
    const int elements = Serial ? chunk_size(1) : this_warp(block).size() * Items;
    return staged_range(begin_of(block, chunk), count,
                        ring * chunk_size(block.size()) + (block.rank() - lane_of(block)) * Items, elements);
  }
};

/// The tuned number of threads per block.
template <class Work> inline constexpr int staged_block_size = staged_tuning::block_size(Work::element_bytes);

/// Runs `work` on `count` elements, which may be 0; `Width` elements per access of the GPU.
template <int Width, class Executor, class Work>
void run_staged(const Executor& exec, const Work& work, std::int64_t count, workspace& memory,
                int block_size) {
  check(launch_shape{.blocks = 0, .block_size = block_size});
  constexpr int items = staged_tuning::items(Work::element_bytes, Width);
  using kernel = staged_kernel<Work, items, Executor::serial_blocks>;
  const std::int64_t chunks =
      larger<std::int64_t>(ceil_div<std::int64_t>(count, kernel::chunk_size(block_size)), 1);
  workspace::lease lease(memory);
  const auto sequence = look_back<typename kernel::sum>::in(exec, lease, chunks);
  launch_persistent(exec, kernel{work, count, sequence}, chunks, block_size);
}

} // namespace evenly::detail
