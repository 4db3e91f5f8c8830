// SPDX-License-Identifier: Apache-2.0
// A workspace: device scratch memory that is kept between calls, so that they neither allocate nor synchronise.
//
// Nothing in it has to be cleared between two calls: whoever uses it stamps what he writes with the number of the call
// (primitives/look_back.hpp), so what earlier calls left is known to be old.
#pragma once

#include <cstddef>
#include <span>

#include "evenly/execution/memory.hpp"

namespace evenly {

/// Memory for calls that take one: any of them, of any size, one after the other; on one stream, and by one host thread,
/// at a time. Its memory is of the executor that it was first used with. Move-only.
class workspace {
 public:
  /// All of the memory, at least `bytes` bytes on `exec`: what earlier calls left there, or 0. Grows, which may synchronise, only when asked
  /// for more than ever before. The caller says done() when its work was started without an exception; until then the
  /// next call gets zeros.
  template <class Executor> std::span<std::byte> take(const Executor& exec, std::size_t bytes) {
    if (bytes > memory_.size()) {
      memory_ = make_buffer<std::byte>(exec, bytes);
      clean_ = false;
    }
    if (!clean_) exec.fill_zero(memory_.data(), memory_.size());
    clean_ = false;
    return memory_.span();
  }
  void done() { clean_ = true; }

 private:
  buffer<std::byte> memory_;
  bool clean_ = false;
};

} // namespace evenly
