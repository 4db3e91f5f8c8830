// SPDX-License-Identifier: Apache-2.0
// The work of threads on a GPU for one use (access_use), in a separate translation unit, because kernels take long to
// compile.
#pragma once

#include "evenly/execution/cuda.hpp"
#include "layouts/used_elements.hpp"

namespace evenly::layouts {

extern template class access_pipeline<cuda, listed_layout<cuda>, int>; // erased_layouts_cuda
extern template class access_pipeline<cuda, shared_layout<cuda>, int>;

template <access_use Use>
std::unique_ptr<use_interface<cuda>> use_on_cuda(const cuda& exec, const access_workload& of,
                                                 const buffer<int>& p) {
  return std::make_unique<used_elements<cuda, Use>>(exec, of, p);
}

} // namespace evenly::layouts
