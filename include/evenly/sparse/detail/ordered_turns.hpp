// SPDX-License-Identifier: Apache-2.0
// Sums to which threads of a team add at the same time, so that their bits do not depend on who comes first.
#pragma once

#include <cstdint>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::detail {

/// Additions to places, by the threads of a team at the same time, so that each place has its own in the order of the
/// threads. Threads of one round whose places share a mark go one after the other, the lowest first. `marks`: any
/// number of elements from 2 on; more of them let fewer threads wait.
template <class Team, class Marks> class ordered_turns {
  static constexpr int rank_bits = 10;
  static constexpr std::uint32_t rounds = (std::uint32_t{1} << (32 - rank_bits)) - 1;

 public:
  EVENLY_FN ordered_turns(const Team& team, const Marks& marks)
      : team_(team), marks_(marks), flag_(marks.size() - 1) {
    clear();
  }

  /// Calls add() in threads where `has` holds. By all threads of the team together; synchronises it.
  template <class Add> EVENLY_FN void operator()(bool has, std::uint32_t place, const Add& add) {
    bool waits = has;
    for (bool any = true; any; --round_) {
      if (round_ == 0) clear();
      const std::uint32_t mine = round_ << rank_bits | static_cast<std::uint32_t>(team_.rank());
      const int at = static_cast<int>(place % static_cast<std::uint32_t>(flag_));
      if (waits) atomic_ref(marks_[at], scope::block{}).fetch_min(mine, order::relaxed{});
      team_.sync();
      if (waits) {
        const std::uint32_t least = marks_[at];
        if (least == mine) {
          add();
          waits = false;
        }
      }
      any = any_of_team(waits);
    }
  }

 private:
  EVENLY_FN void clear() {
    team_.sync();
    for (int i = team_.rank(); i <= flag_; i += team_.size()) marks_[i] = ~std::uint32_t{0};
    round_ = rounds;
    team_.sync();
  }
  EVENLY_FN bool any_of_team(bool mine) const {
    if (!team_.wide()) {
      const bool any = team_lanes(team_).any(mine);
      team_.sync();
      return any;
    }
    if (mine) atomic_ref(marks_[flag_], scope::block{}).store(round_, order::relaxed{});
    team_.sync();
    const std::uint32_t last = marks_[flag_];
    return last == round_;
  }

  const Team& team_;
  const Marks& marks_;
  int flag_;
  std::uint32_t round_ = 0;
};

} // namespace evenly::detail
