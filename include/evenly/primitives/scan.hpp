// SPDX-License-Identifier: Apache-2.0
// inclusive_scan, exclusive_scan: prefix sums with any monoid, in one pass over the data. Each element is read once and
// written once.
//
// Resident blocks draw chunks from a ticket. A block holds a chunk in registers (look_back.hpp), scans each row by
// shuffles, and loads its next chunk while it waits for the prefix of the current one (look_back.hpp). On the CPU a
// block folds a chunk that fits into its cache, waits, and processes it again. Every run returns the same bits, for
// floating-point numbers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/serial.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

/// Tuning of scans: bytes of elements that a thread holds of a chunk, threads per block, and blocks per multiprocessor.
struct scan_tuning {
  /// Threads per block, so that the chunks of values of this size fit into its storage.
  static constexpr int block_size_for(int bytes) {
    return bytes <= 64 ? block_size : bytes <= 256 ? 128 : 32;
  }
  static constexpr int thread_bytes = 64;
  static constexpr int block_size = 512;
  static constexpr int blocks = 2;
  static constexpr int parked = 2;
  static constexpr std::int64_t cached_bytes = 1 << 25; ///< larger results bypass the CPU's caches
  /// A chunk of the CPU: four chains whose distance is far from a multiple of 4 KiB, so that they have different places
  /// in a first-level cache.
  static constexpr int serial_bytes = 4 * (16384 + 9 * 64);
};

