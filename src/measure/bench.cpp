// SPDX-License-Identifier: Apache-2.0
#include "measure/bench.hpp"

#include "evenly/core/errors.hpp"

namespace evenly::measure {

#if !defined(EVENLY_WITH_CUDA)
cuda_status find_cuda() { return {false, EVENLY_NO_CUDA_REASON}; }
#endif

std::vector<executor_kind> usable_executors() {
  std::vector<executor_kind> kinds{executor_kind::cpu, executor_kind::simt};
  if (find_cuda().usable) kinds.insert(kinds.begin(), executor_kind::cuda);
  return kinds;
}

executor_kind usual_executor() { return find_cuda().usable ? executor_kind::cuda : executor_kind::cpu; }

void require_executor(executor_kind kind) {
  if (kind != executor_kind::cuda) return;
  if (const cuda_status cuda = find_cuda(); !cuda.usable)
    throw device_error("the executor cuda cannot be used: " + cuda.text);
}

} // namespace evenly::measure
