// SPDX-License-Identifier: Apache-2.0
// Which schedules an operation is compiled for, and the choice among them at run time.
//
// Each schedule costs a kernel for each operation, executor and type. Two rules keep their number down:
//   - Where a block is one thread, as on cpu, a schedule that hands out whole tiles is thread_mapped, by the type of
//     its mapping. Code is compiled for thread_mapped alone.
//   - An operation may take some of the schedules.
#pragma once

#include <concepts>
#include <utility>

#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/settings.hpp"

namespace evenly::detail {

/// Whether Schedule is thread_mapped on Executor: their launches have one type.
template <class Executor, class Schedule>
inline constexpr bool is_thread_mapped_on = std::same_as<Schedule, thread_mapped>;
template <class Executor, class Schedule>
requires(Executor::serial_blocks)
inline constexpr bool is_thread_mapped_on<Executor, Schedule> =
    std::same_as<mapping_of<Schedule, Executor, csr_tile_set<int>>,
                 mapping_of<thread_mapped, Executor, csr_tile_set<int>>>;

namespace among {

/// All schedules of the registry.
struct all {
  template <class Schedule> static constexpr bool has = true;
};
template <class... Schedules> struct some {
  template <class Schedule> static constexpr bool has = (std::same_as<Schedule, Schedules> || ...);
};

/// A thread, a warp and a group of a chosen size for each tile; equal shares of atoms; equal shares of atoms and tiles.
using few = some<thread_mapped, warp_mapped, dynamic_group_per_tile, merge_path<>, nonzero_split<>>;
/// For frontiers: the number of their tiles is on the device.
using of_frontiers = some<thread_mapped, warp_mapped, block_mapped, merge_path<>, nonzero_split<>>;
/// For complex values.
using of_complex_values = some<thread_mapped, warp_mapped, merge_path<>>;

} // namespace among

/// Calls visit(schedule) with the registry's schedule number `index`, as it is compiled for Executor. Returns whether
/// Among has it; else calls nothing.
template <class Executor, class Among = among::all, class Visit>
bool with_compiled(int index, const Visit& visit) {
  int number = 0;
  bool is_among = false, is_thread_mapped = false;
  for_each_schedule([&]<class Schedule>(const char*, const Schedule&) {
    if (number++ != index) return;
    is_among = Among::template has<Schedule>;
    is_thread_mapped = is_thread_mapped_on<Executor, Schedule>;
  });
  if (is_among && is_thread_mapped) visit(thread_mapped{});
  number = 0;
  for_each_schedule([&]<class Schedule>(const char*, const Schedule& known) {
    if constexpr (Among::template has<Schedule> && !is_thread_mapped_on<Executor, Schedule>)
      if (number == index) visit(known);
    ++number;
  });
  return is_among;
}

/// The same with the schedule that `chosen` names, its values set.
template <class Executor, class Among = among::all, class Visit>
bool with_compiled(const any_schedule& chosen, const Visit& visit) {
  return with_compiled<Executor, Among>(chosen.index(), [&](auto schedule) {
    set_values(schedule, chosen);
    visit(std::as_const(schedule));
  });
}

} // namespace evenly::detail
