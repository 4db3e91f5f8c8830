// SPDX-License-Identifier: Apache-2.0
// Plans that are used once, by a call that plans and runs. If the work is small, a kernel for the partition takes as
// long as the work itself. Therefore each block finds its own begin and end, each by a search of a warp. If there are
// more blocks than are resident at once, these searches would delay all blocks, and a partition is made as usual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// In launches of at most this many blocks each block searches: about as many as a large GPU runs at one time.
inline constexpr int max_searched_blocks = 1024;

/// Runs a mapping without its table. The mapping's block b reads starts[b] and starts[b + 1], that is start_of(b) and
/// start_of(b + 1). Here each block computes these two itself and keeps them to itself. Nothing is prepared, so kernels
/// of your own can use it (kernels/shared_work.hpp). `OrTable`: it may have a table after all.
template <class Mapping, bool OrTable = false> struct searching_mapping : Mapping {
  using tile = tile_type<typename Mapping::tiles_type>;

  struct slots {
    typename Mapping::slots own;
    slot<tile> starts;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto own = Mapping::lay_out(layout, shape);
    return {own, layout.take<tile>(2)};
  }
  EVENLY_FN sized_mapping<searching_mapping> sized(const capacity& max_size, block_shape shape) const {
    const auto here = Mapping::sized(max_size, shape);
    return {{here.mapping}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    tile mine[2]; // as two elements of a table for this block
    Mapping here = *this;
    if (!OrTable || here.starts == nullptr) {
      find(block, block.storage(place.starts), mine);
      here.starts = static_cast<const tile*>(mine) - block.index();
    }
    here.distribute(block, place.own, consumer);
  }

 private:
  template <class Block, class Storage>
  EVENLY_FN void find(Block& block, const Storage& found, tile (&mine)[2]) const {
    const std::int64_t index = block.index();
    if constexpr (Block::is_serial) {
      for (int i = 0; i < 2; ++i) mine[i] = Mapping::start_of(index + i, searches_alone{});
    } else {
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
