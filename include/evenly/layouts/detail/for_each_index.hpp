// SPDX-License-Identifier: Apache-2.0
// A call for every number of a range; the numbers of a block are contiguous. For outputs that tabulate() cannot write.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly::detail {

/// Calls visit(i) for every i in [0, count) of the calling thread, where each block has per_block numbers.
template <class Block, class Visit>
EVENLY_INLINE_FN void for_each_of_block(Block& block, std::int64_t per_block, std::int64_t count,
                                        const Visit& visit) {
  const std::int64_t first = block.index() * per_block, last = smaller(first + per_block, count);
  for (std::int64_t i = first + block.rank(); i < last; i += block.size()) visit(i);
}

template <class Visit> struct index_kernel {
  std::int64_t count;
  std::int64_t per_block;
  Visit visit;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for_each_of_block(block, per_block, count, [&](std::int64_t i) { visit(block, i); });
  }
};

/// Calls visit(block, i) for every i in [0, count), `each` per thread on a GPU. visit: a trivially copyable function
/// object that runs on `exec`. Asynchronous on cuda.
template <class Executor, class Visit>
void for_each_index(const Executor& exec, std::int64_t count, int each, const Visit& visit) {
  constexpr int block_size = 256;
  const std::int64_t per_block = items_per_block(exec, count, std::int64_t{each} * block_size);
  launch(exec, {block_count(count, per_block), block_size}, index_kernel<Visit>{count, per_block, visit});
}

} // namespace evenly::detail
