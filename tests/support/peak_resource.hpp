// SPDX-License-Identifier: Apache-2.0
// A memory resource that records the maximum of the bytes in use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace evenly {

class peak_resource : public std::pmr::memory_resource {
 public:
  std::int64_t in_use = 0, peak = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    in_use += static_cast<std::int64_t>(bytes);
    peak = std::max(peak, in_use);
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use -= static_cast<std::int64_t>(bytes);
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

} // namespace evenly
