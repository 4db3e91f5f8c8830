// SPDX-License-Identifier: Apache-2.0
// The sorts behind sort.hpp, and for headers that sort integers of their own. They check nothing.
//
// On a GPU CUB sorts; its headers take longer to compile than all others together. An evenly::runtime with CUDA
// contains the sorts that the library's headers need: keys of 32 or 64 bits, with integers of 32 or 64 bits. It defines
// EVENLY_LINKS_CUDA_SORTS in units that link it. For other keys and values these headers include sort.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"

#if defined(__CUDACC__) && !defined(EVENLY_LINKS_CUDA_SORTS)
#include "evenly/primitives/detail/sort_pairs_by_cub.hpp"
#endif

namespace evenly {

/// The types of keys.
template <class Key>
concept radix_key = (std::integral<Key> || std::floating_point<Key>) && sizeof(Key) <= 8;

namespace detail {

/// Replaces the values if there are none.
struct no_values {};

template <std::size_t Bytes>
using unsigned_of =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Returns an unsigned integer with the same order as the keys.
template <radix_key Key> constexpr auto radix_of(Key key) {
  using bits = unsigned_of<sizeof(Key)>;
  constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
  const auto of_key = std::bit_cast<bits>(key);
  if constexpr (std::floating_point<Key>) {
    const bits number = of_key == sign ? bits{0} : of_key; // -0 equals 0
    return static_cast<bits>(number & sign ? ~number : number | sign);
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<bits>(of_key ^ sign);
  } else {
    return of_key;
  }
}

constexpr int digits = 256;
template <radix_key Key> int digit_of(Key key, int shift) {
  return static_cast<int>(radix_of(key) >> shift & (digits - 1));
}

/// Elements cut into consecutive parts, one per block.
template <class Key, class Value> struct sorted_pass {
  const Key* keys;
  const Value* values; ///< null if there are none
  std::int64_t count;
  std::int64_t per_block;

  std::int64_t begin(int block) const { return block * per_block; }
  std::int64_t end(int block) const { return smaller(begin(block) + per_block, count); }
};

/// of_block[b]: the bits in which the keys of block b differ from the first of all.
template <class Key> struct find_differences {
  sorted_pass<Key, no_values> from;
  std::uint64_t* of_block;
  template <class Block> void operator()(Block& block) const {
    const auto first = radix_of(from.keys[0]);
    std::uint64_t differ = 0;
    for (std::int64_t i = from.begin(block.index()); i < from.end(block.index()); ++i)
      differ |= radix_of(from.keys[i]) ^ first;
    of_block[block.index()] = differ;
  }
};

/// counts[b * digits + d]: how often block b has digit d.
template <class Key, class Value> struct count_digits {
  sorted_pass<Key, Value> from;
  int shift;
  std::int64_t* counts;
  template <class Block> void operator()(Block& block) const {
    std::array<std::int64_t, digits> mine{};
    for (std::int64_t i = from.begin(block.index()); i < from.end(block.index()); ++i)
      ++mine[static_cast<std::size_t>(digit_of(from.keys[i], shift))];
    std::copy(mine.begin(), mine.end(), counts + std::int64_t{block.index()} * digits);
  }
};

/// Moves elements to the places of their digits; `starts` has the layout of the counts.
template <class Key, class Value> struct move_by_digits {
  sorted_pass<Key, Value> from;
  int shift;
  const std::int64_t* starts;
  Key* keys;
  Value* values;
  template <class Block> void operator()(Block& block) const {
    std::array<std::int64_t, digits> next;
    std::copy_n(starts + std::int64_t{block.index()} * digits, digits, next.begin());
    for (std::int64_t i = from.begin(block.index()); i < from.end(block.index()); ++i) {
      const std::int64_t to = next[static_cast<std::size_t>(digit_of(from.keys[i], shift))]++;
      keys[to] = from.keys[i];
      if constexpr (!std::is_same_v<Value, no_values>) values[to] = from.values[i];
    }
  }
};

/// Replaces counts by the first places of the elements of each digit, and of each block within it.
inline void begin_digits(std::int64_t* counts, int blocks) {
  std::int64_t before = 0;
  for (int d = 0; d < digits; ++d)
    for (int b = 0; b < blocks; ++b) {
      std::int64_t& here = counts[std::int64_t{b} * digits + d];
      before += std::exchange(here, before);
    }
}

/// Copies elements.
template <class Key, class Value> struct copy_elements {
  sorted_pass<Key, Value> from;
  Key* keys;
  Value* values;
  template <class Block> void operator()(Block& block) const {
    const std::int64_t begin = from.begin(block.index()), end = from.end(block.index());
    std::copy(from.keys + begin, from.keys + end, keys + begin);
    if constexpr (!std::is_same_v<Value, no_values>)
      std::copy(from.values + begin, from.values + end, values + begin);
  }
};

/// In place if keys_out is keys and values_out is values.
template <class Executor, class Key, class Value>
requires Executor::on_host
void radix_sort(const Executor& exec, const Key* keys, const Value* values, std::int64_t count, Key* keys_out,
                Value* values_out, workspace& memory, int /*bits*/) {
  constexpr bool has_values = !std::is_same_v<Value, no_values>;
  const cpu cores(exec.threads(), exec.resource());
  constexpr std::int64_t max_per_block = 1 << 24; // the interrupt hook is called between blocks
  const std::int64_t per_block = smaller(items_per_block(cores, count, 0), max_per_block);
  const int blocks = block_count(count, per_block);
  const auto size = static_cast<std::size_t>(count), each = static_cast<std::size_t>(blocks);
  const auto lines = [](std::size_t bytes) { return ceil_div(bytes, std::size_t{64}) * 64; };
  const std::size_t counts_bytes = lines(each * digits * sizeof(std::int64_t)),
                    keys_bytes = lines(size * sizeof(Key));
  workspace::lease lease(memory);
  std::byte* const scratch =
      lease.take(exec, 0, counts_bytes + keys_bytes + (has_values ? size * sizeof(Value) : 0)).scratch;
  auto* const counts = reinterpret_cast<std::int64_t*>(scratch);
  auto* const other_keys = reinterpret_cast<Key*>(scratch + counts_bytes);
  auto* const other_values =
      has_values ? reinterpret_cast<Value*>(scratch + counts_bytes + keys_bytes) : values_out;

  auto* const differences = reinterpret_cast<std::uint64_t*>(counts);
  launch(cores, {blocks, 1}, find_differences<Key>{{keys, nullptr, count, per_block}, differences});
  std::uint64_t differ = 0;
  for (int b = 0; b < blocks; ++b) differ |= differences[b];
  std::vector<int> shifts;
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += 8)
    if (differ >> shift & (digits - 1)) shifts.push_back(shift);
  const bool in_place = keys == keys_out;
  if (shifts.empty()) {
    if (in_place) return;
    shifts.push_back(0); // then it is a copy
  }

  sorted_pass<Key, Value> from{keys, values, count, per_block};
  if (in_place && shifts.size() % 2 == 1) { // otherwise the first pass would overwrite its input
    launch(cores, {blocks, 1}, copy_elements<Key, Value>{from, other_keys, other_values});
    from.keys = other_keys;
    from.values = other_values;
  }
  for (std::size_t pass = 0; pass < shifts.size(); ++pass) { // the last pass writes to the output
    const bool to_out = (shifts.size() - pass) % 2 == 1;
    Key* const to = to_out ? keys_out : other_keys;
    Value* const values_to = to_out ? values_out : other_values;
    launch(cores, {blocks, 1}, count_digits<Key, Value>{from, shifts[pass], counts});
    begin_digits(counts, blocks);
    launch(cores, {blocks, 1}, move_by_digits<Key, Value>{from, shifts[pass], counts, to, values_to});
    from.keys = to;
    from.values = values_to;
  }
}

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
