// SPDX-License-Identifier: Apache-2.0
// The ladder of reductions: n elements become one, by a tree whose levels are launches, then barriers, then neither.
//
// After Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007), for any associative operation and any length.
// The tree that is fast on GPUs combines element i with i + half of the remaining ones: consecutive threads read
// consecutive elements. It changes the order of the elements, so it supports only commutative operations. For others
// the versions combine i = 2k with 2k + 1 and store the result at k. The remaining elements are still consecutive, and
// the same sectors are read, but each is requested twice. The versions that reduce chunks in storage are in
// reduce_chunks.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/ladder/version.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::ladder {

/// Pairings of a level of a tree, which reduces `live` elements to at most `width`; live <= 2 width. `first` and
/// `second` are the elements that thread i combines, `left` is the number of elements afterwards. A thread without a
/// second element keeps its first.
struct halves {
  static constexpr bool in_place = true; ///< no other thread reads in this level what thread i writes
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

/// The pairing for an operation: halves if it is commutative.
template <monoid Op> using pairing = std::conditional_t<is_commutative<Op>, halves, neighbours>;

namespace detail {

/// Combines elements at a distance of `stride` in place: data[2 s i] becomes data[2 s i] op data[2 s i + s].
template <monoid Op> struct interleaved_level {
  using T = typename Op::value_type;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  std::int64_t stride;
  distribution pairs;
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

/// One level of a tree in memory. `distributed`: pairs if the level is in place, else all remaining elements.
template <monoid Op> struct tree_level {
  using T = typename Op::value_type;
  using order = pairing<Op>;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  std::int64_t live;
  std::int64_t width;
  distribution distributed;
  Op op;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    distributed.for_each(block, [&](std::int64_t i) {
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

/// Reduces at most one element: stores it, or the identity.
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

/// Checks the arguments, and reduces up to one element. Returns whether that was all.
template <class Executor, monoid Op, class T>
bool is_trivial(const Executor& exec, int block_size, const T* data, std::int64_t n, const Op& op, T* out) {
  check(block_size, n);
  if (n <= 1) launch(exec, {1, 1}, alone<Op>{data, out, n, op});
  return n <= 1;
}

/// The common cost of all trees: n - 1 operations, in as many steps as there are levels.
constexpr prediction predict_tree(std::int64_t n) {
  return {.launches = n <= 1,
          .threads = n <= 1,
          .steps = ceil_log2(n),
          .operations = larger<std::int64_t>(n - 1, 0)};
}

} // namespace detail

// Every version below is called as version(exec, data, n, op, out, room). It stores data[0] op ... op data[n - 1] in
// *out, or the identity if n = 0.
// * `data`, `out` and `room` are in memory of `exec`; `out` does not point into `data`.
// * `destroys_input`: whether `data` is used as working memory.
// * Throws invalid_argument if n is negative or block_size is not a power of two.

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
      "remaining elements stay contiguous: neighbouring threads read neighbouring elements";
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
      const auto distributed = detail::one_each(exec, in_place ? live - width : width, block_size);
      T* const to = width == 1 ? out : other;
      launch(exec, distributed.shape(), detail::tree_level<Op>{from, to, live, width, distributed, op});
      other = from;
      from = to;
    }
  }

  /// `in_place`: for a commutative operation.
  prediction predict(std::int64_t n, bool in_place = true) const {
    prediction all = detail::predict_tree(n);
    if (n <= 1) return all;
    const auto distributed = detail::one_each(detail::parallel_blocks{},
                                              in_place ? n / 2 : ceil_div<std::int64_t>(n, 2), block_size);
    all.launches = detail::ceil_log2(n);
    all.threads = std::int64_t{distributed.blocks()} * distributed.threads;
    return all;
  }
};

/// The reduction of the library (primitives/reduce.hpp).
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
