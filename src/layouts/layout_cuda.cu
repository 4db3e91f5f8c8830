// SPDX-License-Identifier: Apache-2.0
// Layouts on a GPU.
#include "layouts/layout_bench.hpp"

namespace evenly::layouts {

template <access_use Use>
std::string run_use_on_cuda(const access_workload& of, const layouts_options& options,
                            const take_result& take); // cuda_USE.cu

std::string run_layouts_on_cuda(const access_workload& of, const layouts_options& options,
                                const take_result& take) {
  return with_use(of.use, [&]<access_use Use>() { return run_use_on_cuda<Use>(of, options, take); });
}

} // namespace evenly::layouts
