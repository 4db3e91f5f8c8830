// SPDX-License-Identifier: Apache-2.0
// The memory accesses of references, counted for a sample of their blocks directly from P: requests, lines and sectors
// of warps, and the distinct sectors and elements of blocks. Three launches on the executor of P count them; the
// results are extrapolated to all blocks. tests/layouts/sample_test.cpp compares them with counts of the simulated GPU.
//
//   sample_blocks    threads in their original order
//   sample_clusters  threads near the elements they refer to, as in an order by neighbours; thread i belongs to element
//                    i. It makes no order: a block is a random thread, its neighbours, their neighbours, and so on
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::layouts {

/// Counts extrapolated to all blocks. Elements are placed as in A, whose first element begins a line.
struct access_sample {
  double share = 0;          ///< fraction of the blocks that was counted
  double requests = 0;       ///< of warps, for elements
  double lines = 0;          ///< lines of 128 bytes, summed over requests
  double sectors = 0;        ///< sectors of 32 bytes, summed over requests
  double block_sectors = 0;  ///< distinct sectors, summed over blocks
  double block_elements = 0; ///< distinct elements, summed over blocks
};

} // namespace evenly::layouts

namespace evenly::detail {

struct sample_counts {
  std::int64_t requests = 0, lines = 0, sectors = 0;
  std::int64_t block_sectors = 0, block_elements = 0;
  std::int64_t threads = 0; ///< distinct threads, summed over blocks
};
struct sum_of_samples {
  using value_type = sample_counts;
  static constexpr bool commutative = true;
  EVENLY_FN value_type identity() const { return {}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    return {a.requests + b.requests,
            a.lines + b.lines,
            a.sectors + b.sectors,
            a.block_sectors + b.block_sectors,
            a.block_elements + b.block_elements,
            a.threads + b.threads};
  }
};

/// The threads of sampled blocks, [k * block + i]; -1 if a block has no such thread. `some` of `all` blocks, evenly
/// spaced.
struct identity_threads {
  layouts::access_shape shape;
  std::int64_t all, some;
  EVENLY_FN std::int64_t operator()(std::int64_t at) const {
    const std::int64_t b = at / shape.block * all / some, t = b * shape.block + at % shape.block;
    return t < shape.threads ? t : -1;
  }
};
/// Thread 0 of a block is random. Thread i follows from it by one neighbour per digit of i to base K.
template <class I> struct threads_around {
  layouts::access_shape shape;
  const I* p;
  EVENLY_FN std::int64_t operator()(std::int64_t at) const {
    std::int64_t t = static_cast<std::int64_t>(scattered(static_cast<std::uint64_t>(at / shape.block)) %
                                               static_cast<std::uint64_t>(shape.threads));
    for (std::int64_t i = at % shape.block; i > 0; i = (i - 1) / shape.references)
      t = p[(i - 1) % shape.references * shape.threads + t];
    return t;
  }
};

/// The sample: `some` blocks with their threads, and for each block two hash tables in memory. The tables are 0 at
/// first, and store each key plus 1.
template <class I> struct blocks_looked_at {
  const I* p;
  layouts::access_shape shape;
  int warp;
  std::int64_t some;
  const I* threads;            ///< [k * block + i]; negative: no thread
  std::int64_t* elements;      ///< of block k from k * slots on
  std::int64_t slots;          ///< a power of two, larger than the references of a block
  std::int64_t* thread_tables; ///< as elements
  std::int64_t thread_slots;

  EVENLY_FN std::int64_t references_of_block() const { return shape.references * shape.block; }
  EVENLY_FN static std::int64_t slot_of(std::int64_t key, std::int64_t slots) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u >> 24) &
           (slots - 1);
  }
  /// Inserts a key. Returns whether it was absent.
  EVENLY_FN static bool is_new(std::int64_t* table, std::int64_t slots, std::int64_t key) {
    for (std::int64_t at = slot_of(key, slots);; at = (at + 1) & (slots - 1)) {
      const auto slot = atomic_ref(table[at]);
      std::int64_t seen = slot.load(order::relaxed{});
      if (seen == 0 && slot.compare_exchange(seen, key + 1, order::relaxed{})) return true;
      if (seen == key + 1) return false;
    }
  }
  EVENLY_FN static bool is_there(const std::int64_t* table, std::int64_t slots, std::int64_t key) {
    std::int64_t at = slot_of(key, slots);
    while (table[at] != key + 1 && table[at] != 0) at = (at + 1) & (slots - 1);
    return table[at] != 0;
  }
};

