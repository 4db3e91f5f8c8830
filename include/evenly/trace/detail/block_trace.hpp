// SPDX-License-Identifier: Apache-2.0
// The trace of a block: accesses of its warps, in lockstep, as requests of memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
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
#include "evenly/trace/detail/traced_access.hpp"
#include "evenly/trace/profile.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// lockstep: groups the accesses of a warp's lanes, each lane's in its order, as a GPU makes them. Lanes at the same
// place proceed together. Lanes that branched wait for each other where their paths reconverge.
//
// A trace does not contain the points of reconvergence, only the places where each lane was. If lanes stand at several
// places, the place that proceeds first is
// 1. the one whose number of visits between two reconvergences of the warp differs most among lanes: a loop's body, or
//    code under a condition. Places that all lanes visit equally often come last
// 2. of two alike, the one that the lanes at both places visit less often from here on
// 3. the one with fewer accesses until the other; or the one that was recorded first
//
// So a loop's body comes before the code after the loop, and a store under a condition before the loop's next
// iteration.

namespace evenly::detail {

/// An access of one lane at one place.
struct lane_access {
  std::size_t place;
  std::uint64_t address;
  std::size_t bytes;
};

/// The accesses of one warp since its lanes last met.
class lockstep {
 public:
  void add(int lane, const lane_access& access) {
    if (of_lane_.size() <= static_cast<std::size_t>(lane))
      of_lane_.resize(static_cast<std::size_t>(lane) + 1);
    of_lane_[static_cast<std::size_t>(lane)].push_back(access);
  }

  /// Calls visit(place, lanes, accesses) for each access that lanes make together; accesses[lane] is the access of a
  /// lane in `lanes`. Then forgets all accesses.
  template <class Visit> void merge(const Visit& visit) {
    at_.assign(of_lane_.size(), 0);
    are_counted_ = false;
    const lane_access* now[64];
    for (;;) {
      lane_mask left = 0;
      fronts_.clear();
      for (std::size_t lane = 0; lane < of_lane_.size(); ++lane) {
        if (at_[lane] == of_lane_[lane].size()) continue;
        left |= lane_mask{1} << lane;
        now[lane] = &of_lane_[lane][at_[lane]];
        front& here = front_of(now[lane]->place);
        here.lanes |= lane_mask{1} << lane;
      }
      if (left == 0) break;
      const front& first = fronts_.size() == 1 ? fronts_[0] : first_to_leave();
      visit(first.place, first.lanes, now);
      for (lane_mask rest = first.lanes; rest; rest &= rest - 1)
        ++at_[static_cast<std::size_t>(first_lane(rest))];
    }
    clear();
  }
  void clear() {
    for (auto& each : of_lane_) each.clear();
  }

 private:
  struct front {
    std::size_t place;
    lane_mask lanes;
  };
  /// The accesses of one lane at one place, as positions in the lane's order.
  using visits = std::vector<std::size_t>;

  front& front_of(std::size_t place) {
    for (front& each : fronts_)
      if (each.place == place) return each;
    return fronts_.emplace_back(front{place, 0});
  }

  const front& first_to_leave() {
    if (!are_counted_) count_visits();
    const front* best = nullptr;
    for (const front& each : fronts_)
      if (best == nullptr || leaves_before(each, *best)) best = &each;
    return *best;
  }
  bool leaves_before(const front& one, const front& other) const {
    const std::size_t spread = spreads_[one.place], of_other = spreads_[other.place];
    if (spread != of_other) return spread > of_other;
    const lane_mask both = one.lanes | other.lanes;
    const std::size_t ahead = visits_ahead(one.place, both), other_ahead = visits_ahead(other.place, both);
    if (ahead != other_ahead) return ahead < other_ahead;
    const std::size_t to_other = way_to(other.place, one.lanes), to_one = way_to(one.place, other.lanes);
    return to_other != to_one ? to_other < to_one : one.place < other.place;
  }

