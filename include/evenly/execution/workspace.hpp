// SPDX-License-Identifier: Apache-2.0
// A workspace: device scratch memory that is kept between calls, so that they neither allocate nor synchronise.
//
// A call leases it. The lease has four parts, which never overlap, whatever sizes later calls ask for:
//   counters   a few numbers that are 0 whenever a call begins; the call puts them back to 0 itself
//   kept       what earlier calls wrote there, or 0. Nothing has to be cleared between two calls: what a call writes
//              has a stamp, the number of the call (primitives/look_back.hpp), which tells it from what is old
//   scratch    anything
//   barrier    where the blocks of a co-resident launch meet (block/grid_sync.hpp), whoever used it before
// A lease ends with its destructor. If an exception ends it, the next lease finds zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/view.hpp"

namespace evenly {

/// Where the blocks of a co-resident launch meet: a part of a workspace, as a kernel has it. One launch uses it at a
/// time.
struct grid_barrier {
  static constexpr std::size_t line = 128; ///< bytes that a GPU moves together
  static constexpr std::size_t bytes = 3 * line;

  std::byte* memory;

  EVENLY_FN std::uint64_t* syncs() const { return reinterpret_cast<std::uint64_t*>(memory); }
  EVENLY_FN std::uint64_t* sums() const { return reinterpret_cast<std::uint64_t*>(memory + line); }
  /// The sum of a meeting.
  EVENLY_FN std::uint64_t& sum(std::uint32_t meeting) const {
    return reinterpret_cast<std::uint64_t*>(memory + 2 * line)[meeting % 4];
  }
};

/// Memory for calls that take one: any of them, of any size, one after the other; on one stream, and
/// by one host thread, at a time. Its memory is of the executor that it was first used with: of the
/// host, or of one device. Move-only.
class workspace {
 public:
  static constexpr int counters = 16;

  /// What a lease takes.
  struct memory {
    int* counters;             ///< workspace::counters of them
    std::span<std::byte> kept; ///< at least as much as was asked for: all that calls may have written
    std::byte* scratch;        ///< aligned to 64 bytes, as the others are
    grid_barrier barrier;
  };

  /// What a call will ask for: bytes of each.
  struct room {
    std::size_t kept = 0;
    std::size_t scratch = 0;

    constexpr room or_more(const room& other) const {
      return {larger(kept, other.kept), larger(scratch, other.scratch)};
    }
  };

  /// One call's use of a workspace, from before it takes memory until its work is started. Throws invalid_argument if
  /// another call uses it (execution/in_use.hpp). `what`: whose it is, for the message.
  template <bool Checked> class lease_of {
   public:
    explicit lease_of(workspace& from, const char* what = "workspace") : of_(from), held_(from.flag_, what) {}
    lease_of(const lease_of&) = delete;
    lease_of& operator=(const lease_of&) = delete;
    ~lease_of() {
      if (taken_ && std::uncaught_exceptions() == exceptions_) of_.clean_ = true;
    }

    /// At least so many bytes of each on `exec`, once for each lease. Grows, which may synchronise, only when asked for
    /// more than ever before. Throws invalid_argument if the memory lies elsewhere.
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

    /// Makes it ready for calls that take so much, and does not take it: the next call then neither grows it nor fills
    /// it with zeros.
    template <class Executor> void reserve(const Executor& exec, const room& wanted) {
      of_.settle(memory_of(exec));
      if (of_.memory_.size() == 0 || wanted.kept > of_.kept_ || wanted.scratch > of_.scratch_)
        of_.grow(exec, wanted.kept, wanted.scratch);
      if (!of_.clean_) exec.fill_zero(of_.memory_.data(), grid_barrier::bytes + counter_bytes + of_.kept_);
      of_.clean_ = true;
    }

   private:
    workspace& of_;
    in_use<Checked> held_;
    int exceptions_ = std::uncaught_exceptions();
    bool taken_ = false;
  };
  using lease = lease_of<EVENLY_CHECKED != 0>;

 private:
  static constexpr std::size_t line = 64; ///< bytes: where parts begin
  static constexpr std::size_t counter_bytes = counters * sizeof(int);
  static_assert(counter_bytes % line == 0);
  struct alignas(grid_barrier::line) aligned_line {
    std::byte bytes[grid_barrier::line];
  };

  /// Throws invalid_argument if there is memory already, and not at `where`.
  void settle(int where) {
    require(memory_.size() == 0 || where_ == where, [&] {
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
  std::size_t kept_ = 0;
  std::size_t scratch_ = 0;
  int where_ = host_memory;
  bool clean_ = false;
  in_use_flag flag_;
};

} // namespace evenly