/// The kernel of the scans.
template <bool Inclusive, int Width, class Input, class Output, monoid Op> struct scan_kernel {
  using T = typename Op::value_type;
  static constexpr int items =
      larger<int>(scan_tuning::thread_bytes / static_cast<int>(sizeof(T)) / Width, 1) * Width;
  static constexpr int rows = items / Width;
  static constexpr int tuned_block_size = scan_tuning::block_size_for(sizeof(T));
  static constexpr int min_blocks = scan_tuning::blocks, max_blocks = min_blocks;
  static constexpr bool is_copyable = is_device_copyable<Input, Output, Op>;

  static constexpr int parked = scan_tuning::parked;
  using part = row_part<T, Width>;

  Input in;
  Output out;
  std::int64_t count;
  Op op;
  std::int64_t chunk_size;
  look_back<T> sequence;

  struct slots {
    persistent_slots<T> pass;
    slot<part> parked; ///< chunks that wait for their prefix; each thread uses only its own elements
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {persistent_slots<T>::lay_out(layout, shape), layout.take<part>((parked + 1) * rows * shape.size)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (Block::is_serial) {
      scan_serially(block);
    } else {
      storage_layout layout;
      const slots place = lay_out(layout, block.shape());
      worker<Block> work{*this, block, place.parked, {}, {}};
      persistent_pass<parked>(block, place.pass, sequence, op, work);
    }
  }

 private:
  using thread_items = chunk_items<T, Width, items>;

  /// A block publishes a chunk before it waits for the one before, so that other blocks have time to publish theirs.
  template <class Block> void scan_serially(Block& block) const {
    const std::uint32_t stamp = sequence.stamp();
    using run = detail::serial_scan<Inclusive, Input, Output, Op>;
    std::optional<run> last;
    std::uint32_t last_chunk = 0;
    const bool streaming = count * static_cast<std::int64_t>(sizeof(T)) > scan_tuning::cached_bytes;
    const auto finish = [&] {
      if (last) last->write(sequence.await_serially(block, stamp, last_chunk, op), streaming);
    };
    for (std::uint32_t c = sequence.draw(); c < sequence.chunks; c = sequence.draw()) {
      const std::int64_t begin = c * chunk_size;
      const run next(in, out, begin, smaller(begin + chunk_size, count), op);
      sequence.publish(stamp, c, next.total());
      finish();
      last.emplace(next); // not assigned: a formula may be a lambda
      last_chunk = c;
    }
    finish();
    if (sequence.retire(block.count())) sequence.finish(stamp);
  }

  /// Required by persistent_pass.
  template <class Block> struct worker {
    const scan_kernel& work;
    Block& block;
    slot<part> place;
    thread_items mine;
    T before_row[rows]; ///< the warp's value before each of the lane's rows

    EVENLY_INLINE_FN void load(std::uint32_t c) {
      mine.load(block, work.in, begin_of(c), work.count, work.op.identity());
    }

    /// Replaces each lane's part of a row by its inclusive scan.
    EVENLY_INLINE_FN T scan(std::uint32_t) {
      const lanes<Block> warp = this_warp(block);
      const Op& combine = work.op;
      T so_far = combine.identity();
      EVENLY_UNROLL
      for (int r = 0; r < rows; ++r) {
        EVENLY_UNROLL
        for (int j = 1; j < Width; ++j)
          mine.of[r * Width + j] = combine(mine.of[r * Width + j - 1], mine.of[r * Width + j]);
        const T upto = warp.scan(mine.of[r * Width + Width - 1], combine);
        T before = warp.shuffle_up(upto, 1);
        if (warp.rank() == 0) before = combine.identity();
        before_row[r] = combine(so_far, before);
        so_far = combine(so_far, warp.shuffle(upto, warp.size() - 1));
      }
      return so_far;
    }

    /// Adds the block's value before the warp.
    EVENLY_INLINE_FN void park(const T& before_warp, int ring) {
      const Op& combine = work.op;
      const auto memory = block.storage(place);
      EVENLY_UNROLL
      for (int r = 0; r < rows; ++r) {
        const T from = combine(before_warp, before_row[r]);
        part p;
        EVENLY_UNROLL
        for (int j = 0; j < Width; ++j) {
          if constexpr (Inclusive)
            p.of[j] = combine(from, mine.of[r * Width + j]);
          else
            p.of[j] = j == 0 ? from : combine(from, mine.of[r * Width + (j == 0 ? 0 : j - 1)]);
        }
        memory[(ring * rows + r) * block.size() + block.rank()] = p;
      }
    }

    EVENLY_INLINE_FN void finish(std::uint32_t c, int ring, const T& before) {
      const auto memory = block.storage(place);
      thread_items old;
      EVENLY_UNROLL
      for (int r = 0; r < rows; ++r) {
        const part p = memory[(ring * rows + r) * block.size() + block.rank()];
        EVENLY_UNROLL
        for (int j = 0; j < Width; ++j) old.of[r * Width + j] = work.op(before, p.of[j]);
      }
      old.store(block, work.out, begin_of(c), work.count);
    }

    /// The first element of the warp's part of a chunk.
    EVENLY_INLINE_FN std::int64_t begin_of(std::uint32_t c) const {
      return c * work.chunk_size + (block.rank() - lane_of(block)) * items;
    }
  };
};

namespace detail {

/// Returns the number of elements of a chunk.
template <class Executor, class Kernel> std::int64_t scan_chunk(int block_size) {
  if constexpr (Executor::serial_blocks)
    return larger<std::int64_t>(scan_tuning::serial_bytes / sizeof(typename Kernel::T), 1);
  else
    return std::int64_t{Kernel::items} * block_size;
}

template <bool Inclusive, int Width, class Executor, class Input, class Output, monoid Op>
void launch_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op, const Output& out,
                 workspace& memory, int block_size) {
  using T = typename Op::value_type;
  using kernel = scan_kernel<Inclusive, Width, Input, Output, Op>;
  check(launch_shape{.blocks = 0, .block_size = block_size});
  const std::int64_t chunk_size = scan_chunk<Executor, kernel>(block_size);
  const std::int64_t chunks = ceil_div(count, chunk_size);
  workspace::lease lease(memory);
  const auto sequence = look_back<T>::in(exec, lease, chunks);
  launch_persistent(exec, kernel{in, out, count, op, chunk_size, sequence}, chunks, block_size);
}

template <bool Inclusive, class Executor, class Input, class Output, monoid_argument Op>
void scan(const Executor& exec, const Input& in, std::int64_t count, const Op& given, const Output& out,
          workspace& memory, int block_size) {
  const auto& op = monoid_for<element_of<Input>>(given);
  using T = combined_input<Op, Input>;
  static_assert(combinable<monoid_type<Op, T>, element_of<Input>>::holds);
  static_assert(output_of<Output, T>);
  require_count(count);
  const auto from = reached<Executor>("in", in, count);
  const auto to = written<Executor>("out", out, count);
  require_apart("in", from, count, "out", to, count, true);
  note_parts(exec, std::byte{}, users_part(in), op);
  if (count == 0) return;
  constexpr int width = smaller(width_of<T, decltype(from)>, width_of<T, decltype(to)>);
  if constexpr (!Executor::serial_blocks && width > 1) {
    if (is_wide(from) && is_wide(to))
      return launch_scan<Inclusive, width>(exec, from, count, op, to, memory, block_size);
  }
  launch_scan<Inclusive, 1>(exec, from, count, op, to, memory, block_size);
}

} // namespace detail

