// SPDX-License-Identifier: Apache-2.0
// make_plan: prepares a schedule once for one tile set, for many runs. docs/plans.md has the cost of binding a plan to
// another tile set.
//
//   make_plan(exec, schedule, tiles)              checks the laws of tile sets: a pass over the offsets
//   make_plan(exec, schedule, assume_valid(tiles))  checks nothing
//   make_plan(exec, schedule, tiles, capacity)    has room for other tiles; plan.rebind(tiles) then allocates nothing
//   make_plan(exec, schedule, source)             takes sizes and sums them up (work/tile_set.hpp)
//   make_plan(exec, chooser, ...)                 any of these; a chooser chooses the schedule (choice/chooser.hpp)
//
// Tile sets sized on the device are assumed valid and have a capacity of their own.
//
// The plan types are named only in the function bodies. clang evaluates a declared return type before the requirements,
// and would report an error inside the plan instead of the broken rule.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// plan_base: the part of a plan that does not depend on the schedule: executor, tile set, memory, and the checks before
// a run. It is compiled once for all schedules.

namespace evenly::detail {

template <class Executor, class Tiles> class plan_base {
  static_assert(executor<Executor>,
                "a plan needs an executor with the members that execution/executor.hpp requires");

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;

  const Tiles& tiles() const { return tiles_; }
  /// The number of the first atom; the atoms are [first_atom(), first_atom() + atoms()).
  atom_type<Tiles> first_atom() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.first_atom;
  }
  /// The number of atoms of the whole tile set.
  std::int64_t atoms() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.atoms;
  }
  /// A copy of the executor that the plan was made on.
  const Executor& exec() const { return exec_; }
  /// The maximum numbers of tiles and atoms of a tile set that the plan is bound to.
  const capacity& max_size() const { return max_; }
  [[deprecated("use max_size")]] const capacity& most() const { return max_size(); }

  /// Returns the sizes of a tile set sized on the device. Synchronises. Throws invalid_argument if they exceed the
  /// plan's capacity; runs then do nothing.
  sizes<Tiles> read_sizes(const Executor& exec) const
  requires sized_on_device<Tiles>
  {
    const sizes<Tiles> found = detail::read_sizes(exec, tiles_, max_);
    require_room({found.tiles, found.all.atoms});
    return found;
  }

  /// Starts a run on `exec`. Skeletons hold the returned lease during the run and take memory from it
  /// (execution/memory.hpp). On cuda a run ends, for the host, when its work is started.
  ///
  /// Throws invalid_argument if the plan is not for such executors, if the host finds that the tile set has other atoms
  /// than before, or if the plan is in use (execution/memory.hpp).
  template <bool Checked = EVENLY_CHECKED != 0> workspace::lease_of<Checked> start(const Executor& exec) {
    require_alike(exec);
    if constexpr (Executor::on_host) require_unchanged();
    return workspace::lease_of<Checked>(memory_, "plan");
  }

 protected:
  plan_base(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const capacity& max_size)
      : exec_(exec), tiles_(tiles), extent_(all),
        max_{larger<std::int64_t>(max_size.tiles, max_tiles(tiles)), larger(max_size.atoms, all.atoms)},
        where_(memory_of(exec)), warp_size_(warp_size_of(exec)) {}

  void set_tiles(const Tiles& tiles, const extent<Tiles>& all) {
    tiles_ = tiles;
    extent_ = all;
  }
  /// Records the sizes of a tile set sized on the device, if the host can read them. Called after the schedule has
  /// prepared the tiles.
  void note_sizes() {
    if constexpr (sized_on_device<Tiles> && Executor::on_host)
      found_ = detail::read_sizes(exec_, tiles_, max_);
  }
  workspace& memory() { return memory_; }

  void require_alike(const Executor& exec) const;
  void require_room(const capacity& needed) const;

 private:
  static int warp_size_of(const Executor& exec) {
    if constexpr (requires { exec.shape_of(1); })
      return exec.shape_of(1).warp;
    else
      return 1;
  }
  void require_unchanged() const;

  Executor exec_;
  Tiles tiles_;
  extent<Tiles> extent_; ///< for tile sets sized on the device: the maximum
  capacity max_;
  workspace memory_;
  sizes<Tiles> found_{}; ///< recorded by note_sizes
  int where_;            ///< the place of its memory
  int warp_size_;
};

