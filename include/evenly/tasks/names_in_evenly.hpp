// SPDX-License-Identifier: Apache-2.0
// Deprecated: the names of this folder in namespace evenly, as in earlier releases. For programs that still use them;
// evenly/evenly.hpp does not include this header.
#pragma once

#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/blocking_queue.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/fork_join.hpp"
#include "evenly/tasks/joining.hpp"
#include "evenly/tasks/lock_free_queue.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/registry.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/scalable_queue.hpp"
#include "evenly/tasks/sink.hpp"
#include "evenly/tasks/static_list.hpp"
#include "evenly/tasks/stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"

namespace evenly {

using tasks::check, tasks::each_block, tasks::each_thread, tasks::each_warp, tasks::for_each_pool,
    tasks::frame_overflow, tasks::in_step, tasks::join_results, tasks::join_sink, tasks::pool_memory,
    tasks::pool_shape, tasks::task_function, tasks::task_lanes, tasks::task_order, tasks::task_outcome,
    tasks::task_overflow, tasks::task_pool, tasks::task_progress, tasks::task_sink, tasks::tasks_in,
    tasks::victims, tasks::worker_statistics;

} // namespace evenly
