// SPDX-License-Identifier: Apache-2.0
// Arms on a GPU, for one use (access_use): a translation unit for each, since kernels take long to compile.
#pragma once

#include "evenly/execution/cuda.hpp"
#include "layouts/arms.hpp"
#include "measure/device_timer.hpp"

namespace evenly {

extern template class access_pipeline<cuda, cli::listed_arm<cuda>, int>; // held_arms_cuda
extern template class access_pipeline<cuda, cli::shared_arm<cuda>, int>;

} // namespace evenly

namespace evenly::cli {

template <access_use Use>
std::string run_use_on_cuda(const access_workload& of, const arms_options& options, const take_result& take) {
  const cuda exec;
  return run_arms_of<Use>(exec, exec, nullptr, std::make_unique<device_timer>(options.bench.warm), of,
                          options, take);
}

} // namespace evenly::cli