template <class Executor, class Tiles>
void plan_base<Executor, Tiles>::require_alike(const Executor& exec) const {
  require(memory_of(exec) == where_, [&] {
    return detail::concat("the plan is in the memory of ", memory_name(where_),
                          ", but the executor uses that of ", memory_name(memory_of(exec)));
  });
  require(warp_size_of(exec) == warp_size_, [&] {
    return detail::concat("the plan was made for warps of ", warp_size_,
                          " threads, but the executor has warps of ", warp_size_of(exec));
  });
}

template <class Executor, class Tiles>
void plan_base<Executor, Tiles>::require_room(const capacity& needed) const {
  const auto require_max = [](std::int64_t number, std::int64_t max, const char* what) {
    require(number >= 0 && number <= max, [&] {
      return detail::concat("the plan has room for ", max, what, ", but there are ", number,
                            ": make it with a larger capacity{tiles, atoms}");
    });
  };
  require_max(needed.tiles, max_.tiles, " tiles");
  require_max(needed.atoms, max_.atoms, " atoms");
}

template <class Executor, class Tiles> void plan_base<Executor, Tiles>::require_unchanged() const {
  extent<Tiles> planned = extent_, now = extent_;
  if constexpr (sized_on_device<Tiles>) {
    const sizes<Tiles> found = read_sizes(exec_);
    planned = found_.all;
    now = found.all;
    require(found.tiles == found_.tiles, [&] {
      return detail::concat("the plan is for ", found_.tiles, " tiles, but there are ", found.tiles,
                            " now: call rebind first");
    });
  } else if (tiles_.tiles() > 0) {
    now = detail::extent_of<Executor, Tiles>(exec_, {tiles_, {}});
  }
  require(now.first_atom == planned.first_atom && now.atoms == planned.atoms, [&] {
    const auto atoms = [](const extent<Tiles>& all) {
      return detail::concat("[", all.first_atom, ", ", static_cast<std::int64_t>(all.first_atom) + all.atoms,
                            ")");
    };
    return detail::concat("the plan is for tiles with atoms ", atoms(planned), ", but they are ", atoms(now),
                          " now: the arrays of a tile set must not change");
  });
}

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// plan: a schedule prepared for one tile set. make_plan makes it.

namespace evenly {

namespace detail {

template <tile_set Tiles> void require_tiles(const Tiles& tiles) {
  const std::int64_t count = max_tiles(tiles);
  require(count >= 0, [&] { return detail::concat("tiles = ", count, ": must not be negative"); });
  if constexpr (sized_on_device<Tiles>)
    require(tiles.max_atoms() >= 0,
            [&] { return detail::concat("max_atoms() = ", tiles.max_atoms(), ": must not be negative"); });
}

/// Checked tiles, with the results of the check.
template <tile_set Tiles> struct inspected_tiles {
  Tiles tiles;
  std::optional<extent<Tiles>> all;
};

/// An argument of plan.reserve: the work for which memory is reserved.
template <class R, class Plan>
concept run_of = requires(const R& run, const Plan& plan) {
  { run.memory_for(plan) } -> std::same_as<workspace::sizes>;
};

} // namespace detail

/// A schedule prepared for one tile set on one executor, and on others like it: of the same type, with memory at the
/// same place and the same warp size; on cpu with any number of threads.
///
/// Move-only. It keeps a view of the tile set, whose data must outlive it unchanged until it is bound to another. One
/// stream and one host thread may use it at a time.
template <class Executor, class Schedule, class Tiles>
class plan : public detail::plan_base<Executor, Tiles> {
  using base = detail::plan_base<Executor, Tiles>;
  static_assert(detail::is_a_schedule<Schedule, Executor, Tiles>::holds);
  static_assert(detail::sizes_are_known<Schedule, Executor, Tiles>,
                "the schedule sizes its launch on the host, so it does not support tile sets with sizes on "
                "the device (sized_on_device): use a schedule other than dynamic_group_per_tile and binned");

