// SPDX-License-Identifier: Apache-2.0
// One includer: the recording is apart from the picture.
// The loads and stores of a kernel on a few elements, thread by thread, recorded on the simulated GPU.
//
// A recorder is a simt executor whose blocks note each access through traced() and to storage. Elements are numbers of
// nodes: the recorded operation makes a new node from two, so a stored value tells where it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly::draw {

/// A value: an element of the input, the identity, or a combination of two.
struct node {
  long sum = 0;
  int left = -1;
  int right = -1;
};

struct recorded_access {
  int launch = 0;
  int step = 0; ///< barriers that the thread has passed in this launch
  int block = 0;
  int thread = 0;
  bool stores = false;
  bool shared = false;        ///< in storage, of the block
  std::uintptr_t address = 0; ///< in storage, from its begin
  int value = 0;              ///< the number of a node
};

struct access_log {
  std::vector<node> nodes{{}}; ///< number 0 is the identity
  std::vector<recorded_access> accesses;
  int launches = 0;
};

/// Addition of nodes.
struct combine_nodes {
  using value_type = int;
  static constexpr bool commutative = true;
  access_log* log;

  int identity() const { return 0; }
  int operator()(int a, int b) const {
    const auto sum =
        log->nodes[static_cast<std::size_t>(a)].sum + log->nodes[static_cast<std::size_t>(b)].sum;
    log->nodes.push_back({sum, a, b});
    return static_cast<int>(log->nodes.size()) - 1;
  }
};

/// Memory or storage of ints that notes its accesses. `Inner`: what it stands for.
template <class Inner> class watched_elements {
 public:
  class element {
   public:
    element(const watched_elements& of, std::int64_t at) : of_(of), at_(at) {}
    operator int() const {
      const int value = of_.inner_[at_];
      of_.note(false, at_, value);
      return value;
    }
    const element& operator=(int value) const {
      of_.note(true, at_, value);
      of_.inner_[at_] = value;
      return *this;
    }
    const element& operator=(const element& other) const { return *this = static_cast<int>(other); }

   private:
    const watched_elements& of_;
    std::int64_t at_;
  };

  watched_elements(Inner inner, std::uintptr_t begin, recorded_access by, const int* step, access_log* log)
      : inner_(inner), begin_(begin), by_(by), step_(step), log_(log) {}
  template <class Index> element operator[](Index i) const { return {*this, static_cast<std::int64_t>(i)}; }

 private:
  void note(bool stores, std::int64_t at, int value) const {
    recorded_access made = by_;
    made.step = *step_;
    made.stores = stores;
    made.address = begin_ + static_cast<std::uintptr_t>(at) * sizeof(int);
    made.value = value;
    log_->accesses.push_back(made);
  }

  Inner inner_;
  std::uintptr_t begin_;
  recorded_access by_;
  const int* step_;
  access_log* log_;
};

/// A block of simt that notes the accesses of its thread.
class watched_block : public simt_block {
 public:
  watched_block(const simt_block& block, access_log* log) : simt_block(block), log_(log) {}

  void sync(std::source_location where = std::source_location::current()) const {
    simt_block::sync(where);
    ++step_;
  }
  void warp_sync(lane_mask mask, std::source_location where = std::source_location::current()) const {
    simt_block::warp_sync(mask, where);
    ++step_;
  }
  auto traced(int* memory) const { return watch(memory, reinterpret_cast<std::uintptr_t>(memory), false); }
  auto traced(const int* memory) const {
    return watch(memory, reinterpret_cast<std::uintptr_t>(memory), false);
  }
  auto storage(slot<int> place, std::source_location where = std::source_location::current()) const {
    return watch(simt_block::storage(place, where), place.offset, true);
  }

 private:
  template <class Inner> watched_elements<Inner> watch(Inner inner, std::uintptr_t begin, bool shared) const {
    return {inner,
            begin,
            {.launch = log_->launches, .block = index(), .thread = rank(), .shared = shared},
            &step_,
            log_};
  }

  access_log* log_;
  mutable int step_ = 0;
};

/// The simulated GPU with watched blocks, one thread after the other.
class recorder : public simt {
 public:
  recorder(access_log& log, int warp_size) : simt({.warp_size = warp_size, .threads = 1}), log_(&log) {}
  access_log* log() const { return log_; }

 private:
  access_log* log_;
};

template <class Kernel> struct watched_kernel {
  Kernel kernel;
  access_log* log;

  auto lay_out(storage_layout& layout, block_shape shape) const {
    if constexpr (requires { kernel.lay_out(layout, shape); }) return kernel.lay_out(layout, shape);
  }
  template <class Block> void operator()(Block& block) const {
    watched_block watched(block, log);
    kernel(watched);
  }
};

template <class Kernel> void launch(const recorder& exec, const launch_shape& shape, const Kernel& kernel) {
  launch(static_cast<const simt&>(exec), shape, watched_kernel<Kernel>{kernel, exec.log()});
  ++exec.log()->launches;
}

} // namespace evenly::draw
