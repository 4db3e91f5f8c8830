// SPDX-License-Identifier: Apache-2.0
#include "cli/bench.hpp"

#include "evenly/core/errors.hpp"

namespace evenly::cli {

#if !defined(EVENLY_WITH_CUDA)
cuda_status find_cuda() { return {false, "this program was built without CUDA"}; }
#endif

std::string name_of(executor_kind kind) {
  switch (kind) {
  case executor_kind::cpu:
    return "cpu";
  case executor_kind::simt:
    return "simt";
  case executor_kind::cuda:
    break;
  }
  return "cuda";
}

std::unique_ptr<bench> make_bench(executor_kind kind, const problem& p, const bench_options& options) {
  if (kind == executor_kind::cpu) return make_cpu_bench(p, options);
  if (kind == executor_kind::simt) return make_simt_bench(p, options);
#if defined(EVENLY_WITH_CUDA)
  if (find_cuda().usable) return make_cuda_bench(p, options);
#endif
  throw device_error("the executor cuda cannot be used: " + find_cuda().text);
}

} // namespace evenly::cli
