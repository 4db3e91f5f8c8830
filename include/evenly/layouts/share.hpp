// SPDX-License-Identifier: Apache-2.0
// share: each block loads the elements it refers to into storage once, and its references are slots there (Wu et al.,
// PPoPP 2013, section 3.4). Each block has a list of its distinct elements, in ascending order, and each reference is a
// number of 16 bits. Only accesses to storage are irregular.
//
// A block loads its elements from A through the list. With `packed` it loads them from a copy in which the elements of
// each block are contiguous and begin at a window (figure 5 of the paper). A block with more elements than fit, or than
// 16 bits can number, refers to A itself; other blocks are not affected. So use an order that clusters threads: it
// determines how many elements the threads of a block have in common.
//
// Cost: with an order, a copy of P in this order; two passes over P, and a sort in storage per block. Memory: 2 bytes
// per reference, and the lists. The largest block determines the storage of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/detail/reading.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The distinct elements of each block, in ascending order, and the slot of every reference among them.
//
// A block has a hash table in storage. It inserts all its references, sorts the distinct elements, and looks up the
// slots of the references. This needs no sort of all references, and no memory in addition to the result. Two passes
// over P.

namespace evenly::detail {

/// The smallest power of two that is at least `value`.
EVENLY_FN constexpr int power_of_two_from(int value) {
  int power = 1;
  while (power < value) power *= 2;
  return power;
}

/// The kernel; its blocks are those of the plan. Blocks with more than `max` distinct elements have size -1.
template <class I> struct find_block_sets {
  static constexpr I empty = -1;
  static constexpr int block_size = 512, tuned_block_size = block_size;

  const I* p;
  layouts::access_shape shape;
  int max;
  I* lists; ///< of block b from b * max on
  std::int32_t* sizes;
  std::uint16_t* local; ///< as in share_view

  /// Includes room for elements inserted before all threads see that there are too many.
  EVENLY_FN int table_size() const { return power_of_two_from(max + max / 2 + block_size); }

  struct slots {
    slot<I> table;
    slot<std::uint16_t> numbers; ///< of the elements in the list
    slot<I> list;
    slot<int> count;
  };
  EVENLY_FN slots lay_out(storage_layout& layout, block_shape) const {
    const int size = table_size();
    return {layout.take<I>(size), layout.take<std::uint16_t>(size), layout.take<I>(power_of_two_from(max)),
            layout.take<int>(1)};
  }

  EVENLY_FN static unsigned hash(I element) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(element) * 0x9e3779b97f4a7c15u >> 40);
  }
  /// Calls visit(r, t, element) for the calling thread's share of the block's references, until visit returns false. If
  /// there are more threads than positions, several threads share the references of one position.
  template <class Block, class Visit>
  EVENLY_INLINE_FN void each_reference(Block& block, const Visit& visit) const {
    const std::int64_t first = std::int64_t{block.index()} * shape.block;
    const int count = static_cast<int>(smaller<std::int64_t>(shape.block, shape.threads - first));
    const int across = smaller(shape.block, block.size()), parts = block.size() / across;
    const int part = block.rank() / across;
    if (part >= parts || shape.references == 0) return; // without references P may be null
    for (int t = block.rank() % across; t < count; t += across) {
      const I* const mine = p + first + t;
      visit_under_way<layouts::stored_under_way>(
          part, shape.references, parts,
          [&](std::int64_t r) { return load_streaming(mine + r * shape.threads); },
          [&](std::int64_t r, I element) { return visit(r, t, element); });
    }
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots mine = lay_out(layout, block.shape());
    const auto table = block.storage(mine.table);
    const auto list = block.storage(mine.list);
    const auto count = block.storage(mine.count);
    const int mask = table_size() - 1;
    for (int i = block.rank(); i <= mask; i += block.size()) table[i] = empty;
    if (block.rank() == 0) count[0] = 0;
    block.sync();
    each_reference(block,
                   [&](std::int64_t, int, I element) { return put(table, list, count, mask, element); });
    block.sync();
    const int size = count[0];
    if (size <= max) {
      sort_list(block, list, size);
      const auto numbers = block.storage(mine.numbers);
      for (int i = block.rank(); i < size; i += block.size()) {
        const I element = list[i];
        lists[std::int64_t{block.index()} * max + i] = element;
        numbers[find(table, mask, element)] = static_cast<std::uint16_t>(i);
      }
      block.sync();
      each_reference(block, [&](std::int64_t r, int t, I element) {
        const std::uint16_t number = numbers[find(table, mask, element)];
        local[(block.index() * shape.references + r) * shape.block + t] = number;
        return true;
      });
    }
    if (block.rank() == 0) sizes[block.index()] = size <= max ? size : -1;
  }

  /// Inserts an element. Returns false if there are too many.
  template <class Table, class List, class Count>
  EVENLY_FN bool put(const Table& table, const List& list, const Count& count, int mask, I element) const {
    for (int at = static_cast<int>(hash(element)) & mask;; at = (at + 1) & mask) {
      const I seen = atomic_ref(table[at], scope::block{}).load(order::relaxed{});
      if (seen == element) return true;
      if (seen != empty) continue;
      if (atomic_ref(count[0], scope::block{}).load(order::relaxed{}) > max) return false;
      I expected = empty;
      if (atomic_ref(table[at], scope::block{}).compare_exchange(expected, element, order::relaxed{})) {
        const int number = atomic_ref(count[0], scope::block{}).fetch_add(1, order::relaxed{});
        if (number < max) list[number] = element;
        return true;
      }
      if (expected == element) return true;
    }
  }
  template <class Table> EVENLY_FN int find(const Table& table, int mask, I element) const {
    int at = static_cast<int>(hash(element)) & mask;
    for (I seen = table[at]; seen != element; seen = table[at]) at = (at + 1) & mask;
    return at;
  }
  /// Sorts by a bitonic network (Batcher 1968). Called by all threads.
  template <class Block, class List>
  EVENLY_FN void sort_list(Block& block, const List& list, int size) const {
    const int all = power_of_two_from(size);
    for (int i = size + block.rank(); i < all; i += block.size()) list[i] = std::numeric_limits<I>::max();
    block.sync();
    for (int run = 2; run <= all; run *= 2)
      for (int apart = run / 2; apart > 0; apart /= 2) {
        for (int i = block.rank(); i < all / 2; i += block.size()) {
          const int low = (i & ~(apart - 1)) * 2 | (i & (apart - 1)), high = low | apart;
          const I a = list[low], b = list[high];
          if ((b < a) == ((low & run) == 0)) {
            list[low] = b;
            list[high] = a;
          }
        }
        block.sync();
      }
  }
};

