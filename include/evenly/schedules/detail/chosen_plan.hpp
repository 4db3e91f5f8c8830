// SPDX-License-Identifier: Apache-2.0
// chosen_plan: the plan of a chooser (schedules/choice/chooser.hpp). It is a plan of one of the candidates. make_plan
// makes it (schedules/plan.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "evenly/core/errors.hpp"
#include "evenly/schedules/assume_valid.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/tiles_plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <class Executor, class Tiles, class Candidates> struct plans_of_candidates;
template <class Executor, class Tiles, class... S>
struct plans_of_candidates<Executor, Tiles, std::tuple<named_schedule<S>...>> {
  static_assert(sizeof...(S) > 0, "a chooser must have at least one candidate");
  using type = std::variant<plan<Executor, S, Tiles>...>;
};

} // namespace detail

/// A plan with a schedule that was chosen when the plan was made. Skeletons and applications accept it like any plan;
/// they are compiled for each candidate.
///
/// - Move-only, for one stream and one host thread at a time; it has a view of the tile set, as a plan has.
/// - The choice stays the same when the plan is bound to other tiles. For another choice, make a new plan.
/// - Cost of making it: that of the plan. If the chooser uses sizes, they are summarised in the pass that checks the
///   tiles; for tiles assumed valid in a separate pass, which waits. For tile sets sized on the device, their capacity
///   decides.
template <class Executor, chooser Chooser, tile_set Tiles> class chosen_plan {
  using candidates_type =
      decltype(std::declval<const Chooser&>().candidates(std::declval<const Executor&>()));
  using plans = typename detail::plans_of_candidates<Executor, Tiles, candidates_type>::type;

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;
  using chooser_type = Chooser;

  /// Checks the tiles.
  chosen_plan(const Executor& exec, const Chooser& from, const Tiles& tiles, const capacity& max_size = {})
  requires(!sized_on_device<Tiles>)
  {
    detail::require_tiles(tiles);
    check_and_choose(exec, from, tiles, max_size);
  }
  /// Checks nothing.
  chosen_plan(const Executor& exec, const Chooser& from, const assumed_valid_tiles<Tiles>& given,
              const capacity& max_size = {}) {
    detail::require_tiles(given.tiles);
    trust_and_choose(exec, from, given, max_size);
  }
  chosen_plan(const Executor& exec, const Chooser& from, const Tiles& tiles)
  requires sized_on_device<Tiles>
  {
    detail::require_tiles(tiles);
    choice_facts facts;
    facts.tiles.tiles = max_tiles(tiles);
    facts.tiles.atoms = tiles.max_atoms();
    make(exec, from, facts, [&]<std::size_t I>(const auto& schedule) {
      plan_ = std::make_unique<plans>(std::in_place_index<I>, exec, schedule, tiles);
    });
  }
  chosen_plan(chosen_plan&&) noexcept = default;
  chosen_plan& operator=(chosen_plan&&) noexcept = default;
  ~chosen_plan();

  /// Return the name of the chosen schedule, and one sentence with the reason.
  const char* schedule_name() const { return name_; }
  const std::string& explain() const { return why_; }

  /// Calls body(plan) with the plan of the chosen schedule.
  template <class Body> decltype(auto) visit(const Body& body) { return std::visit(body, *plan_); }
  template <class Body> decltype(auto) visit(const Body& body) const {
    return std::visit(body, std::as_const(*plan_));
  }

  const Tiles& tiles() const {
    return visit([](const auto& of) -> const Tiles& { return of.tiles(); });
  }
  atom_type<Tiles> first_atom() const
  requires(!sized_on_device<Tiles>)
  {
    return visit([](const auto& of) { return of.first_atom(); });
  }
  std::int64_t atoms() const
  requires(!sized_on_device<Tiles>)
  {
    return visit([](const auto& of) { return of.atoms(); });
  }
  const Executor& exec() const {
    return visit([](const auto& of) -> const Executor& { return of.exec(); });
  }
  const capacity& max_size() const {
    return visit([](const auto& of) -> const capacity& { return of.max_size(); });
  }
  [[deprecated("use max_size")]] const capacity& most() const { return max_size(); }

  /// As plan::rebind.
  void rebind(const Tiles& tiles) {
    visit([&](auto& of) { of.rebind(tiles); });
  }
  void rebind(const Executor& exec, const Tiles& tiles) {
    visit([&](auto& of) { of.rebind(exec, tiles); });
  }
  void rebind(const assumed_valid_tiles<Tiles>& given) {
    visit([&](auto& of) { of.rebind(given); });
  }
  void rebind(const Executor& exec, const assumed_valid_tiles<Tiles>& given) {
    visit([&](auto& of) { of.rebind(exec, given); });
  }

  /// As plan::reserve.
  template <detail::run_of<std::variant_alternative_t<0, plans>>... Runs> void reserve(const Runs&... runs) {
    visit([&](auto& of) { of.reserve(runs...); });
  }
  template <detail::run_of<std::variant_alternative_t<0, plans>>... Runs>
  void reserve(const Executor& exec, const Runs&... runs) {
    visit([&](auto& of) { of.reserve(exec, runs...); });
  }

  sizes<Tiles> read_sizes(const Executor& exec) const
  requires sized_on_device<Tiles>
  {
    return visit([&](const auto& of) { return of.read_sizes(exec); });
  }

 private:
  // Defined outside the class, so that evenly::evenly can contain them for common tile sets (compiled_plans.hpp).
  void check_and_choose(const Executor& exec, const Chooser& from, const Tiles& tiles,
                        const capacity& max_size);
  void trust_and_choose(const Executor& exec, const Chooser& from, const assumed_valid_tiles<Tiles>& given,
                        const capacity& max_size);

  /// `Known`: tiles with their extent, checked or assumed valid.
  template <class Known>
  void choose(const Executor& exec, const Chooser& from, const Known& known,
              const std::optional<tile_summary>& seen, const capacity& max_size) {
    choice_facts facts;
    facts.is_summarized = seen.has_value();
    if (seen) facts.tiles = *seen;
    facts.tiles.tiles = known.tiles.tiles();
    facts.tiles.atoms = known.all->atoms;
    make(exec, from, facts, [&]<std::size_t I>(const auto& schedule) {
      plan_ = std::make_unique<plans>(std::in_place_index<I>, exec, schedule, known, max_size);
    });
  }
  /// Calls emplace<I>(schedule) for the chosen candidate.
  template <class Emplace>
  void make(const Executor& exec, const Chooser& from, const choice_facts& facts, const Emplace& emplace) {
    const choice chosen = from.choose(exec, facts);
    const candidates_type candidates = from.candidates(exec);
    constexpr std::size_t count = std::tuple_size_v<candidates_type>;
    require(chosen.index < count,
            [&] { return detail::concat("a chooser chose the candidate ", chosen.index, " of ", count); });
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto try_one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
        if (J != chosen.index) return;
        name_ = std::get<J>(candidates).name;
        emplace.template operator()<J>(std::get<J>(candidates).schedule);
      };
      (try_one(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<count>{});
    why_ = chosen.why;
  }

  std::unique_ptr<plans> plan_;
  const char* name_ = "";
  std::string why_;
};

