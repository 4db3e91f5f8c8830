// SPDX-License-Identifier: Apache-2.0
// Deprecated: the names of this folder in namespace evenly, as in earlier releases. For programs that still use them;
// evenly/evenly.hpp does not include this header.
#pragma once

#include "evenly/tasks/fork_join.hpp"
#include "evenly/tasks/registry.hpp"

namespace evenly {

using tasks::check, tasks::each_block, tasks::each_thread, tasks::each_warp, tasks::for_each_pool,
    tasks::frame_overflow, tasks::in_step, tasks::join_results, tasks::join_sink, tasks::pool_memory,
    tasks::pool_shape, tasks::task_function, tasks::task_lanes, tasks::task_order, tasks::task_outcome,
    tasks::task_overflow, tasks::task_pool, tasks::task_progress, tasks::task_sink, tasks::tasks_in,
    tasks::victims, tasks::worker_statistics;

} // namespace evenly
