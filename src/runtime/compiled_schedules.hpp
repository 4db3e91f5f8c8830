// SPDX-License-Identifier: Apache-2.0
// The schedules that an operation is compiled for, and the choice among them at run time.
//
// Each schedule needs a kernel per operation, executor and type. Two rules limit their number:
//   - Schedules with the same mapping type on an executor are compiled once. On cpu, where a block is one thread, these
//     are all schedules of whole tiles, and all schedules that cut atoms evenly.
//   - An operation may support a subset of the schedules.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/settings.hpp"

namespace evenly::detail {

/// The type that is compiled for Schedule on Executor.
template <class Executor, class Schedule> struct compiled_on {
  using type = Schedule;
};
template <class Executor, class Schedule>
requires(Executor::serial_blocks)
struct compiled_on<Executor, Schedule> {
  template <class Other>
  static constexpr bool is = std::same_as<mapping_of<Schedule, Executor, csr_tile_set<int>>,
                                          mapping_of<Other, Executor, csr_tile_set<int>>>;
  using type = std::conditional_t<is<thread_mapped>, thread_mapped,
                                  std::conditional_t<is<direct_search<>>, direct_search<>, Schedule>>;
};
template <class Executor, class Schedule>
using compiled_on_t = typename compiled_on<Executor, Schedule>::type;

namespace among {

/// All schedules of the registry.
struct all {
  template <class Schedule> static constexpr bool has = true;
  template <class Executor, class Schedule>
  static constexpr bool compiles = std::same_as<Schedule, compiled_on_t<Executor, Schedule>>;
};
template <class... Schedules> struct some {
  template <class Schedule> static constexpr bool has = (std::same_as<Schedule, Schedules> || ...);
  template <class Executor, class Schedule>
  static constexpr bool compiles =
      only_compiles_kernels ? std::same_as<Schedule, merge_path<>>
                            : (std::same_as<Schedule, compiled_on_t<Executor, Schedules>> || ...);
};

/// A thread, a warp and a group of a chosen size per tile; equal ranges of atoms; equal ranges of atoms and tiles.
using few = some<thread_mapped, warp_mapped, dynamic_group_per_tile, merge_path<>, nonzero_split<>>;
/// For frontiers, whose number of tiles is on the device.
using of_frontiers = some<thread_mapped, warp_mapped, block_mapped, merge_path<>, nonzero_split<>>;
/// For complex values.
using of_complex_values = some<thread_mapped, warp_mapped, merge_path<>>;

} // namespace among

/// The index of a schedule in the registry.
template <class Schedule> int number_of() {
  int number = 0, found = -1;
  for_each_schedule([&]<class Each>(const char*, const Each&) {
    if (std::same_as<Each, Schedule>) found = number;
    ++number;
  });
  return found;
}

/// The index of the schedule that is compiled for schedule `index` on Executor; -1 if Among does not contain schedule
/// `index`.
template <class Executor, class Among = among::all> int compiled_number(int index) {
  int number = 0, found = -1;
  for_each_schedule([&]<class Schedule>(const char*, const Schedule&) {
    using compiled = compiled_on_t<Executor, Schedule>;
    if (number == index && Among::template has<Schedule>)
      found = std::same_as<compiled, Schedule> ? index : number_of<compiled>();
    ++number;
  });
  return found;
}

/// Calls visit(schedule) with the schedule that is compiled for schedule `index` of the registry on Executor, and
/// returns true. Returns false without a call if Among does not contain schedule `index`.
template <class Executor, class Among = among::all, class Visit>
bool with_compiled(int index, const Visit& visit) {
  const int wanted = compiled_number<Executor, Among>(index);
  int number = 0;
  for_each_schedule([&]<class Schedule>(const char*, const Schedule& known) {
    if constexpr (Among::template compiles<Executor, Schedule>)
      if (number == wanted) visit(known);
    ++number;
  });
  return wanted >= 0;
}

/// The same for the schedule and the parameters of `chosen`.
template <class Executor, class Among = among::all, class Visit>
bool with_compiled(const any_schedule& chosen, const Visit& visit) {
  return with_compiled<Executor, Among>(chosen.index(), [&](auto schedule) {
    set_values(schedule, chosen);
    visit(std::as_const(schedule));
  });
}

} // namespace evenly::detail
