// SPDX-License-Identifier: Apache-2.0
// Plans that are used once: a call that plans and runs. Where the work is small a kernel for the partition takes as
// long as the work itself, so each block finds where it begins and ends, by a search of a warp for each; where there is
// more work than blocks have room at once, the searches would be in everybody's way, and the partition stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// In launches of up to so many blocks each searches: about as many as a large GPU works on at one time.
inline constexpr int most_searched_blocks = 1024;

/// A mapping whose block b reads starts[b] and starts[b + 1] of a table, start_of(b) and start_of(b + 1).
template <class Mapping> struct searched_mapping : Mapping {
  using tile = tile_type<typename Mapping::tiles_type>;

  tile* found; ///< two for each block, which it finds itself; null: the table is there

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const typename Mapping::slots& place, Consumer& consumer) const {
    Mapping here = *this;
    if (found != nullptr) {
      // In memory, not in storage: the mapping reads its table where it always does.
      tile* const mine = found + 2 * static_cast<std::ptrdiff_t>(block.index());
      const auto warp = this_warp(block);
      for (int i = warp_of(block); i < 2; i += block.shape().warps()) {
        const tile start =
            Mapping::start_of(block.index() + std::int64_t{i}, [&](auto first, auto last, const auto& past) {
              return first_past_together(warp, first, last, past);
            });
        if (warp.rank() == 0) mine[i] = start;
      }
      block.sync();
      here.starts = mine - block.index();
    }
    here.distribute(block, place, consumer);
  }
};

template <class Tile, class Executor> buffer<Tile> make_search_table(const Executor& exec, int blocks) {
  return make_buffer<Tile>(exec, 2 * static_cast<std::size_t>(blocks));
}

/// A mapping as above without a table: each block finds where it begins and ends, and keeps that to itself. Nothing is
/// prepared, so kernels of one's own can take it (kernels/shared_work.hpp).
template <class Mapping> struct searching_mapping : Mapping {
  using tile = tile_type<typename Mapping::tiles_type>;

  struct slots {
    typename Mapping::slots own;
    slot<tile> starts;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto own = Mapping::lay_out(layout, shape);
    return {own, layout.take<tile>(2)};
  }
  EVENLY_FN sized_mapping<searching_mapping> sized(const capacity& most, block_shape shape) const {
    const auto here = Mapping::sized(most, shape);
    return {{here.mapping}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t index = block.index();
    tile mine[2];
    if constexpr (Block::is_serial) {
      for (int i = 0; i < 2; ++i) mine[i] = Mapping::start_of(index + i, searches_alone{});
    } else {
      const auto found = block.storage(place.starts);
      const auto warp = this_warp(block);
      for (int i = warp_of(block); i < 2; i += block.shape().warps()) {
        const tile start = Mapping::start_of(index + i, [&](auto first, auto last, const auto& past) {
          return first_past_together(warp, first, last, past);
        });
        if (warp.rank() == 0) found[i] = start;
      }
      block.sync();
      for (int i = 0; i < 2; ++i) mine[i] = found[i];
    }
    const tile* const table = mine; // as if it were a table's two elements for this block
    Mapping here = *this;
    here.starts = table - index;
    here.distribute(block, place.own, consumer);
  }
};

/// A schedule for a plan that is used once.
template <class Schedule> struct once {
  Schedule schedule;
  int block_size = schedule.block_size;

  template <class Visit> void parameters(Visit visit) const { schedule.parameters(visit); }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
               const planning& how) const {
    constexpr bool searches = !Executor::serial_blocks && !sized_on_device<Tiles> &&
                              requires { schedule.prepare_once(exec, tiles, all); };
    if constexpr (searches)
      return schedule.prepare_once(exec, tiles, all);
    else
      return detail::prepare(schedule, exec, tiles, all, how);
  }
};

} // namespace evenly
