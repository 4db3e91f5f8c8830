// SPDX-License-Identifier: Apache-2.0
// Every pool there is, by name: what the program compares and the tests go through. A new pool is one header and one
// line here.
#pragma once

#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/blocking_queue.hpp"
#include "evenly/tasks/lock_free_queue.hpp"
#include "evenly/tasks/static_list.hpp"
#include "evenly/tasks/stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"

namespace evenly {

/// Calls visit(name, pool) for each, with default parameters.
template <class Visit> void for_each_pool(Visit&& visit) {
  visit("static_list", static_list{});
  visit("static_list_launches", static_list{.launches = true});
  visit("blocking_queue", blocking_queue{});
  visit("lock_free_queue", lock_free_queue{});
  visit("stealing", stealing{});
  visit("ticket_ring", ticket_ring{});
  visit("batched_stealing", batched_stealing{});
}

} // namespace evenly
