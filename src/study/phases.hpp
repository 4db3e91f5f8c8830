// SPDX-License-Identifier: Apache-2.0
// Experiments with multi-phase mapping alone: section 5.1 and figure 11 of Busato & Bombieri (TPDS 2017).
#pragma once

#include <map>
#include <string>

#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::update_problem;

/// What the compiler made of a kernel.
struct kernel_facts {
  int registers = 0; ///< of a thread; 0: unknown
  int spilled = 0;   ///< bytes of a thread in local memory
};
/// By experiment and variant, with a blank between.
using phase_facts = std::map<std::string, kernel_facts>;

/// A bench whose candidates are experiments: `name` is the experiment, `title` the variant.
///   supply       per_chunk, resident, several_per_resident: the launch shapes of figure 11
///   stages       load; load and search; whole: the expansion without later stages
///   searches     1 to 8 per thread and chunk
///   without      nothing, or one of the optimizations of section 3.3
///   partition    binary, interpolation: the partition alone
///   block_size   partition, expansion, for blocks of a given size; the other experiments have size 0, the default of
///                the schedule
/// `facts` are those of candidates that were prepared. `p` and `facts` must outlive the bench. Throws device_error if
/// the executor is not available. cpu has no phases.
bench make_simt_phase_bench(const update_problem& p, const bench_options& options, phase_facts& facts);
bench make_cuda_phase_bench(const update_problem& p, const bench_options& options, phase_facts& facts);

} // namespace evenly::study
