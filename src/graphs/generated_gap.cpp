// SPDX-License-Identifier: Apache-2.0
#include "graphs/generated_gap.hpp"

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "host/errors.hpp"
#include "measure/usage_error.hpp"

#if defined(EVENLY_WITH_CUDA)
#include "evenly/execution/cuda.hpp"
#endif

namespace evenly::graphs {

using measure::executor_kind;

void require_memory(const gap_shape& shape, const host::memory_left& left) {
  // Three 64-bit numbers for each entry: drawn, sorted, and the memory of the sort on a GPU.
  const std::int64_t bytes = 48 * shape.edges() + 16 * shape.vertices();
  if (const auto shortage = host::memory_shortage(bytes, left))
    throw host::memory_error(fmt::format("a generated graph of {} vertices and {} edges: {}",
                                         shape.vertices(), shape.edges(), *shortage));
}

std::unique_ptr<generated_gap> generate_gap(executor_kind kind, const gap_shape& shape,
                                            const measure::bench_options& options) {
  measure::require_executor(kind);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return generated_gap_on<cuda>(shape, options);
#endif
  if (kind == executor_kind::cpu) return generated_gap_on<cpu>(shape, options);
  throw measure::usage_error("simt simulates graphs with at most 2^31 - 1 entries; use cpu or cuda");
}

} // namespace evenly::graphs
