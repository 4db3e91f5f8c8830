// SPDX-License-Identifier: Apache-2.0
// The rows of a tile set's atoms, as a map gives them, and what one strand makes of atoms that follow each other.
#pragma once

#include <type_traits>

#include "evenly/algorithms/detail/row_calls.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `Columns`: how many a lane has at most; Packed: a pack.
template <tile_set Tiles, class Map, monoid Op, int Columns, bool Packed = false> struct row_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using values = lane_values<typename Op::value_type, Columns>;
  using values_op = row_monoid<Op, Columns>;
  using pack = row_pack<typename Op::value_type>;
  static constexpr int columns = Columns;
  /// Whether map(atom, column) is enough, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = detail::maps_columns<Map, Tiles>;
  /// Atoms whose values a strand loads before it combines them.
  static constexpr int together = 4;
  /// Whether lanes fetch atoms for each other; and then so many.
  static constexpr bool hands_round = Packed && detail::fetches_atoms<Map, Tiles, typename Op::value_type>;
  static constexpr int handed_together = 8;

  Tiles tiles;
  Map map;
  Op op;

  EVENLY_INLINE_FN typename Op::value_type value_of(tile t, atom a, int column) const {
    if constexpr (by_atom)
      return map(a, column);
    else
      return map(t, a, column);
  }
  EVENLY_INLINE_FN values values_of(tile t, atom a, const lane_columns& at) const {
    if constexpr (Packed) {
      return row_of(map.pack(a, smaller(at.first, at.end - Columns))); // behind the panel the last one again
    } else {
      values row;
      for_columns<Columns>(at.count, [&](int i) { row.of[i] = value_of(t, a, at[i]); });
      return row;
    }
  }
  template <class Pack> EVENLY_INLINE_FN static values row_of(const Pack& pack) {
    values row;
    EVENLY_UNROLL
    for (int i = 0; i < Columns; ++i) row.of[i] = pack.of[i];
    return row;
  }

  /// Combines atoms [a, end) of a tile with what `sum` has, by one strand, in order. `both`: op for rows.
  template <class Block>
  EVENLY_FN void add(const values_op& both, tile t, atom a, atom end, const lane_columns& at,
                     values& sum) const {
    if constexpr (Block::is_serial) {
      if (at.count == Columns)
        add_serially(t, a, end, at.first, std::integral_constant<int, Columns>{}, sum);
      else
        add_serially(t, a, end, at.first, at.count, sum);
    } else {
      for (; end - a >= together; a += together) {
        values x[together];
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) x[i] = values_of(t, a + i, at);
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) sum = both(sum, x[i]);
      }
      for (; a < end; ++a) sum = both(sum, values_of(t, a, at));
    }
  }

 private:
  /// Columns innermost, so that they are vectorised; four atoms in a turn, so that sums are read and written less. In a
  /// local row, which nothing that map reads can be.
  template <class Count>
  EVENLY_INLINE_FN void add_serially(tile t, atom a, atom end, int first, Count count, values& sum) const {
    typename Op::value_type open[Columns];
    for (int c = 0; c < count; ++c) open[c] = sum.of[c];
    for (; end - a >= together; a += together)
      for (int c = 0; c < count; ++c) {
        const int column = first + c;
        auto each = op(open[c], value_of(t, a, column));
        each = op(each, value_of(t, a + 1, column));
        each = op(each, value_of(t, a + 2, column));
        open[c] = op(each, value_of(t, a + 3, column));
      }
    for (; a < end; ++a)
      for (int c = 0; c < count; ++c) open[c] = op(open[c], value_of(t, a, first + c));
    for (int c = 0; c < count; ++c) sum.of[c] = open[c];
  }
  static_assert(together == 4);
};

/// The end of a tile, and that of the next one, which is on its way: tiles [_, last), then `rest`.
template <class Tiles> struct coming_ends {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const Tiles& tiles;
  tile last;
  atom rest;
  atom now, next;

  EVENLY_INLINE_FN coming_ends(const Tiles& of, tile first, tile behind, atom else_)
      : tiles(of), last(behind), rest(else_), now(end_of(first)), next(end_of(static_cast<tile>(first + 1))) {
  }
  EVENLY_INLINE_FN atom end_of(tile t) const { return t < last ? tiles.end(t) : rest; }
  /// `t`: the tile that is now the present one.
  EVENLY_INLINE_FN void go_on(tile t) {
    now = next;
    next = end_of(static_cast<tile>(t + 1));
  }
};

/// A place among atoms and tile ends.
template <class Tile, class Atom> struct walk_place {
  Tile next_end; ///< the first tile that has not ended
  Atom next;
};

