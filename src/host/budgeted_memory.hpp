// SPDX-License-Identifier: Apache-2.0
// A memory resource that refuses requests above the available memory, before allocating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"

namespace evenly::host {

/// The purpose of the memory, as the error describes it, and the reserve that must stay available.
struct memory_purpose {
  std::string name;
  std::string remedy = {};  ///< follows the amounts; may be empty
  std::int64_t reserve = 0; ///< bytes that are allocated elsewhere later
};

/// Forwards requests to `upstream`, which must outlive it. Compares the bytes in use plus `reserve` with the memory
/// that was available at the start, because allocated pages that are not yet written still count as available. Not
/// thread-safe. allocate throws host::memory_error.
class budgeted_memory final : public std::pmr::memory_resource {
 public:
  budgeted_memory(std::pmr::memory_resource* upstream, memory_purpose purpose)
      : upstream_(upstream), purpose_(std::move(purpose)), at_start_(available_memory()) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const auto needed = in_use_ + static_cast<std::int64_t>(bytes) + purpose_.reserve;
    if (const auto shortage = memory_shortage(needed, at_start_))
      throw memory_error(purpose_.name + ": " + *shortage + purpose_.remedy);
    void* const memory = upstream_->allocate(bytes, alignment);
    in_use_ += static_cast<std::int64_t>(bytes);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= static_cast<std::int64_t>(bytes);
    upstream_->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  memory_purpose purpose_;
  host::memory_left at_start_;
  std::int64_t in_use_ = 0;
};

} // namespace evenly::host
