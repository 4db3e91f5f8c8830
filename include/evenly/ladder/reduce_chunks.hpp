// SPDX-License-Identifier: Apache-2.0
// The middle of the ladder of reductions: a block reduces a chunk of two elements per thread in shared memory, and the
// next launch reduces the blocks' results.
//
// The four trees are those of Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007): interleaved pairs with
// divergent branches, interleaved pairs with bank conflicts, sequential pairs, and the last warp without barriers.
// Interleaved trees keep the order of the elements in shared memory; they support any operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/ladder/reduce.hpp"
#include "evenly/ladder/version.hpp"

namespace evenly::ladder {

/// Which threads combine which elements of a chunk in shared memory.
enum class chunk_tree {
  divergent,   ///< level s: thread r combines r and r + s if r is a multiple of 2 s: its neighbours idle
  conflicting, ///< level s: thread r combines 2 s r and 2 s r + s: lanes need words of the same bank
  sequential,  ///< thread r combines r and r + half: full warps, consecutive words
  sequential_last_warp, ///< the same; within one warp only the warp orders the levels
};

namespace detail {

/// Reduces a chunk of two elements per thread to to[block].
template <chunk_tree Tree, monoid Op> struct chunk_reduction {
  using T = typename Op::value_type;
  using order = pairing<Op>;
  static constexpr int tuned_block_size = usual_block_size;
  static constexpr bool interleaved = Tree == chunk_tree::divergent || Tree == chunk_tree::conflicting;
  static constexpr bool last_warp = Tree == chunk_tree::sequential_last_warp;

  const T* from;
  T* to;
  distribution chunks;
  Op op;

  EVENLY_FN static constexpr slot<T> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<T>(interleaved || order::in_place ? shape.size : 2 * shape.size);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * chunks.per_block;
    const std::int64_t size = smaller(chunks.per_block, chunks.items - begin);
    const T result = reduce(block, traced(block, from + begin), size);
    if (block.rank() == 0) traced(block, to)[static_cast<std::int64_t>(block.index())] = result;
  }

 private:
  /// Returns the result at rank 0.
  template <class Block, class View>
  EVENLY_FN T reduce(Block& block, const View& in, std::int64_t size) const {
    if constexpr (Block::is_serial) {
      T sum = in[0];
      for (std::int64_t i = 1; i < size; ++i) sum = op(sum, static_cast<T>(in[i]));
      return sum;
    } else {
      storage_layout layout;
      const auto values = block.storage(lay_out(layout, block.shape()));
      const int all = static_cast<int>(size);
      load(block, in, values, all);
      tree left{0, order::left(all, block.size())};
      if constexpr (interleaved)
        combine_interleaved(block, values, left.live);
      else
        combine_halves(block, values, left);
      return block.rank() == 0 ? static_cast<T>(values[left.begin]) : op.identity();
    }
  }

  /// The remaining elements in storage: the first one, and their number.
  struct tree {
    int begin;
    int live;
  };

  /// Does the first level, from memory to storage.
  template <class Block, class View, class Storage>
  EVENLY_FN void load(Block& block, const View& in, const Storage& values, int live) const {
    const int i = block.rank();
    const int a = order::first(i, block.size());
    const int b = order::second(i, block.size());
    if (a >= live) return;
    const T first = in[a];
    if (b < live) {
      const T second = in[b];
      values[i] = op(first, second);
    } else {
      values[i] = first;
    }
  }

  /// Combines in place, to values[0].
  template <class Block, class Storage>
  EVENLY_FN void combine_interleaved(Block& block, const Storage& values, int live) const {
    const int r = block.rank();
    EVENLY_UNROLL
    for (int stride = 1; stride < block.size(); stride *= 2) {
      block.sync();
      const int at = Tree == chunk_tree::divergent ? r : 2 * stride * r;
      if (Tree == chunk_tree::divergent && remainder(r, 2 * stride) != 0) continue;
      if (at + stride >= live) continue;
      const T first = values[at];
      const T second = values[at + stride];
      values[at] = op(first, second);
    }
  }

