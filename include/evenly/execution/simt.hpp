// SPDX-License-Identifier: Apache-2.0
// The simt executor: a simulated GPU, on which the code that the GPU runs is tested without one.
//
// A block is as many fibres as it has threads, in warps. Fibres change over at collectives only, so results
// repeat; a seed changes the order in which threads and blocks go on. What a GPU leaves undefined is reported
// instead, as a simulation_error of one line that names block, threads and places:
//   * a collective that some of its threads never reach, or reach with another mask, operation or size of
//   value
//   * a race on storage; an element that is read, or atomically accessed, before any thread has written it
//   * an element outside its slot, a slot outside the kernel's storage_bytes()
//   * a launch in which no thread can go on, or nobody does anything but backoff for 10,000 rounds
//   * a stack that overflows (64 KiB a thread; 256 under the sanitizers)
// It does not test memory orders, nor find races on memory outside storage.
// Inside a kernel start no launch and nothing of oneTBB; call no collective inside a catch or a destructor.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/simt/engine.hpp"

namespace evenly {

struct simt_options {
  int warp_size = 32;      ///< threads in a full warp: a power of two, 1 to 64
  std::uint64_t seed = 0;  ///< 0: threads and blocks in order; else an interleaving of its own for each seed
  bool check_races = true; ///< whether storage is checked for races and for reads of what was never written
  int threads = 0;         ///< operating-system threads for blocks that are not co-resident; 0: all cores
  double patience = 10; ///< seconds that a block may spin while other threads' blocks make no progress either
};

/// Runs blocks of fibres. Copies freely, and copies share their stacks; launches return when the work is
/// done.
class simt {
 public:
  explicit simt(simt_options options = {},
                std::pmr::memory_resource* resource = std::pmr::new_delete_resource())
      : options_(options), cores_(options.threads, resource),
        engines_(std::make_shared<detail::simt_engines>()) {
    const int size = options.warp_size;
    require(size >= 1 && size <= 64 && std::has_single_bit(static_cast<unsigned>(size)),
            [&] { return "warp_size = " + std::to_string(size) + ": must be a power of two from 1 to 64"; });
  }

  const simt_options& options() const { return options_; }
  int threads() const { return cores_.threads(); }
  std::pmr::memory_resource* resource() const { return cores_.resource(); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    cores_.copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    cores_.copy_from_host(to, from, bytes);
  }
  void fill_zero(void* to, std::size_t bytes) const { cores_.fill_zero(to, bytes); }
  void synchronize() const {}
  detail::simt_engines& engines() const { return *engines_; }

 private:
  simt_options options_;
  cpu cores_;
  std::shared_ptr<detail::simt_engines> engines_;
};

/// An index, and where it was used: what operator[] needs for its reports, as it can have one parameter only.
struct storage_index {
  template <class Index>
  requires std::is_convertible_v<Index, int>
      EVENLY_FN storage_index(Index&& i, std::source_location place = std::source_location::current())
      : index(static_cast<int>(std::forward<Index>(i))), where(place) {}

  int index;
  std::source_location where;
};

/// Storage that checks every access; the operations of plain_storage. What operator[] returns is used at
/// once, as a T that is read or assigned: `T x = s[i]` compiles, `auto x = s[i]` makes something that cannot
/// be used.
template <class T> class checked_storage {
 public:
  class element;

  EVENLY_FN checked_storage(detail::simt_thread* thread, slot<T> place) : thread_(thread), place_(place) {}

  EVENLY_FN element operator[](storage_index i) const { return {*this, i}; }
  /// Orders nothing between threads. The element must have been written with [] before.
  EVENLY_FN T& atomic(int i, std::source_location where = std::source_location::current()) const {
    return *access(i, detail::access_kind::atomic, where);
  }
  EVENLY_FN int size() const { return static_cast<int>(place_.count); }

 private:
  /// The element, once the access has been found to be right.
  EVENLY_FN T* access(int i, detail::access_kind kind, std::source_location where) const;

  detail::simt_thread* thread_;
  slot<T> place_;
};

} // namespace evenly