 public:
  /// Checks the tiles.
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const capacity& max_size = {})
  requires(!sized_on_device<Tiles>)
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::inspect_for(schedule, exec, tiles)),
             max_size) {}
  /// Checks nothing.
  plan(const Executor& exec, const Schedule& schedule, const assumed_valid_tiles<Tiles>& given,
       const capacity& max_size = {})
      : plan(exec, schedule, given.tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(given.tiles),
              detail::known_tiles<Tiles>{detail::extent_of(exec, given)}),
             max_size) {}
  /// For tiles that were checked before.
  plan(const Executor& exec, const Schedule& schedule, const detail::inspected_tiles<Tiles>& given,
       const capacity& max_size)
      : plan(exec, schedule, given.tiles,
             (check(launch_shape{0, schedule.block_size}), detail::known_tiles<Tiles>{given.all.value()}),
             max_size) {}
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles)
  requires sized_on_device<Tiles>
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::known_tiles<Tiles>{detail::max_extent(tiles)}),
             {}) {}

  /// Returns a launch_of.
  const auto& launch() const { return prepared_.launch; }

  /// Binds the plan to another tile set of the same type, or to the same one with changed data. It checks nothing.
  ///
  /// - Runs on the executor that the plan was made on, or on `exec`, another like it.
  /// - Allocates nothing: the schedule prepares in the plan's memory.
  /// - Waits for nothing, so it may be captured in a CUDA graph. Exception: on cuda it waits to read the atoms back if
  ///   the host does not know them and the tile set is not sized on the device (schedules/launches.hpp).
  /// - Throws invalid_argument if the tiles exceed the plan's capacity, or the plan is in use.
  void rebind(const Tiles& tiles) { rebind(this->exec(), tiles); }
  void rebind(const Executor& exec, const Tiles& tiles) {
    if constexpr (sized_on_device<Tiles>)
      bind(exec, tiles, [&] { return detail::max_extent(tiles); });
    else
      rebind(exec, assume_valid(tiles));
  }
  void rebind(const assumed_valid_tiles<Tiles>& given) { rebind(this->exec(), given); }
  void rebind(const Executor& exec, const assumed_valid_tiles<Tiles>& given) {
    bind(exec, given.tiles, [&] { return detail::extent_of(exec, given); });
  }

  /// Allocates the memory for the given work: plan.reserve(reduces<float>{}, scans<int>{}). No run then allocates or
  /// waits, for any tiles within the plan's capacity.
  template <detail::run_of<plan>... Runs> void reserve(const Runs&... runs) {
    reserve(this->exec(), runs...);
  }
  template <detail::run_of<plan>... Runs> void reserve(const Executor& exec, const Runs&... runs) {
    workspace::sizes all;
    ((all = all.or_more(runs.memory_for(*this))), ...);
    workspace::lease(this->memory(), "plan").reserve(exec, all);
  }

 private:
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles,
       const detail::known_tiles<Tiles>& known, const capacity& max_size)
      : base(exec, tiles, known.all, max_size), schedule_(schedule),
        prepared_(
            detail::prepare(schedule, exec, tiles, known.all, planning{this->max_size(), known.squares})) {
    settle();
  }

  template <class ExtentOf>
  void bind(const Executor& exec, const Tiles& tiles, const ExtentOf& extent_of_tiles) {
    static_assert(
        detail::renews<Schedule, Executor, Tiles, decltype(prepared_.owned)>,
        "the schedule waits for the executor during preparation, so its plans cannot be bound to other "
        "tiles: make a new plan, or use a schedule other than dynamic_group_per_tile and binned");
    this->require_alike(exec);
    detail::require_tiles(tiles);
    const workspace::lease held(this->memory(), "plan");
    const extent<Tiles> all = extent_of_tiles();
    this->require_room({max_tiles(tiles), all.atoms});
    prepared_ =
        detail::renew(schedule_, exec, tiles, all, planning{this->max_size()}, std::move(prepared_.owned));
    this->set_tiles(tiles, all);
    settle();
  }

  void settle() {
    if constexpr (sized_on_device<Tiles>) prepared_.launch.max_size = this->max_size();
    this->note_sizes();
  }

  Schedule schedule_;
  decltype(detail::prepare(std::declval<const Schedule&>(), std::declval<const Executor&>(),
                           std::declval<const Tiles&>(), extent<Tiles>{}, planning{})) prepared_;
};

// --- details ---------------------------------------------------------------------------------------------------------
// chosen_plan: the plan of a chooser (schedules/choice/chooser.hpp). It is a plan of one of the candidates. make_plan
// makes it.

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

// --- details ---------------------------------------------------------------------------------------------------------
// The memory for the tile set that a plan makes of a source of tiles.

