// SPDX-License-Identifier: Apache-2.0
// How views read memory (view.hpp). On a GPU elements are loaded in one piece; lists, which a run reads once, by
// evict-first loads, so that caches keep the elements. On simt both use traced(), on cpu plain pointers.
#pragma once

#include <cstdint>
#include <cstring>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

/// Unrolls the following loop four times on the GPU, so that its loads are in flight at a time.
#if defined(__CUDA_ARCH__)
#define EVENLY_UNROLL_BY_FOUR _Pragma("unroll 4")
#else
#define EVENLY_UNROLL_BY_FOUR
#endif

namespace evenly::layouts {

/// Loads that a thread has in flight, if a body loads each of its references; and if these go to storage. (The fastest
/// of 4, 8 and 16 on an H200, 2026-11-22: bench/results/reorganize-tuning-h200.json.)
#if defined(__CUDA_ARCH__)
inline constexpr int loads_under_way = 8, stored_under_way = 4;
#else
inline constexpr int loads_under_way = 1, stored_under_way = 1;
#endif

} // namespace evenly::layouts

namespace evenly::detail {

#if defined(__CUDA_ARCH__)
template <std::size_t Bytes> struct piece_of;
template <> struct piece_of<4> {
  using type = unsigned;
};
template <> struct piece_of<8> {
  using type = uint2;
};
template <> struct piece_of<16> {
  using type = uint4;
};
#endif

/// Loads *from, which must not change while the kernel runs. On a GPU it uses the read-only path, and one load if the
/// type has 4, 8 or 16 bytes and is aligned to its size. (The compiler splits structs, and loads only the members that
/// are used.) Streaming: the value is not read again, and the load is evict-first.
template <bool Streaming, class T> EVENLY_INLINE_FN T read_whole(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (alignof(T) >= sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16)) {
    const auto* const at = reinterpret_cast<const typename piece_of<sizeof(T)>::type*>(from);
    const auto read = Streaming ? __ldcs(at) : __ldg(at);
    T value;
    memcpy(&value, &read, sizeof(T));
    return value;
  }
#endif
  return *from;
}

/// The same for storage.
template <class T> EVENLY_INLINE_FN T read_stored(const T& from) {
#if defined(__CUDA_ARCH__)
  if constexpr (alignof(T) >= sizeof(T) && (sizeof(T) == 8 || sizeof(T) == 16)) {
    const auto read = reinterpret_cast<const typename piece_of<sizeof(T)>::type&>(from);
    T value;
    memcpy(&value, &read, sizeof(T));
    return value;
  }
#endif
  return from;
}

/// to[k] = from[i + k] for storage that begins at a multiple of 16 bytes; one load if elements have 4 bytes. i: a
/// multiple of four.
template <class Storage, class T> EVENLY_INLINE_FN void read_four(const Storage& from, int i, T (&to)[4]) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) {
    const auto read = *reinterpret_cast<const uint4*>(from.data() + i);
    memcpy(to, &read, sizeof(to));
  } else
#endif
  {
    for (int k = 0; k < 4; ++k) {
      T value = from[i + k];
      to[k] = value;
    }
  }
}

/// *to = value by an evict-first store: it is not read again soon.
template <class T> EVENLY_INLINE_FN void store_streaming(T* to, T value) {
#if defined(__CUDA_ARCH__)
  __stcs(to, value);
#else
  *to = value;
#endif
}

template <class T, bool Streaming> struct whole_elements {
  const T* at;
  EVENLY_INLINE_FN T operator[](std::int64_t i) const { return read_whole<Streaming>(at + i); }
};

/// A view of elements, which may be read again.
template <class Block, class T> EVENLY_INLINE_FN auto lasting(Block& block, const T* memory) {
  if constexpr (requires { block.traced(memory); })
    return block.traced(memory);
  else
    return whole_elements<T, false>{memory};
}
/// A view of data that a run reads once and in order, such as lists.
template <class Block, class T> EVENLY_INLINE_FN auto streaming(Block& block, const T* memory) {
  if constexpr (requires { block.traced(memory); })
    return block.traced(memory);
  else
    return whole_elements<T, true>{memory};
}

/// Calls visit(i, of(i)) for i = first, first + step, ... below count, in order, until it returns false. On a GPU up to
/// Most calls of(i) are in flight at a time.
template <int Most = layouts::loads_under_way, class Of, class Visit>
EVENLY_INLINE_FN void visit_under_way(std::int64_t first, std::int64_t count, std::int64_t step, const Of& of,
                                      const Visit& visit) {
  constexpr int some = smaller(Most, layouts::loads_under_way);
  std::int64_t i = first;
  for (; i + (some - 1) * step < count; i += some * step) {
    decltype(of(i)) values[some];
    EVENLY_UNROLL
    for (int k = 0; k < some; ++k) values[k] = of(i + k * step);
    EVENLY_UNROLL
    for (int k = 0; k < some; ++k)
      if (!visit(i + k * step, values[k])) return;
  }
  EVENLY_DO_NOT_UNROLL
  for (; i < count; i += step)
    if (!visit(i, of(i))) return;
}
/// Calls visit(of(r)) for r in [0, count), in order; up to Most calls of(r) are in flight.
template <class T, int Most = layouts::loads_under_way, class Of, class Visit>
EVENLY_INLINE_FN void visit_each(std::int64_t count, const Of& of, const Visit& visit) {
  visit_under_way<Most>(0, count, 1, of, [&](std::int64_t, const T& value) {
    visit(value);
    return true;
  });
}

} // namespace evenly::detail
