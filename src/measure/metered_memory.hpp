// SPDX-License-Identifier: Apache-2.0
// A memory resource that counts the bytes in use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>

namespace evenly::measure {

/// Forwards requests to `upstream`, which must outlive it. Not thread-safe.
class metered_memory : public std::pmr::memory_resource {
 public:
  explicit metered_memory(std::pmr::memory_resource* upstream) : upstream_(upstream) {}

  std::size_t in_use() const { return in_use_; } ///< bytes
  std::size_t peak() const { return peak_; }     ///< the maximum of in_use so far

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = upstream_->allocate(bytes, alignment);
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= bytes;
    upstream_->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::size_t in_use_ = 0, peak_ = 0;
};

} // namespace evenly::measure
