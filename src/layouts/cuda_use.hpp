// SPDX-License-Identifier: Apache-2.0
// Layouts on a GPU for one use (access_use), in a separate translation unit, because kernels take long to compile.
#pragma once

#include "evenly/execution/cuda.hpp"
#include "layouts/run_layouts.hpp"
#include "measure/device_timer.hpp"

namespace evenly::layouts {

extern template class access_pipeline<cuda, listed_layout<cuda>, int>; // erased_layouts_cuda
extern template class access_pipeline<cuda, shared_layout<cuda>, int>;

using measure::device_timer;

template <access_use Use>
std::string run_use_on_cuda(const access_workload& of, const layouts_options& options,
                            const take_result& take) {
  const cuda exec;
  return run_layouts_of<Use>(exec, exec, nullptr, std::make_unique<device_timer>(options.bench.warm), of,
                             options, take);
}

} // namespace evenly::layouts
