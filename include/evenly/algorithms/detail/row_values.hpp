// SPDX-License-Identifier: Apache-2.0
// The rows of a tile set's atoms, as a map returns them, and how one strand combines consecutive atoms.
#pragma once

#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/row_calls.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `Columns`: the maximum number of a lane. `Packed`: they are a pack.
template <tile_set Tiles, class Map, monoid Op, int Columns, bool Packed = false> struct row_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using values = lane_values<typename Op::value_type, Columns>;
  using values_op = row_monoid<Op, Columns>;
  /// Whether map(atom, column) suffices, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = detail::maps_columns<Map, Tiles>;
  /// Atoms whose values a strand loads before it combines them.
  static constexpr int together = 4;
  static constexpr bool fetches = Packed && detail::fetches_atoms<Map, Tiles, typename Op::value_type>;

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
      return row_of(map.pack(a, at.of_pack));
    } else {
      values row;
      for_columns<Columns>(at.count, [&](int i) { row.of[i] = value_of(t, a, at[i]); });
      return row;
    }
  }

  /// For maps by_atom, values come in three steps, so that loads are in flight together and ahead: the data that all
  /// columns share, the loads of a row, and the values. For maps that do not separate these, the first step is the
  /// atom, the second does everything.
  EVENLY_INLINE_FN auto fetch(atom a) const {
    if constexpr (fetches)
      return map.fetch(a);
    else
      return a;
  }
  template <class Fetched> EVENLY_INLINE_FN auto load(const Fetched& of, const lane_columns& at) const {
    if constexpr (fetches)
      return map.load(of, at.of_pack);
    else
      return values_of({}, of, at);
  }
  template <class Fetched, class Loaded>
  EVENLY_INLINE_FN values values_in(const Fetched& of, const Loaded& loaded) const {
    if constexpr (fetches)
      return row_of(map.values_in(of, loaded));
    else
      return loaded;
  }

  /// Combines `sum` with the atoms [a, end) of a tile, by one strand, in order. `both`: op for rows.
  template <class Block>
  EVENLY_FN void add(const values_op& both, tile t, atom a, atom end, const lane_columns& at,
                     values& sum) const {
    if constexpr (Block::is_serial) {
      if (at.count == Columns)
        add_serially(t, a, end, at.first, std::integral_constant<int, Columns>{}, sum);
      else
        add_serially(t, a, end, at.first, at.count, sum);
    } else if constexpr (fetches) {
      add_fetched(both, a, end, at, sum);
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
  template <class Pack> EVENLY_INLINE_FN static values row_of(const Pack& pack) {
    values row;
    EVENLY_UNROLL
    for (int i = 0; i < Columns; ++i) row.of[i] = pack.of[i];
    return row;
  }

  /// The rows of a batch are in flight together; a short batch repeats its last row. A branch precedes the products,
  /// otherwise the compiler moves them between the loads.
  EVENLY_INLINE_FN void add_fetched(const values_op& both, atom a, atom end, const lane_columns& at,
                                    values& sum) const {
    atom left = static_cast<atom>(end - a);
    decltype(fetch(a)) coming[together];
    const auto fetch_ahead = [&](int distance) {
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i)
        coming[i] = fetch(static_cast<atom>(end - 1 - larger<atom>(left - 1 - distance - i, 0)));
    };
    if (left > 0) fetch_ahead(0);
    while (left > 0) {
      decltype(fetch(a)) here[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) here[i] = coming[i];
      if (left > together) fetch_ahead(together);
      decltype(load(here[0], at)) x[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) x[i] = load(here[i], at);
      if (left >= together) {
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) sum = both(sum, values_in(here[i], x[i]));
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i)
          if (i < left) sum = both(sum, values_in(here[i], x[i]));
      }
      left = static_cast<atom>(left - together);
    }
  }

  /// Columns are innermost, so that they are vectorised. Four atoms per iteration reduce reads and writes of sums. The
  /// local row cannot alias anything that map reads.
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

/// A place among atoms and tile ends.
template <class Tile, class Atom> struct walk_place {
  Tile next_end; ///< the first tile that has not ended
  Atom next;
};

/// Consecutive lanes of a strand that exchange their entries.
inline constexpr int lanes_that_hand = 8;

