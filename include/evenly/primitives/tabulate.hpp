// SPDX-License-Identifier: Apache-2.0
// tabulate: an array from a formula. Other primitives run on such arrays, so that they are compiled once instead of
// once per formula.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly {

/// The kernel of tabulate. Consecutive threads write consecutive elements.
template <class T, class Formula> struct tabulate_kernel {
  std::int64_t count;
  std::int64_t items_per_block;
  Formula formula;
  T* out;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * items_per_block;
    const std::int64_t last = smaller(first + items_per_block, count);
    for (std::int64_t i = first + block.rank(); i < last; i += block.size())
      out[i] = static_cast<T>(formula(i));
  }
};

/// Writes out[i] = formula(i) for every i in [0, count). `formula`: a trivially copyable function object that runs on
/// `exec`. Asynchronous on cuda. Throws invalid_argument if count is negative, or if `out` is null and count is not 0.
template <class Executor, class T, class Formula>
void tabulate(const Executor& exec, std::int64_t count, const Formula& formula, T* out) {
  constexpr int block_size = 256;
  detail::require_count(count);
  detail::require_memory("out", out, count);
  detail::note_parts(exec, std::byte{}, formula);
  const std::int64_t per_block = items_per_block(exec, count, 8 * block_size);
  launch(exec, {block_count(count, per_block), block_size},
         tabulate_kernel<T, Formula>{count, per_block, formula, out});
}

namespace detail {

/// A formula that returns its index.
struct same_number {
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return i; }
};

} // namespace detail

} // namespace evenly
