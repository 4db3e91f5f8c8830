// SPDX-License-Identifier: Apache-2.0
// Memory for arrays of a search, whose types may change from one search to the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/execution/memory.hpp"

namespace evenly::detail {

/// Memory of an executor that grows. Growing loses the contents.
class growing_memory {
 public:
  template <class T, class Executor> T* of(const Executor& exec, std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (memory_.size() < bytes) {
      memory_ = {};
      memory_ = make_buffer<std::byte>(exec, bytes);
    }
    return reinterpret_cast<T*>(memory_.data());
  }

  std::size_t bytes() const { return memory_.size(); }

 private:
  buffer<std::byte> memory_;
};

} // namespace evenly::detail