/// The size of block b, rounded up to a multiple of `step`; 0 for a negative size.
struct padded_size {
  const std::int32_t* sizes;
  std::int64_t blocks;
  int step;
  EVENLY_FN std::int64_t operator()(std::int64_t b) const {
    return b < blocks && sizes[b] > 0 ? ceil_div<std::int64_t>(sizes[b], step) * step : 0;
  }
};
struct greatest_size {
  const std::int32_t* sizes;
  EVENLY_FN int operator()(std::int64_t b) const { return larger(sizes[b], 0); }
};
struct too_large {
  const std::int32_t* sizes;
  EVENLY_FN std::int64_t operator()(std::int64_t b) const { return sizes[b] < 0 ? 1 : 0; }
};

/// Concatenates the lists; -1 after each list up to the next one.
template <class I> struct join_lists {
  const I* lists;
  int max;
  const std::int32_t* sizes;
  const std::int64_t* starts;
  I* joined;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t b = block.index(), start = starts[b];
    const int room = static_cast<int>(starts[b + 1] - start), size = sizes[b];
    for (int i = block.rank(); i < room; i += block.size())
      joined[start + i] = i < size ? lists[b * max + i] : I{-1};
  }
};

template <class I> struct block_sets {
  std::int64_t blocks = 0;
  std::int64_t all = 0;     ///< elements of all blocks, including padding
  std::int64_t refused = 0; ///< blocks with too many elements
  int max = 0;              ///< the largest size
  buffer<I> elements;
  buffer<std::int64_t> starts;
  buffer<std::int32_t> sizes;
  buffer<std::uint16_t> local;

  std::size_t bytes() const {
    return elements.size() * sizeof(I) + starts.size() * sizeof(std::int64_t) +
           sizes.size() * sizeof(std::int32_t) + local.size() * sizeof(std::uint16_t);
  }
};

