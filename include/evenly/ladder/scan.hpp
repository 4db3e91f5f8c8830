// SPDX-License-Identifier: Apache-2.0
// The ladder of scans: all prefixes of n elements, inclusive or exclusive.
//
// `naive` is by Hillis & Steele ("Data parallel algorithms", 1986): in level k each element is combined with the one
// 2^k before it.
//
// `work_efficient` is by Blelloch ("Prefix sums and their applications", 1990): up a tree and down again, in storage,
// on chunks of two elements per thread. The sums of the chunks are scanned in the same way, and added to the chunks. On
// the way down, the prefix of a node goes unchanged to its left child, and combined with the left child's sum to its
// right child. So the order of elements is kept, and any associative operation is supported.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/ladder/version.hpp"
#include "evenly/primitives/scan.hpp"

namespace evenly::ladder {

/// Whether a prefix ends with its own element, or before it.
enum class prefixes { inclusive, exclusive };

namespace detail {

/// to[i] = from[i - distance] op from[i], if both exist; the first `known` elements are final. In the first level of an
/// exclusive scan reads are shifted by one, and element 0 is the identity.
template <monoid Op> struct naive_level {
  using T = typename Op::value_type;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  std::int64_t distance;
  int known; ///< 1 if exclusive: element 0, which no other element is combined with
  int shift;
  distribution distributed;
  Op op;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    distributed.for_each(block, [&](std::int64_t i) {
      if (i < shift) {
        out[i] = op.identity();
        return;
      }
      const T own = in[i - shift];
      if (i - distance >= known) {
        const T before = in[i - distance - shift];
        out[i] = op(before, own);
      } else {
        out[i] = own;
      }
    });
  }
};

/// Returns the slot of element i of a chunk in storage. Padded: one element of storage stays unused after the elements
/// that fill the 32 banks of 4 bytes once, and one more after as many such rows. Then no two lanes of a warp need the
/// same bank at any level of the tree.
template <bool Padded, class T> EVENLY_FN constexpr int padded(int i) {
  if constexpr (!Padded) return i;
  constexpr int row = larger<int>(128 / static_cast<int>(sizeof(T)), 1);
  return i + quotient(i, row) + quotient(i, row * row);
}

/// Scans each chunk independently, and stores its sum in sums[block] if `sums` is not null.
template <bool Padded, monoid Op> struct chunk_scan {
  using T = typename Op::value_type;
  static constexpr int tuned_block_size = usual_block_size;

  const T* from;
  T* to;
  T* sums;
  prefixes kind;
  distribution chunks;
  Op op;

  EVENLY_FN static constexpr slot<T> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<T>(padded<Padded, T>(2 * shape.size - 1) + 1);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * chunks.per_block;
    const std::int64_t size = smaller(chunks.per_block, chunks.items - begin);
    const auto in = traced(block, from + begin);
    const auto out = traced(block, to + begin);
    if constexpr (Block::is_serial) {
      T sum = op.identity();
      for (std::int64_t i = 0; i < size; ++i) {
        const T with = op(sum, static_cast<T>(in[i]));
        out[i] = kind == prefixes::inclusive ? with : sum;
        sum = with;
      }
      if (sums) traced(block, sums)[static_cast<std::int64_t>(block.index())] = sum;
    } else {
      scan(block, in, out, static_cast<int>(size));
    }
  }

 private:
  template <class Block, class In, class Out>
  EVENLY_FN void scan(Block& block, const In& in, const Out& out, int size) const {
    storage_layout layout;
    const auto tree = block.storage(lay_out(layout, block.shape()));
    const int i = block.rank();
    const int j = i + block.size();
    T own_i = op.identity(); // kept: an inclusive prefix is the exclusive one combined with it
    T own_j = op.identity();
    if (i < size) own_i = in[i];
    if (j < size) own_j = in[j];
    tree[padded<Padded, T>(i)] = own_i;
    tree[padded<Padded, T>(j)] = own_j;
    up(block, tree);
    if (i == 0) take_sum(block, tree);
    down(block, tree);
    block.sync();
    if (i < size) store(out, i, tree[padded<Padded, T>(i)], own_i);
    if (j < size) store(out, j, tree[padded<Padded, T>(j)], own_j);
  }

  /// The slots of the values of the children of node r, in a level with a node for every 2 d elements. Its own value
  /// is in the slot of its right child's.
  EVENLY_FN static constexpr int left(int r, int d) { return padded<Padded, T>((2 * r + 1) * d - 1); }
  EVENLY_FN static constexpr int right(int r, int d) { return padded<Padded, T>((2 * r + 2) * d - 1); }

