// SPDX-License-Identifier: Apache-2.0
// The ladder of reductions: n elements become one, by a tree whose levels are launches, then barriers, then neither.
//
// After Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007), for any associative operation and any
// length. The tree that makes GPUs fast pairs element i with i + half of what is left: neighbouring threads read
// neighbouring elements. It changes the order of the elements, so it serves commutative operations. For others the
// rungs pair i = 2k with 2k + 1 and put the result at k: what is left still lies together, and the same sectors go
// by, but each is asked for twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/memory_view.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/ladder/rung.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::ladder {

/// A level of a tree takes `live` elements to at most `width` of them, live <= 2 width. Which two thread i combines,
/// and how many are live afterwards; a thread that has no second element keeps its first.
struct halves {
  static constexpr bool in_place = true; ///< what thread i writes, no other thread reads in the same level
  template <class I> EVENLY_FN static constexpr I first(I i, I) { return i; }
  template <class I> EVENLY_FN static constexpr I second(I i, I width) { return i + width; }
  template <class I> EVENLY_FN static constexpr I left(I live, I width) { return smaller(live, width); }
};
struct neighbours {
  static constexpr bool in_place = false;
  template <class I> EVENLY_FN static constexpr I first(I i, I) { return 2 * i; }
  template <class I> EVENLY_FN static constexpr I second(I i, I) { return 2 * i + 1; }
  template <class I> EVENLY_FN static constexpr I left(I live, I) { return ceil_div(live, I{2}); }
};

/// Halves where that is right.
template <monoid Op> using pairing = std::conditional_t<is_commutative<Op>, halves, neighbours>;

namespace detail {

/// Combines stride-distant neighbours in place: data[2 s i] becomes data[2 s i] op data[2 s i + s].
template <monoid Op> struct interleaved_level {
  using T = typename Op::value_type;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  std::int64_t stride;
  dealing pairs;
  Op op;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    pairs.for_each(block, [&](std::int64_t i) {
      const std::int64_t at = 2 * stride * i;
      const T first = in[at];
      const T second = in[at + stride];
      out[at] = op(first, second);
    });
  }
};

/// One level of a tree on memory. Deals pairs where a level is in place, else all elements that are left.
template <monoid Op> struct tree_level {
  using T = typename Op::value_type;
  using order = pairing<Op>;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  std::int64_t live;
  std::int64_t width;
  dealing dealt;
  Op op;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    dealt.for_each(block, [&](std::int64_t i) {
      const T first = in[order::first(i, width)];
      if (order::second(i, width) < live) {
        const T second = in[order::second(i, width)];
        out[i] = op(first, second);
      } else {
        out[i] = first;
      }
    });
  }
};

/// Reduces a chunk of two elements for each thread in storage, to out[block]. `LastWarp`: the levels of one warp's
/// lanes are ordered by the warp alone.
template <bool LastWarp, monoid Op> struct chunk_reduction {
  using T = typename Op::value_type;
  using order = pairing<Op>;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  dealing chunks;
  Op op;

  EVENLY_FN static constexpr slot<T> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<T>(order::in_place ? shape.size : 2 * shape.size);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * chunks.per_block;
    const std::int64_t size = smaller(chunks.per_block, chunks.items - begin);
    const T result = reduce(block, traced(block, from + begin), size);
    if (block.rank() == 0) traced(block, to)[static_cast<std::int64_t>(block.index())] = result;
  }

 private:
  /// Valid at rank 0.
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
      const int warp = block.shape().warp;
      const int last = LastWarp ? smaller(warp, block.size()) : 1; // threads that need no barrier
      EVENLY_UNROLL
      for (int width = block.size() / 2; width >= last; width /= 2) {
        block.sync();
        combine(block, values, left, width);
      }
      if constexpr (LastWarp) {
        if (warp_of(block) == 0) {
          EVENLY_UNROLL
          for (int width = last / 2; width >= 1; width /= 2) {
            block.warp_sync(
                first_lanes(last)); // lanes do not keep in step: what one reads, another has written
            combine(block, values, left, width);
          }
        }
      }
      return block.rank() == 0 ? static_cast<T>(values[left.begin]) : op.identity();
    }
  }

  /// Where in storage the elements lie that are left, and how many.
  struct tree {
    int begin;
    int live;
  };

  /// The first level, from memory to storage.
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

/// What is left of at most one element: it, or the identity.
template <monoid Op> struct alone {
  using T = typename Op::value_type;
  const T* from;
  T* to;
  std::int64_t n;
  Op op;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() != 0) return;
    const auto in = traced(block, from);
    const T value = n == 0 ? op.identity() : static_cast<T>(in[0]);
    traced(block, to)[0] = value;
  }
};

/// Checks, and deals with what needs no tree. Returns whether that was all.
template <class Executor, monoid Op, class T>
bool is_trivial(const Executor& exec, int block_size, const T* data, std::int64_t n, const Op& op, T* out) {
  check(block_size, n);
  if (n <= 1) launch(exec, {1, 1}, alone<Op>{data, out, n, op});
  return n <= 1;
}

/// What all trees have in common: n - 1 operations, in as few steps as there are levels.
constexpr prediction predict_tree(std::int64_t n) {
  return {.launches = n <= 1,
          .threads = n <= 1,
          .steps = ceil_log2(n),
          .operations = larger<std::int64_t>(n - 1, 0)};
}

} // namespace detail

