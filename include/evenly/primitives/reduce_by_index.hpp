// SPDX-License-Identifier: Apache-2.0
// reduce_by_index: combines the values of each index: histograms, sums per group, scatter with a combination.
//
//   reduce_by_index(exec, index, values, count, plus<float>{}, out, size, memory);
//   // out[g] = the sum of values[i] with index[i] == g
//
// Indices are in any order. Values of an index are combined in their order. Every run, with any number of threads,
// returns the same bits; cpu and simt return the same ones, cuda combines in another tree.
//
// cpu and simt (not simulated): three ways.
// * At least 16 values per output: chunks combine into tables of their own, then the tables are combined. The number
//   of chunks depends on `count` and `size` alone.
// * An output larger than a cache: all cores split the values by the first digit of the index
//   (detail/host_radix_sort.hpp). One core then combines the values of each digit.
// * Otherwise one core combines value after value.
//
// cuda: a sort by index, then reduce_by_key.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/host_radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/tabulate.hpp"

#if defined(__CUDACC__)
#include "evenly/execution/cuda.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/sort.hpp"
#endif

namespace evenly {

namespace detail {

/// A negative index is greater than all sizes as an unsigned integer.
template <class Index> bool is_in_output(Index index, std::int64_t size) {
  return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(size);
}
template <class Index> void require_in_output(Index index, std::int64_t size) {
  require(is_in_output(index, size), [&] { return concat("index ", +index, " is not in [0, ", size, ")"); });
}

/// Values as elements whose keys are their indices.
template <class Index, class Values, class T> struct indexed_values {
  Index index;
  Values values;
  auto key(std::int64_t i) const { return static_cast<element_of<Index>>(index[i]); }
  keyed<element_of<Index>, T> operator[](std::int64_t i) const { return {key(i), static_cast<T>(values[i])}; }
};

/// out[key] = op(out[key], value) for the elements [begin, end).
template <class Elements, class Op, class T>
void combine_elements(const Elements& from, std::int64_t begin, std::int64_t end, const Op& op, T* out,
                      std::int64_t size) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto element = from[i];
    if (!is_in_output(element.key, size)) require_in_output(element.key, size);
    T& to = out[static_cast<std::int64_t>(element.key)];
    to = op(to, element.value);
  }
}

/// Each block combines a chunk of the elements into its own table.
template <class Elements, class Op> struct combine_chunks {
  split_parts parts;
  Elements from;
  Op op;
  typename Op::value_type* tables;
  std::int64_t size;
  template <class Block> void operator()(Block& block) const {
    auto* const table = tables + block.index() * size;
    std::fill_n(table, size, op.identity());
    combine_elements(from, parts.begin(block), parts.end(block), op, table, size);
  }
};

/// Combines an output of all tables.
template <class Op> struct combined_tables {
  Op op;
  const typename Op::value_type* tables;
  std::int64_t size;
  std::int64_t count;
  EVENLY_FN typename Op::value_type operator()(std::int64_t i) const {
    auto sum = tables[i];
    for (std::int64_t t = 1; t < count; ++t) sum = op(sum, tables[t * size + i]);
    return sum;
  }
};

/// Block d combines the elements [starts[d], starts[d + 1]), whose indices have digit d.
template <class Elements, class Op> struct combine_digits {
  Elements from;
  const std::int64_t* starts;
  int shift;
  Op op;
  typename Op::value_type* out;
  std::int64_t size;
  template <class Block> void operator()(Block& block) const {
    const std::int64_t d = block.index(), first = smaller(d << shift, size);
    std::fill_n(out + first, smaller((d + 1) << shift, size) - first, op.identity());
    combine_elements(from, starts[d], starts[d + 1], op, out, size);
  }
};