/// What a strand has of a run: of the first tile that ends in its share, and of the tile that is open. store(tile, row)
/// is called for those between.
template <class Block, class Values, class Store> struct strand_sums {
  using tile = typename Values::tile;
  using atom = typename Values::atom;
  using values = typename Values::values;
  using place = walk_place<tile, atom>;

  const Values& from;
  const typename Values::values_op& both;
  const lane_columns& at;
  const Store& store;
  values first = both.identity();
  values open = both.identity();
  tile first_tile{};
  bool ended = false;

  EVENLY_FN segmented<values> all() const { return {ended, open}; }

  EVENLY_FN void end(tile t) {
    if (ended) {
      store(t, open);
    } else {
      first = open;
      first_tile = t;
      ended = true;
    }
    both.clear(open);
  }

  /// As walk, tiles without atoms included, by all lanes of the warp together; strands have at least handed_together
  /// lanes. Each lane fetches one of the strand's next atoms while those before are combined, and has eight rows on
  /// their way. Where no tile ends among these there is nothing but their sums.
  template <class Tiles>
  EVENLY_FN void walk_together(const lanes<Block>& warp, const strand& in, const Tiles& tiles,
                               const place& begin, const place& stop) {
    constexpr int together = Values::handed_together;
    const int first_lane = warp.rank() - in.lane;
    tile t = begin.next_end;
    const atom last = stop.next;
    atom left =
        static_cast<atom>(last - begin.next); // below 0 where others have more; no atom is beyond `last`
    coming_ends<Tiles> ends(tiles, t, stop.next_end, last);
    const auto end_tiles_at = [&](atom here) {
      while (t < stop.next_end && ends.now == here) {
        end(t);
        t = static_cast<tile>(t + 1);
        ends.go_on(t);
      }
    };
    using fetched = decltype(from.map.fetch(last));
    const auto fetch = [&](int distance, fetched& to) {
      if (distance < left) to = from.map.fetch(static_cast<atom>(last - left + distance));
    };
    fetched ahead{};
    fetch(in.lane, ahead);
    const int column = smaller(at.first, at.end - Values::columns); // behind the panel the last one again
    while (warp.any(left > 0)) {
      const fetched mine = ahead;
      fetch(in.lanes + in.lane, ahead);
      for (int b = 0; b < in.lanes; b += together, left = static_cast<atom>(left - together)) {
        typename Values::pack x[together];
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) {
          const fetched each = warp.shuffle(mine, first_lane + b + i);
          if (i < left) x[i] = from.map.pack(each, column);
        }
        const bool alone =
            left >= together && ends.now - (last - left) >= together; // no tile ends before the last
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) {
          if (!alone) {
            if (i >= left) break;
            end_tiles_at(static_cast<atom>(last - left + i));
          }
          open = both(open, Values::row_of(x[i]));
        }
      }
    }
    end_tiles_at(last);
  }

  /// The atoms, and the ends of tiles, between two places. EmptyTiles: whether tiles without atoms end here, too.
  template <bool EmptyTiles, class Tiles>
  EVENLY_FN void walk(const Tiles& tiles, const place& begin, const place& stop) {
    tile t = begin.next_end;
    atom a = begin.next;
    const auto next_tile = [&](atom end_of_this) {
      const auto next = static_cast<tile>(t + 1);
      if constexpr (EmptyTiles)
        return next;
      else
        return first_past_near(next, stop.next_end, [&](tile u) { return tiles.end(u) > end_of_this; });
    };
    if constexpr (Values::by_atom && !Block::is_serial) {
      constexpr int together = Values::together;
      const auto end_of = [&] { return t < stop.next_end ? tiles.end(t) : stop.next; };
      atom end_here = end_of();
      const auto end_tile = [&] {
        end(t);
        t = next_tile(end_here);
        end_here = end_of();
      };
      while (a < stop.next) {
        const int here = static_cast<int>(smaller<atom>(together, stop.next - a));
        values x[together];
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) x[i] = from.values_of(t, a + smaller(i, here - 1), at);
        const bool alone = end_here - a >= together; // no tile ends before the last of them
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) {
          if (!alone) {
            if (i >= here) break;
            while (t < stop.next_end && end_here == a + i) end_tile();
          }
          open = both(open, x[i]);
        }
        a += here;
      }
      while (t < stop.next_end) end_tile();
    } else {
      while (t < stop.next_end) {
        const atom end_here = tiles.end(t);
        from.template add<Block>(both, t, a, end_here, at, open);
        a = end_here;
        end(t);
        t = next_tile(end_here);
      }
      from.template add<Block>(both, t, a, stop.next, at, open);
    }
  }
};

} // namespace evenly
