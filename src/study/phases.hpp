// SPDX-License-Identifier: Apache-2.0
// Experiments with multi-phase mapping alone: section 5.1 and figure 11 of Busato & Bombieri (TPDS 2017).
#pragma once

#include <optional>

#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::executor_kind, measure::update_problem;

/// A bench whose candidates are experiments: `name` is the experiment, `title` the variant.
///   supply       per_chunk, resident, several_per_resident: the launch shapes of figure 11
///   stages       load; load and search; whole: the expansion without later stages
///   searches     1 to 8 per thread and chunk
///   partition    binary, interpolation: the partition alone
///   block_size   partition, expansion, for blocks of a given size; the other experiments have size 0, the default of
/// the
///                schedule
/// `p` must outlive the bench. Throws device_error if the executor is not available; returns nothing for cpu, which has
/// no phases.
std::optional<bench> make_phase_bench(executor_kind kind, const update_problem& p,
                                      const bench_options& options);

/// One function per executor, for make_phase_bench.
bench make_simt_phase_bench(const update_problem& p, const bench_options& options);
bench make_cuda_phase_bench(const update_problem& p, const bench_options& options);

} // namespace evenly::study
