// SPDX-License-Identifier: Apache-2.0
// The pools that a workload is compiled for.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/tasks/registry.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

/// Calls visit(name, pool) for each pool. Where kernels are only compiled, chains have the kernels of every pool, other
/// workloads those of one.
template <class What, class Visit> void for_each_compiled_pool(const Visit& visit) {
  if constexpr (detail::only_compiles_kernels && !std::is_same_v<What, chain_workload>)
    visit("stealing", stealing{});
  else
    for_each_pool(visit);
}

} // namespace evenly::tasks
