// SPDX-License-Identifier: Apache-2.0
// inclusive_scan, exclusive_scan: prefix sums with any monoid, in one pass over the data: each element is read once and
// written once.
//
// Resident blocks draw tiles from a ticket. A block holds a tile in registers (tile_items.hpp), scans each row by
// shuffles, and has the elements of its next tile on their way while it waits for what is before the present one
// (look_back.hpp). On the CPU a block folds a tile that fits into its cache, waits, and goes through it again. Bits repeat
// from run to run for floating-point numbers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/primitives/serial.hpp"
#include "evenly/primitives/tile_items.hpp"

namespace evenly {

/// Tuning of scans: bytes of elements that a thread holds of a tile, threads in a block, and blocks that share a
/// multiprocessor.
struct scan_tuning {
  static constexpr int thread_bytes = 64;
  static constexpr int block_size = 512;
  static constexpr int blocks = 2;
  static constexpr int parked = 2;
  static constexpr std::int64_t cached_bytes = 1 << 25; ///< results beyond are not kept in the CPU's caches
  /// A tile of the CPU: four chains, the distance of which is far from a multiple of 4 KiB, so that they have different
  /// places in a first-level cache.
  static constexpr int serial_bytes = 4 * (16384 + 9 * 64);
};

template <bool Inclusive, int Width, class Input, class Output, monoid Op> struct scan_kernel {
  using T = typename Op::value_type;
  static constexpr int items =
      larger<int>(scan_tuning::thread_bytes / static_cast<int>(sizeof(T)) / Width, 1) * Width;
  static constexpr int rows = items / Width;
  static constexpr int tuned_block_size = scan_tuning::block_size;
  static constexpr int least_blocks = scan_tuning::blocks;
  static constexpr bool parts_checked = is_kernel_part<Input> && is_kernel_part<Output> && is_kernel_part<Op>;

  static constexpr int parked = scan_tuning::parked;
  using part = row_part<T, Width>;

  Input in;
  Output out;
  std::int64_t count;
  Op op;
  std::int64_t tile_size;
  look_back<T> tiles;

  struct slots {
    slot<T> of_warp;
    slot<T> prefix;
    slot<std::uint32_t> next;
    slot<part> parked; ///< tiles that wait for their prefix; each thread uses its own elements only
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<T>(shape.warps()), layout.take<T>(1), layout.take<std::uint32_t>(1),
            layout.take<part>((parked + 1) * rows * shape.size)};
  }
  EVENLY_FN constexpr std::size_t storage_bytes(block_shape shape) const {
    storage_layout layout;
    lay_out(layout, shape);
    return layout.bytes();
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::uint32_t stamp = tiles.stamp();
    if constexpr (Block::is_serial)
      scan_serially(block, stamp);
    else
      scan(block, stamp);
    if (block.rank() == 0 && tiles.leave(block.count())) tiles.finish(stamp);
  }

 private:
  using tile = tile_items<T, Width, items>;

  /// A tile is published before the one before it is waited for, so that others have time to publish theirs.
  template <class Block> void scan_serially(Block& block, std::uint32_t stamp) const {
    using run = detail::serial_scan<Inclusive, Input, Output, Op>;
    std::optional<run> last;
    std::uint32_t last_tile = 0;
    const bool passing = count * static_cast<std::int64_t>(sizeof(T)) > scan_tuning::cached_bytes;
    const auto finish = [&] {
      if (last) last->write(tiles.await_serially(block, stamp, last_tile, op), passing);
    };
    for (std::uint32_t t = tiles.draw(); t < tiles.tiles; t = tiles.draw()) {
      const std::int64_t begin = t * tile_size;
      const run next(in, out, begin, smaller(begin + tile_size, count), op);
      tiles.publish(stamp, t, next.total());
      finish();
      last = next;
      last_tile = t;
    }
    finish();
  }

  template <class Block> EVENLY_FN void scan(Block& block, std::uint32_t stamp) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const auto of_warp = block.storage(place.of_warp);
    const auto next = block.storage(place.next);
    const bool leads = block.rank() == 0;
    const bool alone = tiles.tiles == 1;

    if (leads) next[0] = tiles.draw();
    block.sync();
    std::uint32_t now = next[0];
    block.sync();
    if (!alone) {
      if (now == 0) {
        if (warp_of(block) == 0) tiles.serve(block, stamp, op);
        return;
      }
      --now;
    }
    tile coming;
    if (now < tiles.tiles) coming.load(block, in, begin_of(block, now), count, op.identity());
    std::uint32_t drawn = leads ? tiles.draw() - !alone : 0; // used a turn later: nobody waits for it

