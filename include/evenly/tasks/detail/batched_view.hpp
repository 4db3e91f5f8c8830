// SPDX-License-Identifier: Apache-2.0
// batched_stealing_view: the memory of batched_stealing.
#pragma once

#include <cstdint>

#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/tasks/detail/worker.hpp"

namespace evenly::detail {

/// batched_stealing as kernels see it.
template <class T> struct batched_stealing_view {
  static constexpr bool keeps_tasks = true;
  static constexpr bool has_shares = true;
  static constexpr int boxes_of_worker = 2; ///< for gifts from the block, and from the grid
  struct slots {
    slot<std::uint32_t> idle; ///< one word: a bit for each worker of the block
    slot<std::uint32_t> mail; ///< of each worker: tasks in its first box
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, int workers) {
    return {layout.take<std::uint32_t>(1), layout.take<std::uint32_t>(workers)};
  }

  std::uint32_t* asking; ///< a bit for each worker
  task_word* flags;      ///< of each worker: tasks in its second box, or done
  task_word* broadcast;  ///< one word: whether a worker has raised all flags to end the run early
  T* boxes;
  T* rings;
  int box;  ///< tasks in a box
  int ring; ///< tasks in a ring
  int give_from;
  std::int64_t busy_blocks; ///< at the beginning

  template <class Worker> class exchange;
};

} // namespace evenly::detail
