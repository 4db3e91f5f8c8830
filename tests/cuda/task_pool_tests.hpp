// SPDX-License-Identifier: Apache-2.0
// The laws of tests/tasks/task_laws.hpp for one pool on a GPU: a few blocks and many, and a full grid.
#pragma once

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "tasks/task_laws.hpp"

namespace evenly::task_laws {

inline task_options of_blocks(int blocks) {
  task_options options;
  options.blocks = blocks;
  return options;
}

/// Small enough for compute-sanitizer.
template <class Pool> void expect_few_on_cuda(const Pool& pool) {
  const evenly::cuda exec;
  for (const int blocks : {1, 3})
    for (const int capacity : {-1, 0, 3}) {
      const task_options with = with_capacity(of_blocks(blocks), capacity);
      expect_tree<tasks::each_thread>(exec, pool, 500, 3, 1, with);
      expect_tree<tasks::each_thread>(exec, pool, 20, 1, 1, with);
      expect_tree<tasks::each_block>(exec, pool, 40, 3, 1, with);
    }
}

/// All that have room.
template <class Pool> void expect_many_on_cuda(const Pool& pool) {
  const evenly::cuda exec;
  for (const int capacity : {-1, 0, 1, 1000}) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    for (int repeat = 0; repeat < 3; ++repeat)
      expect_tree<tasks::each_thread>(exec, pool, 200'000, 4, 1, with_capacity({}, capacity));
    expect_tree<tasks::each_block>(exec, pool, 3'000, 4, 1, with_capacity({}, capacity));
  }
  expect_tree<tasks::each_thread>(exec, pool, 100'000, 0, 100'000, {});
  expect_answers(exec, pool, {}, 24, 10, 724, 35'539);
  expect_answers(exec, pool, of_blocks(1), 15, 6, 4, 153);
  expect_burst(exec, pool, of_blocks(8), 20'000);
  task_options small = of_blocks(2);
  small.stack = 34; // 32 lanes and the children of one
  expect_deep_tree<tasks::each_thread>(exec, pool, small, 2000);
  expect_large_tree<tasks::each_thread, 2048>(exec, pool, of_blocks(2), 3000);
  expect_profile(exec, tasks::profiled<Pool>{pool}, {});
  expect_plain_is_not_profiled(exec, pool);
}

} // namespace evenly::task_laws