/// Counts item by item: references, which go into the tables, then requests, then threads.
template <class I> struct count_references {
  blocks_looked_at<I> in;

  EVENLY_FN std::int64_t requests_of_block() const {
    return in.shape.references * ceil_div(in.shape.block, in.warp);
  }
  EVENLY_FN std::int64_t items() const {
    return in.some * (in.references_of_block() + requests_of_block() + in.shape.block);
  }
  EVENLY_FN void count(std::int64_t i, sample_counts& found) const {
    const std::int64_t references = in.some * in.references_of_block(),
                       requests = in.some * requests_of_block();
    if (i < references)
      count_reference(i / in.references_of_block(), i % in.references_of_block(), found);
    else if (i < references + requests)
      count_request((i - references) / requests_of_block(), (i - references) % requests_of_block(), found);
    else
      count_thread(i - references - requests, found);
  }

 private:
  EVENLY_FN void count_reference(std::int64_t k, std::int64_t at, sample_counts& found) const {
    const I t = in.threads[k * in.shape.block + at % in.shape.block];
    if (t < 0) return;
    const std::int64_t element = in.p[at / in.shape.block * in.shape.threads + t];
    found.block_elements += in.is_new(in.elements + k * in.slots, in.slots, element);
  }
  /// Counts the request of a warp for one of its references.
  EVENLY_FN void count_request(std::int64_t k, std::int64_t at, sample_counts& found) const {
    const int warps = ceil_div(in.shape.block, in.warp), first = static_cast<int>(at % warps) * in.warp;
    const int lanes = smaller(in.warp, in.shape.block - first), bytes = in.shape.element_bytes;
    const I* const mine = in.threads + k * in.shape.block + first;
    const I* const of = in.p + at / warps * in.shape.threads;
    const int aligned = bytes & -bytes, piece = aligned < 16 ? aligned : 16; // bytes loaded at once
    for (int byte = 0; byte < bytes; byte += piece) {
      std::int64_t sectors[64];
      int count = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        if (mine[lane] < 0) continue;
        const std::int64_t sector =
            (of[mine[lane]] * std::int64_t{bytes} + byte) / layouts::access_objective::sector_bytes;
        bool is_new_sector = true, is_new_line = true;
        for (int j = 0; j < count; ++j) {
          is_new_sector &= sectors[j] != sector;
          is_new_line &= sectors[j] / 4 != sector / 4;
        }
        found.lines += is_new_line;
        if (is_new_sector) sectors[count++] = sector;
      }
      found.requests += count > 0;
      found.sectors += count;
    }
  }
  EVENLY_FN void count_thread(std::int64_t i, sample_counts& found) const {
    if (in.threads[i] < 0) return;
    std::int64_t* const table = in.thread_tables + i / in.shape.block * in.thread_slots;
    found.threads += in.is_new(table, in.thread_slots, in.threads[i]);
  }
};

/// Counts the sectors of the elements in each slot, when the tables are complete.
template <class I> struct count_sectors {
  blocks_looked_at<I> in;

  EVENLY_FN std::int64_t items() const { return in.some * in.slots; }
  EVENLY_FN void count(std::int64_t i, sample_counts& found) const {
    if (in.elements[i] != 0)
      found.block_sectors += new_sectors(in.elements + i / in.slots * in.slots, in.elements[i] - 1);
  }

 private:
  EVENLY_FN static std::int64_t sector_at(std::int64_t byte) {
    return byte / layouts::access_objective::sector_bytes;
  }
  EVENLY_FN std::int64_t last_sector(std::int64_t element) const {
    return sector_at((element + 1) * in.shape.element_bytes - 1);
  }
  /// The number of sectors of an element that preceding elements do not touch.
  EVENLY_FN std::int64_t new_sectors(const std::int64_t* table, std::int64_t element) const {
    const std::int64_t first = sector_at(element * in.shape.element_bytes);
    bool is_shared = false;
    for (std::int64_t other = element - 1; !is_shared && other >= 0 && last_sector(other) == first; --other)
      is_shared = in.is_there(table, in.slots, other);
    return last_sector(element) - first + (is_shared ? 0 : 1);
  }
};

/// The kernel: each block processes some items, and sums its counts.
template <class Counting> struct count_items {
  static constexpr int block_size = 256, of_thread = 2;

  Counting counting;
  std::int64_t per_block;
  std::int64_t* totals;

  EVENLY_FN static auto lay_out(storage_layout& layout, block_shape block) {
    return layout.take<sample_counts>(block_reduce_slots(block));
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    const std::int64_t last = smaller((block.index() + 1) * per_block, counting.items());
    sample_counts found;
    for (std::int64_t i = block.index() * per_block + block.rank(); i < last; i += block.size())
      counting.count(i, found);
    found = block_reduce(block, found, sum_of_samples{}, scratch);
    if (block.rank() != 0) return;
    const std::int64_t counts[] = {found.requests,      found.lines,          found.sectors,
                                   found.block_sectors, found.block_elements, found.threads};
    for (int i = 0; i < 6; ++i)
      if (counts[i] > 0) atomic_ref(totals[i]).fetch_add(counts[i], order::relaxed{});
  }
};
template <class Executor, class Counting>
void count_all(const Executor& exec, const Counting& counting, std::int64_t* totals) {
  using kernel = count_items<Counting>;
  const std::int64_t each = items_per_block(exec, counting.items(), kernel::block_size * kernel::of_thread);
  launch(exec, {block_count(counting.items(), each), kernel::block_size}, kernel{counting, each, totals});
}

