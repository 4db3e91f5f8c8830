// SPDX-License-Identifier: Apache-2.0
// The options of commands that run tasks under a choice of pools.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "measure/usage_error.hpp"
#include "tasks/pool_settings.hpp"

namespace evenly::tasks {

/// Adds --blocks, --block-size, --capacity, --stack, --lazy and --victims. `pools`: the names of the chosen pools,
/// which the command stores; empty: all.
inline void add_pool_options(cli::command& to, int& blocks, pool_settings& settings,
                             const std::vector<std::string>& pools, int min_stack = 1) {
  constexpr int max_tasks = 1'000'000'000;
  static const cli::choices<victims> orders{{"in_turn", victims::in_turn}, {"random", victims::random}};
  const auto where_chosen = [&pools](std::string_view pool) {
    return [&pools, pool] {
      return pools.empty() || std::ranges::count(pools, pool) > 0 ? cli::everywhere : cli::nowhere;
    };
  };
  to.add("--blocks N", blocks, {1, 1024},
         "number of persistent blocks (default: as many as run at the same time)");
  to.add(
        "--block-size N",
        [&settings](const std::string& text) {
          constexpr int warp = 32;
          settings.block_size = cli::parse_count("--block-size", text, {1, 32 * warp});
          if (settings.block_size > warp && settings.block_size % warp != 0)
            throw measure::usage_error("--block-size " + text +
                                       ": must be a multiple of 32, or less than 32");
        },
        "threads per block: whole warps of 32, or fewer (default: the body's, on simt at most 128)")
      .effective(cli::on_simt);
  to.add(
      "--capacity N",
      [&settings](const std::string& text) {
        settings.capacity = cli::parse_count("--capacity", text, {0, max_tasks});
      },
      "capacity of a pool, in tasks; if each worker has its own queue, they get equal parts of it (default: "
      "the "
      "pool's own)");
  to.add("--stack N", settings.stack, {min_stack, max_tasks},
         "tasks on the private stack of a worker (default: up to 1024, less for large tasks)");
  to.add(
        "--lazy N",
        [&settings](const std::string& text) {
          settings.lazy = cli::parse_count("--lazy", text, {1, max_tasks});
        },
        "lock_free_queue: head and tail advance at every N-th position (default: 32)")
      .effective(where_chosen("lock_free_queue"));
  to.add(
        "--victims ORDER",
        [&settings](const std::string& name) {
          settings.order_of_victims = cli::pick(orders, "an order", name);
        },
        "stealing: the order in which a worker tries others, in_turn or random (default: in_turn)")
      .completes(cli::names(orders))
      .effective(where_chosen("stealing"));
}

} // namespace evenly::tasks
