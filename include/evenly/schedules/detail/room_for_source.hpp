// SPDX-License-Identifier: Apache-2.0
// The memory for the tile set that a plan makes of a source of tiles (schedules/plan.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/work/tile_set.hpp"

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