/// Splits the elements by the most significant bits of the index, then combines those of each digit.
template <class Elements, class Op>
void combine_split(const cpu& cores, const Elements& from, std::int64_t count, const Op& op,
                   typename Op::value_type* out, std::int64_t size, std::byte* scratch) {
  using index = decltype(from.key(0));
  using packed = packed_elements<index, typename Op::value_type>;
  const packed to{reinterpret_cast<decltype(packed::at)>(scratch)};
  const int bits = significant_bits(static_cast<std::uint64_t>(size - 1));
  const int width = smaller(bits, 10);
  const radix_digit digit{bits - width, width};
  const std::int64_t per_block = items_per_block(cores, count, 0);
  const split_parts parts{0, count, per_block};
  const int blocks = block_count(count, per_block);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(std::int64_t{blocks} * digit.values()));
  launch(cores, {blocks, 1}, count_block_digits<Elements>{parts, from, digit, counts.data()});
  const std::vector<std::int64_t> starts = first_places(counts, digit.values(), 0);
  launch(cores, {blocks, 1}, move_block_digits<Elements, packed>{parts, from, digit, counts.data(), to});
  launch(cores, {digit.values(), 1},
         combine_digits<packed, Op>{to, starts.data(), digit.shift, op, out, size});
}

/// Returns how large an output must be for a split to pay: larger than the cache of a core if there are enough threads
/// to share the cost of the split, otherwise much larger.
inline std::int64_t split_bytes(int threads) { return std::int64_t{1} << (threads >= 4 ? 20 : 24); }

template <class Executor, class Index, class Values, class Op>
requires Executor::on_host
void combine_by_index(const Executor& exec, const Index& index, const Values& values, std::int64_t count,
                      const Op& op, typename Op::value_type* out, std::int64_t size, workspace& memory) {
  using T = typename Op::value_type;
  using elements = indexed_values<Index, Values, T>;
  constexpr std::int64_t min_chunk = 4096, values_per_output = 16, max_chunks = 64;
  const elements from{index, values};
  const cpu cores(exec.threads(), exec.resource());
  const std::int64_t chunks =
      std::clamp<std::int64_t>(count / larger(values_per_output * size, min_chunk), 1, max_chunks);
  const std::int64_t per_chunk = larger<std::int64_t>(ceil_div(count, chunks), 1);
  const split_parts parts{0, count, per_chunk};
  workspace::lease lease(memory);
  const auto scratch = [&](std::int64_t bytes) {
    return lease.take(exec, 0, static_cast<std::size_t>(bytes)).scratch;
  };
  if (chunks > 1) {
    auto* const tables = reinterpret_cast<T*>(scratch(chunks * size * std::int64_t{sizeof(T)}));
    const std::int64_t used = ceil_div(count, per_chunk);
    launch(cores, {static_cast<int>(used), 1}, combine_chunks<elements, Op>{parts, from, op, tables, size});
    tabulate(cores, size, combined_tables<Op>{op, tables, size, used}, out);
  } else if (count > min_chunk && size > split_bytes(cores.threads()) / std::int64_t{sizeof(T)}) {
    combine_split(cores, from, count, op, out, size,
                  scratch(count * std::int64_t{sizeof(keyed<element_of<Index>, T>)}));
  } else {
    launch(cores, {1, 1}, combine_chunks<elements, Op>{parts, from, op, out, size});
  }
}

#if defined(__CUDACC__)
template <class Input, class T> struct converted_element {
  Input in;
  EVENLY_FN T operator()(std::int64_t i) const { return static_cast<T>(in[i]); }
};

template <class Op> struct identity_of {
  Op op;
  EVENLY_FN auto operator()(std::int64_t) const { return op.identity(); }
};

/// out[index[r]] = sums[r] for each run r.
template <class Index, class T> struct store_runs {
  std::int64_t count;
  std::int64_t items_per_block;
  const std::int64_t* runs;
  const Index* index;
  const T* sums;
  T* out;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * items_per_block;
    const std::int64_t last = smaller(first + items_per_block, smaller(count, *runs));
    for (std::int64_t i = first + block.rank(); i < last; i += block.size())
      out[static_cast<std::int64_t>(index[i])] = sums[i];
  }
};