  template <class Block, class Storage> EVENLY_FN void up(Block& block, const Storage& tree) const {
    const int r = block.rank();
    EVENLY_UNROLL
    for (int nodes = block.size(), d = 1; nodes >= 1; nodes /= 2, d *= 2) {
      block.sync();
      if (r < nodes) {
        const T a = tree[left(r, d)];
        const T b = tree[right(r, d)];
        tree[right(r, d)] = op(a, b);
      }
    }
  }

  /// Called by thread 0, which has computed the root: no other thread accesses it before the next barrier.
  template <class Block, class Storage> EVENLY_FN void take_sum(Block& block, const Storage& tree) const {
    const int root = padded<Padded, T>(2 * block.size() - 1);
    if (sums) {
      const T sum = tree[root];
      traced(block, sums)[static_cast<std::int64_t>(block.index())] = sum;
    }
    tree[root] = op.identity();
  }

  template <class Block, class Storage> EVENLY_FN void down(Block& block, const Storage& tree) const {
    const int r = block.rank();
    EVENLY_UNROLL
    for (int nodes = 1, d = block.size(); d >= 1; nodes *= 2, d /= 2) {
      block.sync();
      if (r < nodes) {
        const T sum_of_left = tree[left(r, d)];
        const T before = tree[right(r, d)];
        tree[left(r, d)] = before;
        tree[right(r, d)] = op(before, sum_of_left);
      }
    }
  }

  template <class Out> EVENLY_FN void store(const Out& out, int i, const T& before, const T& own) const {
    if (kind == prefixes::inclusive)
      out[i] = op(before, own);
    else
      out[i] = before;
  }
};

/// Combines the sum of all earlier chunks with each element of a chunk. Skips the first chunk: block b has chunk b + 1.
template <monoid Op> struct add_sums {
  using T = typename Op::value_type;
  static constexpr int tuned_block_size = usual_block_size;

  T* values;
  const T* sums; ///< exclusive prefixes, one per chunk
  distribution chunks;
  Op op;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t chunk = std::int64_t{block.index()} + 1;
    const std::int64_t begin = chunk * chunks.per_block;
    const std::int64_t end = smaller(begin + chunks.per_block, chunks.items);
    const auto all = traced(block, values);
    const T before = traced(block, sums)[chunk];
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size()) {
      const T own = all[i];
      all[i] = op(before, own);
    }
  }
};

} // namespace detail

// Every version below is called as version(exec, kind, in, n, op, out, room). For every i in [0, n) it stores in out[i]
// the prefix of `in` that ends with element i, or before it.
// * `in`, `out` and `room` are in memory of `exec`; `out` does not overlap `in`.
// * Throws invalid_argument if n is negative or block_size is not a power of two.

struct scan_naive {
  static constexpr const char* name = "naive";
  static constexpr const char* teaches = "few steps, but all elements work in each: n log n operations";
  static constexpr const char* formula_steps = "L = ceil(log2 n)";
  static constexpr const char* formula_operations = "n L - 2^L + 1";
  int block_size = usual_block_size;

  template <class T, class Executor> room<T> prepare(const Executor& exec, std::int64_t n) const {
    return {make_buffer<T>(exec, static_cast<std::size_t>(larger<std::int64_t>(n, 0))), {}};
  }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, prefixes kind, const T* in, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    detail::check(block_size, n);
    if (n == 0) return;
    const int known = kind == prefixes::exclusive ? 1 : 0;
    const auto distributed = detail::one_each(exec, n, block_size);
    const int levels = levels_of(n - known);
    const T* from = in;
    for (int k = 0; k < levels; ++k) { // alternates the arrays: no thread reads new values
      T* const to = (levels - k) % 2 == 1 ? out : memory.elements.data();
      const int shift = k == 0 ? known : 0;
      launch(exec, distributed.shape(),
             detail::naive_level<Op>{from, to, std::int64_t{1} << k, known, shift, distributed, op});
      from = to;
    }
  }

  prediction predict(prefixes kind, std::int64_t n) const {
    if (n == 0) return {};
    const std::int64_t terms =
        kind == prefixes::exclusive ? n - 1 : n; // an exclusive scan does not use the last element
    const std::int64_t levels = detail::ceil_log2(terms);
    const auto distributed = detail::one_each(detail::parallel_blocks{}, n, block_size);
    return {.launches = levels_of(terms),
            .threads = std::int64_t{distributed.blocks()} * distributed.threads,
            .steps = levels,
            .operations = terms * levels - (std::int64_t{1} << levels) + 1};
  }

 private:
  /// At least one, which copies if there is nothing to combine.
  static constexpr int levels_of(std::int64_t terms) { return larger(detail::ceil_log2(terms), 1); }
};

