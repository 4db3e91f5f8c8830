// SPDX-License-Identifier: Apache-2.0
// Limits of runs of tasks on the host. Memory of pools and stacks of simulated threads are refused before they are
// allocated, if less is available: otherwise the system ends the process when it writes to the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

namespace evenly::tasks {

/// Forwards requests to `upstream`, which must outlive it. Requests for more than the available memory throw
/// host::memory_error.
std::unique_ptr<std::pmr::memory_resource> limited_memory(std::pmr::memory_resource* upstream);

/// Throws host::memory_error if stacks of `bytes` bytes for `threads` simulated threads exceed the available memory.
void require_stacks(std::int64_t threads, std::size_t bytes);

/// An executor whose allocations and, if it is simulated, stacks are limited. The limit must outlive the memory.
template <class Executor> struct limited_executor {
  std::shared_ptr<std::pmr::memory_resource> limit;
  Executor exec;

  /// blocks, block_size: those of the run; 0: the default.
  limited_executor(const Executor& of, int blocks, int block_size)
      : limit(limited_memory(of.resource())), exec(Executor::on_host ? of.with_resource(limit.get()) : of) {
    constexpr int default_block_size = 128;
    if constexpr (Executor::on_host && !Executor::serial_blocks)
      require_stacks(std::int64_t{blocks} * (block_size > 0 ? block_size : default_block_size),
                     of.options().stack_bytes);
  }
};

} // namespace evenly::tasks
