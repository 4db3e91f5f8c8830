// SPDX-License-Identifier: Apache-2.0
// source_plan: a plan of a source of tiles (work/tile_set.hpp). make_plan makes it (schedules/plan.hpp).
#pragma once

#include "evenly/schedules/assume_valid.hpp"
#include "evenly/schedules/detail/chosen_plan.hpp"
#include "evenly/schedules/detail/room_for_source.hpp"
#include "evenly/schedules/detail/tiles_plan.hpp"
#include "evenly/work/tile_set.hpp"

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

} // namespace evenly