/// The versions `work_efficient` and `work_efficient_padded`.
template <bool Padded> struct scan_work_efficient_any {
  static constexpr const char* name = Padded ? "work_efficient_padded" : "work_efficient";
  static constexpr const char* teaches = Padded ? "padding in storage avoids bank conflicts"
                                                : "up a tree and down again, chunk by chunk, in storage";
  static constexpr const char* formula_steps =
      "2 log2 m for chunks of m, on each level; 2 to add the sums of a level; 2 if inclusive";
  static constexpr const char* formula_operations =
      "2 (m - 1) for each chunk, on each level; n - m to add the sums of a level; n if inclusive";
  int block_size = usual_block_size;

  /// Makes memory for the sums of chunks, of chunks of sums, and so on.
  template <class T, class Executor> room<T> prepare(const Executor& exec, std::int64_t n) const {
    detail::check(block_size, n);
    std::int64_t sums = 0;
    for (std::int64_t live = n; live > 1;) {
      live = detail::two_each(exec, live, block_size).blocks();
      sums += live;
    }
    return {make_buffer<T>(exec, static_cast<std::size_t>(sums)), {}};
  }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, prefixes kind, const T* in, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    detail::check(block_size, n);
    scan(exec, kind, in, n, op, out, memory.elements.data());
  }

  prediction predict(prefixes kind, std::int64_t n) const {
    if (n == 0) return {};
    const auto chunks = detail::two_each(detail::parallel_blocks{}, n, block_size);
    const std::int64_t blocks = chunks.blocks();
    const int height = detail::ceil_log2(chunks.per_block);
    prediction all{.launches = 1,
                   .threads = blocks * chunks.threads,
                   .barriers = blocks * (2 * height + 1),
                   .steps = 2 * height,
                   .operations = blocks * 2 * (chunks.per_block - 1)};
    if (kind == prefixes::inclusive) {
      all.steps += smaller<std::int64_t>(n, 2);
      all.operations += n;
    }
    if (blocks == 1) return all;
    const prediction sums = predict(prefixes::exclusive, blocks);
    const std::int64_t rest = n - chunks.per_block;
    all.launches += sums.launches + 1;
    all.threads = larger(all.threads, sums.threads);
    all.barriers += sums.barriers;
    all.steps += sums.steps + smaller<std::int64_t>(ceil_div<std::int64_t>(rest, chunks.threads), 2);
    all.operations += sums.operations + rest;
    return all;
  }

 private:
  /// `sums`: the memory that prepare makes for n elements.
  template <class Executor, monoid Op, class T = typename Op::value_type>
  void scan(const Executor& exec, prefixes kind, const T* in, std::int64_t n, const Op& op, T* out,
            T* sums) const {
    if (n == 0) return;
    const auto chunks = detail::two_each(exec, n, block_size);
    const int blocks = chunks.blocks();
    T* const own_sums = blocks > 1 ? sums : nullptr;
    launch(exec, chunks.shape(), detail::chunk_scan<Padded, Op>{in, out, own_sums, kind, chunks, op});
    if (blocks == 1) return;
    scan(exec, prefixes::exclusive, sums, blocks, op, sums,
         sums + blocks); // in place: a block reads its chunk first
    launch(exec, {blocks - 1, chunks.threads}, detail::add_sums<Op>{out, sums, chunks, op});
  }
};
using scan_work_efficient = scan_work_efficient_any<false>;
using scan_work_efficient_padded = scan_work_efficient_any<true>;

/// The scan of the library (primitives/scan.hpp). Its blocks take chunks when they are free. On simt not all blocks run
/// at the same time, so T and C describe the run rather than the cost of the scan.
struct scan_fast {
  static constexpr const char* name = "fast";
  static constexpr bool draws_chunks = true;
  static constexpr const char* teaches = "one pass: a block waits for the sum before it, not for a launch";
  static constexpr const char* formula_steps = "O(n / p + log p)";
  static constexpr const char* formula_operations = "O(n)";

  template <class T, class Executor> room<T> prepare(const Executor&, std::int64_t) const { return {}; }

  template <class Executor, monoid Op, class T = typename Op::value_type>
  void operator()(const Executor& exec, prefixes kind, const T* in, std::int64_t n, const Op& op, T* out,
                  room<T>& memory) const {
    if (kind == prefixes::inclusive)
      evenly::inclusive_scan(exec, in, n, op, out, memory.shared);
    else
      evenly::exclusive_scan(exec, in, n, op, out, memory.shared);
  }
};

} // namespace evenly::ladder