// Every rung below:  rung(exec, data, n, op, out, room)  stores data[0] op ... op data[n - 1] in *out, the identity for
// n = 0. data, out and the room lie on `exec`; out does not point into data. `destroys_input` says whether data is
// working memory. Throws invalid_argument if n is negative or block_size no power of two.

struct reduce_interleaved {
  static constexpr const char* name = "interleaved";
  static constexpr const char* teaches = "a tree in place, a launch for each level; its accesses drift apart";
  static constexpr const char* formula_steps = "ceil(log2 n)";
  static constexpr const char* formula_operations = "n - 1";
  static constexpr bool destroys_input = true;
  int block_size = usual_block_size;

  template <class T, class Executor> room<T> prepare(const Executor&, std::int64_t) const { return {}; }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, T* data, std::int64_t n, const Op& op, T* out, room<T>&) const {
    if (detail::is_trivial(exec, block_size, data, n, op, out)) return;
    for (std::int64_t stride = 1; stride < n; stride *= 2) {
      const auto pairs = detail::one_each(exec, ceil_div(n, stride) / 2, block_size);
      T* const to = stride >= n - stride ? out : data;
      launch(exec, pairs.shape(), detail::interleaved_level<Op>{data, to, stride, pairs, op});
    }
  }

  prediction predict(std::int64_t n) const {
    prediction all = detail::predict_tree(n);
    if (n <= 1) return all;
    const auto pairs = detail::one_each(detail::parallel_blocks{}, n / 2, block_size);
    all.launches = detail::ceil_log2(n);
    all.threads = std::int64_t{pairs.blocks()} * pairs.threads;
    return all;
  }
};

struct reduce_sequential {
  static constexpr const char* name = "sequential";
  static constexpr const char* teaches =
      "what is left stays together: neighbouring threads read neighbouring elements";
  static constexpr const char* formula_steps = "ceil(log2 n)";
  static constexpr const char* formula_operations = "n - 1";
  static constexpr bool destroys_input = true;
  int block_size = usual_block_size;

  template <class T, class Executor> room<T> prepare(const Executor& exec, std::int64_t n) const {
    return {
        make_buffer<T>(exec, static_cast<std::size_t>(ceil_div<std::int64_t>(larger<std::int64_t>(n, 0), 2))),
        {}};
  }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, T* data, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    if (detail::is_trivial(exec, block_size, data, n, op, out)) return;
    constexpr bool in_place = pairing<Op>::in_place;
    T* from = data;
    T* other = in_place ? data : memory.elements.data();
    for (std::int64_t live = n, width; live > 1; live = width) {
      width = ceil_div<std::int64_t>(live, 2);
      const auto dealt = detail::one_each(exec, in_place ? live - width : width, block_size);
      T* const to = width == 1 ? out : other;
      launch(exec, dealt.shape(), detail::tree_level<Op>{from, to, live, width, dealt, op});
      other = from;
      from = to;
    }
  }

  /// `in_place`: for a commutative operation.
  prediction predict(std::int64_t n, bool in_place = true) const {
    prediction all = detail::predict_tree(n);
    if (n <= 1) return all;
    const auto dealt = detail::one_each(detail::parallel_blocks{},
                                        in_place ? n / 2 : ceil_div<std::int64_t>(n, 2), block_size);
    all.launches = detail::ceil_log2(n);
    all.threads = std::int64_t{dealt.blocks()} * dealt.threads;
    return all;
  }
};

/// `decomposed` and `decomposed_unrolled`: chunks are reduced in storage, to as many elements as there are chunks,
/// from one array of partial results to another and back.
template <bool LastWarp> struct reduce_decomposed_any {
  static constexpr const char* name = LastWarp ? "decomposed_unrolled" : "decomposed";
  static constexpr const char* teaches = LastWarp ? "the last warp needs no barriers, only its own order"
                                                  : "a chunk at a time in storage: few launches, one read";
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
      launch(exec, chunks.shape(), detail::chunk_reduction<LastWarp, Op>{from, to, chunks, op});
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
      const int without = LastWarp ? smaller(warp, chunks.threads) : 1;
      all.launches += 1;
      all.threads = larger(all.threads, std::int64_t{blocks} * chunks.threads);
      all.barriers += std::int64_t{blocks} * detail::ceil_log2(chunks.threads / without);
      live = blocks;
    }
    return all;
  }
};
using reduce_decomposed = reduce_decomposed_any<false>;
using reduce_decomposed_unrolled = reduce_decomposed_any<true>;

/// The library's own (primitives/reduce.hpp).
struct reduce_fast {
  static constexpr const char* name = "fast";
  static constexpr const char* teaches =
      "as many threads as the device has room for, each with many elements";
  static constexpr const char* formula_steps = "O(n / p + log p)";
  static constexpr const char* formula_operations = "O(n)";
  static constexpr bool destroys_input = false;

  template <class T, class Executor> room<T> prepare(const Executor&, std::int64_t) const { return {}; }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, const T* data, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    evenly::reduce(exec, data, n, op, out, memory.shared);
  }
};

} // namespace evenly::ladder
