// SPDX-License-Identifier: Apache-2.0
// A stable radix sort of the products of a row by column, in a team's storage, from the last digit to the first.
// Columns and values stay in place; the sort moves places of 16 bits.
//
// Each warp of the team has a part of the places. For a digit it counts its places. A scan over digits and warps gives
// the begin of each warp's places. The warp then distributes them in order, one warp width at a time; votes find the
// lanes of equal digits. General method: Satish, Harris & Garland, "Designing efficient sorting algorithms for manycore
// GPUs" (IPDPS 2009).
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::detail {

/// The part [begin, end) of `count` elements that a warp of a team has.
struct part_of_warp {
  int begin, end;

  template <class Team> EVENLY_FN static part_of_warp of(const Team& team, int count) {
    const int each = ceil_div(count, warps_of(team));
    const int begin = smaller(each * (team.wide() ? warp_of(team.block()) : 0), count);
    return {begin, smaller(begin + each, count)};
  }
  template <class Team> EVENLY_FN static int warps_of(const Team& team) {
    return team.wide() ? team.block().shape().warps() : 1;
  }
};

struct product_sort {
  static constexpr int max_bits = 7; ///< per digit

  /// The number of counters for a team of one warp, and per thread for a wider one.
  static constexpr int min_counters = 1 << max_bits, counters_per_thread = 4;

  /// The number of bits of numbers below `bound`.
  EVENLY_FN static int bits_below(int bound) {
    return bound <= 1 ? 1 : last_lane(static_cast<lane_mask>(bound - 1)) + 1;
  }

  /// Sorts the numbers 0 to count - 1 by columns[number], stably, into places[first] and the following elements.
  /// Returns `first`, which is 0 or half the size of `places`. Requires a team within a warp, or the whole block, and
  /// columns of at most `bits` bits. Synchronises the team, also at the end.
  template <class Team, class Columns, class Places, class Counters, class Scratch>
  EVENLY_FN static int by_columns(const Team& team, int count, int bits, const Columns& columns,
                                  const Places& places, const Counters& counters, const Scratch& scratch) {
    const auto warp = team_lanes(team);
    const int warps = part_of_warp::warps_of(team), me = team.wide() ? warp_of(team.block()) : 0;
    const part_of_warp mine = part_of_warp::of(team, count);
    int of_digit = 1;
    while (of_digit < max_bits && (2 << of_digit) * warps <= counters.size()) ++of_digit;
    of_digit = ceil_div(bits, ceil_div(bits, of_digit)); // makes all digits alike
    const int all = (1 << of_digit) * warps;
    int from = places.size() / 2, to = 0;
    for (int shift = 0; shift < bits; shift += of_digit) {
      const auto place_at = [&](int i) {
        int place = i;
        if (shift > 0) {
          const std::uint16_t kept = places[from + i];
          place = kept;
        }
        return place;
      };
      const auto digit_at = [&](int place) {
        const std::uint32_t column = columns[place];
        return static_cast<int>(column >> shift & ((1u << of_digit) - 1));
      };
      for (int i = team.rank(); i < all; i += team.size()) counters[i] = std::uint32_t{0};
      team.sync();
      for (int i = mine.begin + warp.rank(); i < mine.end; i += warp.size())
        atomic_ref(counters[digit_at(place_at(i)) * warps + me], scope::block{})
            .fetch_add(1u, order::relaxed{});
      team.sync();
      begin_counters(team, all, counters, scratch);
      for (int first = mine.begin; first < mine.end; first += warp.size()) {
        const int i = first + warp.rank();
        const bool has = i < mine.end;
        int place = 0, digit = 0;
        if (has) {
          place = place_at(i);
          digit = digit_at(place);
        }
        lane_mask same = warp.ballot(has);
        for (int bit = 0; bit < of_digit; ++bit) {
          const bool is_set = (digit >> bit & 1) != 0;
          const lane_mask those = warp.ballot(is_set);
          same &= is_set ? those : ~those;
        }
        const int before = lanes_in(same & first_lanes(warp.rank()));
        std::uint32_t begin = 0;
        if (has) begin = counters[digit * warps + me];
        warp.sync();
        if (has) {
          places[to + static_cast<int>(begin) + before] = static_cast<std::uint16_t>(place);
          if (before == 0) counters[digit * warps + me] = begin + static_cast<std::uint32_t>(lanes_in(same));
        }
        warp.sync();
      }
      team.sync();
      from = to;
      to = places.size() / 2 - to;
    }
    return from;
  }

  /// Replaces each of `all` counters by the sum of those before it. Requires a team that has synchronised; synchronises
  /// it, also at the end.
  template <class Team, class Counters, class Scratch>
  EVENLY_FN static void begin_counters(const Team& team, int all, const Counters& counters,
                                       const Scratch& scratch) {
    const int each = ceil_div(all, team.size()) | 1; // odd, so that lanes use different banks
    const int begin = smaller(each * team.rank(), all), end = smaller(begin + each, all);
    std::int64_t sum = 0;
    for (int i = begin; i < end; ++i) {
      const std::uint32_t here = counters[i];
      sum += here;
    }
    auto before = static_cast<std::uint32_t>(team_scan(team, sum, plus<std::int64_t>{}, scratch).before);
    for (int i = begin; i < end; ++i) {
      const std::uint32_t here = counters[i];
      counters[i] = before;
      before += here;
    }
    team.sync();
  }
};

} // namespace evenly::detail
