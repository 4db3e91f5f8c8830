// SPDX-License-Identifier: Apache-2.0
// The laws of for_each_tile under every schedule that keeps tiles whole: each tile is one team's once, with storage
// that no other team writes; of a giant either that, or its parts once each. The body waits for its team more often for
// some tiles than for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/for_each_tile.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "laws/battery.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {

/// What is noted of a tile.
struct tile_notes {
  std::uint64_t* sums; ///< of its atoms' numbers, mixed
  int* times;          ///< by a team
  int* parts;          ///< by blocks that share it
  int* wrong;          ///< one number: how often something was not as promised
};

/// Sums up a tile's atoms by its team: each thread its own, in storage; then the first thread those.
template <tile_set Tiles> struct note_tile {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  Tiles tiles;
  tile_notes to;

  template <class Team, class Sums, class Marks>
  EVENLY_FN void operator()(const Team& team, tile t, atom begin, atom end, const Sums& sums,
                            const Marks& marks) const {
    const bool right = begin == tiles.begin(t) && end == tiles.end(t) && sums.size() == team.size() &&
                       marks.size() == 2 && team.has_thread();
    if (!right) atomic_ref(*to.wrong).fetch_add(1);
    const std::uint64_t sum = sum_up(team, begin, end, sums);
    for (int round = 0; round < static_cast<int>(t % 3); ++round) {
      if (team.rank() == 0) marks[1] = static_cast<std::int64_t>(t) + round;
      team.sync();
      if (static_cast<std::int64_t>(marks[1]) != static_cast<std::int64_t>(t) + round)
        atomic_ref(*to.wrong).fetch_add(1);
      team.sync();
    }
    if (team.rank() == 0) {
      to.sums[t] = sum;
      atomic_ref(to.times[t]).fetch_add(1);
    }
  }

 protected:
  /// Valid at rank 0.
  template <class Team, class Sums>
  EVENLY_FN static std::uint64_t sum_up(const Team& team, atom begin, atom end, const Sums& sums) {
    std::uint64_t mine = 0;
    for_strided(begin, end, team.rank(), team.size(),
                [&](atom a) { mine += mixed(static_cast<std::uint64_t>(a)); });
    sums[team.rank()] = mine;
    team.sync();
    std::uint64_t all = 0;
    for (int r = 0; team.rank() == 0 && r < team.size(); ++r) all += static_cast<std::uint64_t>(sums[r]);
    return all;
  }
};

template <tile_set Tiles> struct note_tile_or_parts : note_tile<Tiles> {
  using typename note_tile<Tiles>::tile;
  using typename note_tile<Tiles>::atom;

  template <class Team, class Sums, class Marks>
  EVENLY_FN void shared(const Team& team, tile t, atom begin, atom end, const Sums& sums,
                        const Marks&) const {
    const std::uint64_t sum = this->sum_up(team, begin, end, sums);
    if (team.rank() != 0) return;
    atomic_ref(this->to.sums[t]).fetch_add(sum);
    atomic_ref(this->to.parts[t]).fetch_add(1);
  }
};

inline void judge_tiles(const std::vector<std::int64_t>& offsets, const std::vector<std::uint64_t>& sums,
                        const std::vector<int>& times, const std::vector<int>& parts, int wrong,
                        const std::string& where) {
  EXPECT_EQ(wrong, 0) << "times that something was not as promised; " << where;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    std::uint64_t want = 0;
    for (std::int64_t a = offsets[t]; a < offsets[t + 1]; ++a) want += mixed(static_cast<std::uint64_t>(a));
    const std::string which = "tile " + std::to_string(t) + " of " +
                              std::to_string(offsets[t + 1] - offsets[t]) + " atoms; " + where;
    ASSERT_EQ(times[t], parts[t] == 0 ? 1 : 0) << "times a team has " << which;
    ASSERT_EQ(sums[t], want) << "the sum of " << which;
  }
}

