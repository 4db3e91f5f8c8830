// SPDX-License-Identifier: Apache-2.0
// block_trace and launch_trace: the counts of one block of a traced launch, and of the launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/trace/counts.hpp"
#include "evenly/trace/detail/requests.hpp"
#include "evenly/trace/profile.hpp"

namespace evenly::detail {

/// The counts of one launch, and its profile if requested. Blocks add their counts when they end, from any
/// operating-system thread.
class launch_trace {
 public:
  /// `slots`: the number of blocks for which a multiprocessor has room; 0: no profile is requested.
  launch_trace(int blocks, block_shape shape, int slots) {
    totals_.launches = 1;
    totals_.blocks = blocks;
    totals_.threads = static_cast<std::int64_t>(blocks) * shape.size;
    profile_.slots = slots;
    if (slots == 0) return;
    profile_.blocks = blocks;
    profile_.block_size = shape.size;
    profile_.warp_size = shape.warp;
    profile_.warps.resize(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(shape.warps()));
    profile_.block_turns.resize(static_cast<std::size_t>(blocks));
  }

  /// The counts of a block.
  struct of_block {
    int index;
    const trace_counts& counts;
    const std::vector<std::int64_t>& steps; ///< between two barriers: maximum of a thread's operations
    const std::vector<warp_profile>& warps;
    std::int64_t turns;
    const std::vector<counted_place>& places;
  };
  void add(const of_block& block) {
    const std::lock_guard lock(guard_);
    totals_ += block.counts;
    if (steps_.size() < block.steps.size()) steps_.resize(block.steps.size());
    for (std::size_t i = 0; i < block.steps.size(); ++i) steps_[i] = larger(steps_[i], block.steps[i]);
    if (profile_.slots == 0) return;
    std::copy(block.warps.begin(), block.warps.end(),
              profile_.warps.begin() + block.index * std::ssize(block.warps));
    profile_.block_turns[static_cast<std::size_t>(block.index)] = block.turns;
    for (const counted_place& each : block.places)
      if (each.counts.requests() > 0) {
        counted_site& site = sites_[each.place];
        site.counts += each.counts;
        site.strides.add(each.strides);
      }
  }

  /// Called when all blocks have ended.
  trace_counts totals() const {
    trace_counts all = totals_;
    for (const std::int64_t max : steps_) all.steps += max;
    return all;
  }
  launch_profile take_profile() {
    profile_.totals = totals();
    for (const auto& [place, counted] : sites_) profile_.sites.push_back(site_of(place, counted));
    std::sort(profile_.sites.begin(), profile_.sites.end(), [](const site_profile& a, const site_profile& b) {
      const auto key = [](const site_profile& s) {
        return std::make_tuple(-s.counts.turns(), s.file, s.line, s.column, s.kind, s.function);
      };
      return key(a) < key(b);
    });
    return std::move(profile_);
  }

 private:
  static access_kind_of_site kind_of(traced_access kind) {
    switch (kind) {
    case traced_access::global_load:
      return access_kind_of_site::load;
    case traced_access::global_store:
      return access_kind_of_site::store;
    case traced_access::storage_load:
      return access_kind_of_site::storage_load;
    case traced_access::storage_store:
      return access_kind_of_site::storage_store;
    default:
      return access_kind_of_site::atomic;
    }
  }
  struct counted_site {
    trace_counts counts;
    stride_counts strides;
  };
  static site_profile site_of(const access_place& place, const counted_site& counted) {
    const auto [stride, requests] = counted.strides.most_frequent();
    return {place.file,          place.function, place.line, place.column, place.bytes,
            kind_of(place.kind), counted.counts, stride,     requests};
  }

  std::mutex guard_;
  trace_counts totals_;
  std::vector<std::int64_t> steps_; ///< as of a block: maximum over blocks
  launch_profile profile_;
  std::unordered_map<access_place, counted_site, access_place_hash> sites_;
};

/// The counts of one block while it runs.
class block_trace {
 public:
  void begin(int index, block_shape shape) {
    index_ = index;
    shape_ = shape;
    counts_ = {};
    steps_.clear();
    turns_ = 0;
    const auto warps = static_cast<std::size_t>(shape.warps());
    operations_.assign(static_cast<std::size_t>(shape.size), 0);
    warps_.assign(warps, {});
    turns_before_.assign(warps, 0);
    requests_.begin(shape);
  }

  /// Returns the counter of a thread's operations.
  std::int64_t& operations(int thread) { return operations_[static_cast<std::size_t>(thread)]; }

  /// A thread accesses `size` bytes at `address`, in pieces of `piece` bytes.
  void access(int thread, traced_access kind, std::uint64_t address, std::size_t size, std::uint32_t piece,
              std::source_location where) {
    const access_place place{
        where.file_name(), where.function_name(), where.line(), where.column(), piece, kind};
    requests_.access(quotient(thread, shape_.warp), remainder(thread, shape_.warp), place, address, size);
  }

  /// All threads have met in sync.
  void sync() {
    ++counts_.barriers;
    close_step();
  }

  /// Lanes of a warp have met in a warp operation; `all`: these are all lanes of the warp.
  void warp_operation(int warp, bool all) {
    ++counts_.warp_operations;
    if (all) requests_.close(warp, warps_[static_cast<std::size_t>(warp)]);
  }

  /// All threads are done.
  void end(launch_trace& launch) {
    close_step();
    requests_.end(counts_);
    launch.add({index_, counts_, steps_, warps_, turns_, requests_.places()});
  }

 private:
  /// Adds the counts since the last barrier.
  void close_step() {
    steps_.push_back(*std::max_element(operations_.begin(), operations_.end()));
    std::int64_t max_turns = 0;
    for (int warp = 0; warp < shape_.warps(); ++warp) {
      counts_.warp_steps += close_operations(warp);
      const auto w = static_cast<std::size_t>(warp);
      requests_.close(warp, warps_[w]);
      max_turns = larger(max_turns, warps_[w].turns - std::exchange(turns_before_[w], warps_[w].turns));
    }
    turns_ += max_turns;
  }
  /// Returns the maximum of a lane's operations.
  std::int64_t close_operations(int warp) {
    std::int64_t max = 0;
    for (int t = warp * shape_.warp; t < smaller((warp + 1) * shape_.warp, shape_.size); ++t) {
      counts_.operations += operations(t);
      max = larger(max, std::exchange(operations(t), 0));
    }
    return max;
  }

  int index_ = 0;
  block_shape shape_;
  trace_counts counts_;
  std::vector<std::int64_t> steps_;
  std::vector<std::int64_t> operations_; ///< of each thread since the last barrier
  std::vector<warp_profile> warps_;
  std::vector<std::int64_t> turns_before_; ///< of each warp, at the last barrier
  std::int64_t turns_ = 0;                 ///< sum over barriers of the busiest warp's turns
  request_table requests_;
};

} // namespace evenly::detail