template <class Executor, chooser Chooser, tile_set Tiles>
chosen_plan<Executor, Chooser, Tiles>::~chosen_plan() {}

template <class Executor, chooser Chooser, tile_set Tiles>
void chosen_plan<Executor, Chooser, Tiles>::check_and_choose(const Executor& exec, const Chooser& from,
                                                             const Tiles& tiles, const capacity& max_size) {
  if constexpr (counted_on_host<Tiles>) {
    if (!from.wants_sizes(tiles.atoms())) {
      const extent<Tiles> all = detail::inspect(exec, tiles);
      choose(exec, from, detail::inspected_tiles<Tiles>{tiles, all}, {}, max_size);
      return;
    }
  }
  const auto seen = detail::inspect_and_summarize(exec, tiles);
  choose(exec, from, detail::inspected_tiles<Tiles>{tiles, seen.all}, seen.of, max_size);
}

template <class Executor, chooser Chooser, tile_set Tiles>
void chosen_plan<Executor, Chooser, Tiles>::trust_and_choose(const Executor& exec, const Chooser& from,
                                                             const assumed_valid_tiles<Tiles>& given,
                                                             const capacity& max_size) {
  assumed_valid_tiles<Tiles> known = given;
  std::optional<tile_summary> seen;
  if (given.tiles.tiles() == 0) {
    known.all = extent<Tiles>{};
  } else if (!given.all || from.wants_sizes(given.all->atoms)) {
    const auto found = detail::summarize<false>(exec, given.tiles);
    seen = found.of;
    if (!known.all) known.all = found.all;
  }
  choose(exec, from, known, seen, max_size);
}

namespace detail {

template <class Executor, class Schedule, class Tiles> struct plan_kind {
  using type = plan<Executor, Schedule, Tiles>;
};
template <class Executor, chooser Chooser, class Tiles> struct plan_kind<Executor, Chooser, Tiles> {
  using type = chosen_plan<Executor, Chooser, Tiles>;
};

} // namespace detail

/// The result of make_plan: for a schedule a plan, for a chooser a chosen_plan.
template <class Executor, class Schedule, tile_set Tiles>
using plan_of = typename detail::plan_kind<Executor, Schedule, Tiles>::type;

} // namespace evenly
