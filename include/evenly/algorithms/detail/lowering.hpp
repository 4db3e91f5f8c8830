// SPDX-License-Identifier: Apache-2.0
// Lowering: converts the refinements that a skeleton does not take to the three required forms of
// schedules/launches.hpp. It runs between the mapping and the skeleton's worker, in kernels that need it.
//
//   blocked_run   the tiles of all atoms are found, in storage (chunks.hpp): becomes a striped_run. Each empty
//                 tile goes to one thread. On a serial block it becomes a run<true>, tile by tile
//   striped_run   tiles are written to storage, from where each thread reads those of consecutive atoms: becomes a
//                 run<true>
//   piece         each thread has a consecutive part: becomes a run<true>
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Whether a skeleton handles a form itself. It declares the refinements in
///   template <class Form> static constexpr bool takes
template <class Consumer, class Form>
inline constexpr bool takes_form = [] {
  if constexpr (!sharing::is_refinement<Form>)
    return true;
  else if constexpr (requires { Consumer::template takes<Form>; })
    return Consumer::template takes<Form>;
  else
    return false;
}();

namespace detail {

template <class... Lists> struct joined_lists;
template <class... Forms> struct joined_lists<sharing::list<Forms...>> {
  using type = sharing::list<Forms...>;
};
template <class... Ones, class... Others, class... Lists>
struct joined_lists<sharing::list<Ones...>, sharing::list<Others...>, Lists...>
    : joined_lists<sharing::list<Ones..., Others...>, Lists...> {};

/// The forms that a form is converted to.
template <class Consumer, class Form> struct lowered_form {
  using type =
      std::conditional_t<takes_form<Consumer, Form>, sharing::list<Form>, sharing::list<sharing::run<true>>>;
};
template <class Consumer, int Items>
requires(!takes_form<Consumer, sharing::blocked_run<Items>>)
struct lowered_form<Consumer, sharing::blocked_run<Items>> {
  using type = typename joined_lists<typename lowered_form<Consumer, sharing::striped_run<Items>>::type,
                                     sharing::list<sharing::team<1>>>::type;
};

constexpr int max_of(std::initializer_list<int> of_each) {
  int so_far = 0;
  for (const int each : of_each) so_far = larger(so_far, each);
  return so_far;
}

template <class Consumer, class Forms> struct lowered_list;
template <class Consumer, class... Forms> struct lowered_list<Consumer, sharing::list<Forms...>> {
  using type = typename joined_lists<typename lowered_form<Consumer, Forms>::type...>::type;
  static constexpr bool changed = !(takes_form<Consumer, Forms> && ...);
  /// The items of the blocked and striped runs that are lowered.
  static constexpr int blocked =
      max_of({(takes_form<Consumer, Forms> ? 0 : sharing::blocked_items<Forms>)...});
  static constexpr int striped =
      max_of({(takes_form<Consumer, Forms> ? 0 : sharing::striped_items<Forms>)...});
};

} // namespace detail

/// The forms that a skeleton has to handle under a mapping that uses `Forms`.
template <class Consumer, class Forms>
using lowered_forms = typename detail::lowered_list<Consumer, Forms>::type;

/// The storage for the runs that are lowered.
template <class Tile> struct lowering_slots {
  tile_of_atoms_slots found; ///< for a blocked_run's atoms
  slot<Tile> tiles;          ///< for a striped_run's atoms

  template <class Consumer, class Forms>
  EVENLY_FN static constexpr lowering_slots lay_out(storage_layout& layout, block_shape shape) {
    using lowered = detail::lowered_list<Consumer, Forms>;
    return {tile_of_atoms_slots::lay_out(layout, shape, lowered::blocked),
            layout.take<Tile>(shape.size * lowered::striped)};
  }
};

namespace detail {

/// A serial block's chunk, as a run<true>.
template <tile_set Tiles> struct serial_chunk_run {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const run_chunk<Tiles>& chunk;
  atom first_atom = chunk.first_atom;
  atom last_atom = chunk.last_atom;

  EVENLY_FN const Tiles& tiles() const { return chunk.tiles; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    atom a = first_atom;
    for (tile t = chunk.first_tile; a < last_atom; ++t) {
      const atom end = t < chunk.last_tile ? chunk.tiles.end(t) : last_atom;
      for (; a < end; ++a) visit(t, a);
    }
  }
};

/// A block's chunk with known tiles of atoms, as a striped_run and a run<true>.
template <int Items, class Block, tile_set Tiles, class TileOf> struct found_run {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  Block& block;
  const run_chunk<Tiles>& chunk;
  TileOf tile_of; ///< in storage, counted from the chunk's first tile
  atom first_atom = chunk.first_atom;
  atom last_atom = chunk.last_atom;

  EVENLY_FN const Tiles& tiles() const { return chunk.tiles; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    const int atoms = static_cast<int>(last_atom - first_atom);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      if (k < atoms) visit(k, static_cast<tile>(chunk.first_tile + tile_of[k]));
    }
  }
};

