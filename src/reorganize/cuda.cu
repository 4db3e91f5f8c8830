// SPDX-License-Identifier: Apache-2.0
// Arms on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "reorganize/arms.hpp"

namespace evenly::cli {

std::string run_arms_on_cuda(const access_workload& of, const arms_options& options,
                             const take_result& take) {
  const cuda exec;
  return run_arms(exec, exec, nullptr, std::make_unique<device_timer>(options.bench.warm), of, options, take);
}

} // namespace evenly::cli
