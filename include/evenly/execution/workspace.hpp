// SPDX-License-Identifier: Apache-2.0
// A workspace: device scratch memory that is kept between calls, so that they neither allocate nor synchronise.
//
// Nothing in it has to be cleared between two calls: whoever uses it stamps what he writes with the number of the call
// (primitives/look_back.hpp), so what earlier calls left is known to be old.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

/// Memory for calls that take one: any of them, of any size, one after the other; on one stream, and by one host thread,
/// at a time. Its memory is of the executor that it was first used with: of the host, or of one device. Move-only.
class workspace {
 public:
  /// One call's use of a workspace, from before it takes memory until its work is started. Throws invalid_argument if
  /// another call uses it (execution/in_use.hpp).
  template <bool Checked> class call_of {
   public:
    explicit call_of(workspace& memory) : of_(memory), held_(memory.flag_, "workspace") {}

    /// All of the memory, at least `bytes` bytes on `exec`: what earlier calls left there, or 0. Grows, which may
    /// synchronise, only when asked for more than ever before. Throws invalid_argument if the memory lies elsewhere.
    template <class Executor> std::span<std::byte> take(const Executor& exec, std::size_t bytes) {
      of_.settle(memory_of(exec));
      if (bytes > of_.memory_.size()) {
        of_.memory_ = make_buffer<std::byte>(exec, bytes);
        of_.clean_ = false;
      }
      if (!of_.clean_) exec.fill_zero(of_.memory_.data(), of_.memory_.size());
      of_.clean_ = false;
      return of_.memory_.span();
    }
    /// Said when the work was started without an exception; where it is not, the next call gets zeros.
    void done() { of_.clean_ = true; }

   private:
    workspace& of_;
    in_use<Checked> held_;
  };
  using call = call_of<EVENLY_CHECKED != 0>;

 private:
  /// Throws invalid_argument if there is memory already, and not at `where`.
  void settle(int where) {
    require(memory_.size() == 0 || where_ == where, [&] {
      return "the workspace has memory of " + memory_name(where_) + " and is used with an executor of " +
             memory_name(where) + ": it stays with the first";
    });
    where_ = where;
  }

  buffer<std::byte> memory_;
  int where_ = host_memory;
  bool clean_ = false;
  in_use_flag flag_;
};

} // namespace evenly