/// p: P in the order of threads. max: the maximum distinct elements of a block, at most 65,536. step: lists begin at
/// multiples of it. Synchronises.
template <class Executor, class I>
block_sets<I> make_block_sets(const Executor& exec, const I* p, const layouts::access_shape& shape, int max,
                              int step) {
  block_sets<I> sets;
  sets.blocks = ceil_div<std::int64_t>(shape.threads, shape.block);
  const auto blocks = static_cast<std::size_t>(sets.blocks);
  sets.sizes = make_buffer<std::int32_t>(exec, blocks);
  sets.starts = make_buffer<std::int64_t>(exec, blocks + 1);
  sets.local = make_buffer<std::uint16_t>(exec, blocks * static_cast<std::size_t>(shape.references) *
                                                    static_cast<std::size_t>(shape.block));
  const auto lists = make_buffer<I>(exec, blocks * static_cast<std::size_t>(max));
  using find = find_block_sets<I>;
  const launch_shape grid{block_count(shape.threads, shape.block), find::block_size};
  launch(exec, grid, find{p, shape, max, lists.data(), sets.sizes.data(), sets.local.data()});
  const std::int32_t* const sizes = sets.sizes.data();
  exclusive_scan(exec, generated{padded_size{sizes, sets.blocks, step}}, sets.blocks + 1,
                 plus<std::int64_t>{}, sets.starts.data());
  exec.copy_to_host(&sets.all, sets.starts.data() + blocks, sizeof(sets.all));
  sets.max = reduce(exec, generated{greatest_size{sizes}}, sets.blocks, maximum<int>{});
  sets.max = larger(sets.max, 0);
  sets.refused = reduce(exec, generated{too_large{sizes}}, sets.blocks, plus<std::int64_t>{});
  sets.elements = make_buffer<I>(exec, static_cast<std::size_t>(sets.all));
  launch(exec, grid, join_lists<I>{lists.data(), max, sizes, sets.starts.data(), sets.elements.data()});
  return sets;
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// share: see the head of this file.

namespace evenly::layouts {

template <class Order = identity_order> struct share {
  static constexpr const char* name = "share";
  static constexpr int max_elements = 8192; ///< the table of more would not fit in storage

  Order order = {};
  bool packed = false;
  std::size_t max_storage = 64 * 1024; ///< bytes per block, so that several are resident on a multiprocessor

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = true;
    access_shape shape;
    const I* p;
    bool packed;
    buffer<I> jobs;
    detail::block_sets<I> sets;

    share_view<I> view() const {
      return {shape.threads,
              shape.references,
              shape.block,
              jobs.size() > 0 ? jobs.data() : nullptr,
              p,
              sets.elements.data(),
              sets.starts.data(),
              sets.sizes.data(),
              sets.local.data(),
              sets.max,
              packed};
    }
    std::int64_t slots() const { return packed ? sets.all : 0; }
    ordered_source<I> source() const { return {sets.elements.data()}; }
    std::size_t bytes() const { return jobs.size() * sizeof(I) + sets.bytes(); }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective& objective) const {
    const auto fit = static_cast<std::int64_t>(max_storage / static_cast<std::size_t>(shape.element_bytes));
    const std::int64_t there_are = smaller(shape.references * shape.block, shape.elements);
    const auto max = static_cast<int>(smaller(smaller<std::int64_t>(fit, max_elements), there_are));
    buffer<I> jobs = detail::order_threads(exec, p, shape, order);
    const int window = objective.sectors_of_window(shape.element_bytes) * access_objective::sector_bytes;
    const int step = packed ? larger(window / shape.element_bytes, 1) : 1;
    buffer<I> in_order; // P in the order of threads, while the plan is made
    if (jobs.size() > 0) {
      const I* const none = nullptr;
      in_order = detail::renumbered(exec, p, shape, jobs.data(), none, none);
    }
    const I* const lists = jobs.size() > 0 ? in_order.data() : p.at;
    detail::block_sets<I> sets = detail::make_block_sets(exec, lists, shape, max, step);
    return {shape, p.at, packed, std::move(jobs), std::move(sets)};
  }
};

} // namespace evenly::layouts
