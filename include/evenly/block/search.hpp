// SPDX-License-Identifier: Apache-2.0
// Searches in ascending sequences, by one thread or by the lanes of a group.
#pragma once

#include <concepts>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// Returns the first i in [first, last) for which past(i) holds, or last. Requires that past holds for all later i too.
/// log2(last - first) + 1 calls.
template <signed_of_32_or_64_bits Integer, class Past>
EVENLY_FN constexpr Integer first_past(Integer first, Integer last, const Past& past) {
  while (first < last) {
    const Integer middle = first + (last - first) / 2;
    if (past(middle))
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

/// first_past as a function object.
struct searches_alone {
  template <class Integer, class Past>
  EVENLY_FN constexpr Integer operator()(Integer first, Integer last, const Past& past) const {
    return first_past(first, last, past);
  }
};

/// As first_past, in half as many steps of three calls each: for slow calls, if three at a time take no longer than
/// one.
template <signed_of_32_or_64_bits Integer, class Past>
EVENLY_FN constexpr Integer first_past_by_quarters(Integer first, Integer last, const Past& past) {
  while (last - first >= 4) {
    const Integer quarter = (last - first) / 4;
    const Integer one = first + quarter;
    const Integer two = one + quarter;
    const Integer three = two + quarter;
    const bool past_one = past(one), past_two = past(two), past_three = past(three);
    if (past_two) {
      last = past_one ? one : two;
      if (!past_one) first = one + 1;
    } else {
      first = past_three ? two + 1 : three + 1;
      if (past_three) last = three;
    }
  }
  return first_past(first, last, past);
}

/// As first_past, for an answer that is probably near `first`: 2 log2(answer - first) + 1 calls.
template <signed_of_32_or_64_bits Integer, class Past>
EVENLY_FN constexpr Integer first_past_near(Integer first, Integer last, const Past& past) {
  Integer step = 1;
  while (step <= last - first && !past(first + step - 1)) {
    first += step;
    step = step > (last - first) / 2 ? last - first + 1 : 2 * step;
  }
  return first_past(first, step <= last - first ? first + step - 1 : last, past);
}

/// As first_past, combining the two above: few steps of up to three calls, for an answer that is probably near `first`.
template <signed_of_32_or_64_bits Integer, class Past>
EVENLY_FN constexpr Integer first_past_near_by_quarters(Integer first, Integer last, const Past& past) {
  Integer step = 1;
  while (step <= last - first && !past(first + step - 1)) {
    first += step;
    step = step > (last - first) / 4 ? last - first + 1 : 4 * step;
  }
  const Integer end = step <= last - first ? first + step - 1 : last;
  return first_past_by_quarters(first, end, past);
}

/// As first_past, by all lanes of a group (team.hpp), each testing one place: for slow calls, if there are few
/// searches. log(last - first) / log(lanes) + 1 steps; the result is the same in all lanes.
template <signed_of_32_or_64_bits Integer, class Group, class Past>
EVENLY_FN Integer first_past_together(const Group& group, Integer first, Integer last, const Past& past) {
  while (first < last) {
    const Integer count = last - first;
    const Integer per_lane = ceil_div(count, static_cast<Integer>(group.size()));
    const auto last_of_lane = [&](Integer lane) {
      return count - 1 - lane * per_lane < per_lane - 1
                 ? count - 1
                 : static_cast<Integer>(lane * per_lane + per_lane - 1);
    };
    const Integer used_lanes = (count - 1) / per_lane + 1;
    const bool is_used = group.rank() < used_lanes;
    const auto lane = static_cast<Integer>(
        group.first_where(!is_used || past(first + last_of_lane(static_cast<Integer>(group.rank())))));
    if (lane < 0 || lane >= used_lanes) return last;
    last = first + last_of_lane(lane);
    first += lane * per_lane;
  }
  return first;
}

/// Returns how many of `size` ascending values are at most `k`. Requires that the last value is not. value(i): the i-th
/// value. log2(size) calls, one per step and equally many for each k, so that threads stay converged.
///
/// Source: the optimised binary search of Busato & Bombieri (TPDS 2017).
template <class Value, class Values> EVENLY_FN int count_up_to(Value k, int size, const Values& value) {
  const int half = size > 1 ? floor_power_of_two(size - 1) : 0;
  int count = 0;
  EVENLY_UNROLL
  for (int step = half; step > 0; step /= 2) {
    const int next = smaller(count + step, size); // value(size - 1) is never passed
    if (value(next - 1) <= k) count = next;
  }
  return count;
}

/// Returns where diagonal `diagonal` crosses the merge path of tile ends and atoms: how many of `tiles` tiles have
/// ended after `diagonal` steps. A step is one atom or one tile end, and a tile ends as soon as its atoms are done. The
/// remaining steps, diagonal - result, are atoms.
///
/// - `end(t)`: the number of atoms before the end of tile t, counted from the path's start.
/// - `atoms`: the number of all atoms.
/// - `search`: search(first, last, past), a replacement for first_past.
/// - Cost: log2(tiles) steps, or those of `search`.
///
/// Source: Green, McColl & Bader, "GPU merge path" (ICS 2012).
template <signed_of_32_or_64_bits Tile, signed_of_32_or_64_bits Diagonal, class End, class Search>
EVENLY_FN constexpr Tile merge_path_search(Diagonal diagonal, Tile tiles, Diagonal atoms, const End& end,
                                           const Search& search) {
  const auto first = static_cast<Tile>(larger<Diagonal>(diagonal - atoms, 0));
  const auto last = static_cast<Tile>(smaller<Diagonal>(diagonal, tiles));
  return search(first, last, [&](Tile t) { return end(t) > diagonal - t - 1; });
}
/// The same by binary search.
template <signed_of_32_or_64_bits Tile, signed_of_32_or_64_bits Diagonal, class End>
EVENLY_FN constexpr Tile merge_path_search(Diagonal diagonal, Tile tiles, Diagonal atoms, const End& end) {
  return merge_path_search(diagonal, tiles, atoms, end, searches_alone{});
}

} // namespace evenly