  template <class Block, class Storage>
  EVENLY_FN void combine_halves(Block& block, const Storage& values, tree& left) const {
    const int warp = block.shape().warp;
    const int last = last_warp ? smaller(warp, block.size()) : 1; // threads that need no barrier
    EVENLY_UNROLL
    for (int width = block.size() / 2; width >= last; width /= 2) {
      block.sync();
      combine(block, values, left, width);
    }
    if constexpr (last_warp) {
      if (warp_of(block) == 0) {
        EVENLY_UNROLL
        for (int width = last / 2; width >= 1; width /= 2) {
          block.warp_sync(first_lanes(last)); // lanes may diverge: one reads what another has written
          combine(block, values, left, width);
        }
      }
    }
  }

  template <class Block, class Storage>
  EVENLY_FN void combine(Block& block, const Storage& values, tree& left, int width) const {
    const int i = block.rank();
    const int to_begin = order::in_place ? left.begin : left.begin + 2 * width;
    const int a = order::first(i, width);
    const int b = order::second(i, width);
    if (i < width && b < left.live) {
      const T first = values[left.begin + a];
      const T second = values[left.begin + b];
      values[to_begin + i] = op(first, second);
    } else if (!order::in_place && i < width && a < left.live) {
      const T first = values[left.begin + a];
      values[to_begin + i] = first;
    }
    left = {to_begin, order::left(left.live, width)};
  }
};

} // namespace detail

/// Reduces chunks in storage to one element per chunk, alternating between two arrays of partial results. Called like
/// the versions of reduce.hpp.
template <chunk_tree Tree> struct reduce_decomposed_any {
  static constexpr bool last_warp = Tree == chunk_tree::sequential_last_warp;
  static constexpr const char* name = Tree == chunk_tree::divergent     ? "decomposed_divergent"
                                      : Tree == chunk_tree::conflicting ? "decomposed_conflicting"
                                      : Tree == chunk_tree::sequential  ? "decomposed"
                                                                        : "decomposed_unrolled";
  static constexpr const char* teaches =
      Tree == chunk_tree::divergent
          ? "a chunk at a time in storage: few launches, one read; but most lanes of a warp idle"
      : Tree == chunk_tree::conflicting
          ? "the first threads have the pairs, so warps are full; but lanes share banks"
      : Tree == chunk_tree::sequential
          ? "the rest of a chunk stays contiguous: warps are full, and each lane has its own bank"
          : "the last warp needs no barriers, only its own order";
  static constexpr const char* formula_steps = "ceil(log2 n)";
  static constexpr const char* formula_operations = "n - 1";
  static constexpr bool destroys_input = false;
  int block_size = usual_block_size;

  template <class T, class Executor> room<T> prepare(const Executor& exec, std::int64_t n) const {
    detail::check(block_size, n);
    const std::int64_t first = detail::two_each(exec, n, block_size).blocks();
    const std::int64_t second = detail::two_each(exec, first, block_size).blocks();
    return {make_buffer<T>(exec, static_cast<std::size_t>(first + second)), {}};
  }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, const T* data, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    if (detail::is_trivial(exec, block_size, data, n, op, out)) return;
    const T* from = data;
    T* ping = memory.elements.data();
    T* pong = ping + detail::two_each(exec, n, block_size).blocks();
    for (std::int64_t live = n; live > 1;) {
      const auto chunks = detail::two_each(exec, live, block_size);
      T* const to = chunks.blocks() == 1 ? out : ping;
      launch(exec, chunks.shape(), detail::chunk_reduction<Tree, Op>{from, to, chunks, op});
      live = chunks.blocks();
      ping = pong;
      pong = to;
      from = to;
    }
  }

  /// `warp`: threads in a warp.
  prediction predict(std::int64_t n, int warp = 32) const {
    prediction all = detail::predict_tree(n);
    for (std::int64_t live = n; live > 1;) {
      const auto chunks = detail::two_each(detail::parallel_blocks{}, live, block_size);
      const int blocks = chunks.blocks();
      const int without = last_warp ? smaller(warp, chunks.threads) : 1;
      all.launches += 1;
      all.threads = larger(all.threads, std::int64_t{blocks} * chunks.threads);
      all.barriers += std::int64_t{blocks} * detail::ceil_log2(chunks.threads / without);
      live = blocks;
    }
    return all;
  }
};
using reduce_decomposed_divergent = reduce_decomposed_any<chunk_tree::divergent>;
using reduce_decomposed_conflicting = reduce_decomposed_any<chunk_tree::conflicting>;
using reduce_decomposed = reduce_decomposed_any<chunk_tree::sequential>;
using reduce_decomposed_unrolled = reduce_decomposed_any<chunk_tree::sequential_last_warp>;

} // namespace evenly::ladder
