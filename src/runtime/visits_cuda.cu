// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/cuda.hpp"

namespace evenly::detail {

template void plan_on<cuda, int>::expand(std::span<int>);
template void plan_on<cuda, int>::update(std::span<int>);
template planned_launch plan_on<cuda, int>::launch() const;

} // namespace evenly::detail
