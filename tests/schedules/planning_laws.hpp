// SPDX-License-Identifier: Apache-2.0
// A plan has the same results however it was made: with trusted tiles, bound to other tiles, and for tile sets whose
// sizes only the device knows. Here one plan is bound to many tile sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/block_search.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "laws/battery.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

using planned_value = affine_maps::value_type;

/// An atom's value, of its number only.
template <class Atom> struct planned_value_of {
  EVENLY_FN planned_value operator()(Atom a) const { return affine_maps::of(static_cast<std::uint64_t>(a)); }
};
template <class Number> struct keep_value {
  planned_value* to;
  std::int64_t first;
  EVENLY_FN void operator()(Number i, planned_value value) const { to[i - first] = value; }
};

/// What runs write, and what they have to.
struct planned_results {
  std::vector<planned_value> sums, prefixes;
  std::vector<int> tile_of;

  bool operator==(const planned_results&) const = default;
};

inline constexpr planned_value unwritten{7, 7};
inline constexpr int no_tile_written = -7;

/// With room for so many tiles and atoms, behind which nothing is written.
inline planned_results expected_results(const std::vector<std::int64_t>& offsets, const capacity& room) {
  planned_results want{std::vector<planned_value>(static_cast<std::size_t>(room.tiles), unwritten),
                       std::vector<planned_value>(static_cast<std::size_t>(room.atoms), unwritten),
                       std::vector<int>(static_cast<std::size_t>(room.atoms), no_tile_written)};
  const affine_maps op;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    planned_value sum = op.identity();
    for (std::int64_t a = offsets[t]; a < offsets[t + 1]; ++a) {
      const auto at = static_cast<std::size_t>(a - offsets.front());
      sum = op(sum, affine_maps::of(static_cast<std::uint64_t>(a)));
      want.prefixes[at] = sum;
      want.tile_of[at] = static_cast<int>(t);
    }
    want.sums[t] = sum;
  }
  return want;
}

/// The outputs of runs on an executor.
template <class Executor> class planned_outputs {
 public:
  planned_outputs(const Executor& exec, const capacity& room)
      : exec_(exec), room_(room), sums_(to_executor(exec, std::vector(size(room.tiles), unwritten))),
        prefixes_(to_executor(exec, std::vector(size(room.atoms), unwritten))),
        tile_of_(to_executor(exec, std::vector(size(room.atoms), no_tile_written))) {}

  /// Starts all; `atoms`: how many are told to expand.
  template <class Plan> void run(Plan& plan, std::int64_t first_atom, std::int64_t atoms) const {
    using tiles = typename Plan::tiles_type;
    using atom = atom_type<tiles>;
    reduce_tiles(exec_, plan, planned_value_of<atom>{}, affine_maps{},
                 keep_value<tile_type<tiles>>{sums_.data(), 0});
    scan_tiles(exec_, plan, planned_value_of<atom>{}, affine_maps{},
               keep_value<atom>{prefixes_.data(), first_atom});
    expand(exec_, plan, tile_of_.span().first(size(atoms)));
  }
  planned_results read() const {
    return {to_host(exec_, sums_), to_host(exec_, prefixes_), to_host(exec_, tile_of_)};
  }
  const capacity& room() const { return room_; }

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  Executor exec_;
  capacity room_;
  buffer<planned_value> sums_, prefixes_;
  buffer<int> tile_of_;
};

inline capacity sizes_of_set(const named_tiles& set) {
  return {static_cast<std::int64_t>(set.offsets.size()) - 1, set.offsets.back() - set.offsets.front()};
}
inline capacity max_of_sets(const std::vector<named_tiles>& sets) {
  capacity max_size;
  for (const named_tiles& set : sets) {
    const capacity each = sizes_of_set(set);
    max_size = {std::max(max_size.tiles, each.tiles), std::max(max_size.atoms, each.atoms)};
  }
  return max_size;
}

/// Says which results differ first.
inline void expect_results(const planned_results& got, const planned_results& want,
                           const std::string& where) {
  const auto differ = [&](const char* what, const auto& one, const auto& other) {
    const auto at = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin();
    if (one != other) ADD_FAILURE() << what << " " << at << " is wrong: " << where;
  };
  differ("sum", got.sums, want.sums);
  differ("prefix", got.prefixes, want.prefixes);
  differ("tile of atom", got.tile_of, want.tile_of);
}

template <class Offset> std::vector<Offset> offsets_as(const named_tiles& set) {
  return {set.offsets.begin(), set.offsets.end()};
}