template <class Index, class Values, class Op>
void combine_by_index(const cuda& exec, const Index& index, const Values& values, std::int64_t count,
                      const Op& op, typename Op::value_type* out, std::int64_t size, workspace& memory) {
  using key = element_of<Index>;
  using T = typename Op::value_type;
  tabulate(exec, size, identity_of<Op>{op}, out);
  if (count == 0) return;
  const auto n = static_cast<std::size_t>(count);
  const auto keys = make_buffer<key>(exec, n), sorted = make_buffer<key>(exec, n);
  const auto unsorted = make_buffer<T>(exec, n), moved = make_buffer<T>(exec, n);
  const auto runs = make_buffer<std::int64_t>(exec, 1);
  tabulate(exec, count, converted_element<Index, key>{index}, keys.data());
  tabulate(exec, count, converted_element<Values, T>{values}, unsorted.data());
  sort_by_key(exec, keys.data(), unsorted.data(), count, sorted.data(), moved.data(), memory);
  key least{}, greatest{};
  exec.copy_to_host(&least, sorted.data(), sizeof(key));
  exec.copy_to_host(&greatest, sorted.data() + count - 1, sizeof(key));
  require_in_output(least, size);
  require_in_output(greatest, size);
  reduce_by_key(exec, sorted.data(), moved.data(), count, op, keys.data(), unsorted.data(), runs.data(),
                memory);
  constexpr int block_size = 256;
  const std::int64_t per_block = items_per_block(exec, count, 8 * block_size);
  launch(exec, {block_count(count, per_block), block_size},
         store_runs<key, T>{count, per_block, runs.data(), keys.data(), unsorted.data(), out});
  exec.synchronize(); // before the buffers are freed
}
#endif

} // namespace detail

/// Writes out[g] = the combination of values[i] for all i with index[i] == g, in the order of i, for each g in
/// [0, size). Without such values it is the identity.
///
/// - `index`, `values`: inputs (primitives/inputs.hpp) with `count` elements. Indices are integers.
/// - `out`: a pointer, span or contiguous iterator to `size` elements of the monoid's type, which must be trivially
///   copyable. It does not overlap an input.
/// - Throws invalid_argument if an index is not in [0, size), if `count` or `size` is negative, or if an array is null
///   or overlaps `out`. `out` then has any values.
/// - Cost: O(count + size). Scratch memory on cpu: at most count / 16 values, or as many indices and values if the
///   output exceeds a cache. cuda: a sort, twice as many indices and values; it waits.
template <class Executor, class Index, class Values, monoid_argument Op, class Output>
void reduce_by_index(const Executor& exec, const Index& index, const Values& values, std::int64_t count,
                     const Op& given, const Output& out, std::int64_t size, workspace& memory) {
  const auto& op = detail::monoid_for<detail::element_of<Values>>(given);
  using T = detail::combined_input<Op, Values>;
  static_assert(detail::combinable<detail::monoid_type<Op, T>, detail::element_of<Values>>::holds);
  static_assert(std::integral<detail::element_of<Index>>, "indices must be integers");
  static_assert(std::is_trivially_copyable_v<T>, "the values of the monoid must be trivially copyable");
  detail::note_parts(exec, std::byte{}, detail::users_part(index), detail::users_part(values), op);
  detail::require_count(count);
  require(size >= 0, [&] { return detail::concat("size = ", size, ": must not be negative"); });
  const auto of = detail::reached<Executor>("index", index, count);
  const auto each = detail::reached<Executor>("values", values, count);
  const auto to = detail::written<Executor>("out", out, size);
  static_assert(std::is_same_v<std::remove_cv_t<decltype(to)>, T*>,
                "the output must be contiguous memory of the monoid's type");
  detail::require_apart("index", of, count, "out", to, size, false);
  detail::require_apart("values", each, count, "out", to, size, false);
  if (size == 0 && count == 0) return;
  detail::combine_by_index(exec, of, each, count, op, to, size, memory);
}

/// The same with a temporary workspace. Allocates.
template <class Executor, class Index, class Values, monoid_argument Op, class Output>
void reduce_by_index(const Executor& exec, const Index& index, const Values& values, std::int64_t count,
                     const Op& op, const Output& out, std::int64_t size) {
  workspace memory;
  reduce_by_index(exec, index, values, count, op, out, size, memory);
}

} // namespace evenly
