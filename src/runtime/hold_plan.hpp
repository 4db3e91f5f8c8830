// SPDX-License-Identifier: Apache-2.0
// The place that knows all executors which a plan may be on.
#pragma once

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/runtime/any_plan.hpp"

namespace evenly {
class cuda;
}

namespace evenly::detail {

/// As in make_plan.hpp, which CMakeLists.txt instantiates for each executor.
template <class Executor, class Offset>
std::unique_ptr<held_plan<Offset>> hold_plan_if(const held_executor& exec, const any_schedule& schedule,
                                                const csr_tile_set<Offset>& tiles, work_kind work);

template <class Offset>
std::unique_ptr<held_plan<Offset>> hold_plan(const any_executor& exec, const any_schedule& schedule,
                                             const csr_tile_set<Offset>& tiles, work_kind work) {
  if (auto held = hold_plan_if<cpu>(exec.held(), schedule, tiles, work)) return held;
#if defined(EVENLY_WITH_CUDA)
  if (auto held = hold_plan_if<cuda>(exec.held(), schedule, tiles, work)) return held;
#endif
  return hold_plan_if<simt>(exec.held(), schedule, tiles, work);
}

} // namespace evenly::detail
