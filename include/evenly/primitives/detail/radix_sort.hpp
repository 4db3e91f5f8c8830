// SPDX-License-Identifier: Apache-2.0
// The sorts behind sort.hpp, and for headers that sort integers of their own. They check nothing.
//
// On a GPU CUB sorts; its headers take longer to compile than all others together. An evenly::runtime with CUDA
// contains the sorts that the library's headers need: keys of 32 or 64 bits, with integers of 32 or 64 bits. It defines
// EVENLY_LINKS_CUDA_SORTS in units that link it. For other keys and values these headers include sort.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/host_radix_sort.hpp"

#if defined(__CUDACC__) && !defined(EVENLY_LINKS_CUDA_SORTS)
#include "evenly/primitives/detail/sort_pairs_by_cub.hpp"
#endif

namespace evenly {
namespace detail {

#if defined(__CUDACC__)
template <class Key, class Value> struct cub_sort;

/// std::int32_t and so on.
template <class Integer>
using sized_integer =
    std::conditional_t<std::is_signed_v<Integer>, std::make_signed_t<unsigned_of<sizeof(Integer)>>,
                       unsigned_of<sizeof(Integer)>>;

#if defined(EVENLY_LINKS_CUDA_SORTS)
// If only some units of a program link the library, radix_sort has two definitions that sort equally. The code below is
// in a namespace of its own for each kind of unit.
inline namespace compiled {

/// A call of cub_sort, for each pair of key and value types that the library's headers sort.
#define EVENLY_COMPILED_SORT(Key, Value)                                                                     \
  cudaError_t sort_pairs(void* scratch, std::size_t& bytes, const Key* keys, const Value* values,            \
                         std::int64_t count, Key* keys_out, Value* values_out, int bits,                     \
                         cudaStream_t stream)
EVENLY_COMPILED_SORT(std::int32_t, std::int32_t);
EVENLY_COMPILED_SORT(std::int32_t, std::int64_t);
EVENLY_COMPILED_SORT(std::uint32_t, std::int32_t);
EVENLY_COMPILED_SORT(std::uint32_t, std::int64_t);
EVENLY_COMPILED_SORT(std::int64_t, std::int32_t);
EVENLY_COMPILED_SORT(std::int64_t, std::int64_t);
EVENLY_COMPILED_SORT(std::uint64_t, std::int32_t);
EVENLY_COMPILED_SORT(std::uint64_t, std::int64_t);
#undef EVENLY_COMPILED_SORT

} // namespace compiled

template <class Key, class Value>
inline constexpr bool is_sort_compiled =
    std::integral<Key> && sizeof(Key) >= 4 && std::signed_integral<Value> && sizeof(Value) >= 4;
#else
template <class Key, class Value> inline constexpr bool is_sort_compiled = false;
#endif

template <class Key, class Value>
void radix_sort(const cuda& exec, const Key* keys, const Value* values, std::int64_t count, Key* keys_out,
                Value* values_out, workspace& memory, int bits) {
  const auto here = exec.on_device();
  const auto call = [&](void* scratch, std::size_t& bytes) {
    if constexpr (is_sort_compiled<Key, Value>) {
      using key = sized_integer<Key>; // long long and long are different types
      using value = sized_integer<Value>;
      return sort_pairs(scratch, bytes, reinterpret_cast<const key*>(keys),
                        reinterpret_cast<const value*>(values), count, reinterpret_cast<key*>(keys_out),
                        reinterpret_cast<value*>(values_out), bits, exec.stream());
    } else {
      return cub_sort<Key, Value>::run(scratch, bytes, keys, values, count, keys_out, values_out, bits,
                                       exec.stream());
    }
  };
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  workspace::lease lease(memory);
  EVENLY_CUDA_CHECK(call(lease.take(exec, 0, bytes).scratch, bytes));
}
#endif

/// sort_by_key (sort.hpp) for integers of 32 or 64 bits each, unchecked.
template <class Executor, class Key, signed_of_32_or_64_bits Number>
void sort_numbers(const Executor& exec, const Key* keys, const Number* numbers, std::int64_t count,
                  Key* keys_out, Number* numbers_out, workspace& memory, int bits = 8 * sizeof(Key)) {
  static_assert(std::integral<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8));
  if (count > 0) radix_sort(exec, keys, numbers, count, keys_out, numbers_out, memory, bits);
}

} // namespace detail
} // namespace evenly
