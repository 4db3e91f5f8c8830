// SPDX-License-Identifier: Apache-2.0
// Schedules that are compiled once for cpu hand the same parts to the same blocks. A consumer notes the parts of each
// block, in order, as a hash.
#include "runtime/cpu_mappings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/compiled_schedules.hpp"
#include "support/schedules.hpp"

namespace evenly::detail {
namespace {

/// A hash of numbers that depends on their order.
class digest {
 public:
  void add(std::int64_t number) {
    value_ = std::rotl(value_ ^ static_cast<std::uint64_t>(number), 23) * 0x9e3779b97f4a7c15;
  }
  bool operator==(const digest&) const = default;

 private:
  std::uint64_t value_ = 1;
};

using tiles_type = csr_tile_set<int>;

/// The forms of parts on a serial block. A skeleton has code of its own for each.
enum form : std::int64_t { whole_tile, piece_of_tile, run, batch };

struct noting_consumer {
  static constexpr bool is_copyable = true;
  template <class Form> static constexpr bool takes = true;

  digest* blocks;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;
    static constexpr bool runs_need_no_storage = true;

    const noting_consumer& to;
    Block& block;
    const Slots& none;
    digest seen = {};

    void note(form kind, std::initializer_list<std::int64_t> numbers) {
      seen.add(kind);
      for (const std::int64_t each : numbers) seen.add(each);
    }
    template <int G> void operator()(sharing::team<G>, const team_part<int, int>& part) {
      note(whole_tile, {part.tile, part.begin, part.end});
    }
    void operator()(sharing::piece, const piece_part<tiles_type>& part) {
      note(piece_of_tile, {part.tile, part.begin, part.end});
    }
    template <int Items> void operator()(sharing::blocked_run<Items>, const run_chunk<tiles_type>& part) {
      note(run, {part.first_tile, part.last_tile, part.first_atom, part.last_atom});
    }
    template <bool Cut, class Run> void operator()(sharing::run<Cut>, const Run& part) {
      part.for_each([&](int tile, int atom) { note(run, {tile, atom}); });
    }
    template <int G, class Run> void operator()(sharing::batch<G>, const Run& part) {
      part.for_each([&](bool, int tile, int atom, bool) { note(batch, {tile, atom}); });
    }
    void finish() { to.blocks[block.index()] = seen; }
  };
};

/// The parts of each block, after the number of blocks that may cut tiles.
template <class Schedule>
std::vector<digest> parts_of(const cpu& exec, const Schedule& schedule, const std::vector<int>& offsets) {
  const auto plan = make_plan(exec, schedule, csr_tiles(offsets));
  const auto& launch = plan.launch();
  std::vector<digest> blocks(static_cast<std::size_t>(launch.shape.blocks));
  launch_skeleton(exec, launch, noting_consumer{blocks.data()});
  std::vector<digest> all(1);
  all[0].add(cutting_blocks(launch));
  all.insert(all.end(), blocks.begin(), blocks.end());
  return all;
}

std::vector<int> offsets_of(int first, const std::vector<int>& sizes) {
  std::vector<int> offsets{first};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

/// Tile sets of every kind: none, one, empty ones, short ones for many blocks, and long ones among short ones.
std::vector<std::vector<int>> tile_sets() {
  std::vector<int> mixed(20'000);
  for (std::size_t t = 0; t < mixed.size(); ++t) mixed[t] = static_cast<int>(t * 7919 % 17);
  mixed[0] = mixed[9000] = mixed[9001] = 60'000;
  return {{0},
          {5},
          offsets_of(0, {3}),
          offsets_of(7, std::vector<int>(10'000, 0)),
          offsets_of(0, std::vector<int>(30'000, 1)),
          offsets_of(3, mixed)};
}

template <class Visit> void for_each_place(const Visit& visit) {
  for (const std::vector<int>& offsets : tile_sets())
    for (const int threads : {1, 3})
      for (const int block_size : {0, 1, 96, 1024}) visit(offsets, cpu(threads), block_size);
}

template <class Schedule> Schedule with_block_size(Schedule schedule, int block_size) {
  if (block_size > 0) schedule.block_size = block_size;
  return schedule;
}

TEST(CpuMappings, SchedulesOfOneGroupHandOutTheSameParts) {
  std::map<std::string, std::string> first_of;
  const std::vector<std::vector<std::string>> groups = same_on_cpu();
  for (const std::vector<std::string>& group : groups)
    for (const std::string& name : group) first_of[name] = group.front();
  std::map<std::string, std::set<std::size_t>> differs; // from which groups, seen by its first schedule
  for_each_place([&](const std::vector<int>& offsets, const cpu& exec, int block_size) {
    std::map<std::string, std::vector<digest>> parts;
    for_each_schedule([&](const std::string& name, const auto& schedule) {
      auto mine = parts_of(exec, with_block_size(schedule, block_size), offsets);
      const std::string& first = first_of.at(name);
      if (first == name)
        parts[name] = std::move(mine);
      else
        EXPECT_TRUE(mine == parts.at(first))
            << name << " differs from " << first << " on " << offsets.size() - 1 << " tiles";
    });
    for (const auto& [name, mine] : parts)
      for (std::size_t other = 0; other < groups.size(); ++other)
        if (parts.at(groups[other].front()) != mine) differs[name].insert(other);
  });
  EXPECT_EQ(first_of.size(), schedule_names().size());
  for (const auto& [name, others] : differs)
    EXPECT_EQ(others.size() + 1, groups.size()) << name << " could be in another group";
}

TEST(CpuMappings, TestsOnCpuRunOneScheduleOfEachGroup) {
  std::set<std::string> tested, firsts;
  for_each_schedule_on<cpu>([&](const char* name, const auto&) { tested.insert(name); });
  for (const std::vector<std::string>& group : same_on_cpu()) firsts.insert(group.front());
  EXPECT_EQ(tested, firsts);
}

TEST(CpuMappings, WhatIsCompiledForAScheduleIsOfItsGroup) {
  std::set<std::string> compiled;
  for (const std::vector<std::string>& group : same_on_cpu())
    for (const std::string& name : group) {
      int visits = 0;
      EXPECT_TRUE(with_compiled<cpu>(any_schedule(name), [&]<class Schedule>(const Schedule&) {
        ++visits;
        std::string visited;
        for_each_schedule([&]<class Each>(const char* each, const Each&) {
          if (std::same_as<Each, Schedule>) visited = each;
        });
        EXPECT_EQ(visited, group.front()) << name;
        compiled.insert(visited);
      }));
      EXPECT_EQ(visits, 1) << name;
    }
  EXPECT_EQ(compiled.size(), 5U);
}

TEST(CpuMappings, AScheduleThatIsNotAmongSomeIsNotVisited) {
  const auto fail = [](const auto&) { ADD_FAILURE(); };
  EXPECT_FALSE((with_compiled<cpu, among::few>(any_schedule("block_search"), fail)));
  EXPECT_FALSE((with_compiled<cpu, among::few>(any_schedule("streamed"), fail)));
  int block_size = 0;
  EXPECT_TRUE(
      (with_compiled<cpu, among::few>(any_schedule("warp_mapped:block_size=64"),
                                      [&](const auto& schedule) { block_size = schedule.block_size; })));
  EXPECT_EQ(block_size, 64);
}

} // namespace
} // namespace evenly::detail
