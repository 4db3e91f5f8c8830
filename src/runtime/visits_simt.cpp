// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/simt.hpp"

namespace evenly::detail {

template void plan_on<simt, int>::expand(std::span<int>);
template void plan_on<simt, int>::update(std::span<int>);
template planned_launch plan_on<simt, int>::launch() const;

} // namespace evenly::detail