    std::uint32_t waiting[parked]; // tiles in storage, the oldest first
    EVENLY_UNROLL
    for (int p = 0; p < parked; ++p) waiting[p] = tiles.tiles;
    int ring = 0;
    bool any = true;
    while (any) {
      const bool has = now < tiles.tiles;
      std::uint32_t then = now;
      if (has) {
        tile mine = coming;
        T before_row[rows];
        const T warp_total = scan_rows(this_warp(block), mine, before_row);
        if (lane_of(block) == 0) of_warp[warp_of(block)] = warp_total;
        if (leads) next[0] = drawn;
        block.sync();
        then = next[0];
        T before_warp = op.identity();
        T total = op.identity();
        EVENLY_UNROLL
        for (int w = 0; w < block.shape().warps(); ++w) {
          if (w == warp_of(block)) before_warp = total;
          total = op(total, static_cast<T>(of_warp[w]));
        }
        if (leads && !alone) tiles.publish(stamp, now, total);
        add_before(mine, before_row, before_warp);
        park(block, place, mine, ring);
        if (then < tiles.tiles) coming.load(block, in, begin_of(block, then), count, op.identity());
        if (leads) drawn = tiles.draw() - !alone;
      } else {
        block.sync();
      }
      ring = ring == parked ? 0 : ring + 1;
      finish(block, place, stamp, waiting[0], ring);
      EVENLY_UNROLL
      for (int p = 0; p + 1 < parked; ++p) waiting[p] = waiting[p + 1];
      waiting[parked - 1] = now;
      now = then;
      any = now < tiles.tiles;
      EVENLY_UNROLL
      for (int p = 0; p < parked; ++p) any = any || waiting[p] < tiles.tiles;
    }
  }

  /// Waits for the prefix of a tile that is parked at `ring`, adds it and stores the tile. Synchronises the block once.
  template <class Block>
  EVENLY_INLINE_FN void finish(Block& block, const slots& place, std::uint32_t stamp, std::uint32_t t,
                               int ring) const {
    const auto prefix = block.storage(place.prefix);
    if (t < tiles.tiles && block.rank() == 0)
      prefix[0] = tiles.tiles == 1 ? op.identity() : tiles.await_server(block, stamp, t);
    block.sync();
    if (t >= tiles.tiles) return;
    const T before = prefix[0];
    const auto memory = block.storage(place.parked);
    tile old;
    EVENLY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const part p = memory[(ring * rows + r) * block.size() + block.rank()];
      EVENLY_UNROLL
      for (int j = 0; j < Width; ++j) old.of[r * Width + j] = op(before, p.of[j]);
    }
    old.store(block, out, begin_of(block, t), count);
  }

  template <class Block>
  EVENLY_INLINE_FN void park(Block& block, const slots& place, const tile& mine, int ring) const {
    const auto memory = block.storage(place.parked);
    EVENLY_UNROLL
    for (int r = 0; r < rows; ++r) {
      part p;
      EVENLY_UNROLL
      for (int j = 0; j < Width; ++j) p.of[j] = mine.of[r * Width + j];
      memory[(ring * rows + r) * block.size() + block.rank()] = p;
    }
  }

  /// Where the warp's share of a tile begins.
  template <class Block> EVENLY_INLINE_FN std::int64_t begin_of(Block& block, std::uint32_t t) const {
    return t * tile_size + (block.rank() - lane_of(block)) * items;
  }

  /// Makes each lane's part of a row its inclusive scan; before_row: what the warp has before it. Returns what the warp has
  /// in all, valid everywhere.
  template <class Block>
  EVENLY_INLINE_FN T scan_rows(const lanes<Block>& warp, tile& mine, T (&before_row)[rows]) const {
    T so_far = op.identity();
    EVENLY_UNROLL
    for (int r = 0; r < rows; ++r) {
      EVENLY_UNROLL
      for (int j = 1; j < Width; ++j)
        mine.of[r * Width + j] = op(mine.of[r * Width + j - 1], mine.of[r * Width + j]);
      const T upto = warp.scan(mine.of[r * Width + Width - 1], op);
      T before = warp.shuffle_up(upto, 1);
      if (warp.rank() == 0) before = op.identity();
      before_row[r] = op(so_far, before);
      so_far = op(so_far, warp.shuffle(upto, warp.size() - 1));
    }
    return so_far;
  }

  EVENLY_INLINE_FN void add_before(tile& mine, const T (&before_row)[rows], const T& before) const {
    EVENLY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const T from = op(before, before_row[r]);
      EVENLY_UNROLL
      for (int j = Width - 1; j >= 0; --j) {
        T& item = mine.of[r * Width + j];
        if constexpr (Inclusive)
          item = op(from, item);
        else
          item = j == 0 ? from : op(from, mine.of[r * Width + j - 1]);
      }
    }
  }
};

