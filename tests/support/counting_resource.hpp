// SPDX-License-Identifier: Apache-2.0
// A memory resource that counts requested, current and maximum bytes, and can let a request fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

namespace evenly {

class counting_resource : public std::pmr::memory_resource {
 public:
  int allocations = 0;
  std::size_t bytes_out = 0;
  std::int64_t peak = 0; ///< the maximum of bytes_out so far
  int fail_at = -1;      ///< this allocation, counted from 0, throws std::bad_alloc

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (allocations++ == fail_at) throw std::bad_alloc();
    bytes_out += bytes;
    peak = std::max(peak, static_cast<std::int64_t>(bytes_out));
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    bytes_out -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

} // namespace evenly
