// SPDX-License-Identifier: Apache-2.0
#include "evenly/execution/cpu.hpp"
#include "runtime/make_plan.hpp"

namespace evenly::detail {

template std::unique_ptr<held_plan<std::int64_t>>
hold_plan_if<cpu>(const held_executor&, const any_schedule&, const csr_tile_set<std::int64_t>&, work_kind);

} // namespace evenly::detail