/// Counts the blocks with threads thread_of(k * block + i).
template <class Executor, class I, class Threads>
sample_counts look_at(const Executor& exec, const layouts::index_list<I>& p,
                      const layouts::access_shape& shape, int warp, std::int64_t some,
                      const Threads& thread_of) {
  const auto slots_for = [](std::int64_t keys) {
    std::int64_t slots = 1;
    while (slots < 2 * keys) slots *= 2;
    return slots;
  };
  const std::int64_t slots = slots_for(shape.references * shape.block), thread_slots = slots_for(shape.block);
  const auto threads = make_buffer<I>(exec, static_cast<std::size_t>(some * shape.block));
  tabulate(exec, some * shape.block, thread_of, threads.data());
  constexpr std::int64_t counted = 6;
  const auto table =
      make_buffer<std::int64_t>(exec, static_cast<std::size_t>(some * (slots + thread_slots) + counted));
  exec.fill_zero(table.data(), table.size() * sizeof(std::int64_t));
  std::int64_t* const totals = table.data() + some * (slots + thread_slots);
  const blocks_looked_at<I> in{p.at,           shape,        warp,  some,
                               threads.data(), table.data(), slots, table.data() + some * slots,
                               thread_slots};
  count_all(exec, count_references<I>{in}, totals);
  count_all(exec, count_sectors<I>{in}, totals);
  std::int64_t counts[counted];
  exec.copy_to_host(counts, totals, sizeof(counts));
  return {counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
}

/// Extrapolates the counts to all blocks.
inline layouts::access_sample of_all_blocks(const sample_counts& found, const layouts::access_shape& shape,
                                            std::int64_t some) {
  const double blocks = static_cast<double>(ceil_div<std::int64_t>(shape.threads, shape.block));
  const double each = blocks / static_cast<double>(some);
  return {.share = 1 / each,
          .requests = each * static_cast<double>(found.requests),
          .lines = each * static_cast<double>(found.lines),
          .sectors = each * static_cast<double>(found.sectors),
          .block_sectors = each * static_cast<double>(found.block_sectors),
          .block_elements = each * static_cast<double>(found.block_elements)};
}

/// The number of blocks to sample: the given share, adjusted so that there are enough references, but not too many.
inline std::int64_t blocks_of_sample(const layouts::access_shape& shape, double share) {
  constexpr std::int64_t enough = 1 << 15, max = 1 << 20; // references
  const std::int64_t blocks = ceil_div<std::int64_t>(shape.threads, shape.block);
  const std::int64_t of_block = larger<std::int64_t>(shape.references, 1) * shape.block;
  const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(blocks));
  const std::int64_t min = smaller(blocks, ceil_div(enough, of_block));
  return larger<std::int64_t>(smaller(larger(wanted, min), larger<std::int64_t>(max / of_block, 1)), 1);
}
inline void check_sample(const layouts::access_shape& shape, double share) {
  require(share > 0 && share <= 1,
          [&] { return "share = " + std::to_string(share) + ": must be greater than 0 and at most 1"; });
  check_access(shape, {});
}

} // namespace evenly::detail

namespace evenly::layouts {

/// Counts the accesses of a share of the blocks: at least 32,768 references of small inputs, at most a million of large
/// ones.
///
/// - P: all indices must be in range; they are not checked.
/// - share: in (0, 1].
/// - Synchronises and allocates.
/// - Throws invalid_argument for invalid sizes and for a share out of range.
template <class Executor, class I>
access_sample sample_blocks(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                            const access_objective& objective = {}, double share = 0.015) {
  detail::check_sample(shape, share);
  if (shape.total_references() == 0) return {};
  const std::int64_t all = ceil_div<std::int64_t>(shape.threads, shape.block);
  const std::int64_t some = detail::blocks_of_sample(shape, share);
  const detail::identity_threads threads{shape, all, some};
  return detail::of_all_blocks(detail::look_at(exec, p, shape, objective.warp, some, threads), shape, some);
}

/// The same for blocks of neighbours. A walk reaches some threads several times; the number of elements of a block is
/// assumed to grow with the number of its distinct threads. Requests and their lines and sectors are those without
/// moved elements. Also throws invalid_argument unless there are as many threads as elements.
template <class Executor, class I>
access_sample sample_clusters(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                              const access_objective& objective = {}, double share = 0.015) {
  detail::check_sample(shape, share);
  detail::require_graph("sample_clusters", shape);
  if (shape.total_references() == 0) return {};
  const std::int64_t some = detail::blocks_of_sample(shape, share);
  const detail::threads_around<I> threads{shape, p.at};
  const detail::sample_counts counts = detail::look_at(exec, p, shape, objective.warp, some, threads);
  access_sample found = detail::of_all_blocks(counts, shape, some);
  const double fuller = static_cast<double>(some * shape.block) / static_cast<double>(counts.threads);
  found.block_sectors *= fuller;
  found.block_elements *= fuller;
  return found;
}

} // namespace evenly::layouts
