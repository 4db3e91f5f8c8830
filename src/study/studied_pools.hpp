// SPDX-License-Identifier: Apache-2.0
// The pools of Cederman & Tsigas, and their lock as printed.
#pragma once

#include "evenly/tasks/registry.hpp"
#include "study/bare_lock_queue.hpp"

namespace evenly::study {

/// Calls visit(name, pool) for each pool. static_list also runs in one launch.
struct studied_pools {
  template <class Visit> void operator()(const Visit& visit) const {
    visit("static_list", static_list{});
    visit("static_list_launches", static_list{.launches = true});
    visit("blocking_queue", blocking_queue{});
    visit("bare_lock_queue", bare_lock_queue{});
    visit("lock_free_queue", lock_free_queue{});
    visit("stealing", stealing{});
  }
};
inline constexpr studied_pools for_each_studied_pool{};

} // namespace evenly::study