/// Consecutive atoms, `share` per thread, as a run<true>. tile_of(k): the tile of the run's atom k.
template <class Block, tile_set Tiles, class TileOf> struct consecutive_run {
  using atom = atom_type<Tiles>;

  Block& block;
  const Tiles& all;
  atom first_atom;
  atom last_atom;
  atom share;
  TileOf tile_of;

  EVENLY_FN const Tiles& tiles() const { return all; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    const auto atoms = static_cast<std::int64_t>(last_atom - first_atom);
    const std::int64_t begin = smaller(static_cast<std::int64_t>(share) * block.rank(), atoms);
    const std::int64_t end = smaller(begin + share, atoms);
    for (std::int64_t k = begin; k < end; ++k)
      visit(tile_of(static_cast<atom>(k)), static_cast<atom>(first_atom + static_cast<atom>(k)));
  }
};

} // namespace detail

/// A mapping calls it instead of a worker that does not take all of its forms. `Worker`: the worker of `Consumer`.
template <class Consumer, class Worker, class Block, class Slots> struct lowering {
  static constexpr bool wants_empty_tiles = Worker::wants_empty_tiles;
  static constexpr bool runs_need_no_storage = [] {
    if constexpr (requires { Worker::runs_need_no_storage; })
      return Worker::runs_need_no_storage && takes_form<Consumer, sharing::striped_run<1>>;
    else
      return false;
  }();

  Worker& worker;
  Block& block;
  const Slots& slots; ///< lowering_slots

  template <class Form, class Part> EVENLY_FN void operator()(Form form, const Part& part) {
    if constexpr (takes_form<Consumer, Form>)
      worker(form, part);
    else
      lower(form, part);
  }

 private:
  template <int Items, tile_set Tiles>
  EVENLY_FN void lower(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
    if constexpr (wants_empty_tiles) hand_out_empty_tiles(chunk);
    const bool none = chunk.first_atom == chunk.last_atom;
    if constexpr (Block::is_serial) {
      if (none) return;
      worker(sharing::run<true>{}, detail::serial_chunk_run<Tiles>{chunk});
    } else {
      find_tile_of_atoms<Items>(block, chunk, slots.found);
      if (none) return;
      const auto found = block.storage(slots.found.tile_of);
      using storage = std::remove_const_t<decltype(found)>;
      if constexpr (takes_form<Consumer, sharing::striped_run<Items>>)
        worker(sharing::striped_run<Items>{},
               detail::found_run<Items, Block, Tiles, storage>{block, chunk, found});
      else
        by_threads(chunk.tiles, chunk.first_atom, chunk.last_atom, Items, [&](int k) {
          return static_cast<tile_type<Tiles>>(chunk.first_tile + static_cast<int>(found[k]));
        });
    }
  }

  template <int Items, class Run> EVENLY_FN void lower(sharing::striped_run<Items>, const Run& run) {
    using tile = tile_type<std::remove_cvref_t<decltype(run.tiles())>>;
    const auto tiles = block.storage(slots.tiles);
    run.for_each([&](int k, tile t) { tiles[k] = t; });
    block.sync();
    by_threads(run.tiles(), run.first_atom, run.last_atom, Items,
               [&](int k) { return static_cast<tile>(tiles[k]); });
  }

  template <tile_set Tiles> EVENLY_FN void lower(sharing::piece, const piece_part<Tiles>& part) {
    const auto share = ceil_div(static_cast<std::int64_t>(part.end - part.begin), std::int64_t{block.size()});
    by_threads(part.tiles, part.begin, part.end, static_cast<atom_type<Tiles>>(share),
               [&](std::int64_t) { return part.tile; });
  }

  /// Processes the atoms [first, last) as a run, `share` per thread.
  template <tile_set Tiles, class TileOf>
  EVENLY_FN void by_threads(const Tiles& tiles, atom_type<Tiles> first, atom_type<Tiles> last,
                            atom_type<Tiles> share, const TileOf& tile_of) {
    worker(sharing::run<true>{},
           detail::consecutive_run<Block, Tiles, TileOf>{block, tiles, first, last, share, tile_of});
  }

  /// Hands each empty tile that ends in the chunk to one thread.
  template <tile_set Tiles> EVENLY_FN void hand_out_empty_tiles(const run_chunk<Tiles>& chunk) {
    using tile = tile_type<Tiles>;
    for (std::int64_t i = chunk.first_tile + std::int64_t{block.rank()}; i < chunk.last_tile;
         i += block.size()) {
      const auto t = static_cast<tile>(i);
      const auto begin = chunk.tiles.begin(t);
      if (begin == chunk.tiles.end(t)) worker(sharing::team<1>{}, empty_tile(t, begin));
    }
  }
};

} // namespace evenly
