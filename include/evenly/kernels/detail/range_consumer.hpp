// SPDX-License-Identifier: Apache-2.0
// The consumer of for_each_range without combine_with: passes a thread's part of each tile to the body.
//
// In a team and in a piece, a thread strides over the atoms. In a run and in a batch it gets its atoms one by one,
// since the next may belong to another tile. A serial block gets whole tiles.
#pragma once

#include <cstdint>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/kernels/work_range.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

struct range_slots {
  tile_of_atoms_slots found; ///< for a blocked_run's atoms

  template <class... Forms>
  EVENLY_FN static constexpr range_slots lay_out(sharing::list<Forms...>, storage_layout& layout,
                                                 block_shape shape) {
    return {tile_of_atoms_slots::lay_out(layout, shape, detail::max_of({sharing::blocked_items<Forms>...}))};
  }
};

template <tile_set Tiles, class Body> struct range_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = true;

  Tiles tiles;
  const Body& body;

  template <class Form> static constexpr bool takes = true;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    const range_consumer& work;
    Block& block;
    const Slots& slots;

    template <int G>
    EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) const {
      const auto me = team_of(block, form);
      if (!part.has_tile) return;
      if constexpr (decltype(me)::is_single)
        visit<true>(part.tile, consecutive_range<atom>(part.begin, part.end));
      else if (me.rank() == 0 || me.rank() < part.end - part.begin)
        visit<false>(part.tile, strided(part.begin, part.end, me.rank(), me.size()));
    }
    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) const {
      if (block.rank() < part.end - part.begin)
        visit<false>(part.tile, strided(part.begin, part.end, block.rank(), block.size()));
    }
    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) const {
      run.for_each([&](tile t, atom a) { visit_atom(t, a); });
    }
    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G>, const Run& run) const {
      run.for_each([&](bool has, tile t, atom a, bool) {
        if (has) visit_atom(t, a);
      });
    }
    template <int Items, class Run>
    EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) const {
      run.for_each([&](int k, tile t) { visit_atom(t, static_cast<atom>(run.first_atom + k)); });
    }
    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) const {
      if constexpr (Block::is_serial) {
        atom begin = chunk.first_atom;
        for (tile t = chunk.first_tile; t < chunk.last_tile; ++t) {
          const atom end = work.tiles.end(t);
          visit<false>(t, consecutive_range<atom>(begin, end));
          begin = end;
        }
        if (begin < chunk.last_atom)
          visit<false>(chunk.last_tile, consecutive_range<atom>(begin, chunk.last_atom));
      } else {
        for (std::int64_t i = chunk.first_tile + std::int64_t{block.rank()}; i < chunk.last_tile;
             i += block.size()) {
          const auto t = static_cast<tile>(i);
          if (const atom begin = work.tiles.begin(t); begin == work.tiles.end(t))
            visit<false>(t, consecutive_range<atom>(begin, begin));
        }
        find_tile_of_atoms<Items>(block, chunk, slots.found);
        const auto found = block.storage(slots.found.tile_of);
        const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i) {
          const int k = block.rank() + i * block.size();
          if (k < atoms)
            visit_atom(static_cast<tile>(chunk.first_tile + found[k]),
                       static_cast<atom>(chunk.first_atom + k));
        }
      }
    }

   private:
    EVENLY_INLINE_FN void visit_atom(tile t, atom a) const {
      visit<false>(t, consecutive_range<atom>(a, static_cast<atom>(a + 1)));
    }
    template <bool Whole, class Atoms> EVENLY_INLINE_FN void visit(tile t, const Atoms& atoms) const {
      tile_range<tile, Atoms, Whole, void> range(t, atoms); // named: bodies may take a reference
      work.body(range);
    }
    /// Returns every `step`th of the atoms [begin, end), from number `skip` on. If it has any atoms, atom number `skip`
    /// is one.
    EVENLY_FN static step_range<atom> strided(atom begin, atom end, int skip, int step) {
      return {static_cast<atom>(begin + skip), end, step};
    }
  };
};

} // namespace evenly
