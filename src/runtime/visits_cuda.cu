// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/cuda.hpp"

namespace evenly::detail {

template void plan_on<cuda, int>::expand(std::span<int>);
template void plan_on<cuda, int>::update(std::span<int>);
template std::vector<planned_launch> plan_on<cuda, int>::launches() const;

} // namespace evenly::detail
