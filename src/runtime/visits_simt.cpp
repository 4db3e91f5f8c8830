// SPDX-License-Identifier: Apache-2.0
#include "runtime/visits.hpp"

#include "evenly/execution/simt.hpp"

namespace evenly::detail {

template void plan_on<simt, int>::expand(std::span<int>);
template void plan_on<simt, int>::update(std::span<int>);
template std::vector<planned_launch> plan_on<simt, int>::launches() const;

} // namespace evenly::detail
