// SPDX-License-Identifier: Apache-2.0
#include "study/phases.hpp"

namespace evenly::study {

using measure::require_executor;

std::optional<bench> make_phase_bench(executor_kind kind, const update_problem& p,
                                      const bench_options& options) {
  require_executor(kind);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make_cuda_phase_bench(p, options);
#endif
  if (kind == executor_kind::simt) return make_simt_phase_bench(p, options);
  return {};
}

} // namespace evenly::study
