// SPDX-License-Identifier: Apache-2.0
// All pools by name. The program compares them, and the tests run on each. A new pool needs one header and one line
// here.
#pragma once

#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/blocking_queue.hpp"
#include "evenly/tasks/lock_free_queue.hpp"
#include "evenly/tasks/scalable_queue.hpp"
#include "evenly/tasks/static_list.hpp"
#include "evenly/tasks/stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"

namespace evenly::tasks {

/// Calls visit(name, pool) for each pool, with default parameters.
template <class Visit> void for_each_pool(Visit&& visit) {
  visit("static_list", static_list{});
  visit("static_list_launches", static_list{.launches = true});
  visit("blocking_queue", blocking_queue{});
  visit("lock_free_queue", lock_free_queue{});
  visit("stealing", stealing{});
  visit("ticket_ring", ticket_ring{});
  visit("scalable_queue", scalable_queue{});
  visit("batched_stealing", batched_stealing{});
}

} // namespace evenly::tasks