namespace detail {

template <bool Inclusive, int Width, class Executor, class Input, class Output, monoid Op>
void launch_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op, const Output& out,
                 workspace& memory, int block_size) {
  using T = typename Op::value_type;
  using kernel = scan_kernel<Inclusive, Width, Input, Output, Op>;
  std::int64_t tile_size = std::int64_t{kernel::items} * block_size;
  if constexpr (Executor::serial_blocks)
    tile_size = larger<std::int64_t>(scan_tuning::serial_bytes / sizeof(T), 1);
  const std::int64_t tiles = ceil_div(count, tile_size);
  const auto sequence = look_back<T>::in(exec, memory, tiles);
  int blocks = resident_blocks<kernel>(exec, tiles, block_size);
  const bool served = !Executor::serial_blocks && tiles > 1;
  if (served) ++blocks;
  launch(exec, {.blocks = blocks, .block_size = block_size, .two_at_once = served},
         kernel{in, out, count, op, tile_size, sequence});
  memory.done();
}

template <bool Inclusive, class Executor, class Input, class Output, monoid Op>
void scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op, const Output& out,
          workspace& memory, int block_size) {
  using T = typename Op::value_type;
  static_assert(input_of<Input, T> && output_of<Output, T>);
  require_count(count);
  require_apart("in", in, count, "out", out, count, true);
  if (count == 0) return;
  if constexpr (!Executor::serial_blocks && wide_width < T >> 1) {
    if (is_wide<T>(in) && is_wide<T>(out))
      return launch_scan<Inclusive, wide_width<T>>(exec, in, count, op, out, memory, block_size);
  }
  launch_scan<Inclusive, 1>(exec, in, count, op, out, memory, block_size);
}

} // namespace detail

/// out[i] = in[0] op ... op in[i] for every i in [0, count).
///
/// in: an input (inputs.hpp) whose elements convert to Op::value_type; on cpu each is read twice. out: an output; a pointer
/// may equal `in`, and else lies apart from it. Asynchronous on cuda. Throws invalid_argument if count is negative or
/// memory overlaps otherwise. `block_size`: threads in a block, 1 to 1024; tuned for the default. One pass: 2 sizeof(T) bytes an element; 2 to 3 operations an element. `memory` grows to about
/// 2 bytes for each 1,000 of the input. Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back"
/// (NVIDIA, 2016); the fixed shape of look_back.hpp is ours.
template <class Executor, class Input, monoid Op, class Output>
void inclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out, workspace& memory, int block_size = scan_tuning::block_size) {
  detail::scan<true>(exec, in, count, op, out, memory, block_size);
}

/// out[i] = in[0] op ... op in[i - 1] for every i in [0, count); out[0] is the identity. Otherwise as inclusive_scan.
template <class Executor, class Input, monoid Op, class Output>
void exclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out, workspace& memory, int block_size = scan_tuning::block_size) {
  detail::scan<false>(exec, in, count, op, out, memory, block_size);
}

/// The same with memory that lasts for the call. Allocates; may synchronise.
template <class Executor, class Input, monoid Op, class Output>
requires output_of<Output, typename Op::value_type>
void inclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out) {
  workspace memory;
  inclusive_scan(exec, in, count, op, out, memory);
}
template <class Executor, class Input, monoid Op, class Output>
requires output_of<Output, typename Op::value_type>
void exclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out) {
  workspace memory;
  exclusive_scan(exec, in, count, op, out, memory);
}

/// The same for spans, which lie on `exec`. Throws invalid_argument if their sizes differ.
template <class Executor, monoid Op>
void inclusive_scan(const Executor& exec, std::span<const typename Op::value_type> in, const Op& op,
                    std::span<typename Op::value_type> out, workspace& memory) {
  detail::require_same_size("in", in.size(), "out", out);
  inclusive_scan(exec, in.data(), static_cast<std::int64_t>(in.size()), op, out.data(), memory);
}
template <class Executor, monoid Op>
void exclusive_scan(const Executor& exec, std::span<const typename Op::value_type> in, const Op& op,
                    std::span<typename Op::value_type> out, workspace& memory) {
  detail::require_same_size("in", in.size(), "out", out);
  exclusive_scan(exec, in.data(), static_cast<std::int64_t>(in.size()), op, out.data(), memory);
}
template <class Executor, monoid Op>
void inclusive_scan(const Executor& exec, std::span<const typename Op::value_type> in, const Op& op,
                    std::span<typename Op::value_type> out) {
  workspace memory;
  inclusive_scan(exec, in, op, out, memory);
}
template <class Executor, monoid Op>
void exclusive_scan(const Executor& exec, std::span<const typename Op::value_type> in, const Op& op,
                    std::span<typename Op::value_type> out) {
  workspace memory;
  exclusive_scan(exec, in, op, out, memory);
}

} // namespace evenly
