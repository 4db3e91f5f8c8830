// SPDX-License-Identifier: Apache-2.0
// A set of vertices on the executor, as a list or as a bitmap, and conversions between the two.
//
// Schedules distribute lists, since a list can be made into tiles (work/tile_list.hpp). Only the executor knows its
// length. A bitmap tests a vertex in constant time; its size does not depend on the set.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"

namespace evenly::graphs {

/// The vertices vertices[0], ..., vertices[*count - 1], each once. Both pointers are on the executor.
template <signed_of_32_or_64_bits Vertex> struct vertex_list {
  Vertex* vertices = nullptr;
  std::int64_t* count = nullptr;
  std::int64_t capacity = 0; ///< number of elements of `vertices`
};

/// Vertex v is in the set if bit v % 64 of words[v / 64] is 1. Bits beyond the last vertex are 0.
template <signed_of_32_or_64_bits Vertex> struct vertex_bits {
  using word = std::uint64_t;
  static constexpr int bits_of_word = 64;

  word* words = nullptr;
  Vertex vertices = 0;

  /// The number of words of a bitmap for `vertices` vertices.
  static constexpr std::int64_t words_for(std::int64_t vertices) {
    return ceil_div<std::int64_t>(vertices, bits_of_word);
  }

  EVENLY_FN static constexpr word mask(Vertex v) { return word{1} << (v % bits_of_word); }
  /// Whether v is in the set. Requires that no thread changes the set during the call.
  EVENLY_FN bool has(Vertex v) const { return (words[v / bits_of_word] & mask(v)) != 0; }
  /// Inserts v. Returns whether it was absent; of several calls for one vertex, one returns true.
  EVENLY_FN bool insert(Vertex v) const {
    return (atomic_ref(words[v / bits_of_word]).fetch_or(mask(v), order::relaxed{}) & mask(v)) == 0;
  }
};

} // namespace evenly::graphs

namespace evenly::detail {

/// Inserts a list into a bitmap. Each block has consecutive elements of the list.
template <class Vertex> struct insert_listed {
  graphs::vertex_list<Vertex> list;
  graphs::vertex_bits<Vertex> bits;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t count = smaller(*list.count, list.capacity);
    const std::int64_t each = ceil_div<std::int64_t>(count, block.count());
    const std::int64_t begin = smaller(each * block.index(), count), end = smaller(begin + each, count);
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size()) bits.insert(list.vertices[i]);
  }
};

template <class Vertex> struct vertex_number {
  EVENLY_FN Vertex operator()(std::int64_t v) const { return static_cast<Vertex>(v); }
};

template <class Vertex> struct is_in_bits {
  graphs::vertex_bits<Vertex> bits;
  EVENLY_FN bool operator()(Vertex v) const { return bits.has(v); }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Stores the vertices of the list in the bitmap, which has room for all of them. Asynchronous on cuda. Cost: a pass
/// over the words, and an atomic operation per vertex of the list.
template <class Executor, class Vertex>
void list_to_bits(const Executor& exec, const vertex_list<Vertex>& list, const vertex_bits<Vertex>& bits) {
  constexpr int block_size = 256;
  exec.fill_zero(bits.words, static_cast<std::size_t>(bits.words_for(bits.vertices)) * sizeof(*bits.words));
  const detail::insert_listed<Vertex> kernel{list, bits};
  const std::int64_t max = resident_blocks(exec, kernel, block_size);
  const auto blocks = static_cast<int>(smaller(max, ceil_div<std::int64_t>(list.capacity, block_size)));
  launch(exec, {blocks, block_size}, kernel);
}

/// Stores all of the `vertices` vertices that satisfy the predicate in the list, in ascending order. The list has room
/// for them. Asynchronous on cuda, except for allocations of `memory`. Cost: one select.
template <class Executor, class Vertex, class Predicate>
void list_where(const Executor& exec, Vertex vertices, const Predicate& predicate,
                const vertex_list<Vertex>& list, workspace& memory) {
  select(exec, generated{detail::vertex_number<Vertex>{}}, std::int64_t{vertices}, predicate, list.vertices,
         list.count, memory);
}

/// Stores the vertices of the bitmap in the list, in ascending order. The list has room for them. Asynchronous on cuda,
/// except for allocations of `memory`. Cost: one select of all vertices.
template <class Executor, class Vertex>
void bits_to_list(const Executor& exec, const vertex_bits<Vertex>& bits, const vertex_list<Vertex>& list,
                  workspace& memory) {
  list_where(exec, bits.vertices, detail::is_in_bits<Vertex>{bits}, list, memory);
}

} // namespace evenly::graphs
