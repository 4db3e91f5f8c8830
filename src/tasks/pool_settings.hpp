// SPDX-License-Identifier: Apache-2.0
// Options of task pools that a user may set, and their effect on a pool.
#pragma once

#include <cstdint>
#include <optional>

#include "evenly/tasks/report.hpp"
#include "evenly/tasks/stealing.hpp"

namespace evenly::tasks {

struct pool_settings {
  int block_size = 0;                     ///< threads of a block; 0: the default of the body
  int stack = 0;                          ///< tasks of a private stack; 0: depends on their size
  std::optional<std::int64_t> capacity{}; ///< tasks in the pool's memory
  std::optional<int> lazy{};              ///< of pools with such a member
  std::optional<victims> order_of_victims{};
  bool profile = false; ///< whether a profiled run follows the timed ones (tasks/profiled_run.hpp)

  /// Returns the options of a timed run in `blocks` blocks.
  task_options options(int blocks) const {
    task_options made;
    made.blocks = blocks;
    made.block_size = block_size;
    made.stack = stack;
    made.capacity = capacity;
    return made;
  }
  /// Returns the pool with the settings that it has.
  template <class Pool> Pool apply(Pool pool) const {
    if constexpr (requires { pool.lazy; }) pool.lazy = lazy.value_or(pool.lazy);
    if constexpr (requires { pool.order_of_victims; })
      pool.order_of_victims = order_of_victims.value_or(pool.order_of_victims);
    return pool;
  }
};

} // namespace evenly::tasks
