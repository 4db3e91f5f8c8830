// SPDX-License-Identifier: Apache-2.0
// combined_heuristic: selects merge_path, or thread_mapped or group_mapped if there is little work, by two thresholds.
//
// Source: Osama, Porumbescu & Owens, "A programming model for GPU load balancing" (PPoPP 2023), section 6.2. It uses
// merge-path unless "either the number of rows or columns are less than the threshold alpha and the nonzeros of a given
// matrix are less than threshold beta". Available copies of the paper lack the constants. The authors' published
// choices are merge-path from 10,000 nonzeros on, and another schedule below, for 4,827 of 4,831 matrices, whatever the
// rows and columns. So alpha has no limit by default. (alpha = 500 fits 4,172 of them.) With an alpha, the sentence has
// two readings, which `combined_heuristic::reading` selects. The paper does not say how to choose between thread-mapped
// and group-mapped. In the published times, a thread per tile is faster up to about 64 atoms per tile.
//
// It is included for comparison. `automatic` uses the distribution of sizes (schedules/automatic.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"

namespace evenly {

/// The chooser by two thresholds. See the head of this file.
struct combined_heuristic {
  /// The reading of "either the number of rows or columns are less than alpha and the nonzeros less than beta": one of
  /// rows and columns must be less, or both.
  enum class reading { either, both };

  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

  std::int64_t alpha = any;   ///< tiles and columns; any: their numbers do not matter
  std::int64_t beta = 10'000; ///< atoms
  std::int64_t columns = 0;   ///< columns that atoms may refer to; 0: unknown, and not less than anything
  reading of = reading::either;

  template <class Executor> auto candidates(const Executor&) const {
    return std::tuple{named_schedule<merge_path<>>{"merge_path", {}},
                      named_schedule<thread_mapped>{"thread_mapped", {}},
                      named_schedule<group_mapped<32>>{"group_mapped<32>", {}}};
  }
  bool wants_sizes(std::int64_t) const { return false; }

  template <class Executor> choice choose(const Executor&, const choice_facts& facts) const {
    const std::int64_t tiles = facts.tiles.tiles, atoms = facts.tiles.atoms;
    const bool few_tiles = tiles < alpha, few_columns = columns > 0 && columns < alpha;
    const bool few =
        alpha == any || (of == reading::either ? few_tiles || few_columns : few_tiles && few_columns);
    const auto less = [](std::int64_t a, std::int64_t b) {
      return detail::concat(a, (a < b ? " < " : " >= "), b);
    };
    std::string figures = less(atoms, beta) + " atoms";
    if (alpha != any && columns > 0) figures = less(columns, alpha) + " columns, " + figures;
    if (alpha != any) figures = less(tiles, alpha) + " tiles, " + figures;
    if (!few || atoms >= beta) return {0, "merge_path: " + figures};
    if (atoms < 64 * tiles) return {1, "thread_mapped: " + figures + ", fewer than 64 a tile"};
    return {2, "group_mapped<32>: " + figures + ", 64 or more a tile"};
  }
};

} // namespace evenly