/// Brings a tile's atoms to storage that has room for each of them; then the first thread sums them up. Of giants each
/// part likewise.
template <tile_set Tiles> struct gather_tile : note_tile<Tiles> {
  using typename note_tile<Tiles>::tile;
  using typename note_tile<Tiles>::atom;

  template <class Team, class Values>
  EVENLY_FN void operator()(const Team& team, tile t, atom begin, atom end, const Values& values) const {
    const std::int64_t size = end - begin;
    if (values.size() < size || values.size() >= 2 * size + (size < 2))
      atomic_ref(*this->to.wrong).fetch_add(1); // more than a power of two that is not needed
    const std::uint64_t sum = gather(team, begin, end, values);
    if (team.rank() != 0) return;
    this->to.sums[t] = sum;
    atomic_ref(this->to.times[t]).fetch_add(1);
  }
  template <class Team, class Values>
  EVENLY_FN void shared(const Team& team, tile t, atom begin, atom end, const Values& values) const {
    if (values.size() < end - begin) atomic_ref(*this->to.wrong).fetch_add(1);
    const std::uint64_t sum = gather(team, begin, end, values);
    if (team.rank() != 0) return;
    atomic_ref(this->to.sums[t]).fetch_add(sum);
    atomic_ref(this->to.parts[t]).fetch_add(1);
  }

 private:
  template <class Team, class Values>
  EVENLY_FN static std::uint64_t gather(const Team& team, atom begin, atom end, const Values& values) {
    for_strided(begin, end, team.rank(), team.size(),
                [&](atom a) { values[static_cast<int>(a - begin)] = mixed(static_cast<std::uint64_t>(a)); });
    team.sync();
    std::uint64_t all = 0;
    for (int i = 0; team.rank() == 0 && i < static_cast<int>(end - begin); ++i)
      all += static_cast<std::uint64_t>(values[i]);
    return all;
  }
};

/// One run of a body with storages. Whether some tile was in parts.
template <template <class> class Body, class Executor, class Plan, class... Storages>
bool expect_tiles_with(const Executor& exec, Plan& plan, const std::vector<std::int64_t>& offsets,
                       const std::string& where, const Storages&... storages) {
  using tiles = typename Plan::tiles_type;
  const std::size_t n = offsets.size(); // one more than there are tiles, so that there is some
  const auto sums = make_buffer<std::uint64_t>(exec, n);
  const auto times = make_buffer<int>(exec, n), parts = make_buffer<int>(exec, n),
             wrong = make_buffer<int>(exec, 1);
  exec.fill_zero(sums.data(), n * sizeof(std::uint64_t));
  for (const auto* each : {&times, &parts, &wrong}) exec.fill_zero(each->data(), each->size() * sizeof(int));
  const Body<tiles> body{{plan.tiles(), {sums.data(), times.data(), parts.data(), wrong.data()}}};
  for_each_tile(exec, plan, body, storages...);
  const std::vector<int> in_parts = to_host(exec, parts);
  judge_tiles(offsets, to_host(exec, sums), to_host(exec, times), in_parts, to_host(exec, wrong)[0], where);
  for (const int each : in_parts)
    if (each > 0) return true;
  return false;
}
template <template <class> class Body, class Executor, class Plan>
bool expect_tiles_once(const Executor& exec, Plan& plan, const std::vector<std::int64_t>& offsets,
                       const std::string& where) {
  return expect_tiles_with<Body>(exec, plan, offsets, where, team_storage<std::uint64_t>{.per_thread = 1},
                                 team_storage<std::int64_t>{.elements = 2});
}
/// Storage for each atom, under a schedule that has bins.
template <class Executor, class Schedule>
bool expect_gathered(const Executor& exec, const Schedule& schedule, const named_tiles& set,
                     const std::string& where) {
  const auto offsets = to_executor(exec, std::vector<int>(set.offsets.begin(), set.offsets.end()));
  auto plan = make_plan(exec, schedule, csr_tiles(offsets.span()));
  return expect_tiles_with<gather_tile>(exec, plan, set.offsets, where + ", \"" + set.name + "\"",
                                        team_storage<std::uint64_t>{.per_atom = 1});
}
template <tile_set Tiles> struct as_note_tile : note_tile<Tiles> {};

