// SPDX-License-Identifier: Apache-2.0
// The parameters of a bucketed search for shortest paths, from the caller's settings, the graph and the executor.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/graph/detail/entry_lists.hpp"
#include "evenly/graph/detail/open_buckets.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/weights.hpp"

namespace evenly::graphs {

enum class path_method { automatic, delta_stepping, near_far, bellman_ford };

/// The settings of a bucketed search for shortest paths. 0: the default of the method.
struct path_settings {
  path_method method = path_method::automatic;
  /// The width of a bucket. For integers it is rounded to a power of two. It is increased if more than about 480
  /// buckets would be in use.
  double delta = 0;
  int rounds = 0;                  ///< maximum rounds of a block between two grid barriers
  std::int64_t target_entries = 0; ///< buckets are opened until the frontier has so many; cpu opens one
};

} // namespace evenly::graphs

namespace evenly::detail {

inline void check_settings(const graphs::path_settings& settings) {
  require(settings.delta >= 0,
          [&] { return "delta = " + std::to_string(settings.delta) + ": must be 0 or greater"; });
  require(settings.rounds >= 0,
          [&] { return "rounds = " + std::to_string(settings.rounds) + ": must not be negative"; });
  require(settings.target_entries >= 0, [&] {
    return "target_entries = " + std::to_string(settings.target_entries) + ": must not be negative";
  });
}

/// The properties of a graph that the rules use.
struct path_facts {
  double vertices = 0;
  double mean_weight = 0;
  double max_weight = 0;
  double mean_degree = 0;
  double max_degree = 0;
};

/// The tuning of an executor.
struct path_tuning {
  int chunk_log;                   ///< log2 of the entries of a chunk, at least
  int own_log;                     ///< log2 of the maximum entries of all lists' own chunks together
  int cut_log;                     ///< log2 of the maximum edges of an entry in dense graphs; fewer in others
  int stage;                       ///< entries of a stage
  int max_range;                   ///< maximum entries of a warp's range
  double wide;                     ///< the minimum number of edges of a wide frontier
  double narrow;                   ///< blocks run several rounds up to this many edges
  int max_single_block;            ///< maximum entries of a block for a further round
  double target_entries;           ///< buckets are opened until the frontier has so many entries
  int rounds;                      ///< of narrow graphs: more if repeated visits of edges are nearly free
  double busy;                     ///< entries of a frontier that keep all warps busy
  std::int64_t min_room;           ///< initial capacity in entries, if there may be this many
  double wide_width = 4;           ///< of a bucket of wide graphs, in mean weights / mean degree
  std::int64_t per_core = 1 << 15; ///< vertices and edges per core
  double uneven_width = 4;         ///< of a bucket of narrow graphs with very uneven degrees, in mean weights

  /// Small values, so that small graphs reach every branch.
  static constexpr path_tuning small() { return {2, 0, 2, 20, 4, 40, 60, 8, 6, 8, 8, 64}; }

