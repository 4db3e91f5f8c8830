// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key: sort keys in ascending order, and move each value with its key. Stable. Keys are integers or
// floating-point numbers of 8 to 64 bits.
//
// Floating-point numbers have the same order on all executors, NaN included: first NaN whose sign bit is set, then
// numbers from -infinity to infinity, then all other NaN. -0 and 0 are equal keys. Of two NaN with the sign bit set the
// one with greater bits comes first, of two others the one with lesser bits.
//
// cuda: CUB's radix sort. cpu and simt: a radix sort on all cores (not simulated on simt), which first splits the
// elements by the most significant digit into segments for one core each (detail/host_radix_sort.hpp). Bits in which
// no keys differ cost nothing.
//
// This header is separate because CUB's takes seconds to compile; detail/radix_sort.hpp works without it.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/detail/sort_pairs_by_cub.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly {

namespace detail {

/// Returns `memory` as a pointer.
template <class Executor, class Memory>
auto elements_of(const char* name, const Memory& memory, std::int64_t count) {
  const auto reached_memory = reached<Executor>(name, memory, count);
  static_assert(std::is_pointer_v<std::remove_const_t<decltype(reached_memory)>>,
                "sorting needs contiguous memory: a pointer, a span or a contiguous iterator");
  require_memory(name, reached_memory, count);
  return reached_memory;
}

} // namespace detail

/// Writes the keys in[0], ..., in[count - 1] to `out` in ascending order.
///
/// - `in`, `out`: pointers, spans or contiguous iterators to memory of `exec`; they do not overlap.
/// - Asynchronous on cuda. Throws invalid_argument if count is negative, or the ranges overlap or are null.
/// - Cost: on cpu three reads of memory and one write, then the work of each segment in the cache of a core. Scratch
///   memory for as many keys.
template <class Executor, class Input, class Output>
void sort(const Executor& exec, const Input& in, std::int64_t count, const Output& out, workspace& memory) {
  using key = detail::element_of<Input>;
  static_assert(radix_key<key>, "keys must be integers or floating-point numbers of 8 to 64 bits");
  static_assert(std::is_same_v<detail::element_of<Output>, key>, "the output must have the type of the keys");
  detail::require_count(count);
  const key* const from = detail::elements_of<Executor>("in", in, count);
  key* const to = detail::elements_of<Executor>("out", out, count);
  detail::require_apart("in", from, count, "out", to, count, false);
  if (count == 0) return;
  detail::radix_sort(exec, from, static_cast<const detail::no_values*>(nullptr), count, to,
                     static_cast<detail::no_values*>(nullptr), memory, 8 * sizeof(key));
}

/// The same with a temporary workspace. Allocates.
template <class Executor, class Input, class Output>
void sort(const Executor& exec, const Input& in, std::int64_t count, const Output& out) {
  workspace memory;
  sort(exec, in, count, out, memory);
}

/// Sorts keys in the same way and writes values[i] to values_out at the position of keys[i] in keys_out. Values are
/// trivially copyable. No two of the four arrays overlap.
///
/// - `bits`: if integer keys are known to be in [0, 2^bits - 1], a GPU sorts by these bits only.
/// - Asynchronous on cuda. Throws as sort does, and invalid_argument for `bits` that the keys do not have.
/// - Cost: that of sort, with a value moved with each key. Scratch memory for as many keys and values.
template <class Executor, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                 const KeysOut& keys_out, const ValuesOut& values_out, workspace& memory,
                 int bits = 8 * sizeof(detail::element_of<Keys>)) {
  using key = detail::element_of<Keys>;
  using value = detail::element_of<Values>;
  static_assert(radix_key<key>, "keys must be integers or floating-point numbers of 8 to 64 bits");
  static_assert(std::is_same_v<detail::element_of<KeysOut>, key>,
                "the output must have the type of the keys");
  static_assert(std::is_same_v<detail::element_of<ValuesOut>, value> && std::is_trivially_copyable_v<value>,
                "values must be trivially copyable and of one type");
  detail::require_count(count);
  const key* const from = detail::elements_of<Executor>("keys", keys, count);
  const value* const values_from = detail::elements_of<Executor>("values", values, count);
  key* const to = detail::elements_of<Executor>("keys_out", keys_out, count);
  value* const values_to = detail::elements_of<Executor>("values_out", values_out, count);
  detail::require_apart("keys", from, count, "keys_out", to, count, false);
  detail::require_apart("keys", from, count, "values_out", values_to, count, false);
  detail::require_apart("values", values_from, count, "keys_out", to, count, false);
  detail::require_apart("values", values_from, count, "values_out", values_to, count, false);
  detail::require_apart("keys_out", to, count, "values_out", values_to, count, false);
  if (count == 0) return;
  constexpr int all_bits = 8 * sizeof(key);
  require(bits == all_bits || (std::integral<key> && bits >= 1 && bits < all_bits), [&] {
    return detail::concat("bits = ", bits, ": integers have 1 to ", all_bits, ", other keys ", all_bits);
  });
  detail::radix_sort(exec, from, values_from, count, to, values_to, memory, bits);
}

/// The same with a temporary workspace. Allocates.
template <class Executor, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                 const KeysOut& keys_out, const ValuesOut& values_out) {
  workspace memory;
  sort_by_key(exec, keys, values, count, keys_out, values_out, memory);
}

} // namespace evenly
