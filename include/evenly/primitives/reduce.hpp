// SPDX-License-Identifier: Apache-2.0
// reduce: combines all elements of an input with any monoid, in one launch.
//
// Each block has a run of consecutive elements, each of its warps a run within that. A warp processes its run in rows
// (look_back.hpp) and combines each row's elements in order, lane by lane, so the monoid need not be commutative. The
// last block to finish, found by a ticket, combines the results of all blocks in order. The association depends only on
// the number of elements, their alignment and the device: floating-point results have the same bits on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

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

/// Tuning of reductions: bytes of elements that a thread reads at a time, threads per block, and blocks per
/// multiprocessor. (Chosen from seven settings on an H200, 2026-11-21: bench/results/reduce-tuning-h200.json.)
struct reduce_tuning {
  static constexpr int thread_bytes = 128;
  static constexpr int block_size = 512;
  static constexpr int blocks = 2;
};

/// The kernel of reduce.
template <int Width, class Input, monoid Op> struct reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int items =
      larger<int>(reduce_tuning::thread_bytes / static_cast<int>(sizeof(T)) / Width, 1) * Width;
  static constexpr int tuned_block_size = reduce_tuning::block_size;
  static constexpr int min_blocks = reduce_tuning::blocks, max_blocks = min_blocks;
  static constexpr bool is_copyable = is_device_copyable<Input, Op>;

  Input in;
  std::int64_t count;
  std::int64_t block_items; ///< elements per block, except the last; a multiple of 16
  Op op;
  T* out;
  look_back<T> of_block; ///< one value per block

  struct slots {
    slot<T> of_warp;
    slot<int> last;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<T>(shape.warps()), layout.take<int>(1)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const std::uint32_t stamp = of_block.stamp(); // by all threads, before any of them retires
    const std::int64_t begin = block.index() * block_items;
    const T sum = of_run(block, place, begin, smaller(begin + block_items, count));
    if (block.count() == 1) {
      if (block.rank() == 0) traced(block, out)[0] = sum;
      return;
    }
    const auto last = block.storage(place.last);
    if (block.rank() == 0) {
      of_block.values_of(stamp).put(block.index(), sum);
      last[0] = of_block.retire(block.count());
    }
    block.sync();
    if (last[0] == 0) return;
    const T all = of_blocks(block, place, of_block.values_of(stamp));
    if (block.rank() != 0) return;
    traced(block, out)[0] = all;
    of_block.finish(stamp);
  }

 private:
  /// Returns the elements [begin, end), combined; valid at rank 0.
  EVENLY_MAY_CALL_HOST
  template <class Block>
  EVENLY_FN T of_run(Block& block, const slots& place, std::int64_t begin, std::int64_t end) const {
    if constexpr (Block::is_serial) {
      return detail::fold_serial(in, begin, end, op);
    } else if constexpr (is_commutative<Op>) {
      const lanes<Block> warp = this_warp(block);
      T sum = op.identity();
      for (begin += (block.rank() - warp.rank()) * items; begin < end; begin += block.size() * items)
        sum = op(sum, of_lane(block, begin, end));
      return of_warps(block, place, in_order(warp, sum));
    } else {
      const int warps = block.shape().warps();
      const std::int64_t each = ceil_div<std::int64_t>(ceil_div<std::int64_t>(end - begin, warps), 16) * 16;
      const std::int64_t first = smaller(begin + warp_of(block) * each, end);
      return of_warps(block, place, of_warp(block, first, smaller(first + each, end)));
    }
  }

  /// Returns the lane's value of the warp's part of a chunk.
  template <class Block>
  EVENLY_INLINE_FN T of_lane(Block& block, std::int64_t begin, std::int64_t end) const {
    chunk_items<T, Width, items> mine;
    mine.load(block, in, begin, end, op.identity());
    T sum = mine.of[0];
    EVENLY_UNROLL
    for (int i = 1; i < items; ++i) sum = op(sum, mine.of[i]);
    return sum;
  }

  /// Returns the warp's value of the elements [begin, end); valid at its lane 0.
  template <class Block> EVENLY_FN T of_warp(Block& block, std::int64_t begin, std::int64_t end) const {
    const lanes<Block> warp = this_warp(block);
    T sum = op.identity();
    for (; begin < end; begin += warp.size() * items) {
      chunk_items<T, Width, items> mine;
      mine.load(block, in, begin, end, op.identity());
      EVENLY_UNROLL
      for (int r = 0; r < items / Width; ++r) {
        T row = mine.of[r * Width];
        EVENLY_UNROLL
        for (int j = 1; j < Width; ++j) row = op(row, mine.of[r * Width + j]);
        sum = op(sum, in_order(warp, row));
      }
    }
    return sum;
  }

  /// Returns the values of all lanes combined in order, valid at rank 0.
  template <class Block> EVENLY_INLINE_FN T in_order(const lanes<Block>& warp, const T& value) const {
    if ((warp.size() & (warp.size() - 1)) == 0) return warp.reduce(value, op);
    return warp.shuffle(warp.scan(value, op), warp.size() - 1);
  }

  /// Returns the values of the warps' lanes 0 combined in order; valid at rank 0. Synchronises the block.
  template <class Block> EVENLY_FN T of_warps(Block& block, const slots& place, const T& value) const {
    const auto of_warp = block.storage(place.of_warp);
    if (lane_of(block) == 0) of_warp[warp_of(block)] = value;
    block.sync();
    T sum = op.identity();
    if (block.rank() == 0)
      for (int w = 0; w < block.shape().warps(); ++w) sum = op(sum, static_cast<T>(of_warp[w]));
    return sum;
  }

  /// Returns the published values of all blocks, combined in their order; valid at rank 0. All threads of one block
  /// call it.
  template <class Block>
  EVENLY_FN T of_blocks(Block& block, const slots& place, const stamped_values<T>& values) const {
    T sum = op.identity();
    for (int base = 0; base < block.count(); base += block.size()) {
      T mine = op.identity();
      if (const int b = base + block.rank(); b < block.count()) values.get(b, mine);
      if constexpr (Block::is_serial)
        sum = op(sum, mine);
      else
        sum = op(sum, of_warps(block, place, in_order(this_warp(block), mine)));
      block.sync();
    }
    return sum;
  }
};

