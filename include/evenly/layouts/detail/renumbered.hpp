// SPDX-License-Identifier: Apache-2.0
// Inverse orders, and index lists for reordered threads and renumbered elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/layouts/detail/reading.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::detail {

/// inverse[order[i]] = i.
template <class I> struct invert_order {
  const I* order;
  I* inverse;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    inverse[load_streaming(order + i)] = static_cast<I>(i);
  }
};
template <class Executor, class I>
buffer<I> inverse_of(const Executor& exec, const I* order, std::int64_t count) {
  auto inverse = make_buffer<I>(exec, static_cast<std::size_t>(count));
  for_each_index(exec, count, 4, invert_order<I>{order, inverse.data()});
  return inverse;
}
template <class Executor, class I> buffer<I> inverse_of(const Executor& exec, const buffer<I>& order) {
  return inverse_of(exec, order.data(), static_cast<std::int64_t>(order.size()));
}

/// to[r * T + q] = numbers[P[r * T + jobs[q]]]. Neighbouring threads write neighbouring indices. `jobs`, `numbers`:
/// null for the identity.
template <class I> struct renumbered_reference {
  const I* p;
  std::int64_t threads;
  const I* jobs;
  const I* numbers;
  EVENLY_FN I operator()(std::int64_t i) const {
    I element;
    if (jobs == nullptr) {
      element = p[i];
    } else {
      const std::int64_t r = i / threads;
      element = p[r * threads + jobs[i - r * threads]];
    }
    return numbers == nullptr ? element : numbers[element];
  }
};

/// The same by two passes over chunks of threads. In between, the list of each thread is contiguous, `list[q * K + r]`.
/// So scattered accesses are to K contiguous indices instead of one.
template <class I> struct lists_of_threads {
  static constexpr int tuned_block_size = 256;
  static constexpr int tile = 32;  ///< in threads
  static constexpr int part = 128; ///< references at a time

  const I* from;
  I* to;
  std::int64_t threads;
  std::int64_t references;
  const I* positions; ///< of the first pass: the position of the list of thread t
  const I* numbers;   ///< of the second: an element's number; null for the identity
  bool to_lists;      ///< whether this is the first pass

  EVENLY_FN slot<I> lay_out(storage_layout& layout, block_shape) const {
    return layout.take<I>(part * (tile + 1));
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto staged = block.storage(lay_out(layout, block.shape()));
    const std::int64_t first = std::int64_t{block.index()} * tile;
    const int count = static_cast<int>(smaller<std::int64_t>(tile, threads - first));
    for (std::int64_t r0 = 0; r0 < references; r0 += part) {
      const int width = static_cast<int>(smaller<std::int64_t>(part, references - r0));
      if (to_lists) {
        for_each_pair<false>(block, count, width, [&](int t, int r) {
          staged[r * (tile + 1) + t] = load_streaming(from + (r0 + r) * threads + first + t);
        });
        block.sync();
        for_each_pair<true>(block, count, width, [&](int t, int r) {
          const std::int64_t position = read_whole<false>(positions + first + t);
          const I element = staged[r * (tile + 1) + t];
          store_streaming(to + position * references + r0 + r, element);
        });
      } else {
        for_each_pair<true>(block, count, width, [&](int t, int r) {
          const I element = load_streaming(from + (first + t) * references + r0 + r);
          staged[r * (tile + 1) + t] = numbers == nullptr ? element : read_whole<false>(numbers + element);
        });
        block.sync();
        for_each_pair<false>(block, count, width, [&](int t, int r) {
          const I element = staged[r * (tile + 1) + t];
          store_streaming(to + (r0 + r) * threads + first + t, element);
        });
      }
      block.sync();
    }
  }

 private:
  /// Calls visit(t, r) for t in [0, count) and r in [0, width). ByList: neighbouring ranks have neighbouring
  /// references, otherwise neighbouring threads.
  template <bool ByList, class Block, class Visit>
  EVENLY_INLINE_FN static void for_each_pair(Block& block, int count, int width, const Visit& visit) {
    constexpr int across = ByList ? part : tile, down = ByList ? tile : part;
    const int lanes = smaller(32, block.size()), rows = block.size() / lanes;
    const int lane = block.rank() % lanes, row = block.rank() / lanes;
    if (row >= rows) return;
    const auto at = [&](int slow, int fast) { ByList ? visit(slow, fast) : visit(fast, slow); };
    if (count == tile && width == part && down % rows == 0 && across % lanes == 0) {
      EVENLY_UNROLL
      for (int i = 0; i < down / rows; ++i) {
        EVENLY_UNROLL
        for (int j = 0; j < across / lanes; ++j) at(row + i * rows, lane + j * lanes);
      }
      return;
    }
    for (int slow = row; slow < (ByList ? count : width); slow += rows)
      for (int fast = lane; fast < (ByList ? width : count); fast += lanes) at(slow, fast);
  }
};

/// P for threads in the order `jobs` and elements with the numbers `numbers`; null: as they are. positions: the inverse
/// of `jobs`, computed here if null. With eight references or more it uses two passes over whole lists.
template <class Executor, class I>
buffer<I> renumbered(const Executor& exec, const layouts::index_list<I>& p,
                     const layouts::access_shape& shape, const I* jobs, const I* positions,
                     const I* numbers) {
  constexpr int enough = 8;
  auto to = make_buffer<I>(exec, static_cast<std::size_t>(shape.total_references()));
  if (jobs == nullptr || shape.references < enough) {
    tabulate(exec, shape.total_references(), renumbered_reference<I>{p.at, shape.threads, jobs, numbers},
             to.data());
    return to;
  }
  buffer<I> found;
  if (positions == nullptr) found = inverse_of(exec, jobs, shape.threads);
  using pass = lists_of_threads<I>;
  const auto lists = make_buffer<I>(exec, static_cast<std::size_t>(shape.total_references()));
  const launch_shape grid{block_count(shape.threads, pass::tile), pass::tuned_block_size};
  launch(exec, grid,
         pass{p.at, lists.data(), shape.threads, shape.references,
              positions != nullptr ? positions : found.data(), nullptr, true});
  launch(exec, grid, pass{lists.data(), to.data(), shape.threads, shape.references, nullptr, numbers, false});
  return to;
}

/// Elements in an order, the inverse order, and P with new numbers. If there are as many threads as elements, thread i
/// belongs to element i and moves with it.
template <class I> struct reordered_references {
  bool moves_threads;
  buffer<I> order; ///< [new number] of an element: the old number
  buffer<I> index;
};
template <class Executor, class I, class Order>
reordered_references<I> reordered(const Executor& exec, const layouts::index_list<I>& p,
                                  const layouts::access_shape& shape, const Order& order) {
  const bool moves_threads = shape.threads == shape.elements;
  buffer<I> in_order = order(exec, p, shape);
  const buffer<I> numbers = inverse_of(exec, in_order);
  buffer<I> index =
      renumbered(exec, p, shape, moves_threads ? in_order.data() : nullptr, numbers.data(), numbers.data());
  return {moves_threads, std::move(in_order), std::move(index)};
}

} // namespace evenly::detail