/// Schedules whose plans are bound to other tiles, with every form of sharing but pieces. block_size: 0 leaves it as it
/// is.
template <class Visit> void for_each_kind_that_rebinds(int block_size, const Visit& visit) {
  const auto sized = [&](const char* name, auto schedule) {
    if (block_size > 0) schedule.block_size = block_size;
    visit(name, schedule);
  };
  sized("thread_mapped", thread_mapped{});
  sized("block_search", block_search<>{});
  sized("group_mapped<32>", group_mapped<32>{});
  sized("cta_warp_scan", cta_warp_scan{});
  sized("merge_path", merge_path<>{});
  sized("nonzero_split", nonzero_split<>{});
  sized("streamed", streamed{});
}

/// A plan that is bound to one of the sets after the other, each given with its number of atoms, and once without.
template <class Executor, class Offset, class Schedule>
void expect_rebinding(const Executor& exec, const Schedule& schedule, const std::vector<named_tiles>& sets,
                      const std::string& name) {
  const capacity max_size = max_of_sets(sets);
  const auto first = to_executor(exec, std::vector<Offset>{0});
  auto plan = make_plan(exec, schedule, assume_valid(csr_tiles(first.span()), 0), max_size);
  plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
  for (const named_tiles& set : sets) {
    const auto offsets = to_executor(exec, offsets_as<Offset>(set));
    const auto tiles = csr_tiles(offsets.span());
    const capacity here = sizes_of_set(set);
    const planned_results want = expected_results(set.offsets, max_size);
    const auto expect_right = [&](const char* how) {
      const planned_outputs<Executor> out(exec, max_size);
      out.run(plan, set.offsets.front(), here.atoms);
      expect_results(out.read(), want, name + ", \"" + set.name + "\", " + how);
      EXPECT_EQ(plan.atoms(), here.atoms);
    };
    plan.rebind(assume_valid(tiles, here.atoms, static_cast<Offset>(set.offsets.front())));
    expect_right("told its atoms");
    plan.rebind(tiles);
    expect_right("not told its atoms");
  }
}

/// The same of a tile set whose sizes are numbers on the device.
template <class Executor, class Offset, class Schedule>
void expect_sizes_on_device(const Executor& exec, const Schedule& schedule,
                            const std::vector<named_tiles>& sets, const std::string& name) {
  const capacity max_size = max_of_sets(sets);
  const auto offsets = to_executor(exec, std::vector<Offset>(static_cast<std::size_t>(max_size.tiles) + 1));
  const auto count = to_executor(exec, std::vector<int>{0});
  auto plan = make_plan(exec, schedule, csr_tiles_on_device(offsets.data(), count.data(), max_size));
  plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
  for (const named_tiles& set : sets) {
    const auto values = offsets_as<Offset>(set);
    const auto tiles = static_cast<int>(values.size() - 1);
    exec.copy_from_host(offsets.data(), values.data(), values.size() * sizeof(Offset));
    exec.copy_from_host(count.data(), &tiles, sizeof(tiles));
    plan.rebind(plan.tiles());
    const planned_outputs<Executor> out(exec, max_size);
    out.run(plan, set.offsets.front(), max_size.atoms);
    expect_results(out.read(), expected_results(set.offsets, max_size), name + ", \"" + set.name + "\"");
    const auto found = plan.read_sizes(exec);
    EXPECT_EQ((capacity{found.tiles, found.all.atoms}), sizes_of_set(set)) << set.name;
  }
}

/// A call that plans and runs, for each of the sets, which are assumed valid.
template <class Executor, class Schedule>
void expect_one_call(const Executor& exec, const Schedule& schedule, const std::vector<named_tiles>& sets,
                     const std::string& name) {
  for (const named_tiles& set : sets) {
    const auto offsets = to_executor(exec, offsets_as<int>(set));
    const capacity here = sizes_of_set(set);
    const auto sums = to_executor(exec, std::vector(static_cast<std::size_t>(here.tiles), unwritten));
    reduce_tiles(exec, schedule,
                 assume_valid(csr_tiles(offsets.span()), here.atoms, static_cast<int>(set.offsets.front())),
                 planned_value_of<int>{}, affine_maps{}, keep_value<int>{sums.data(), 0});
    EXPECT_EQ(to_host(exec, sums), expected_results(set.offsets, here).sums) << name << ", " << set.name;
  }
}

/// What is put through these: hard sets for blocks of the schedule, from the largest to the empty ones and back.
template <class Schedule> std::vector<named_tiles> sets_to_bind(const Schedule& schedule) {
  std::vector<named_tiles> sets = adversarial_tile_sets(items_of_a_block(schedule));
  std::rotate(sets.begin(), sets.end() - 1, sets.end());
  sets.push_back(sets.front());
  return sets;
}
template <class Schedule> std::vector<named_tiles> sets_of_many_blocks(const Schedule& schedule) {
  std::vector<named_tiles> sets = tile_sets_of_many_blocks(items_of_a_block(schedule));
  sets.push_back(tile_sizes().add(0).named("one empty tile"));
  return sets;
}

} // namespace evenly::laws
