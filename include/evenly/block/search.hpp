// SPDX-License-Identifier: Apache-2.0
// Searches in ascending sequences, by one thread.
#pragma once

#include <concepts>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// The first i in [first, last) for which past(i) holds, or last. Requires: once past holds it holds for all
/// later i. log2(last - first) + 1 calls.
template <std::signed_integral Integer, class Past>
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

/// Like first_past, for an answer that is probably near `first`: 2 log2(answer - first) + 1 calls.
template <std::signed_integral Integer, class Past>
EVENLY_FN constexpr Integer first_past_near(Integer first, Integer last, const Past& past) {
  Integer step = 1;
  while (step <= last - first && !past(static_cast<Integer>(first + step - 1))) {
    first += step;
    step = step > (last - first) / 2 ? last - first + 1 : 2 * step;
  }
  return first_past(first, step <= last - first ? static_cast<Integer>(first + step - 1) : last, past);
}

/// Where diagonal `diagonal` crosses the merge path of tile ends and atoms: how many of `tiles` tiles have
/// ended when `diagonal` steps are done, a step being one atom or one tile end, and a tile ending as soon as
/// its atoms are done. end(t): atoms before the end of tile t, counted from the path's start; `atoms`: in
/// all. The rest of the steps, diagonal - result, are atoms. Green, McColl & Bader, "GPU merge path" (ICS
/// 2012). log2(tiles) steps.
template <std::signed_integral Tile, std::signed_integral Diagonal, class End>
EVENLY_FN constexpr Tile merge_path_search(Diagonal diagonal, Tile tiles, Diagonal atoms, const End& end) {
  const auto first = static_cast<Tile>(larger<Diagonal>(diagonal - atoms, 0));
  const auto last = static_cast<Tile>(smaller<Diagonal>(diagonal, tiles));
  return first_past(first, last, [&](Tile t) { return end(t) > diagonal - t - 1; });
}

} // namespace evenly