/// Writes out[i] = in[0] op ... op in[i] for every i in [0, count).
///
/// - `in`: an input (inputs.hpp) whose elements convert to the value_type of the monoid; on cpu each is read twice.
/// - `out`: an output. A pointer may equal `in`; otherwise the memory must not overlap.
/// - `memory`: grows to 24 bytes for each 4 bytes of a value and each chunk of block_size * 64 bytes.
/// - `block_size`: threads per block, 1 to 1024; tuned for the default.
/// - Asynchronous on cuda.
/// - Throws invalid_argument if count is negative or memory overlaps otherwise.
/// - Cost: one pass of 2 sizeof(T) bytes per element; 2 (on cpu) to 9 operations per element.
///
/// Source: Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back" (NVIDIA, 2016). The fixed
/// shape of look_back.hpp is new.
template <class Executor, class Input, monoid_argument Op, class Output>
void inclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out, workspace& memory,
                    int block_size = scan_tuning::block_size_for(sizeof(detail::combined_input<Op, Input>))) {
  detail::scan<true>(exec, in, count, op, out, memory, block_size);
}

/// Writes out[i] = in[0] op ... op in[i - 1] for every i in [0, count); out[0] is the identity. Otherwise as
/// inclusive_scan.
template <class Executor, class Input, monoid_argument Op, class Output>
void exclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out, workspace& memory,
                    int block_size = scan_tuning::block_size_for(sizeof(detail::combined_input<Op, Input>))) {
  detail::scan<false>(exec, in, count, op, out, memory, block_size);
}

/// The same with a temporary workspace. Allocates; may synchronise.
template <class Executor, class Input, monoid_argument Op, class Output>
requires output_of<Output, detail::combined_input<Op, Input>>
void inclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out) {
  workspace memory;
  inclusive_scan(exec, in, count, op, out, memory);
}
template <class Executor, class Input, monoid_argument Op, class Output>
requires output_of<Output, detail::combined_input<Op, Input>>
void exclusive_scan(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                    const Output& out) {
  workspace memory;
  exclusive_scan(exec, in, count, op, out, memory);
}

/// The same for ranges in memory of `exec`. Throws invalid_argument if their sizes differ.
template <class Executor, detail::contiguous Values, monoid_argument Op, detail::contiguous Out>
void inclusive_scan(const Executor& exec, const Values& in, const Op& op, Out&& out, workspace& memory) {
  detail::require_same_length("in", in, "out", out);
  inclusive_scan(exec, std::data(in), detail::length_of(in), op, std::data(out), memory);
}
template <class Executor, detail::contiguous Values, monoid_argument Op, detail::contiguous Out>
void exclusive_scan(const Executor& exec, const Values& in, const Op& op, Out&& out, workspace& memory) {
  detail::require_same_length("in", in, "out", out);
  exclusive_scan(exec, std::data(in), detail::length_of(in), op, std::data(out), memory);
}
template <class Executor, detail::contiguous Values, monoid_argument Op, detail::contiguous Out>
void inclusive_scan(const Executor& exec, const Values& in, const Op& op, Out&& out) {
  workspace memory;
  inclusive_scan(exec, in, op, out, memory);
}
template <class Executor, detail::contiguous Values, monoid_argument Op, detail::contiguous Out>
void exclusive_scan(const Executor& exec, const Values& in, const Op& op, Out&& out) {
  workspace memory;
  exclusive_scan(exec, in, op, out, memory);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void inclusive_scan(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void exclusive_scan(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

} // namespace evenly