namespace evenly::detail {

/// The memory for the tile set of a source of tiles.
template <class Executor, tile_source Source> class room_for_source {
 public:
  using tiles_type = decltype(scan_source(std::declval<const Executor&>(), std::declval<const Source&>(),
                                          std::declval<std::byte*>(), std::declval<workspace&>()));

  /// For `source`, and for others of at most `max_size` tiles.
  room_for_source(const Executor& exec, const Source& source, const capacity& max_size)
      : memory_(make_buffer<std::byte>(
            exec, larger(scan_bytes(source),
                         (static_cast<std::size_t>(max_size.tiles) + 1) * sizeof(atom_type<tiles_type>)))) {
    workspace::lease(scratch_).reserve(exec, scan_room(exec, source, max_size.tiles));
  }

  /// Starts to make the tile set. Throws invalid_argument if there is too little memory for it.
  tiles_type scan(const Executor& exec, const Source& source) {
    require(scan_bytes(source) <= memory_.size(), [&] {
      return detail::concat("the plan has room for ", memory_.size(), " bytes of offsets, but needs ",
                            scan_bytes(source), ": make it with a larger capacity{tiles, atoms}");
    });
    return scan_source(exec, source, memory_.data(), scratch_);
  }

 private:
  buffer<std::byte> memory_;
  workspace scratch_;
};

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// source_plan: a plan of a source of tiles (work/tile_set.hpp). make_plan makes it.

namespace evenly {

/// A plan of a source of tiles. It owns the memory of the tile set made of the source: plan.tiles().
template <class Executor, class Schedule, tile_source Source>
class source_plan
    : private detail::room_for_source<Executor, Source>,
      public plan_of<Executor, Schedule, typename detail::room_for_source<Executor, Source>::tiles_type> {
  using room = detail::room_for_source<Executor, Source>;
  using base = plan_of<Executor, Schedule, typename room::tiles_type>;

 public:
  using typename base::tiles_type;

  /// Checks the source.
  source_plan(const Executor& exec, const Schedule& schedule, const Source& source,
              const capacity& max_size = {})
  requires(!sized_on_device<tiles_type>)
      : room(exec, source, max_size),
        base(exec, schedule, checked(exec, room::scan(exec, source)), max_size) {}
  /// Checks nothing.
  source_plan(const Executor& exec, const Schedule& schedule, const assumed_valid_source<Source>& given,
              const capacity& max_size = {})
  requires(!sized_on_device<tiles_type>)
      : room(exec, given.source, max_size), base(exec, schedule, scan_assumed_valid(exec, given), max_size) {}
  source_plan(const Executor& exec, const Schedule& schedule, const Source& source)
  requires sized_on_device<tiles_type>
      : room(exec, source, {}), base(exec, schedule, room::scan(exec, source)) {}

  /// As plan::rebind. After a failed call the plan must be bound again before it runs.
  void rebind(const Source& source) { rebind(base::exec(), source); }
  void rebind(const Executor& exec, const Source& source) { base::rebind(exec, room::scan(exec, source)); }
  void rebind(const assumed_valid_source<Source>& given) { rebind(base::exec(), given); }
  void rebind(const Executor& exec, const assumed_valid_source<Source>& given) {
    base::rebind(exec, scan_assumed_valid(exec, given));
  }

 private:
  static assumed_valid_tiles<tiles_type> checked(const Executor& exec, const tiles_type& tiles) {
    return {tiles, extent<tiles_type>{0, inspect_source(exec, tiles)}};
  }
  assumed_valid_tiles<tiles_type> scan_assumed_valid(const Executor& exec,
                                                     const assumed_valid_source<Source>& given) {
    const tiles_type tiles = room::scan(exec, given.source);
    return given.atoms ? assume_valid(tiles, *given.atoms) : assumed_valid_tiles<tiles_type>{tiles, {}};
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// plan: see the head of this file.

/// Checks `tiles` and prepares `schedule` for them. Synchronises. Throws invalid_argument, naming the first tile that
/// breaks a law of tile_set.hpp. Cost: a pass over the offsets, and the cost in the schedule's header.
template <class Executor, class Schedule, tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, tiles};
}
template <class Executor, class Schedule, placed_tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles) {
  return make_plan(exec, schedule, tiles.plain());
}
/// The same with room for other tile sets: for `max_size`, or for the sizes of `tiles` if these are larger.
template <class Executor, class Schedule, tile_set Tiles>
requires(!sized_on_device<Tiles>)
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const capacity& max_size) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, tiles, max_size};
}
/// The same for tiles assumed valid: checks nothing. Synchronises if the atoms must be read back
/// (schedules/launches.hpp), and if the schedule does. Cost: that in the schedule's header.
template <class Executor, class Schedule, tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const assumed_valid_tiles<Tiles>& given,
               const capacity& max_size = {}) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, given, max_size};
}

/// Returns a plan of a source of tiles (work/tile_set.hpp). It sums the sizes up and plans the resulting tile set.
/// The sizes are checked, unless they are assumed valid or only the device knows the number of tiles.
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const Source& source) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, source};
}
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const Source& source,
               const capacity& max_size) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, source, max_size};
}
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const assumed_valid_source<Source>& given,
               const capacity& max_size = {}) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, given, max_size};
}