/// Two runs under one plan.
template <template <class> class Body, class Offset = int, class Executor, class Schedule>
bool expect_tiles_of(const Executor& exec, const Schedule& schedule, const named_tiles& set,
                     const std::string& where) {
  const auto offsets = to_executor(exec, std::vector<Offset>(set.offsets.begin(), set.offsets.end()));
  auto plan = make_plan(exec, schedule, csr_tiles(offsets.span()));
  const std::string what = where + ", \"" + set.name + "\"";
  expect_tiles_once<Body>(exec, plan, set.offsets, what);
  return expect_tiles_once<Body>(exec, plan, set.offsets, what + ", again");
}

/// All adversarial tile sets, of a few hundred tiles and atoms: a tile is dear where a block takes one after the other.
template <template <class> class Body, class Offset = int, class Executor, class Schedule>
void expect_tiles_of_all(const Executor& exec, Schedule schedule, int block_size, const std::string& name) {
  schedule.block_size = block_size;
  for (const named_tiles& set : adversarial_tile_sets(150))
    expect_tiles_of<Body, Offset>(exec, schedule, set, name + ", blocks of " + std::to_string(block_size));
}

/// Whether for_each_tile takes a schedule.
template <class Executor, class Schedule>
inline constexpr bool takes_whole_tiles = keeps_tiles_whole<typename std::remove_cvref_t<
    decltype(make_plan(std::declval<Executor>(), std::declval<Schedule>(), csr_tile_set<int>{})
                 .launch())>::mapping_type>;

/// visit(name, schedule), for those that it takes.
template <class Executor, class Visit> auto if_it_keeps_tiles_whole(const Visit& visit) {
  return [&visit](const char* name, const auto& schedule) {
    if constexpr (takes_whole_tiles<Executor, std::remove_cvref_t<decltype(schedule)>>) visit(name, schedule);
  };
}

/// Calls visit(name, schedule) for teams of sizes that the registry does not have.
template <class Visit> void for_each_other_team(const Visit& visit) {
  visit("group_per_tile of 5", group_per_tile<>{.group = 5});
  visit("group_per_tile of 40", group_per_tile<>{.group = 40});
  visit("group_per_tile<64>", group_per_tile<64>{});
  visit("group_mapped of 7", group_mapped<any_size>{.group = 7});
}

/// Sizes on the device, under one plan with room for more than there is.
template <class Executor, class Schedule>
void expect_tiles_of_device_sizes(const Executor& exec, const Schedule& schedule, const std::string& where) {
  const capacity max_size{4000, 100'000};
  const auto offsets = make_buffer<int>(exec, static_cast<std::size_t>(max_size.tiles) + 1);
  const auto count = make_buffer<int>(exec, 1);
  exec.fill_zero(count.data(), sizeof(int));
  const auto tiles = csr_tiles_on_device(offsets.data(), count.data(), max_size);
  auto plan = make_plan(exec, schedule, tiles);
  for (const named_tiles& set :
       {random_runs(300, 200, 1), tile_sizes().named("no tiles"),
        tile_sizes().add(700, 0).add(3).named("empty tiles"), random_runs(40, 200, 2)}) {
    const std::vector<int> here(set.offsets.begin(), set.offsets.end());
    const int now = static_cast<int>(here.size()) - 1;
    exec.copy_from_host(offsets.data(), here.data(), here.size() * sizeof(int));
    exec.copy_from_host(count.data(), &now, sizeof(now));
    plan.rebind(tiles);
    expect_tiles_once<as_note_tile>(exec, plan, set.offsets,
                                    where + ", sizes on the device, \"" + set.name + "\"");
  }
}

} // namespace evenly::laws
