// SPDX-License-Identifier: Apache-2.0
#include "tasks/limited_memory.hpp"

#include <fmt/format.h>

#include "host/budgeted_memory.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "measure/text.hpp"

namespace evenly::tasks {

std::unique_ptr<std::pmr::memory_resource> limited_memory(std::pmr::memory_resource* upstream) {
  return std::make_unique<host::budgeted_memory>(
      upstream, host::memory_purpose{.name = "tasks", .remedy = "; decrease --capacity"});
}

void require_stacks(std::int64_t threads, std::size_t bytes) {
  if (const auto shortage = host::memory_shortage(threads * static_cast<std::int64_t>(bytes)))
    throw host::memory_error(
        fmt::format("stacks of {} simulated threads: {}; decrease --blocks or --block-size",
                    measure::grouped(threads), *shortage));
}

} // namespace evenly::tasks