  /// Returns the number of visits of the lanes to a place from here on.
  std::size_t visits_ahead(std::size_t place, lane_mask lanes) const {
    std::size_t all = 0;
    for (; lanes; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(first_lane(lanes));
      const visits& there = visits_[place * of_lane_.size() + lane];
      all += static_cast<std::size_t>(there.end() - std::lower_bound(there.begin(), there.end(), at_[lane]));
    }
    return all;
  }
  /// Returns the minimum number of accesses after which one of the lanes is at a place.
  std::size_t way_to(std::size_t place, lane_mask lanes) const {
    std::size_t min = std::numeric_limits<std::size_t>::max();
    for (; lanes; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(first_lane(lanes));
      const visits& there = visits_[place * of_lane_.size() + lane];
      const auto next = std::lower_bound(there.begin(), there.end(), at_[lane]);
      if (next != there.end()) min = std::min(min, *next - at_[lane]);
    }
    return min;
  }

  void count_visits() {
    std::size_t places = 0;
    for (const auto& each : of_lane_)
      for (const lane_access& access : each) places = std::max(places, access.place + 1);
    const std::size_t lanes = of_lane_.size();
    for (visits& each : visits_) each.clear();
    if (visits_.size() < places * lanes) visits_.resize(places * lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t i = 0; i < of_lane_[lane].size(); ++i)
        visits_[of_lane_[lane][i].place * lanes + lane].push_back(i);
    spreads_.assign(places, 0);
    for (std::size_t place = 0; place < places; ++place) {
      std::size_t min = std::numeric_limits<std::size_t>::max(), max = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (of_lane_[lane].empty()) continue;
        const std::size_t times = visits_[place * lanes + lane].size();
        min = std::min(min, times);
        max = std::max(max, times);
      }
      spreads_[place] = max - std::min(min, max);
    }
    are_counted_ = true;
  }

  std::vector<std::vector<lane_access>> of_lane_;
  std::vector<std::size_t> at_; ///< of each lane: the number of accesses made
  std::vector<front> fronts_;
  bool are_counted_ = false;
  std::vector<visits> visits_;       ///< of each place and lane
  std::vector<std::size_t> spreads_; ///< of each place: maximum minus minimum of a lane's visits
};

// ---------------------------------------------------------------------------------------------------------------------
// The requests of a warp, and their cost in a GPU's memory.
//
// A request is the access that the lanes of one warp make together at one place in the source. Lanes
// that branched elsewhere take no part. A value is accessed in pieces of its type's alignment, at most 16 bytes, as
// compilers for GPUs must do. Each piece is a request: a float4 aligned to 16 bytes is one, a struct of four floats is
// four.
//
//   atomic    costs a turn for each operation on the same object. Operations after the first are conflicts
//   memory    costs sectors and lines: the different aligned 32 bytes, and 128 bytes, that the lanes of a request
//             touch. A request is scattered if its sectors are more than its different bytes fill. A block's sectors
//             are the different ones of all its requests
//   storage   costs wavefronts. It has 32 banks of 4-byte words, word w in bank w mod 32. In a wavefront each bank
//             gives one word to all lanes that need it. So a request takes the maximum number of different words in
//             one bank. Of wider pieces, the lanes with 128 bytes together take part at a time: half a warp for 8
//             bytes, a quarter for 16. Twice as many take part if all lanes that differ in bit 0 of their number need
//             the same piece, or all that differ in bit 1.
//
// Places are distinguished by file, line, column and function (with its template arguments). The code of a function is
// at one place, for all callers of a function. A compiler that keeps a value in a register, joins consecutive
// accesses or copies a loop's body makes other requests than the source says.

/// Returns the number of different values among the first `count` of `values`. Sorts them.
inline std::size_t distinct(std::array<std::uint64_t, 64>& values, std::size_t count) {
  std::sort(values.data(), values.data() + count);
  return static_cast<std::size_t>(std::unique(values.data(), values.data() + count) - values.data());
}

/// The different sectors that pieces of memory touch.
struct touched_sectors {
  std::array<std::uint64_t, 64> numbers; ///< ascending
  std::int64_t count = 0;

