// SPDX-License-Identifier: Apache-2.0
// A chooser takes the place of a schedule. It names several schedules, chooses one when a plan is made, and explains
// the choice.
//
//   auto plan = make_plan(exec, automatic{}, tiles);    // schedules/automatic.hpp
//   reduce_tiles(exec, plan, map, op, store);           // under the chosen schedule
//   plan.explain();                                         // "merge_path: ..."
//
// A chooser is a plain struct of parameters with these members:
//   template <class Executor> auto candidates(const Executor&) const -> std::tuple<named_schedule<S>...>
//                                                 the schedules to choose from. All work under its plans is compiled
//                                                 for each, so the list should be short
//   bool wants_sizes(std::int64_t atoms) const    whether it uses the distribution of sizes for `atoms` atoms
//   template <class Executor> choice choose(const Executor&, const choice_facts&) const
//                                                 equal facts give equal choices
//   std::optional<work_kind> work                 optional: the work that will run under the plan
//   template <class Executor> std::vector<std::size_t> rank(const Executor&, const choice_facts&) const
//                                                 optional: the indices of candidates, the one that choose returns
//                                                 first. Calls that plan and run use it, since they explain nothing
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "evenly/schedules/choice/tile_summary.hpp"
#include "evenly/schedules/detail/searched.hpp"

namespace evenly {

/// The kinds of work under a plan, by the data read and written.
enum class work_kind {
  sums,          ///< a value read per atom, one written per tile
  gathered_sums, ///< the same, plus a gathered value per atom, as in sparse matrix times vector
  wide_sums,     ///< a gathered row of values per atom, a row written per tile
  prefixes,      ///< a value read per atom, and one written
  visits         ///< a value written per atom
};

/// A schedule and its name.
template <class Schedule> struct named_schedule {
  const char* name;
  Schedule schedule;
};

/// The facts that a choice is based on.
struct choice_facts {
  tile_summary tiles; ///< if is_summarized is false, only the numbers of tiles and atoms are set
  bool is_summarized = false;
  bool is_for_one_run = false; ///< one call makes and uses the plan
};

/// The index of a schedule among the candidates, and one sentence with the figures that decided.
struct choice {
  std::size_t index = 0;
  std::string why;
};

namespace detail {

/// A placeholder executor for testing choosers.
struct any_candidate_executor {
  static constexpr bool on_host = true;
  static constexpr bool serial_blocks = true;
  int threads() const { return 1; }
};

} // namespace detail

/// A type with the members in the head of this file.
template <class C>
concept chooser = std::copyable<C> && requires(const C& of, const detail::any_candidate_executor& exec,
                                               const choice_facts& facts, std::int64_t atoms) {
  of.candidates(exec);
  { of.wants_sizes(atoms) } -> std::same_as<bool>;
  { of.choose(exec, facts) } -> std::same_as<choice>;
};

/// A chooser whose plans are used once, as once<Schedule> is a schedule of such plans.
template <chooser Chooser> struct once_chosen {
  Chooser of;

  template <class Executor> auto candidates(const Executor& exec) const {
    return std::apply(
        []<class... S>(const named_schedule<S>&... each) {
          return std::tuple{named_schedule<once<S>>{each.name, once<S>{each.schedule}}...};
        },
        of.candidates(exec));
  }
  bool wants_sizes(std::int64_t atoms) const { return of.wants_sizes(atoms); }
  template <class Executor> choice choose(const Executor& exec, choice_facts facts) const {
    facts.is_for_one_run = true;
    if constexpr (requires { of.rank(exec, facts); })
      return {of.rank(exec, facts).front(), {}};
    else
      return of.choose(exec, facts);
  }
};

namespace detail {

/// Sets the work of `chosen` to `work`, if it has such a member and it is unset.
template <class Schedule> Schedule with_work_kind(Schedule chosen, work_kind work) {
  if constexpr (requires { chosen.work = std::optional<work_kind>(work); })
    if (!chosen.work) chosen.work = work;
  return chosen;
}

} // namespace detail
} // namespace evenly