namespace detail {

template <int Width, class Executor, class Input, monoid Op>
void launch_reduce(const Executor& exec, const Input& in, std::int64_t count, const Op& op,
                   typename Op::value_type* out, workspace& memory, int block_size) {
  using kernel = reduce_kernel<Width, Input, Op>;
  check(launch_shape{.blocks = 0, .block_size = block_size});
  const std::int64_t min = std::int64_t{kernel::items} * block_size;
  kernel sum{in, count, items_per_block(exec, count, min), op, out, {}};
  if constexpr (!Executor::serial_blocks) {
    const std::int64_t chunks = ceil_div(count, min);
    const auto room =
        larger<std::int64_t>(smaller<std::int64_t>(resident_blocks(exec, sum, block_size), chunks), 1);
    sum.block_items = larger(ceil_div<std::int64_t>(ceil_div(count, room), 16) * 16, min);
  }
  const int blocks = larger(block_count(count, sum.block_items), 1);
  workspace::lease lease(memory);
  sum.of_block = look_back<typename Op::value_type>::in(exec, lease, blocks);
  launch(exec, {blocks, block_size}, sum);
}

} // namespace detail

/// Writes *out = in[0] op ... op in[count - 1]; the identity if there are none.
///
/// - `in`: an input (inputs.hpp) whose elements convert to the value_type of the monoid.
/// - `out`: in memory of `exec`.
/// - `block_size`: threads per block, 1 to 1024; tuned for the default.
/// - Asynchronous on cuda. Throws invalid_argument if count is negative.
/// - Cost: one pass of sizeof(T) bytes per element, count operations, and some per warp and row.
template <class Executor, class Input, monoid_argument Op>
void reduce(const Executor& exec, const Input& in, std::int64_t count, const Op& given,
            detail::combined_input<Op, Input>* out, workspace& memory,
            int block_size = reduce_tuning::block_size) {
  const auto& op = detail::monoid_for<detail::element_of<Input>>(given);
  using T = detail::combined_input<Op, Input>;
  static_assert(detail::combinable<detail::monoid_type<Op, T>, detail::element_of<Input>>::holds);
  detail::require_count(count);
  const auto from = detail::reached<Executor>("in", in, count);
  detail::require_memory("out", out, 1);
  detail::note_parts(exec, std::byte{}, detail::users_part(in), op);
  constexpr int width = width_of<T, decltype(from)>;
  if constexpr (!Executor::serial_blocks && width > 1) {
    if (is_wide(from)) return detail::launch_reduce<width>(exec, from, count, op, out, memory, block_size);
  }
  detail::launch_reduce<1>(exec, from, count, op, out, memory, block_size);
}

/// Returns the same to the host. Allocates and synchronises.
template <class Executor, class Input, monoid_argument Op>
detail::combined_input<Op, Input> reduce(const Executor& exec, const Input& in, std::int64_t count,
                                         const Op& op) {
  using T = detail::combined_input<Op, Input>;
  static_assert(detail::combinable<detail::monoid_type<Op, T>, detail::element_of<Input>>::holds);
  workspace memory;
  const auto out = make_buffer<T>(exec, 1);
  reduce(exec, in, count, op, out.data(), memory);
  T result{};
  exec.copy_to_host(&result, out.data(), sizeof(T));
  return result;
}

/// The same for a range in memory of `exec`.
template <class Executor, detail::contiguous Values, monoid_argument Op>
auto reduce(const Executor& exec, const Values& in, const Op& op) {
  return reduce(exec, std::data(in), detail::length_of(in), op);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
auto reduce(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

} // namespace evenly
