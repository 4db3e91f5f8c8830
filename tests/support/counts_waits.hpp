// SPDX-License-Identifier: Apache-2.0
// The cpu executor as a GPU is for the host: memory that the host does not read.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "evenly/execution/cpu.hpp"

namespace evenly {

/// Counts how often the host waits for it.
class counts_waits : public cpu {
 public:
  static constexpr bool on_host = false;

  counts_waits(int* waits, std::pmr::memory_resource* memory) : cpu(2, memory), waits_(waits) {}
  int device() const { return 0; }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    ++*waits_;
    cpu::copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    ++*waits_;
    cpu::copy_from_host(to, from, bytes);
  }
  void synchronize() const { ++*waits_; }

 private:
  int* waits_;
};

} // namespace evenly
