// SPDX-License-Identifier: Apache-2.0
// A workspace: device scratch memory that is kept between calls, so that calls neither allocate nor synchronise.
//
// A call leases the workspace. A lease has four parts. They never overlap, whatever sizes later calls request:
//   counters   a few integers that are 0 when a call begins; the call resets them to 0
//   kept       data of earlier calls, or 0; never cleared between calls
//   scratch    undefined contents
//   barrier    the barrier of a co-resident launch (block/grid_sync.hpp), valid after any earlier use
//
// A call stamps its data in `kept` with the number of the call (primitives/look_back.hpp), which distinguishes them
// from old data. A call that needs any number of temporaries leases an executor for them instead, whose memory the
// workspace keeps. A lease ends with its destructor. If an exception ends it, the next lease starts with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/detail/kept_blocks.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/view.hpp"

namespace evenly {

/// The grid barrier of a co-resident launch: a part of a workspace, as a kernel sees it. Only one launch may use it at
/// a time.
struct grid_barrier {
  static constexpr std::size_t line = 128; ///< bytes that a GPU moves together
  static constexpr std::size_t bytes = 3 * line;

  std::byte* memory;

  EVENLY_FN std::uint64_t* syncs() const { return reinterpret_cast<std::uint64_t*>(memory); }
  EVENLY_FN std::uint64_t* sums() const { return reinterpret_cast<std::uint64_t*>(memory + line); }
  /// The sum of the barrier's round `meeting`.
  EVENLY_FN std::uint64_t& sum(std::uint32_t meeting) const {
    return reinterpret_cast<std::uint64_t*>(memory + 2 * line)[meeting % 4];
  }
};

/// Scratch memory for calls that take one. Calls of any kind and size may use it one after the other, on one stream and
/// from one host thread at a time. The memory belongs to the first executor that it is used with: to the host or to one
/// device. Move-only.
class workspace {
 public:
  static constexpr int counters = 16;

  /// The parts of a lease.
  struct memory {
    int* counters;             ///< an array of workspace::counters elements
    std::span<std::byte> kept; ///< at least the requested size: the largest that any call requested
    std::byte* scratch;        ///< aligned to 64 bytes, as the other parts are
    grid_barrier barrier;
  };

  /// The bytes of each part that a call will request.
  struct sizes {
    std::size_t kept = 0;
    std::size_t scratch = 0;

    constexpr sizes or_more(const sizes& other) const {
      return {larger(kept, other.kept), larger(scratch, other.scratch)};
    }
  };
  using room [[deprecated("use sizes")]] = sizes;

  /// One call's use of a workspace, from before it takes memory until its work is started. Throws invalid_argument if
  /// another call uses the workspace (execution/in_use.hpp). `what`: the name of the owner, for the message.
  template <bool Checked> class lease_of {
   public:
    explicit lease_of(workspace& from, const char* what = "workspace") : of_(from), held_(from.flag_, what) {}
    lease_of(const lease_of&) = delete;
    lease_of& operator=(const lease_of&) = delete;
    ~lease_of() {
      if (taken_ && std::uncaught_exceptions() == exceptions_) of_.clean_ = true;
    }

    /// Returns memory of at least the given sizes on `exec`. Call it once per lease. Grows, which may synchronise, only
    /// if a size exceeds all earlier ones. Throws invalid_argument if the memory lies elsewhere.
    template <class Executor> memory take(const Executor& exec, std::size_t kept, std::size_t scratch = 0) {
      reserve(exec, {kept, scratch});
      of_.clean_ = false;
      taken_ = true;
      std::byte* const barrier = of_.memory_.data()->bytes;
      std::byte* const at = barrier + grid_barrier::bytes;
      const memory taken{reinterpret_cast<int*>(at),
                         {at + counter_bytes, of_.kept_},
                         at + counter_bytes + of_.kept_,
                         {barrier}};
      detail::know_part<Executor>(taken);
      return taken;
    }

    /// Prepares the workspace for calls that take `wanted`, without taking it. The next call then neither grows it nor
    /// fills it with zeros.
    template <class Executor> void reserve(const Executor& exec, const sizes& wanted) {
      of_.settle(memory_of(exec));
      if (of_.memory_.size() == 0 || wanted.kept > of_.kept_ || wanted.scratch > of_.scratch_)
        of_.grow(exec, wanted.kept, wanted.scratch);
      if (!of_.clean_) exec.fill_zero(of_.memory_.data(), grid_barrier::bytes + counter_bytes + of_.kept_);
      of_.clean_ = true;
    }

    /// `exec` with memory that the workspace keeps. Buffers of it end before the lease.
    template <class Executor> Executor temporaries(const Executor& exec) {
      of_.settle(memory_of(exec));
      if (of_.blocks_ == nullptr) of_.blocks_ = std::make_unique<detail::kept_blocks>(exec.resource());
      return exec.with_resource(of_.blocks_.get());
    }

   private:
    workspace& of_;
    in_use<Checked> held_;
    int exceptions_ = std::uncaught_exceptions();
    bool taken_ = false;
  };
  using lease = lease_of<EVENLY_CHECKED != 0>;

 private:
  static constexpr std::size_t line = 64; ///< bytes: alignment of the parts
  static constexpr std::size_t counter_bytes = counters * sizeof(int);
  static_assert(counter_bytes % line == 0);
  struct alignas(grid_barrier::line) aligned_line {
    std::byte bytes[grid_barrier::line];
  };

  /// Throws invalid_argument if there is already memory elsewhere than `where`.
  void settle(int where) {
    require((memory_.size() == 0 && blocks_ == nullptr) || where_ == where, [&] {
      return detail::concat("the workspace has memory of ", memory_name(where_),
                            ", but the executor uses that of ", memory_name(where),
                            ": use one workspace per memory");
    });
    where_ = where;
  }

  template <class Executor> void grow(const Executor& exec, std::size_t kept, std::size_t scratch) {
    if (memory_.size() == 0) kept_ = scratch_ = 0; // never used, or moved from
    kept = larger(ceil_div(kept, line) * line, kept_);
    scratch = larger(ceil_div(scratch, line) * line, scratch_);
    memory_ = make_buffer<aligned_line>(
        exec, ceil_div(grid_barrier::bytes + counter_bytes + kept + scratch, sizeof(aligned_line)));
    kept_ = kept;
    scratch_ = scratch;
    clean_ = false;
  }

  buffer<aligned_line> memory_; ///< barrier, counters, kept, scratch
  std::unique_ptr<detail::kept_blocks> blocks_;
  std::size_t kept_ = 0;
  std::size_t scratch_ = 0;
  int where_ = host_memory;
  bool clean_ = false;
  in_use_flag flag_;
};

} // namespace evenly
