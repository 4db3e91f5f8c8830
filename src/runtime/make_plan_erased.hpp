// SPDX-License-Identifier: Apache-2.0
// The list of all executors for plans.
#pragma once

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/runtime/any_plan.hpp"

namespace evenly {
class cuda;
}

namespace evenly::detail {

/// Defined in make_plan.hpp; CMakeLists.txt instantiates it for each executor.
template <class Executor, class Offset>
std::unique_ptr<plan_interface<Offset>> try_make_plan(const executor_interface& exec,
                                                      const any_schedule& schedule,
                                                      const csr_tile_set<Offset>& tiles, work_kind work);

template <class Offset>
std::unique_ptr<plan_interface<Offset>> make_plan_erased(const any_executor& exec,
                                                         const any_schedule& schedule,
                                                         const csr_tile_set<Offset>& tiles, work_kind work) {
  if (auto erased = try_make_plan<cpu>(exec.erased(), schedule, tiles, work)) return erased;
#if defined(EVENLY_WITH_CUDA)
  if (auto erased = try_make_plan<cuda>(exec.erased(), schedule, tiles, work)) return erased;
#endif
  return try_make_plan<simt>(exec.erased(), schedule, tiles, work);
}

} // namespace evenly::detail
