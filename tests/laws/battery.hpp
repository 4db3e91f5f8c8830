// SPDX-License-Identifier: Apache-2.0
// The battery: every schedule through the laws, on one executor, with one block size and one tile set after the other.
// A schedule comes under test by its line in schedules/registry.hpp, under the skeletons of depth::every; others, and
// other tile sets than 32-bit offsets, meet one schedule of each header (support/schedules.hpp). On cpu the battery
// runs each mapping once. If few schedules represent the others (has_few_schedules), every schedule meets one skeleton,
// and schedules with each form of sharing meet the others. A failure names executor, block size, schedule, tile set,
// skeleton, tile and atom.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {

/// Tile t has t atoms: a tile set that is a formula and numbers its tiles with 64 bits.
class triangle {
 public:
  using tile_type = std::int64_t;
  using atom_type = std::int64_t;

  EVENLY_FN explicit triangle(std::int64_t tiles) : tiles_(tiles) {}
  EVENLY_FN std::int64_t tiles() const { return tiles_; }
  EVENLY_FN std::int64_t begin(std::int64_t t) const { return t * (t - 1) / 2; }
  EVENLY_FN std::int64_t end(std::int64_t t) const { return begin(t + 1); }

 private:
  std::int64_t tiles_;
};
static_assert(tile_set<triangle>);

template <class Executor> class battery {
 public:
  /// `name`: the executor's, with its options, for messages.
  battery(const Executor& exec, std::string name, int block_size)
      : exec_(exec), name_(std::move(name)), block_size_(block_size) {}

  /// Tiles given by offsets of the type Offset. `quick`: as depth::basic.
  template <unsigned Depth, class Offset = int> void run(const named_tiles& set, bool quick = false) const {
    on_each_schedule<Depth>([&](const std::string& schedule_name, const auto& schedule) {
      check_offsets<Depth, Offset>(schedule_name, schedule, set, quick);
    });
  }

  /// All of sets(items), for each schedule with the number of items that it gives to a block. `quick(set)`: whether
  /// depth::basic will do.
  template <unsigned Depth, class Sets, class Quick>
  void run_all(const Sets& sets, const Quick& quick) const {
    on_each_schedule<Depth>([&](const std::string& schedule_name, const auto& schedule) {
      for (const named_tiles& set : sets(items_of_a_block(schedule)))
        check_offsets<Depth, int>(schedule_name, schedule, set, quick(set));
    });
  }
  template <unsigned Depth, class Sets> void run_all(const Sets& sets) const {
    run_all<Depth>(sets, [](const named_tiles&) { return false; });
  }

  /// Tiles [skip, tiles) of a longer set.
  template <unsigned Depth> void run_slice(const named_tiles& set, std::size_t skip) const {
    const auto offsets = to_executor(exec_, std::vector<int>(set.offsets.begin(), set.offsets.end()));
    check_all<Depth>(csr_tiles(offsets.span().subspan(skip)),
                     {set.offsets.begin() + static_cast<std::ptrdiff_t>(skip), set.offsets.end()},
                     set.name + ", without the first " + std::to_string(skip));
  }

  /// 64-bit offsets: from 2^33 on, and across the borders of 32 bits.
  void run_beyond_32_bits() const {
    const auto sets = [](std::int64_t items) {
      std::vector<named_tiles> made = {random_runs(200, items, 4)};
      for (std::int64_t& each : made[0].offsets) each += std::int64_t{1} << 33;
      made[0].name += ", from atom 2^33";
      for (const int bits : {31, 32})
        made.push_back(tile_sizes().add(3).add(0).add(items + 1).add(2).named(
            "across atom 2^" + std::to_string(bits), (std::int64_t{1} << bits) - 5));
      return made;
    };
    on_each_kind([&](const std::string& schedule_name, const auto& schedule) {
      for (const named_tiles& set : sets(items_of_a_block(schedule)))
        check_offsets<depth::basic, std::int64_t>(schedule_name, schedule, set, false);
    });
  }

  /// Tile sets without memory: uniform ones, and a user's own.
  void run_formulas() const {
    for (const auto& [tiles, size] : {std::pair{0, 5}, {5, 0}, {1, 1}, {1000, 1}, {37, 33}, {3, 3000}}) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t t = 0; t <= tiles; ++t) offsets.push_back(t * size);
      check_all<depth::basic>(uniform_tiles(tiles, size), offsets,
                              std::to_string(tiles) + " uniform tiles of " + std::to_string(size));
    }
    for (const std::int64_t tiles : {0, 1, 2, 100}) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t t = 0; t <= tiles; ++t) offsets.push_back(triangle(tiles).begin(t));
      check_all<depth::basic>(triangle(tiles), offsets, "a triangle of " + std::to_string(tiles));
    }
  }

 private:
  /// Of the skeletons of Depth, those of schedules without has_all_skeletons.
  template <unsigned Depth>
  static constexpr unsigned depth_of_others = !has_few_schedules<Executor>  ? Depth & depth::every
                                              : (Depth & depth::ranks) != 0 ? unsigned{depth::ranks}
                                                                            : Depth;

  template <class Body> auto with_block_size(const Body& body) const {
    return [this, &body](const std::string& schedule_name, auto schedule) {
      schedule.block_size = block_size_;
      body(schedule_name, schedule);
    };
  }
  template <unsigned Depth, class Body> void on_each_schedule(const Body& body) const {
    if constexpr (has_few_schedules<Executor> && (Depth & depth::ranks) == 0)
      for_each_form_of_sharing(with_block_size(body));
    else if constexpr (has_few_schedules<Executor>)
      for_each_schedule(with_block_size(body));
    else
      for_each_schedule_on<Executor>(with_block_size(body));
  }
  template <class Body> void on_each_kind(const Body& body) const {
    if constexpr (has_few_schedules<Executor>)
      for_each_form_of_sharing(with_block_size(body));
    else
      for_each_kind_on<Executor>(with_block_size(body));
  }

  template <unsigned Depth, tile_set Tiles>
  void check_all(const Tiles& tiles, const std::vector<std::int64_t>& offsets, const std::string& set) const {
    on_each_kind([&](const std::string& schedule_name, const auto& schedule) {
      check<Depth>(schedule_name, schedule, tiles, offsets, set, false);
    });
  }

  template <unsigned Depth, class Offset, class Schedule>
  void check_offsets(const std::string& schedule_name, const Schedule& schedule, const named_tiles& set,
                     bool quick) const {
    const auto offsets = to_executor(exec_, std::vector<Offset>(set.offsets.begin(), set.offsets.end()));
    check<Depth>(schedule_name, schedule, csr_tiles(offsets.span()), set.offsets, set.name, quick);
  }

  template <unsigned Depth, class Schedule, tile_set Tiles>
  void check(const std::string& schedule_name, const Schedule& schedule, const Tiles& tiles,
             const std::vector<std::int64_t>& offsets, const std::string& set, bool quick) const {
    constexpr unsigned depth_here = has_all_skeletons<Executor, Schedule> ? Depth : depth_of_others<Depth>;
    findings found;
    try {
      if constexpr (depth_here != 0) check_laws<depth_here>(exec_, schedule, tiles, offsets, found, quick);
    } catch (const std::exception& e) {
      found.report(threw, "an exception", e.what());
    }
    for (const violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << " broken by " << schedule_name << " on " << name_
                    << ", blocks of " << block_size_ << ", tile set \"" << set << "\": " << each.what;
  }

  Executor exec_;
  std::string name_;
  int block_size_;
};

} // namespace evenly::laws
