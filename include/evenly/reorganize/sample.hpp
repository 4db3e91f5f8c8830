// SPDX-License-Identifier: Apache-2.0
// What references ask of memory, counted for a part of their blocks straight from P: requests, lines and sectors of
// warps, and the different sectors and elements of blocks. It takes a pass over that part and a sort of it, where P
// lies, and says of all blocks what it has found for these. tests/reorganize/sample_test.cpp holds it to what the
// simulated GPU counts.
//
//   sample_blocks    threads as they are
//   sample_clusters  threads that stand beside those they refer to, as an order by neighbours would have them; thread i
//                    is about element i. No order is made: each block is found by going from a thread at random to its
//                    neighbours, to theirs, and so on.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/reorganize/graph_orders.hpp"
#include "evenly/reorganize/orders.hpp"
#include "evenly/reorganize/references.hpp"

namespace evenly {

/// Of all blocks, as if all were like those that were looked at. Elements lie as in A, whose first one begins a line.
struct access_sample {
  double share = 0;          ///< of the blocks that were looked at
  double requests = 0;       ///< of warps, to elements
  double lines = 0;          ///< of 128 bytes, of requests
  double sectors = 0;        ///< of 32 bytes, of requests
  double block_sectors = 0;  ///< different ones of each block
  double block_elements = 0; ///< likewise
};

namespace detail {

struct request_counts {
  std::int64_t requests = 0, lines = 0, sectors = 0;
};
struct sum_of_requests {
  using value_type = request_counts;
  static constexpr bool commutative = true;
  EVENLY_FN value_type identity() const { return {}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    return {a.requests + b.requests, a.lines + b.lines, a.sectors + b.sectors};
  }
};

/// Threads of blocks, [k * block + i]; -1 where a block has none. Of `all` blocks every one of `some`, evenly apart.
struct threads_as_they_are {
  access_shape shape;
  std::int64_t all, some;
  EVENLY_FN std::int64_t operator()(std::int64_t at) const {
    const std::int64_t b = at / shape.block * all / some, t = b * shape.block + at % shape.block;
    return t < shape.threads ? t : -1;
  }
};
/// Thread 0 of a block is any; i goes from there by as many neighbours as i has digits, to bases of K.
template <class I> struct threads_around {
  access_shape shape;
  const I* p;
  EVENLY_FN std::int64_t operator()(std::int64_t at) const {
    std::int64_t t = static_cast<std::int64_t>(scattered(static_cast<std::uint64_t>(at / shape.block)) %
                                               static_cast<std::uint64_t>(shape.threads));
    for (std::int64_t i = at % shape.block; i > 0; i = (i - 1) / shape.references)
      t = p[(i - 1) % shape.references * shape.threads + t];
    return t;
  }
};

/// Reference i of what is looked at: [(k * K + r) * block + place], -1 where there is none.
template <class I> struct sampled_reference {
  const I* p;
  const I* threads;
  access_shape shape;
  EVENLY_FN I operator()(std::int64_t i) const {
    const std::int64_t row = i / shape.block, k = row / shape.references, r = row % shape.references;
    const I t = threads[k * shape.block + i % shape.block];
    return t < 0 ? I{-1} : p[r * shape.threads + t];
  }
};

/// Of request i: of a warp, by one reference.
template <class I> struct counts_of_request {
  const I* references;
  int block, warp, warps;
  int bytes; ///< of an element
  EVENLY_FN request_counts operator()(std::int64_t i) const {
    const int first = static_cast<int>(i % warps) * warp, lanes = smaller(warp, block - first);
    const I* const mine = references + i / warps * block + first;
    const int aligned = bytes & -bytes, piece = aligned < 16 ? aligned : 16; // what is loaded at once
    request_counts all;
    for (int at = 0; at < bytes; at += piece) {
      std::int64_t sectors[64];
      int count = 0, lines = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        if (mine[lane] < 0) continue;
        const std::int64_t sector = (mine[lane] * std::int64_t{bytes} + at) / access_objective::sector_bytes;
        bool is_new = true, is_new_line = true;
        for (int j = 0; j < count; ++j) {
          is_new &= sectors[j] != sector;
          is_new_line &= sectors[j] / 4 != sector / 4;
        }
        lines += is_new_line;
        if (is_new) sectors[count++] = sector;
      }
      all.requests += count > 0;
      all.sectors += count;
      all.lines += lines;
    }
    return all;
  }
};

/// A block of those looked at, and a number below `bound`, as one number that sorts; those that are not there last.
template <class I> struct block_and_number {
  const I* numbers;
  std::int64_t of_block; ///< numbers
  std::int64_t bound;
  std::int64_t missing;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return numbers[i] < 0 ? missing : i / of_block * bound + numbers[i];
  }
};
/// Whether key i is the first of its kind.
struct is_first_of_kind {
  const std::int64_t* keys;
  std::int64_t missing;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return keys[i] != missing && (i == 0 || keys[i] != keys[i - 1]);
  }
};
/// Sectors of the element of key i that elements before it in the block do not touch.
struct new_sectors {
  const std::int64_t* keys;
  std::int64_t missing, bound;
  int bytes;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (keys[i] == missing) return 0;
    const auto first = [&](std::int64_t key) { return key % bound * bytes / access_objective::sector_bytes; };
    const auto last = [&](std::int64_t key) {
      return (key % bound * bytes + bytes - 1) / access_objective::sector_bytes;
    };
    std::int64_t from = first(keys[i]);
    if (i > 0 && keys[i - 1] / bound == keys[i] / bound) from = larger(from, last(keys[i - 1]) + 1);
    return larger<std::int64_t>(last(keys[i]) - from + 1, 0);
  }
};

