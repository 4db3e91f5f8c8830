// SPDX-License-Identifier: Apache-2.0
// lockstep: groups the accesses of a warp's lanes, each lane's in its order, as a GPU makes them. Lanes at the same
// place proceed together. Lanes that branched wait for each other where their paths meet again.
//
// A trace does not contain the meeting points, only the places where each lane was. If lanes stand at several places,
// the place that proceeds first is
// 1. the one whose number of visits between two meetings of the warp differs most among lanes: a loop's body, or code
//    under a condition. Places that all lanes visit equally often come last
// 2. of two alike, the one that the lanes at both places visit less often from here on
// 3. the one with fewer accesses until the other; or the one that was recorded first
//
// So a loop's body comes before the code after the loop, and a store under a condition before the loop's next
// iteration.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "evenly/block/block.hpp"

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

} // namespace evenly::detail
