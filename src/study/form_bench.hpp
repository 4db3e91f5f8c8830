// SPDX-License-Identifier: Apache-2.0
// Benches of techniques that evenly::runtime does not have.
#pragma once

#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::update_problem;

/// The paper's own forms of techniques on simt, as candidates. `p` must outlive the bench.
bench make_simt_form_bench(const update_problem& p, const bench_options& options);

/// A bench on cuda of all techniques and the paper's own forms, each compiled for the block sizes 64, 128, 256 and 512.
using compiled_bench_maker = bench (*)(const update_problem& p, const bench_options& options);
/// Null except in the program evenly-study-compiled: these kernels take minutes to compile.
compiled_bench_maker& compiled_bench();

} // namespace evenly::study