namespace detail {
template <class T> inline constexpr bool is_assumed_valid = false;
template <tile_set Tiles> inline constexpr bool is_assumed_valid<assumed_valid_tiles<Tiles>> = true;
template <tile_source Source> inline constexpr bool is_assumed_valid<assumed_valid_source<Source>> = true;

template <class T> inline constexpr bool is_chosen = false;
template <class Executor, class Chooser, class Tiles>
inline constexpr bool is_chosen<chosen_plan<Executor, Chooser, Tiles>> = true;
template <class Executor, chooser Chooser, class Source>
inline constexpr bool is_chosen<source_plan<Executor, Chooser, Source>> = true;
} // namespace detail

/// Returns a plan for one run, by a call that plans and runs `work`.
template <class Executor, class Schedule, class What>
auto make_plan_once(const Executor& exec, const Schedule& schedule, const What& what,
                    [[maybe_unused]] work_kind work = work_kind::sums) {
  if constexpr (chooser<Schedule>)
    return make_plan(exec, once_chosen<Schedule>{detail::with_work_kind(schedule, work)}, what);
  else
    return make_plan(exec, once<Schedule>{schedule}, what);
}

/// The arguments of make_plan.
template <class T>
concept plannable = tile_set<T> || tile_source<T> || detail::is_assumed_valid<T>;

/// A plan that skeletons run, or a type with the same interface.
template <class P>
concept planned = executor<typename P::executor_type> && tile_set<typename P::tiles_type> &&
                  requires(P& plan, const typename P::executor_type& exec) {
                    { plan.tiles() } -> std::convertible_to<typename P::tiles_type>;
                    requires mapping<typename std::remove_cvref_t<decltype(plan.launch())>::mapping_type>;
                    { plan.start(exec) } -> std::same_as<workspace::lease>;
                  } && (sized_on_device<typename P::tiles_type> || requires(P& plan) {
                    { plan.atoms() } -> std::convertible_to<std::int64_t>;
                    { plan.first_atom() } -> std::convertible_to<atom_type<typename P::tiles_type>>;
                  });

/// A plan whose schedule was chosen when it was made. Skeletons run its chosen plan.
template <class P>
concept chosen = detail::is_chosen<std::remove_cv_t<P>>;

/// The plans that skeletons and applications accept.
template <class P>
concept any_planned = planned<P> || chosen<P>;

namespace detail {

template <class How, class... Rest> inline constexpr bool runs_skeleton = any_planned<How>;
template <class How, class Tiles, class... Rest>
inline constexpr bool runs_skeleton<How, Tiles, Rest...> = any_planned<How> || plannable<Tiles>;

template <class Executor, class Schedule, class Body, class Tiles, class... Rest>
void plan_and_run(const Executor& exec, const Schedule& schedule, work_kind work, const Body& body,
                  const Tiles& tiles, Rest&... rest);

/// Calls body(plan, arguments...) with a plan of one schedule, for a skeleton that is called with (exec, plan,
/// arguments...) or with (exec, schedule, tiles, arguments...).
template <class Executor, class How, class Body, class... Rest>
void run_skeleton(const Executor& exec, How& how, work_kind work, const Body& body, Rest&... rest) {
  if constexpr (chosen<How>) {
    how.visit([&](auto& plan) { run_skeleton(exec, plan, work, body, rest...); });
  } else if constexpr (planned<How>) {
    static_assert(std::is_same_v<Executor, typename How::executor_type>,
                  "the plan was made for another executor");
    body(how, rest...);
  } else {
    plan_and_run(exec, how, work, body, rest...);
  }
}
template <class Executor, class Schedule, class Body, class Tiles, class... Rest>
void plan_and_run(const Executor& exec, const Schedule& schedule, work_kind work, const Body& body,
                  const Tiles& tiles, Rest&... rest) {
  auto plan = make_plan_once(exec, schedule, tiles, work);
  run_skeleton(exec, plan, work, body, rest...);
}

} // namespace detail

/// The arguments of a skeleton after the executor: a plan, or the arguments of make_plan; then those of the skeleton.
/// In the second form one call plans and runs. It synchronises while it plans, unless the tiles are assume_valid(tiles)
/// and the schedule does not wait itself.
template <class How, class... Rest>
concept skeleton_call = detail::runs_skeleton<std::remove_cvref_t<How>, std::remove_cvref_t<Rest>...>;

} // namespace evenly
