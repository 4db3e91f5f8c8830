// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/cpu.hpp"

namespace evenly::detail {

template void plan_on<cpu, int>::expand(std::span<int>);
template void plan_on<cpu, int>::update(std::span<int>);
template planned_launch plan_on<cpu, int>::launch() const;

} // namespace evenly::detail
