// SPDX-License-Identifier: Apache-2.0
#include "measure/bench.hpp"

namespace evenly::measure {

bench make_bench(executor_kind kind, const problem& p, const bench_options& options) {
  require_executor(kind);
  if (kind == executor_kind::cpu) return make_cpu_bench(p, options);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make_cuda_bench(p, options);
#endif
  return make_simt_bench(p, options);
}

} // namespace evenly::measure
