// SPDX-License-Identifier: Apache-2.0
// Layouts on a GPU.
#include "evenly/execution/cuda.hpp"
#include "layouts/run_layouts.hpp"
#include "measure/device_timer.hpp"

namespace evenly::layouts {

extern template class access_pipeline<cuda, listed_layout<cuda>, int>; // erased_layouts_cuda
extern template class access_pipeline<cuda, shared_layout<cuda>, int>;

using measure::device_timer;

template <access_use Use>
std::unique_ptr<use_interface<cuda>> use_on_cuda(const cuda& exec, const access_workload& of,
                                                 const buffer<int>& p); // USE_cuda.cu

std::string run_layouts_on_cuda(const access_workload& of, const layouts_options& options,
                                const take_result& take) {
  const cuda exec;
  const auto make_use = [&](const buffer<int>& p) {
    return with_use(of.use, [&]<access_use Use>() { return use_on_cuda<Use>(exec, of, p); });
  };
  return run_layouts(exec, exec, nullptr, std::make_unique<device_timer>(options.bench.warm), of, options,
                     take, make_use);
}

} // namespace evenly::layouts
