// SPDX-License-Identifier: Apache-2.0
// check_schedule: the laws of schedules, for a schedule of your own.
//
//   std::puts(evenly::check_schedule(round_robin{}).c_str());
//
// prints nothing if the schedule is right. Otherwise it prints the first atom or tile that is handled wrongly:
//
//   law 1, tile set "powers of two": for_each_atom: tile 4, atom 15 visited 0 times
//
// The laws are listed at the head of algorithms/detail/laws.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/algorithms/detail/law_instances.hpp"
#include "evenly/algorithms/detail/laws.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::laws {

/// Runs two skeletons under one plan. Returns the first breach of a law in one line, or an empty string.
template <class Executor, class Schedule>
std::string first_breach(const Schedule& schedule, const Executor& exec, const named_tiles& set) {
  using atom = std::int64_t;
  findings found;
  try {
    const auto offsets = to_executor(exec, set.offsets);
    const auto tiles = csr_tiles(std::span<const atom>(offsets.span()));
    using tile = tile_type<std::remove_cv_t<decltype(tiles)>>;
    auto plan = make_plan(exec, schedule, tiles);
    const atom first = set.offsets.front();
    const basic_judge<Executor> judge(exec, set.offsets, found);
    judge.visits("for_each_atom", false, [&](const notes<visit_note>& seen) {
      for_each_atom(exec, plan, note_visit<tile, atom>{first, seen});
    });
    // A tile out of range might be read by the mapping: the first breach ends the check.
    if (found.all().empty())
      judge.template reduction_by_atom<affine_maps>("reduce_tiles", [&](const auto& out) {
        reduce_tiles(exec, plan, value_of_atom<affine_maps, atom>{}, affine_maps{},
                     note_store<affine_maps::value_type, tile>{out});
      });
  } catch (const std::exception& e) {
    return "tile set \"" + set.name + "\": " + e.what();
  }
  if (found.all().empty()) return {};
  const violation& breach = found.all().front();
  return "law " + std::to_string(breach.broken) + ", tile set \"" + set.name + "\": " + breach.what;
}

} // namespace evenly::laws

namespace evenly {

/// Runs a schedule on tile sets that are hard to distribute (empty tiles in every place, giants, ends on the borders of
/// blocks), or on the given one. Returns an empty string if it keeps laws 1 to 5 of schedules
/// (algorithms/detail/laws.hpp). Otherwise returns one line: the law, the tile set, and the first atom or tile that is
/// handled wrongly; or the exception, such as a race that simt reports.
///
/// - `schedule`: with its parameters. Its block size and items per thread are those of the runs.
/// - `exec`: where it runs. Default: the simulated GPU.
/// - `offsets`: of the tiles, n + 1 numbers that do not decrease, on the host; the first need not be 0.
/// - Runs for_each_atom and reduce_tiles, the second twice. Allocates and synchronises.
/// - Complexity: O(k (atoms + tiles)) on each of k = 26 tile sets of a few blocks of work, and on the given tiles.
/// - Throws invalid_argument for offsets that are not those of tiles.
template <class Schedule, executor Executor = simt>
std::string check_schedule(const Schedule& schedule, const Executor& exec = Executor()) {
  constexpr std::int64_t min_items = 8; // with fewer, the sizes around them would be negative
  const std::int64_t items = larger(laws::items_of_a_block(schedule), min_items);
  for (const laws::named_tiles& set : laws::adversarial_tile_sets(items))
    if (std::string breach = laws::first_breach(schedule, exec, set); !breach.empty()) return breach;
  return {};
}
template <class Schedule, executor Executor = simt>
std::string check_schedule(const Schedule& schedule, const std::vector<std::int64_t>& offsets,
                           const Executor& exec = Executor()) {
  if (offsets.empty()) throw invalid_argument("check_schedule needs n + 1 offsets for n tiles, but has none");
  for (std::size_t t = 1; t < offsets.size(); ++t)
    if (offsets[t] < offsets[t - 1])
      throw invalid_argument("check_schedule: offset " + std::to_string(t) + " is " +
                             std::to_string(offsets[t]) +
                             ", less than the one before: offsets must not decrease");
  return laws::first_breach(schedule, exec, {"the given offsets", offsets});
}

} // namespace evenly
