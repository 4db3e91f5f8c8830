// SPDX-License-Identifier: Apache-2.0
// The experiments with multi-phase mapping by itself: section 5.1 and figure 11 of Busato & Bombieri (TPDS 2017).
#pragma once

#include <optional>

#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::executor_kind, measure::update_problem;

/// A bench whose candidates are experiments: `name` is the experiment, `title` the variant.
///   supply       per_chunk, resident, several_per_resident: the launch shapes of figure 11
///   stages       load; load and search; whole: the expansion with stages left out
///   searches     1 to 8 of each thread in a chunk
///   partition    binary, interpolation: the partition alone
///   block_size   partition, expansion; these alone for blocks of a given size, the others for blocks of size 0, the
///                schedule's own
/// `p` must outlive it. Throws device_error where there is no such executor; nothing for cpu, where there are no
/// phases.
std::optional<bench> make_phase_bench(executor_kind kind, const update_problem& p,
                                      const bench_options& options);

/// One for each executor; make_phase_bench chooses.
bench make_simt_phase_bench(const update_problem& p, const bench_options& options);
bench make_cuda_phase_bench(const update_problem& p, const bench_options& options);

} // namespace evenly::study