/// numbers, sorted within blocks of `of_block` of them.
template <class Executor, class I>
buffer<std::int64_t> sorted_by_blocks(const Executor& exec, const buffer<I>& numbers, std::int64_t of_block,
                                      std::int64_t bound) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  const std::int64_t missing = count / of_block * bound;
  const auto keys = make_buffer<std::int64_t>(exec, numbers.size());
  tabulate(exec, count, block_and_number<I>{numbers.data(), of_block, bound, missing}, keys.data());
  auto sorted = make_buffer<std::int64_t>(exec, numbers.size());
  sort(exec, static_cast<const std::int64_t*>(keys.data()), count, sorted.data());
  return sorted;
}
template <class Executor>
std::int64_t count_kinds(const Executor& exec, const buffer<std::int64_t>& sorted, std::int64_t missing) {
  return reduce(exec, generated{is_first_of_kind{sorted.data(), missing}},
                static_cast<std::int64_t>(sorted.size()), plus<std::int64_t>{});
}

/// Of blocks whose threads are in `threads`.
template <class Executor, class I>
access_sample sample_of(const Executor& exec, const index_list<I>& p, const access_shape& shape, int warp,
                        const buffer<I>& threads) {
  const auto some = static_cast<std::int64_t>(threads.size()) / shape.block;
  const std::int64_t of_block = shape.references * shape.block;
  const auto references = make_buffer<I>(exec, static_cast<std::size_t>(some * of_block));
  tabulate(exec, some * of_block, sampled_reference<I>{p.at, threads.data(), shape}, references.data());
  const int warps = ceil_div(shape.block, warp);
  const request_counts requests = reduce(
      exec, generated{counts_of_request<I>{references.data(), shape.block, warp, warps, shape.element_bytes}},
      some * shape.references * warps, sum_of_requests{});
  const buffer<std::int64_t> sorted = sorted_by_blocks(exec, references, of_block, shape.elements);
  const std::int64_t missing = some * shape.elements;
  const std::int64_t elements = count_kinds(exec, sorted, missing);
  const std::int64_t sectors =
      reduce(exec, generated{new_sectors{sorted.data(), missing, shape.elements, shape.element_bytes}},
             some * of_block, plus<std::int64_t>{});
  const double blocks = static_cast<double>(ceil_div<std::int64_t>(shape.threads, shape.block));
  const double each = blocks / static_cast<double>(some);
  return {.share = 1 / each,
          .requests = each * static_cast<double>(requests.requests),
          .lines = each * static_cast<double>(requests.lines),
          .sectors = each * static_cast<double>(requests.sectors),
          .block_sectors = each * static_cast<double>(sectors),
          .block_elements = each * static_cast<double>(elements)};
}

/// Blocks to look at: such a share, so that there are many references, but not too many.
inline std::int64_t blocks_of_sample(const access_shape& shape, double share) {
  constexpr std::int64_t enough = 1 << 15, most = 1 << 22; // references
  const std::int64_t blocks = ceil_div<std::int64_t>(shape.threads, shape.block);
  const std::int64_t of_block = larger<std::int64_t>(shape.references, 1) * shape.block;
  const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(blocks));
  const std::int64_t least = smaller(blocks, ceil_div(enough, of_block));
  return larger<std::int64_t>(smaller(larger(wanted, least), larger<std::int64_t>(most / of_block, 1)), 1);
}
inline void check_sample(const access_shape& shape, double share) {
  require(share > 0 && share <= 1,
          [&] { return "share = " + std::to_string(share) + ": must be above 0, up to 1"; });
  check_access(shape, {});
}

} // namespace detail

/// Looks at such a share of the blocks: of large ones as many as have 4 million references, of small ones at least so
/// many that they have 32,768. All indices of P are taken to be in range. Synchronises and allocates. Throws
/// invalid_argument for sizes that no access can have, and for a share that is not above 0 and up to 1.
template <class Executor, class I>
access_sample sample_blocks(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                            const access_objective& objective = {}, double share = 0.015) {
  detail::check_sample(shape, share);
  if (shape.positions() == 0) return {};
  const std::int64_t all = ceil_div<std::int64_t>(shape.threads, shape.block);
  const std::int64_t some = detail::blocks_of_sample(shape, share);
  const auto threads = make_buffer<I>(exec, static_cast<std::size_t>(some * shape.block));
  tabulate(exec, some * shape.block, detail::threads_as_they_are{shape, all, some}, threads.data());
  return detail::sample_of(exec, p, shape, objective.warp, threads);
}

/// The same for blocks of neighbours. A walk comes by a thread more than once; its block's elements are taken to grow
/// with its different threads. Requests, their lines and sectors are those of elements that have not been moved.
/// Throws invalid_argument also unless there are as many threads as elements.
template <class Executor, class I>
access_sample sample_clusters(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                              const access_objective& objective = {}, double share = 0.015) {
  detail::check_sample(shape, share);
  detail::require_graph("sample_clusters", shape);
  if (shape.positions() == 0) return {};
  const std::int64_t some = detail::blocks_of_sample(shape, share);
  const auto threads = make_buffer<I>(exec, static_cast<std::size_t>(some * shape.block));
  tabulate(exec, some * shape.block, detail::threads_around<I>{shape, p.at}, threads.data());
  access_sample found = detail::sample_of(exec, p, shape, objective.warp, threads);
  const auto sorted = detail::sorted_by_blocks(exec, threads, shape.block, shape.threads);
  const auto different = static_cast<double>(detail::count_kinds(exec, sorted, some * shape.threads));
  const double fuller = static_cast<double>(some * shape.block) / different;
  found.block_sectors *= fuller;
  found.block_elements *= fuller;
  return found;
}

} // namespace evenly
