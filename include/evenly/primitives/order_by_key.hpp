// SPDX-License-Identifier: Apache-2.0
// order_by_key: the integers [0, n) sorted by byte keys. Stable. It is CUB's radix sort on cuda; on cpu and simt a
// counting sort by one thread, which reads the keys twice and compares nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/sort_bytes.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly {

/// The result of a sort by keys in [0, Keys): the integers with key k are out[starts[k]], ... out[starts[k + 1] - 1].
template <int Keys> using key_starts = std::array<std::int64_t, Keys + 1>;

/// Writes the integers [0, count) to `out`, sorted by key(i), those with equal keys ascending.
///
/// - `Index`: an integer of 32 or 64 bits.
/// - `key`: a trivially copyable function object that runs on `exec`, with values in [0, Keys), 1 <= Keys <= 256.
/// - Complexity: O(count), on cpu and simt by one thread after the keys are computed.
/// - Temporary memory: `count` bytes on cpu and simt; on cuda 2 + sizeof(Index) bytes per integer, and CUB's.
/// - Synchronises. Throws invalid_argument if count is negative.
template <int Keys, class Executor, class Key, class Index>
requires Executor::on_host
key_starts<Keys> order_by_key(const Executor& exec, std::int64_t count, const Key& key, Index* out) {
  static_assert(Keys >= 1 && Keys <= 256, "a key is a byte");
  static_assert(std::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "numbers must have 32 or 64 bits");
  detail::require_count(count);
  const auto keys = make_buffer<unsigned char>(exec, static_cast<std::size_t>(count));
  tabulate(exec, count, key, keys.data());
  key_starts<Keys> starts{};
  for (std::int64_t i = 0; i < count; ++i) ++starts[keys.data()[i] + 1];
  for (std::size_t k = 0; k < Keys; ++k) starts[k + 1] += starts[k];
  auto next = starts;
  for (std::int64_t i = 0; i < count; ++i) out[next[keys.data()[i]]++] = static_cast<Index>(i);
  return starts;
}

#if defined(__CUDACC__)
namespace detail {

struct start_of_key {
  const unsigned char* sorted;
  std::int64_t count;
  EVENLY_FN std::int64_t operator()(std::int64_t key) const {
    return first_past<std::int64_t>(0, count, [&](std::int64_t i) { return sorted[i] >= key; });
  }
};

constexpr int bits_of(int max) { return max == 0 ? 0 : 1 + bits_of(max / 2); }

} // namespace detail

/// The same on cuda.
template <int Keys, class Key, class Index>
key_starts<Keys> order_by_key(const cuda& exec, std::int64_t count, const Key& key, Index* out) {
  static_assert(Keys >= 1 && Keys <= 256, "a key is a byte");
  static_assert(std::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "numbers must have 32 or 64 bits");
  detail::require_count(count);
  key_starts<Keys> starts{};
  if (count == 0) return starts;
  const auto size = static_cast<std::size_t>(count);
  const auto keys = make_buffer<unsigned char>(exec, size), sorted = make_buffer<unsigned char>(exec, size);
  const auto numbers = make_buffer<Index>(exec, size);
  const auto found = make_buffer<std::int64_t>(exec, starts.size());
  tabulate(exec, count, key, keys.data());
  tabulate(exec, count, detail::same_number{}, numbers.data());
  using number = std::conditional_t<sizeof(Index) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
  detail::sort_bytes(exec, count, detail::bits_of(Keys - 1), keys.data(),
                     reinterpret_cast<const number*>(numbers.data()), sorted.data(),
                     reinterpret_cast<number*>(out));
  tabulate(exec, Keys + 1, detail::start_of_key{sorted.data(), count}, found.data());
  exec.copy_to_host(starts.data(), found.data(), sizeof(starts));
  return starts;
}
#endif

} // namespace evenly
