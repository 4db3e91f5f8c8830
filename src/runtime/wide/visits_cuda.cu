// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/cuda.hpp"

namespace evenly::detail {

template void plan_on<cuda, std::int64_t>::expand(std::span<int>);
template void plan_on<cuda, std::int64_t>::update(std::span<int>);
template std::vector<planned_launch> plan_on<cuda, std::int64_t>::launches() const;

} // namespace evenly::detail
