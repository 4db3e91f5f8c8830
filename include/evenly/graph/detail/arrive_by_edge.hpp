// SPDX-License-Identifier: Apache-2.0
// The visit of an edge in a persistent breadth-first search, and the initial values of its results.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

/// Lowers parents[v] to `parent`, where -1 (no parent) counts as the largest number. Returns whether it was -1.
/// simt does not record the access.
template <bool Unwatched = false, class Vertex>
EVENLY_INLINE_FN bool lower_parent(Vertex* parents, Vertex v, Vertex parent) {
  using number = std::make_unsigned_t<Vertex>; // of the same bits
#if !defined(__CUDA_ARCH__)
  if constexpr (Unwatched) {
    const std::atomic_ref word(reinterpret_cast<number*>(parents)[v]);
    number before = word.load(std::memory_order_relaxed);
    while (static_cast<number>(parent) < before &&
           !word.compare_exchange_weak(before, static_cast<number>(parent), std::memory_order_relaxed)) {
    }
    return static_cast<Vertex>(before) == -1;
  }
#endif
  return static_cast<Vertex>(atomic_ref(reinterpret_cast<number*>(parents)[v])
                                 .fetch_min(static_cast<number>(parent), order::relaxed{})) == -1;
}

/// Prevents the compiler from moving the load of `value` past this point.
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
#else
  __builtin_prefetch(at);
#endif
}

/// The visit of an edge of the frontier (graph/detail/persistent_frontier.hpp). On a GPU it is fastest to execute the
/// atomic operation without loading the level first. On cpu an atomic operation costs as much as many loads. So the
/// level is loaded first, and a vertex that has one is skipped. If several edges reach a vertex without a level, the
/// edge that lowers the parent from -1 sets the level.
template <class Vertex, class Edge, bool Serial> struct arrive_by_edge {
  using staged = Vertex; ///< the edge's end
  static constexpr int at_once = 4;

  adjacency<Vertex, Edge> out;
  Vertex* levels;
  Vertex* parents; ///< or null
  Vertex level;    ///< of the vertices that are found

  EVENLY_FN static Vertex unseen() { return -1; }
  EVENLY_FN Vertex load(Edge edge) const { return read_only(out.ends + edge); }
  EVENLY_FN void prefetch_staged(Vertex at) const {
    prefetch(levels + at);
    if constexpr (!Serial) prefetch(out.offsets + at);
  }
  EVENLY_FN void prefetch_taking(Vertex at, Vertex seen) const {
    if (seen == -1) prefetch(out.offsets + at);
    if (parents != nullptr && (seen == -1 || seen == level)) prefetch(parents + at);
  }
  EVENLY_FN Vertex look(Vertex at) const {
#if !defined(__CUDA_ARCH__)
    if constexpr (Serial)
      return std::atomic_ref(levels[at]).load(std::memory_order_relaxed); // unrecorded, for speed
#endif
    return atomic_ref(levels[at]).load(order::relaxed{});
  }
  template <class Found> EVENLY_FN void take(Vertex from, Vertex at, Vertex seen, const Found& found) const {
    if constexpr (Serial)
      if (seen == -1) seen = look(at);
    if (seen != -1) {
      if (seen == level && parents != nullptr) lower_parent<Serial>(parents, at, from);
      return;
    }
    Edge begin = read_only(out.offsets + at), end = read_only(out.offsets + at + 1);
    loaded_here(begin);
    loaded_here(end);
#if !defined(__CUDA_ARCH__)
    if (Serial && parents != nullptr) {
      if (!lower_parent<true>(parents, at, from)) return;
      std::atomic_ref(levels[at]).store(level, std::memory_order_relaxed);
      return found(at, begin, end);
    }
#endif
    const bool first = atomic_ref(levels[at]).compare_exchange(seen, level, order::relaxed{});
    if (parents != nullptr && (first || seen == level)) lower_parent(parents, at, from);
    if (first) found(at, begin, end);
  }
};

/// The same if the next level is predicted to be bottom-up: vertices that are found are marked in a bitmap and counted,
/// and go on no list.
template <class Vertex, class Edge, bool Serial> struct mark_by_edge : arrive_by_edge<Vertex, Edge, Serial> {
  std::uint64_t* bits;      ///< zeros before the level
  Edge *vertices, *leaving; ///< of the thread: vertices found, and their outgoing edges

  template <class Found> EVENLY_FN void take(Vertex from, Vertex at, Vertex seen, const Found&) const {
    arrive_by_edge<Vertex, Edge, Serial>::take(from, at, seen, [&](Vertex v, Edge begin, Edge end) {
      *vertices += 1;
      *leaving += end - begin;
      atomic_ref(bits[v / 64]).fetch_or(std::uint64_t{1} << (v % 64), order::relaxed{});
    });
  }
};

/// Fills `values` with -1, except values[except] = value. Called by all threads of all blocks.
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

} // namespace evenly::detail
