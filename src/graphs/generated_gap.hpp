// SPDX-License-Identifier: Apache-2.0
// Graphs of the GAP benchmark suite with more entries than a csr_matrix has: generated on the executor, with numbers of
// edges of 64 bits, and checked there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "generate/gap_draws.hpp"
#include "graphs/gap_steps.hpp"
#include "host/memory_limits.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

using generate::gap_graph, generate::gap_shape;

/// Throws host::memory_error if there is too little memory to generate the graph.
void require_memory(const gap_shape& shape, const host::memory_left& left);

class generated_gap {
 public:
  virtual ~generated_gap() = default;
  virtual measure::timer& time() = 0;
  virtual std::int64_t vertices() const = 0;
  virtual std::int64_t entries() const = 0; ///< each edge in both directions
  /// The trials of a kernel. They write bytes and number of `result`, which outlives them, as does this object.
  /// delta: the width of buckets of sssp; 0: chosen.
  virtual gap_steps steps(const std::string& kernel, double delta, gap_result& result) = 0;
};

/// Generates a graph. Throws host::memory_error if the executor has too little memory, device_error if it is not
/// available, and measure::usage_error for simt.
std::unique_ptr<generated_gap> generate_gap(measure::executor_kind kind, const gap_shape& shape,
                                            const measure::bench_options& options);

/// The same for a known executor. Instantiated in separate translation units.
template <class Executor>
std::unique_ptr<generated_gap> generated_gap_on(const gap_shape& shape,
                                                const measure::bench_options& options);

} // namespace evenly::graphs