  /// The tuning of an Executor. cpu uses only the width of buckets and per_core.
  template <class Executor> static path_tuning of() {
    if constexpr (Executor::serial_blocks)
      return {12, 0, 10, 2048, 64, 1 << 14, 1 << 16, 512, 64, 2, 1, 1 << 14, 2, 1 << 15, 1};
    else if constexpr (Executor::on_host)
      return small();
    else
      return {10, 21, 7, 2048, 32, 1 << 19, 1 << 16, 512, 1 << 12, 16, 2048, 1 << 22};
  }
};

template <class Distance> struct planned_buckets {
  path_buckets<Distance> buckets;
  path_rules rules;
};

/// The mean degree from which on a graph counts as wide, with few frontiers; and as dense, where repeated visits of
/// edges take longer than another frontier.
inline constexpr double wide_degree = 6, dense_degree = 64;
/// Rounds of narrow graphs: of those with few branches, where vertices have little more than two edges; and of those
/// where some vertex is cut into many entries, since its block delays the others.
inline constexpr int rounds_of_chains = 6, rounds_of_uneven = 4;
inline constexpr double chain_degree = 2.3, uneven_degree = 64;

inline bool is_narrow(const path_facts& facts) { return facts.mean_degree < wide_degree; }
inline bool is_dense(const path_facts& facts) { return facts.mean_degree >= dense_degree; }
inline bool is_uneven(const path_facts& facts) { return facts.max_degree > uneven_degree; }

inline int automatic_rounds(const path_tuning& tuning, const path_facts& facts) {
  if (!is_narrow(facts)) return 1;
  if (is_uneven(facts)) return rounds_of_uneven;
  return facts.mean_degree < chain_degree ? rounds_of_chains : tuning.rounds;
}

/// The width of buckets that was fastest on most of nine graphs on an H200. On narrow graphs a bucket is half as wide
/// as the rounds of a block reach, on uneven ones as wide as that reach; on cpu a fourth of it, since an edge visited
/// twice is not free. Frontiers of narrow graphs have about sqrt(vertices) entries; if these are too few for all warps,
/// buckets are wider.
inline double automatic_delta(const path_tuning& tuning, const path_facts& facts) {
  if (!is_narrow(facts)) return tuning.wide_width * facts.mean_weight / facts.mean_degree;
  const double idle = std::max(tuning.busy / std::sqrt(std::max(facts.vertices, 1.0)), 1.0);
  const double width = is_uneven(facts) ? tuning.uneven_width : 0.5 * automatic_rounds(tuning, facts);
  return width * facts.mean_weight * idle;
}

/// log2 of the maximum edges of an entry: small if a frontier waits for vertices of many edges.
inline int automatic_cut(const path_tuning& tuning, const path_facts& facts) {
  return larger(tuning.cut_log - (is_dense(facts) ? 0 : is_narrow(facts) ? 1 : 2), 0);
}

inline double delta_of(const graphs::path_settings& settings, const path_tuning& tuning,
                       const path_facts& facts) {
  if (settings.delta > 0) return settings.delta;
  const double degree = std::max(facts.mean_degree, 1.0);
  switch (settings.method) {
  case graphs::path_method::delta_stepping:
    return facts.max_weight / degree;
  case graphs::path_method::near_far:
    return 32 * facts.mean_weight / degree;
  case graphs::path_method::bellman_ford:
    return std::numeric_limits<double>::infinity();
  case graphs::path_method::automatic:
    break;
  }
  return automatic_delta(tuning, facts);
}

/// The width of the buckets and their number.
template <class Distance>
planned_buckets<Distance> plan_buckets(const graphs::path_settings& settings, const path_tuning& tuning,
                                       const path_facts& facts) {
  constexpr int max_buckets = 1024, max_shift = std::numeric_limits<Distance>::digits;
  const double degree = std::max(facts.mean_degree, 1.0);
  const bool is_automatic = settings.method == graphs::path_method::automatic;
  planned_buckets<Distance> made;
  path_rules& rules = made.rules;
  rules.rounds = settings.rounds > 0 ? settings.rounds : is_automatic ? automatic_rounds(tuning, facts) : 1;
  const double target = settings.target_entries > 0        ? static_cast<double>(settings.target_entries)
                        : is_automatic && !is_dense(facts) ? tuning.target_entries
                                                           : 1;
  rules.target_entries = static_cast<std::uint32_t>(std::clamp(target, 1.0, 1e9));
  rules.narrow = static_cast<std::uint32_t>(tuning.narrow / degree);
  rules.max_single_block = static_cast<std::uint32_t>(tuning.max_single_block);
  rules.wide = static_cast<std::uint32_t>(tuning.wide / degree);
  rules.cut_log = automatic_cut(tuning, facts);
  // A range has about 256 edges on average, and at most 1,024 unless it has 8 entries.
  const double cut = std::clamp(facts.max_degree, 1.0, std::ldexp(1.0, rules.cut_log));
  rules.max_range = std::clamp(static_cast<int>(std::min(256 / degree, 1024 / cut)),
                               smaller(8, tuning.max_range), tuning.max_range);
  rules.stage = tuning.stage;
  for (double delta = delta_of(settings, tuning, facts);; delta *= 2) {
    double width = delta;
    if constexpr (std::integral<Distance>) {
      made.buckets.shift =
          static_cast<int>(std::clamp(std::round(std::log2(std::max(delta, 1.0))), 0.0, double{max_shift}));
      width = std::ldexp(1.0, made.buckets.shift);
      rules.window =
          made.buckets.shift == max_shift ? 0 : static_cast<int>(std::min(facts.max_weight / width, 1e6)) + 2;
    } else {
      made.buckets.inverse = delta > 0 ? std::min(1 / delta, std::numeric_limits<double>::max()) : 0;
      // Rounding can increase the difference of two distances to at most twice the weight.
      rules.window = made.buckets.inverse == 0
                         ? 0
                         : static_cast<int>(std::min(2 * facts.max_weight * made.buckets.inverse, 1e6)) + 3;
    }
    rules.buckets = 64;
    while (rules.buckets < 2 * rules.window + 64 && rules.buckets < 2 * max_buckets) rules.buckets *= 2;
    if (rules.buckets <= max_buckets) return made;
  }
}

/// The sizes of the lists. room: a factor on the initial capacity.
template <class Entry>
entry_lists<Entry> size_lists(const path_rules& rules, const path_tuning& tuning, std::int64_t vertices,
                              std::int64_t edges, std::int64_t room) {
  entry_lists<Entry> lists{};
  lists.apart = rules.buckets;
  lists.lists = rules.buckets + 3;
  // Entries in a list's own chunk are found without a load from the table.
  const auto bits =
      static_cast<int>(std::bit_width(static_cast<unsigned>(rules.buckets))); // of the number of lists
  lists.chunk_log = larger(tuning.chunk_log, smaller(tuning.own_log - bits, 13));
  const std::int64_t max = vertices + (edges >> rules.cut_log); // entries without repetitions
  const auto chunks_of = [&](std::int64_t entries) { return (entries >> lists.chunk_log) + 1; };
  lists.row = static_cast<std::uint32_t>(chunks_of(max * room) + 1);
  const std::int64_t entries = std::max(max / 2, std::min(4 * max, tuning.min_room)) * room;
  lists.chunks = static_cast<std::uint32_t>(lists.lists + chunks_of(entries));
  lists.ring_mask = std::bit_ceil(lists.chunks) - 1;
  return lists;
}

} // namespace evenly::detail
