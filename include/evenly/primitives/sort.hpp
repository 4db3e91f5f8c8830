// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key: keys in ascending order, and with each the value that it came with. Stable: equal keys stay in
// the order in which they were. Keys are integers or floating-point numbers of 8 to 64 bits.
//
// Floating-point numbers are in one order on all executors, NaN as well: first NaN whose sign bit is set, then numbers
// from -infinity to infinity, then all other NaN. -0 and 0 are equal keys. Of two NaN with the sign bit set the one
// with greater bits comes first, of two others the one with lesser.
//
// cuda: CUB's radix sort. cpu and simt: a radix sort too, of 8 bits a pass from the lowest on, by all cores (not
// simulated on simt): each block counts its digits, one thread adds up the counts, each block moves its elements. A
// pass over digits that are all equal is left out.
//
// This header is of its own because CUB's takes seconds to compile.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/inputs.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace evenly {

/// What can be a key.
template <class Key>
concept radix_key = (std::integral<Key> || std::floating_point<Key>) && sizeof(Key) <= 8;

namespace detail {

/// Stands for the values where there are none.
struct no_values {};

template <std::size_t Bytes>
using unsigned_of =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// A number whose order is that of the keys.
template <radix_key Key> constexpr auto radix_of(Key key) {
  using bits = unsigned_of<sizeof(Key)>;
  constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
  const auto of_key = std::bit_cast<bits>(key);
  if constexpr (std::floating_point<Key>) {
    const bits number = of_key == sign ? bits{0} : of_key; // -0 is as 0
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

/// Elements of which every block has some, one after the other.
template <class Key, class Value> struct sorted_pass {
  const Key* keys;
  const Value* values; ///< null where there are none
  std::int64_t count;
  std::int64_t per_block;

  std::int64_t begin(int block) const { return block * per_block; }
  std::int64_t end(int block) const { return smaller(begin(block) + per_block, count); }
};

/// of_block[b]: bits in which the keys of block b differ from the first of all.
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

/// Moves elements to where their digits begin; `starts` as the counts were.
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

/// Counts become where the elements of each digit, and of each block within it, begin.
inline void begin_digits(std::int64_t* counts, int blocks) {
  std::int64_t before = 0;
  for (int d = 0; d < digits; ++d)
    for (int b = 0; b < blocks; ++b) {
      std::int64_t& here = counts[std::int64_t{b} * digits + d];
      before += std::exchange(here, before);
    }
}

template <class Executor, class Key, class Value>
requires Executor::on_host
void radix_sort(const Executor& exec, const Key* keys, const Value* values, std::int64_t count, Key* keys_out,
                Value* values_out, workspace& memory, int /*bits*/) {
  constexpr bool has_values = !std::is_same_v<Value, no_values>;
  const cpu cores(exec.threads(), exec.resource());
  const std::int64_t per_block = items_per_block(cores, count, 0);
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
  if (shifts.empty()) shifts.push_back(0); // then it is a copy

  sorted_pass<Key, Value> from{keys, values, count, per_block};
  for (std::size_t pass = 0; pass < shifts.size(); ++pass) { // the last one ends in what is asked for
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
template <class Key, class Value>
void radix_sort(const cuda& exec, const Key* keys, const Value* values, std::int64_t count, Key* keys_out,
                Value* values_out, workspace& memory, int bits) {
  const auto here = exec.on_device();
  const auto call = [&](void* scratch, std::size_t& bytes) {
    if constexpr (std::is_same_v<Value, no_values>)
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, keys_out, count, 0, bits, exec.stream());
    else
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, keys_out, values, values_out, count, 0,
                                             bits, exec.stream());
  };
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  workspace::lease lease(memory);
  EVENLY_CUDA_CHECK(call(lease.take(exec, 0, bytes).scratch, bytes));
}
#endif

/// `memory` as a pointer.
template <class Executor, class Memory>
auto elements_of(const char* name, const Memory& memory, std::int64_t count) {
  const auto reached_memory = reached<Executor>(name, memory, count);
  static_assert(std::is_pointer_v<std::remove_const_t<decltype(reached_memory)>>,
                "what is sorted lies in memory: a pointer, a span or a contiguous iterator");
  require_memory(name, reached_memory, count);
  return reached_memory;
}

} // namespace detail

/// Writes the `count` keys in[0], ..., in ascending order, to out. Both are pointers, spans or contiguous iterators to
/// memory of `exec`, apart from each other. Asynchronous on cuda. Throws invalid_argument if count is negative, they
/// overlap or are null. Cost: on cpu two passes over the keys for each byte in which they differ, and one; scratch
/// memory for as many keys.
template <class Executor, class Input, class Output>
void sort(const Executor& exec, const Input& in, std::int64_t count, const Output& out, workspace& memory) {
  using key = detail::element_of<Input>;
  static_assert(radix_key<key>, "keys are integers or floating-point numbers of 8 to 64 bits");
  static_assert(std::is_same_v<detail::element_of<Output>, key>,
                "sorted keys are of the type that they were of");
  detail::require_count(count);
  const key* const from = detail::elements_of<Executor>("in", in, count);
  key* const to = detail::elements_of<Executor>("out", out, count);
  detail::require_apart("in", from, count, "out", to, count, false);
  if (count == 0) return;
  detail::radix_sort(exec, from, static_cast<const detail::no_values*>(nullptr), count, to,
                     static_cast<detail::no_values*>(nullptr), memory, 8 * sizeof(key));
}

/// The same, with memory that lasts for the call. Allocates.
template <class Executor, class Input, class Output>
void sort(const Executor& exec, const Input& in, std::int64_t count, const Output& out) {
  workspace memory;
  sort(exec, in, count, out, memory);
}

/// Likewise, and values_out gets values[i] where keys_out gets keys[i]. Values are trivially copyable. All four arrays
/// lie apart. `bits`: of keys that are integers from 0 to 2^bits - 1, if that is known: a GPU goes over no others.
template <class Executor, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                 const KeysOut& keys_out, const ValuesOut& values_out, workspace& memory,
                 int bits = 8 * sizeof(detail::element_of<Keys>)) {
  using key = detail::element_of<Keys>;
  using value = detail::element_of<Values>;
  static_assert(radix_key<key>, "keys are integers or floating-point numbers of 8 to 64 bits");
  static_assert(std::is_same_v<detail::element_of<KeysOut>, key>,
                "sorted keys are of the type that they were of");
  static_assert(std::is_same_v<detail::element_of<ValuesOut>, value> && std::is_trivially_copyable_v<value>,
                "values are moved as they are: trivially copyable, of one type");
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
    return "bits = " + std::to_string(bits) + ": integers have 1 to " + std::to_string(all_bits) +
           ", other keys " + std::to_string(all_bits);
  });
  detail::radix_sort(exec, from, values_from, count, to, values_to, memory, bits);
}

/// The same, with memory that lasts for the call. Allocates.
template <class Executor, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                 const KeysOut& keys_out, const ValuesOut& values_out) {
  workspace memory;
  sort_by_key(exec, keys, values, count, keys_out, values_out, memory);
}

} // namespace evenly