  /// Takes pieces at addresses[lane] for each lane in `lanes`, aligned to their size of at most 32 bytes.
  touched_sectors(const std::uint64_t* addresses, lane_mask lanes) {
    std::size_t pieces = 0;
    for (; lanes; lanes &= lanes - 1) numbers[pieces++] = addresses[first_lane(lanes)] / 32;
    count = static_cast<std::int64_t>(distinct(numbers, pieces));
  }
  std::int64_t lines() const {
    std::int64_t different = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      different += i == 0 || numbers[i] / 4 != numbers[i - 1] / 4;
    return different;
  }
};

struct wavefronts {
  std::int64_t taken = 0;
  std::int64_t min = 0; ///< minimum for these lanes with other addresses
};

/// Returns whether lanes whose numbers differ only in this bit have the same address, if both are in `lanes`.
inline bool are_paired(const std::uint64_t* addresses, lane_mask lanes, int bit) {
  for (lane_mask rest = lanes; rest; rest &= rest - 1) {
    const int lane = first_lane(rest), other = lane ^ 1 << bit;
    if ((lanes >> other & 1) != 0 && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

/// Returns the wavefronts of pieces of `bytes` bytes (a power of two, at most 16) at addresses[lane] for each lane in
/// `lanes`.
inline wavefronts wavefronts_of(const std::uint64_t* addresses, lane_mask lanes, std::uint32_t bytes) {
  const int lanes_each = bytes <= 4 ? 32 : static_cast<int>(128 / bytes);
  wavefronts all;
  int lanes_at_once = lanes_each;
  for (int base = 0; base < 64; base += lanes_at_once) {
    lanes_at_once = lanes_each;
    if (bytes > 4 && base % (2 * lanes_each) == 0) {
      const lane_mask twice = lanes & first_lanes(2 * lanes_each) << base;
      if (are_paired(addresses, twice, 0) || are_paired(addresses, twice, 1)) lanes_at_once = 2 * lanes_each;
    }
    lane_mask part = lanes >> base & first_lanes(lanes_at_once);
    if (part == 0) continue;
    std::array<std::uint64_t, 64> words;
    std::size_t count = 0;
    for (; part; part &= part - 1)
      for (std::uint32_t byte = 0; byte < bytes; byte += 4)
        words[count++] = (addresses[base + first_lane(part)] + byte) / 4;
    std::array<std::int64_t, 32> in_bank{};
    const std::size_t different = distinct(words, count);
    for (std::size_t i = 0; i < different; ++i) ++in_bank[words[i] % 32];
    all.taken += *std::max_element(in_bank.begin(), in_bank.end());
    ++all.min;
  }
  return all;
}

/// Returns the number of different addresses of the lanes.
inline std::int64_t objects_of(const std::uint64_t* addresses, lane_mask lanes) {
  std::array<std::uint64_t, 64> objects;
  std::size_t count = 0;
  for (; lanes; lanes &= lanes - 1) objects[count++] = addresses[first_lane(lanes)];
  return static_cast<std::int64_t>(distinct(objects, count));
}

/// A set of numbers, of which many may be added several times.
class number_set {
 public:
  void add(const std::uint64_t* first, std::int64_t count) {
    numbers_.insert(numbers_.end(), first, first + count);
    if (numbers_.size() >= limit_) {
      settle();
      limit_ = larger<std::size_t>(min, 2 * numbers_.size());
    }
  }
  void add(const number_set& other) {
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
  }
  std::int64_t size() {
    settle();
    return static_cast<std::int64_t>(numbers_.size());
  }
  void clear() { numbers_.clear(); }

 private:
  static constexpr std::size_t min = 1 << 16;

  void settle() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }
  std::vector<std::uint64_t> numbers_;
  std::size_t limit_ = min;
};

/// The number of requests with each distance between consecutive lanes.
class stride_counts {
 public:
  /// Counts the request if it has at least 4 lanes with equal distances.
  void add(const std::uint64_t* addresses, lane_mask lanes) {
    constexpr int min_lanes = 4;
    if (std::popcount(lanes) < min_lanes) return;
    const int first = first_lane(lanes);
    lane_mask rest = lanes & (lanes - 1);
    const int second = first_lane(rest);
    const auto distance = static_cast<std::int64_t>(addresses[second] - addresses[first]);
    if (distance % (second - first) != 0) return;
    const std::int64_t stride = distance / (second - first);
    for (; rest; rest &= rest - 1) {
      const int lane = first_lane(rest);
      if (static_cast<std::int64_t>(addresses[lane] - addresses[first]) != stride * (lane - first)) return;
    }
    ++requests_[stride];
  }
  void add(const stride_counts& other) {
    for (const auto& [stride, requests] : other.requests_) requests_[stride] += requests;
  }
  void clear() { requests_.clear(); }

  struct frequent {
    std::int64_t stride = 0;
    std::int64_t requests = 0;
  };
  /// Returns the most frequent stride, the smaller one of two.
  frequent most_frequent() const {
    frequent found;
    for (const auto& [stride, requests] : requests_)
      if (requests > found.requests) found = {stride, requests};
    return found;
  }

 private:
  std::map<std::int64_t, std::int64_t> requests_;
};

/// Adds a request of pieces of `bytes` bytes to `counts`, and the sectors of a load or a store to `of_block`.
inline void add_request(trace_counts& counts, number_set& of_block, traced_access kind, std::uint32_t bytes,
                        const std::uint64_t* addresses, lane_mask lanes) {
  counts.request_lanes += std::popcount(lanes);
  const auto add_atomic = [&] {
    counts.atomics += std::popcount(lanes);
    ++counts.atomic_requests;
    counts.atomic_conflicts += std::popcount(lanes) - objects_of(addresses, lanes);
  };
  switch (kind) {
  case traced_access::global_load: {
    const touched_sectors sectors(addresses, lanes);
    const std::int64_t wanted = objects_of(addresses, lanes) * bytes;
    ++counts.global_load_requests;
    counts.global_load_sectors += sectors.count;
    counts.global_load_lines += sectors.lines();
    counts.global_load_bytes += wanted;
    counts.global_load_min_sectors += ceil_div<std::int64_t>(wanted, 32);
    counts.global_load_scattered += sectors.count > ceil_div<std::int64_t>(wanted, 32);
    return of_block.add(sectors.numbers.data(), sectors.count);
  }
  case traced_access::global_store: {
    const touched_sectors sectors(addresses, lanes);
    const std::int64_t wanted = objects_of(addresses, lanes) * bytes;
    ++counts.global_store_requests;
    counts.global_store_sectors += sectors.count;
    counts.global_store_lines += sectors.lines();
    counts.global_store_bytes += wanted;
    counts.global_store_min_sectors += ceil_div<std::int64_t>(wanted, 32);
    counts.global_store_scattered += sectors.count > ceil_div<std::int64_t>(wanted, 32);
    return of_block.add(sectors.numbers.data(), sectors.count);
  }
  case traced_access::storage_load: {
    const wavefronts needed = wavefronts_of(addresses, lanes, bytes);
    ++counts.storage_load_requests;
    counts.storage_load_wavefronts += needed.taken;
    counts.storage_load_conflicts += needed.taken - needed.min;
    return;
  }
  case traced_access::storage_store: {
    const wavefronts needed = wavefronts_of(addresses, lanes, bytes);
    ++counts.storage_store_requests;
    counts.storage_store_wavefronts += needed.taken;
    counts.storage_store_conflicts += needed.taken - needed.min;
    return;
  }
  case traced_access::atomic:
    return add_atomic();
  case traced_access::atomic_load:
    ++counts.atomic_load_requests;
    counts.atomic_load_sectors += touched_sectors(addresses, lanes).count;
    return add_atomic();
  case traced_access::atomic_store:
    ++counts.atomic_store_requests;
    counts.atomic_store_sectors += touched_sectors(addresses, lanes).count;
    return add_atomic();
  }
}

/// The kind of an access, and its place in the source. The strings of a source_location have the same addresses for the
/// same code.
struct access_place {
  const char* file;
  const char* function;
  std::uint32_t line;
  std::uint32_t column;
  std::uint32_t bytes; ///< of a piece
  traced_access kind;

  bool operator==(const access_place&) const = default;
};

struct access_place_hash {
  std::size_t operator()(const access_place& place) const {
    std::uint64_t mixed =
        reinterpret_cast<std::uintptr_t>(place.function) ^ reinterpret_cast<std::uintptr_t>(place.file) << 1;
    mixed += std::uint64_t{place.line} << 40 ^ std::uint64_t{place.column} << 20 ^ place.bytes << 4 ^
             static_cast<std::uint64_t>(place.kind);
    return static_cast<std::size_t>((mixed ^ mixed >> 29) * 0x9E3779B97F4A7C15u);
  }
};

/// The requests of one block at one place.
struct counted_place {
  access_place place;
  trace_counts counts;
  number_set sectors; ///< of loads and stores, in memory
  stride_counts strides;
};

/// The requests of one block's warps: those that may still get lanes, and the counts of the complete ones.
class request_table {
 public:
  /// Begins a block of this shape.
  void begin(block_shape shape) {
    warps_.resize(larger(warps_.size(), static_cast<std::size_t>(shape.warps())));
    for (lockstep& warp : warps_) warp.clear();
    for (counted_place& each : places_) {
      each.counts = {};
      each.sectors.clear();
      each.strides.clear();
    }
  }

  /// Records an access of a lane to `bytes` bytes at `address`, in the pieces of the place.
  void access(int warp, int lane, const access_place& place, std::uint64_t address, std::size_t bytes) {
    const auto [known, is_new] = numbers_.try_emplace(place, numbers_.size());
    if (is_new) places_.push_back({place, {}, {}, {}});
    warps_[static_cast<std::size_t>(warp)].add(lane, {known->second, address, bytes});
  }

  /// All lanes of the warp have met, so its requests are complete. Adds them to their places, and to `of_warp`.
  void close(int warp, warp_profile& of_warp) {
    std::uint64_t addresses[64];
    warps_[static_cast<std::size_t>(warp)].merge(
        [&](std::size_t number, lane_mask lanes, const lane_access* const* accesses) {
          counted_place& to = places_[number];
          const trace_counts before = to.counts;
          const std::size_t bytes = accesses[first_lane(lanes)]->bytes;
          for (std::size_t byte = 0; byte < bytes; byte += to.place.bytes) {
            for (lane_mask rest = lanes; rest; rest &= rest - 1)
              addresses[first_lane(rest)] = accesses[first_lane(rest)]->address + byte;
            add_request(to.counts, to.sectors, to.place.kind, to.place.bytes, addresses, lanes);
            to.strides.add(addresses, lanes);
          }
          of_warp.turns += to.counts.turns() - before.turns();
          of_warp.requests += to.counts.requests() - before.requests();
          of_warp.lanes += to.counts.request_lanes - before.request_lanes;
          of_warp.sectors += to.counts.bytes_moved() / 32 - before.bytes_moved() / 32;
        });
  }

  /// All warps have been closed for the last time. Adds all requests to `counts`.
  void end(trace_counts& counts) {
    number_set loaded, stored;
    for (counted_place& each : places_) {
      if (each.place.kind == traced_access::global_load) {
        each.counts.global_load_block_sectors = each.sectors.size();
        loaded.add(each.sectors);
      } else if (each.place.kind == traced_access::global_store) {
        each.counts.global_store_block_sectors = each.sectors.size();
        stored.add(each.sectors);
      }
      counts += each.counts;
    }
    counts.global_load_block_sectors = loaded.size();
    counts.global_store_block_sectors = stored.size();
  }
  /// Returns the requests by place, after end() and until the next block. Includes places without requests of this
  /// block.
  const std::vector<counted_place>& places() const { return places_; }

 private:
  std::unordered_map<access_place, std::size_t, access_place_hash> numbers_;
  std::vector<counted_place> places_; ///< by number
  std::vector<lockstep> warps_;
};

// ---------------------------------------------------------------------------------------------------------------------
// block_trace and launch_trace: the counts of one block of a traced launch, and of the launch.

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
