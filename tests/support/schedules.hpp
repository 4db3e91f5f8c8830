// SPDX-License-Identifier: Apache-2.0
// Fewer schedules than schedules/registry.hpp has, for tests whose subject is something else: each schedule costs as
// much compile time as a small program (docs/decisions/0010).
#pragma once

#include <concepts>

#include "evenly/schedules/registry.hpp"

namespace evenly {

/// Calls visit(name, schedule) for one of each header of schedules/, with default parameters.
template <class Visit> constexpr void for_each_kind_of_schedule(Visit&& visit) {
  visit("thread_mapped", thread_mapped{});
  visit("group_per_tile<8>", group_per_tile<8>{});
  visit("block_mapped", block_mapped{});
  visit("dynamic_group_per_tile", dynamic_group_per_tile{});
  visit("cta_warp_scan", cta_warp_scan{});
  visit("direct_search", direct_search<>{});
  visit("local_warp_search<storage>", local_warp_search<offsets_in::storage>{});
  visit("block_search", block_search<>{});
  visit("two_phase", two_phase<>{});
  visit("streamed", streamed{});
  visit("multi_phase", multi_phase<>{});
  visit("merge_path", merge_path<>{});
  visit("nonzero_split", nonzero_split<>{});
  visit("group_mapped", group_mapped<any_size>{});
  visit("binned", binned{});
}

/// Calls visit(name, schedule) for few that have every form of launches.hpp between them.
template <class Visit> constexpr void for_each_form_of_sharing(Visit&& visit) {
  visit("thread_mapped", thread_mapped{});                   // teams of one thread
  visit("dynamic_group_per_tile", dynamic_group_per_tile{}); // teams, pieces
  visit("cta_warp_scan", cta_warp_scan{});                   // whole blocks, batches of a block
  visit("block_search", block_search<>{});                   // whole tiles of a run
  visit("two_phase", two_phase<>{});                         // runs that cut tiles
  visit("nonzero_split", nonzero_split<>{});                 // striped runs
  visit("merge_path", merge_path<>{});                       // blocked runs
  visit("group_mapped<32>", group_mapped<32>{});             // batches of a warp
}

/// Whether this is the core of the tests, which tests operations under few schedules.
inline constexpr bool is_core_of_tests =
#ifdef EVENLY_FEW_SCHEDULES
    true;
#else
    false;
#endif

/// Whether few schedules represent the others on Executor: in the core of the tests on the simulated GPU, and where
/// kernels are only compiled. The battery (laws/battery.hpp) has all schedules then, too.
template <class Executor>
inline constexpr bool has_few_schedules =
    !Executor::serial_blocks && (is_core_of_tests || detail::only_compiles_kernels);

/// Calls visit(name, schedule) for the schedules that represent all others where a block is one thread: each schedule
/// of the registry assigns the same parts as one of these (tests/runtime/cpu_mappings_test.cpp).
template <class Visit> void for_each_cpu_mapping(Visit&& visit) {
  visit("thread_mapped", thread_mapped{});
  visit("dynamic_group_per_tile", dynamic_group_per_tile{});
  visit("direct_search", direct_search<>{});
  visit("merge_path", merge_path<>{});
  visit("binned", binned{});
}

/// for_each_form_of_sharing without the schedules that are the same on Executor. In the core two mappings represent
/// those of cpu: one keeps tiles whole, and one cuts them.
template <class Executor, class Visit> void for_each_form_on(Visit&& visit) {
  if constexpr (Executor::serial_blocks && is_core_of_tests) {
    visit("dynamic_group_per_tile", dynamic_group_per_tile{});
    visit("merge_path", merge_path<>{});
  } else if constexpr (Executor::serial_blocks) {
    visit("thread_mapped", thread_mapped{});
    visit("dynamic_group_per_tile", dynamic_group_per_tile{});
    visit("direct_search", direct_search<>{});
    visit("merge_path", merge_path<>{});
  } else if constexpr (has_few_schedules<Executor>) {
    visit("dynamic_group_per_tile", dynamic_group_per_tile{});
    visit("cta_warp_scan", cta_warp_scan{});
    visit("merge_path", merge_path<>{});
  } else {
    for_each_form_of_sharing(visit);
  }
}

/// for_each_kind_of_schedule without the schedules that are the same on Executor.
template <class Executor, class Visit> void for_each_kind_on(Visit&& visit) {
  if constexpr (Executor::serial_blocks) {
    for_each_cpu_mapping(visit);
  } else if constexpr (detail::only_compiles_kernels) {
    for_each_form_on<Executor>(visit);
  } else if constexpr (has_few_schedules<Executor>) {
    for_each_form_of_sharing(visit);
  } else {
    for_each_kind_of_schedule(visit);
  }
}

/// Calls visit(name, schedule) for the schedules of the registry, with the same exceptions.
template <class Executor, class Visit> void for_each_schedule_on(Visit&& visit) {
  if constexpr (Executor::serial_blocks || has_few_schedules<Executor>)
    for_each_kind_on<Executor>(visit);
  else
    for_each_schedule(visit);
}

/// Whether the battery runs all skeletons under Schedule: for_each_kind_of_schedule has it, or if few schedules run,
/// for_each_form_of_sharing.
template <class Executor, class Schedule>
inline constexpr bool has_all_skeletons = [] {
  bool found = false;
  const auto compare = [&](const char*, const auto& each) {
    found = found || std::same_as<std::remove_cvref_t<decltype(each)>, Schedule>;
  };
  if constexpr (has_few_schedules<Executor> && !detail::only_compiles_kernels)
    for_each_form_of_sharing(compare);
  else
    for_each_kind_of_schedule(compare);
  return found;
}();

} // namespace evenly
