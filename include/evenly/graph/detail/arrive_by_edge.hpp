// SPDX-License-Identifier: Apache-2.0
// What an edge does in a breadth-first search in one launch, and what results are before it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly {

namespace detail {

/// Lowers parents[v] to `parent`; -1, which is none, counts as the greatest number.
template <class Vertex> EVENLY_INLINE_FN void lower_parent(Vertex* parents, Vertex v, Vertex parent) {
  using number = std::make_unsigned_t<Vertex>; // of the same bits
  atomic_ref(reinterpret_cast<number*>(parents)[v]).fetch_min(static_cast<number>(parent), order::relaxed{});
}

/// Compilers do not put off the load of `value` beyond this place.
template <class T> EVENLY_INLINE_FN void loaded_here([[maybe_unused]] T& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8)
    asm volatile("" : "+l"(value));
  else
    asm volatile("" : "+r"(value));
#endif
}

EVENLY_INLINE_FN void prefetch([[maybe_unused]] const void* at) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
#endif
}

/// What an edge of the frontier does (schedules/resident_frontier.hpp).
template <class Vertex, class Edge> struct arrive_by_edge {
  using staged = Vertex; ///< the edge's end

  adjacency<Vertex, Edge> out;
  Vertex* levels;
  Vertex* parents; ///< or null
  Vertex level;    ///< of whoever is found

  EVENLY_FN static Vertex unseen() { return -1; }
  EVENLY_FN Vertex load(Edge edge) const { return read_only(out.ends + edge); }
  EVENLY_FN void foresee(Vertex at) const {
    prefetch(levels + at);
    prefetch(out.offsets + at);
  }
  EVENLY_FN Vertex look(Vertex at) const { return atomic_ref(levels[at]).load(order::relaxed{}); }
  template <class Found> EVENLY_FN void take(Vertex from, Vertex at, Vertex seen, const Found& found) const {
    if (seen != -1) {
      if (seen == level && parents != nullptr) lower_parent(parents, at, from);
      return;
    }
    Edge begin = read_only(out.offsets + at), end = read_only(out.offsets + at + 1);
    loaded_here(begin);
    loaded_here(end);
    const bool first = atomic_ref(levels[at]).compare_exchange(seen, level, order::relaxed{});
    if (parents != nullptr && (first || seen == level)) lower_parent(parents, at, from);
    if (first) found(at, begin, end);
  }
};

/// All values -1, but for one, by all threads of all blocks.
template <class Block, class Vertex>
EVENLY_FN void fill_results(const Block& block, Vertex* values, std::int64_t count, std::int64_t except,
                            Vertex value) {
  constexpr int of_pack = 16 / sizeof(Vertex);
  struct alignas(16) pack {
    Vertex values[of_pack];
  };
  std::int64_t done = 0;
#if defined(__CUDA_ARCH__)
  if (reinterpret_cast<std::uintptr_t>(values) % sizeof(pack) == 0) {
    const std::int64_t packs = count / of_pack;
    for (std::int64_t i = std::int64_t{block.index()} * block.size() + block.rank(); i < packs;
         i += std::int64_t{block.count()} * block.size()) {
      pack all;
      for (int j = 0; j < of_pack; ++j) all.values[j] = i * of_pack + j == except ? value : Vertex{-1};
      reinterpret_cast<pack*>(values)[i] = all;
    }
    done = packs * of_pack;
  }
#endif
  const std::int64_t each = ceil_div<std::int64_t>(count - done, block.count());
  const std::int64_t begin = smaller(done + each * block.index(), count), end = smaller(begin + each, count);
  for (std::int64_t i = begin + block.rank(); i < end; i += block.size())
    values[i] = i == except ? value : Vertex{-1};
}

} // namespace detail

} // namespace evenly