/// The entries of the next atoms, as a lane has fetched them. at(i) is the i-th atom.
/// - own_entries: each lane fetches all of them.
/// - entries_of_eight: each of eight consecutive lanes fetches one, and they exchange them.
/// - staged_entries: from storage, where the block's threads put them side by side. Lanes of many strands would
///   otherwise read a few bytes here and there.
template <class Values> struct own_entries {
  static constexpr int count = Values::together;
  using fetched = decltype(std::declval<const Values&>().fetch(typename Values::atom{}));

  fetched coming[count];

  template <class At> EVENLY_INLINE_FN void fetch(const Values& from, const At& at) {
    EVENLY_UNROLL
    for (int i = 0; i < count; ++i) coming[i] = from.fetch(at(i));
  }
  EVENLY_INLINE_FN fetched take(int i) const { return coming[i]; }
};
template <class Values, class Block> struct entries_of_eight {
  static constexpr int count = lanes_that_hand;
  using fetched = decltype(std::declval<const Values&>().fetch(typename Values::atom{}));

  lanes<Block> eight;
  fetched coming{};

  template <class At> EVENLY_INLINE_FN void fetch(const Values& from, const At& at) {
    coming = from.fetch(at(eight.rank()));
  }
  EVENLY_INLINE_FN fetched take(int i) const { return eight.shuffle(coming, i); }
};

template <class Values, class Entries> struct staged_entries {
  static constexpr int count = Values::together;
  using fetched = decltype(std::declval<const Values&>().fetch(typename Values::atom{}));

  Entries staged;
  typename Values::atom first; ///< the first staged atom
  fetched coming[count]{};

  template <class At> EVENLY_INLINE_FN void fetch(const Values&, const At& at) {
    EVENLY_UNROLL
    for (int i = 0; i < count; ++i) coming[i] = staged[static_cast<int>(at(i) - first)];
  }
  EVENLY_INLINE_FN fetched take(int i) const { return coming[i]; }
};

/// Processes the atoms and the ends of all tiles between two places of a merge path, by a strand of a parallel block.
/// Adds to `open`, and calls end(t), which clears it. `ahead`: one of the types above.
template <class Entries, class Values, class Tiles, class Tile, class Atom, class End>
EVENLY_FN void walk_path(Entries ahead, const Values& from, const typename Values::values_op& both,
                         const Tiles& tiles, const walk_place<Tile, Atom>& begin,
                         const walk_place<Tile, Atom>& stop, const lane_columns& at,
                         typename Values::values& open, const End& end) {
  constexpr int together = Entries::count;
  Tile t = begin.next_end;
  const auto end_of = [&](Tile u) { return u < stop.next_end ? tiles.end(u) : stop.next; };
  Atom end_here = end_of(t), end_of_next = end_of(static_cast<Tile>(t + 1)); // in flight
  const auto end_tile = [&] {
    end(t);
    t = static_cast<Tile>(t + 1);
    end_here = end_of_next;
    end_of_next = end_of(static_cast<Tile>(t + 1));
  };
  Atom left = static_cast<Atom>(stop.next - begin.next);
  if constexpr (Values::by_atom) {
    // The atoms `distance` ahead; past the end, the last one. Conditions would make each load wait for the one before.
    const auto fetch = [&](int distance) {
      ahead.fetch(from, [&](int i) {
        return static_cast<Atom>(stop.next - 1 - larger<Atom>(left - 1 - distance - i, 0));
      });
    };
    if (left > 0) fetch(0);
    while (left > 0) {
      const auto a = static_cast<Atom>(stop.next - left);
      typename Entries::fetched here[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) here[i] = ahead.take(i);
      fetch(together);
      decltype(from.load(here[0], at)) x[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) x[i] = from.load(here[i], at);
      if (left >= together && end_here - a >= together) { // no tile ends before the last of them
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) open = both(open, from.values_in(here[i], x[i]));
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < together; ++i) {
          if (i >= left) break;
          EVENLY_DO_NOT_UNROLL
          while (t < stop.next_end && end_here == a + i) end_tile();
          open = both(open, from.values_in(here[i], x[i]));
        }
      }
      left = static_cast<Atom>(left - together);
    }
  } else {
    while (left > 0) {
      const auto a = static_cast<Atom>(stop.next - left);
      while (t < stop.next_end && end_here == a) end_tile();
      const auto some = smaller(left, static_cast<Atom>(end_here - a));
      for (int i = 0; i < some; ++i) open = both(open, from.values_of(t, static_cast<Atom>(a + i), at));
      left = static_cast<Atom>(left - some);
    }
  }
  while (t < stop.next_end) end_tile();
}

/// A strand's sums of a run: of the first tile that ends in its part, and of the open tile. Calls store(tile, row) for
/// those between.
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

  /// Processes the atoms and tile ends between two places. `EmptyTiles`: whether tiles without atoms end here, too.
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
