// SPDX-License-Identifier: Apache-2.0
// A chooser stands where a schedule stands. It states a few schedules, takes one of them when a plan is made, by what
// there is to do, and says why.
//
//   auto plan = make_plan(exec, automatic{}, tiles);    // schedules/automatic.hpp
//   reduce_tiles(exec, plan, map, op, store);           // under the schedule that was chosen
//   plan.explain();                                         // "merge_path: ..."
//
// A chooser is a plain struct of parameters with
//   template <class Executor> auto candidates(const Executor&) const -> std::tuple<named_schedule<S>...>
// the schedules that it chooses from, which are compiled for whatever runs under its plans: a short list;
//   bool wants_sizes(std::int64_t atoms) const    whether it looks at how sizes of so many atoms' tiles are distributed
//   template <class Executor> choice choose(const Executor&, const choice_facts&) const
// which is the same for the same facts, and, where it wants them,
//   std::optional<work_kind> work                 what will run under the plan
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

/// What runs under a plan, by what it reads and writes.
enum class work_kind {
  sums,          ///< a value for each atom read, one for each tile written
  gathered_sums, ///< the same, and a value from elsewhere for each atom, as sparse matrix times vector
  wide_sums,     ///< a row of values from elsewhere for each atom, one for each tile written
  prefixes,      ///< a value for each atom read, and one written
  visits         ///< a value for each atom written
};

/// A schedule, and what it is called.
template <class Schedule> struct named_schedule {
  const char* name;
  Schedule schedule;
};

/// What a choice is made from.
struct choice_facts {
  tile_summary tiles; ///< without is_summarized the numbers of tiles and atoms alone
  bool is_summarized = false;
  bool is_for_one_run = false; ///< the plan is made and used in one call
};

/// A schedule's place among the candidates, and one sentence with the figures that decided.
struct choice {
  std::size_t index = 0;
  std::string why;
};

namespace detail {

/// An executor of nobody: what choosers are asked about.
struct any_candidate_executor {
  static constexpr bool on_host = true;
  static constexpr bool serial_blocks = true;
  int threads() const { return 1; }
};

} // namespace detail

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
    return of.choose(exec, facts);
  }
};

namespace detail {

/// `chosen`, told what will run, where it wants to know and nobody has said it.
template <class Schedule> Schedule with_work_kind(Schedule chosen, work_kind work) {
  if constexpr (requires { chosen.work = std::optional<work_kind>(work); })
    if (!chosen.work) chosen.work = work;
  return chosen;
}

} // namespace detail
} // namespace evenly
