// SPDX-License-Identifier: Apache-2.0
// One includer: together they would exceed the length of a header.
// Rows of values: their types, how they are computed, and how the map and the store of rows are called.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Rows of values: the data of reduce_tiles_wide for an atom or a tile, one value for each of `width` columns, and how a
// block's threads share them.
//
//   strand   a logical thread of 2^k lanes, which processes atoms as one thread does. Each lane has columns of its own,
//            `lanes` apart, so that the lanes read consecutive ones. A team has as many strands as its size allows
//   panel    as many columns as the lanes of a strand hold in registers. A wider row has several panels, each processed
//            by its own blocks: a launch has all blocks for the first panel, then all for the second
//
// On a serial block a strand is the block, and its one lane has all columns of a panel. The loop over columns is the
// innermost one.

namespace evenly {

/// A lane's values of a row: one per column of the lane. The others have no meaning and, if there are many, are not
/// initialised.
template <class T, int Columns, bool Many = (Columns > 4)> struct lane_values {
  T of[Columns]{};
};
template <class T, int Columns> struct lane_values<T, Columns, true> {
  T of[Columns];
};

/// The maximum number of columns of a lane: 16 bytes of a thread's registers; on serial blocks 256 bytes of a stack.
template <class T, bool Serial>
inline constexpr int columns_of_lane = [] {
  constexpr int bytes = Serial ? 256 : 16, max = Serial ? 64 : 4;
  return larger(1, smaller(max, bytes / static_cast<int>(sizeof(T))));
}();

/// Consecutive values of a row that a GPU loads and stores at once: 16 bytes, at an address that is a multiple of 16.
template <class T> struct alignas(16) row_pack {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a pack must have values of 4 or 8 bytes");
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T of[size];
};
template <class T> EVENLY_INLINE_FN row_pack<T> load_pack(const T* from) {
  return *reinterpret_cast<const row_pack<T>*>(from);
}
template <class T> EVENLY_INLINE_FN void store_pack(T* to, const row_pack<T>& values) {
  *reinterpret_cast<row_pack<T>*>(to) = values;
}

/// Calls body(i) for each i in [0, count); count <= Columns.
template <int Columns, class Body> EVENLY_INLINE_FN void for_columns(int count, const Body& body) {
#if defined(__CUDA_ARCH__)
  EVENLY_UNROLL
  for (int i = 0; i < Columns; ++i)
    if (i < count) body(i);
#else
  for (int i = 0; i < count; ++i) body(i);
#endif
}

/// A monoid of values as a monoid of rows, of which the first `count` columns are used.
template <monoid Op, int Columns> struct row_monoid {
  using value_type = lane_values<typename Op::value_type, Columns>;
  static constexpr bool is_copyable = is_device_copyable<Op>;

  Op op;
  int count;

  EVENLY_INLINE_FN void clear(value_type& row) const {
    for_columns<Columns>(count, [&](int i) { row.of[i] = op.identity(); });
  }
  EVENLY_INLINE_FN value_type identity() const {
    value_type row;
    clear(row);
    return row;
  }
  EVENLY_INLINE_FN value_type operator()(const value_type& a, const value_type& b) const {
    value_type row;
    for_columns<Columns>(count, [&](int i) { row.of[i] = op(a.of[i], b.of[i]); });
    return row;
  }
};

/// How rows are cut.
struct row_shape {
  static constexpr int max_lanes = 32;
  static constexpr int max_width = 1 << 30;

  int width;      ///< columns of a row; with packs, a multiple of the pack size
  int panels;     ///< per row
  int columns;    ///< of a panel; the last one may have fewer
  int lanes;      ///< of a strand: a power of two
  int of_lane;    ///< columns of a lane
  bool packed;    ///< whether a lane's columns are consecutive, a pack
  int pieces = 1; ///< of each of the plan's blocks, replaced by as many blocks

  /// Returns how rows of `width` values are cut in blocks of this shape, with at most `max_of_lane` columns per lane.
  /// `packed`: lanes have packs. Throws invalid_argument if the width is less than 1 or more than max_width.
  static row_shape of(int width, int max_of_lane, block_shape shape, bool packed = false) {
    require(width >= 1 && width <= max_width, [&] {
      return "width = " + std::to_string(width) + ": a row has 1 to " + std::to_string(max_width) +
             " columns";
    });
    const int room = smaller(max_lanes, smaller(shape.warp, floor_power_of_two(shape.size)));
    row_shape rows{width, ceil_div(width, room * max_of_lane), 0, 1, 0, packed};
    rows.columns = ceil_div(width, rows.panels);
    if (packed) rows.columns = ceil_div(rows.columns, max_of_lane) * max_of_lane;
    while (rows.lanes * max_of_lane < rows.columns) rows.lanes *= 2;
    rows.of_lane = packed ? max_of_lane : ceil_div(rows.columns, rows.lanes);
    return rows;
  }

  /// The parts of a row that lanes have, numbered panel after panel.
  EVENLY_FN int parts() const { return panels * lanes; }
};

/// The columns of a lane: first, first + stride ...; those of a pack are consecutive.
struct lane_columns {
  int first;
  int stride;
  int end;   ///< of the panel
  int count; ///< columns per lane; the last ones may be outside the panel
  bool packed;
  int of_pack = 0; ///< of packs, the first column; outside the panel, that of the last pack

  /// `lanes`: of the strand, possibly fewer than planned. It then takes columns [skip, skip + lanes * of_lane) of the
  /// panel.
  EVENLY_FN static lane_columns of(const row_shape& rows, int panel, int lanes, int lane, int skip) {
    const int begin = panel * rows.columns;
    const int end = smaller(begin + rows.columns, rows.width);
    if (rows.packed) return of_packs(rows, panel, lane, skip, rows.of_lane);
    const int first = begin + skip + lane;
    return {first, lanes, end, smaller(rows.of_lane, lanes == 1 ? end - first : rows.of_lane), false};
  }
  /// The same for lanes that have packs of `size` columns.
  EVENLY_FN static lane_columns of_packs(const row_shape& rows, int panel, int lane, int skip, int size) {
    const int begin = panel * rows.columns;
    int first = begin + skip + lane * size;
    keep_here(first); // otherwise each use computes them again
    const int end = smaller(begin + rows.columns, rows.width);
    int of_pack = smaller(first, end - size);
    keep_here(of_pack);
    return {first, 1, end, size, true, of_pack};
  }
  EVENLY_FN bool has(int i) const { return first + i * stride < end; }
  /// Returns column i. If there is none, returns an existing column, which is then evaluated twice.
  EVENLY_FN int operator[](int i) const { return smaller(first + i * stride, end - 1); }
};

/// The caller's place among the strands of its team.
struct strand {
  int lanes;
  int lane;
  int index; ///< at least `count` for threads in no strand
  int count;

  /// Returns strands of `wanted` lanes, or of fewer if the team has fewer threads.
  template <int G, class Block> EVENLY_FN static strand of(const team<G, Block>& me, int wanted) {
    if constexpr (team<G, Block>::is_single) {
      return {1, 0, 0, 1};
    } else {
      const int lanes = smaller(wanted, floor_power_of_two(me.size()));
      const int rank = me.rank();
      const int shift = first_lane(static_cast<lane_mask>(lanes)); // lanes: a power of two
      const int count = me.size() >> shift;
      return {lanes, rank & (lanes - 1), me.has_thread() ? rank >> shift : count, count};
    }
  }
  EVENLY_FN bool has_thread() const { return index < count; }
  /// Returns how many of `atoms` atoms a strand has, if all have equally many; the last ones may have fewer.
  EVENLY_FN std::int64_t part_of(std::int64_t atoms) const {
    if ((count & (count - 1)) == 0) // no division of 64 bits
      return (atoms + count - 1) >> first_lane(static_cast<lane_mask>(count));
    return ceil_div<std::int64_t>(atoms, count);
  }
  /// The first strand does for its team what rank 0 does for a block.
  EVENLY_FN int rank() const { return index; }
};

/// Storage of scan_strands for wide teams: per warp the lanes' values of a strand, and whether a tile ended.
template <class Row> struct strand_slots {
  slot<Row> rows;
  slot<int> ends;

  EVENLY_FN static constexpr strand_slots lay_out(storage_layout& layout, block_shape shape, bool any) {
    const int warps = any && shape.size > shape.warp ? shape.warps() : 0;
    return {layout.take<Row>(warps * smaller(shape.warp, row_shape::max_lanes)), layout.take<int>(warps)};
  }
};

/// The scan among the lanes of a warp, or of a team within one: `before` and the inclusive result, lane by lane of the
/// strands.
template <class Block, class Row, monoid Op>
EVENLY_FN scan_result<segmented<Row>> scan_strands_of_lanes(const lanes<Block>& all, const strand& me,
                                                            const segmented<Row>& mine, const Op& op) {
  const int first_of_mine = all.rank() & ~(me.lanes - 1);
  const lane_mask ended = all.ballot(mine.ends != 0);
  const lane_mask so_far = ended & first_lanes(smaller(first_of_mine + me.lanes, all.size()));
  const int start = so_far == 0 ? 0 : last_lane(so_far) & ~(me.lanes - 1);
  Row inclusive = mine.open;
  for (int d = me.lanes; d < all.size(); d *= 2) {
    const Row lower = all.shuffle_up(inclusive, d);
    if (all.rank() - d >= start) inclusive = op(lower, inclusive);
  }
  Row before = all.shuffle_up(inclusive, me.lanes);
  if (first_of_mine == 0) before = op.identity();
  return {{(ended & first_lanes(first_of_mine)) != 0, before}, {ended != 0, inclusive}};
}

/// Combines the values of a team's strands, in their order, lane by lane; `mine` of each lane is for its own columns.
/// Called as team::reduce is. Threads in no strand contribute nothing. `before` is valid in the threads of strands,
/// `total` in all threads of the team. A wide team synchronises the block twice.
template <int G, class Block, class Row, monoid Op>
EVENLY_FN scan_result<segmented<Row>> scan_strands(const team<G, Block>& team_of_mine, const strand& me,
                                                   const segmented<Row>& mine, const Op& op,
                                                   const strand_slots<Row>& slots) {
  const segmented_monoid<Op> chain{op};
  if constexpr (team<G, Block>::is_single) {
    return {chain.identity(), mine};
  } else {
    const lanes<Block> all = team_lanes(team_of_mine);
    auto scan = scan_strands_of_lanes(all, me, mine, op);
    const auto last_of = [&](int strands) { return (strands - 1) * me.lanes + me.lane; };
    if (!team_of_mine.wide()) {
      scan.total.open = all.shuffle(scan.total.open, last_of(me.count));
      return scan;
    }
    Block& block = team_of_mine.block();
    const auto rows = block.storage(slots.rows);
    const auto ends = block.storage(slots.ends);
    const int warp = warp_of(block);
    if (all.size() >= me.lanes && all.rank() == last_of(all.size() / me.lanes)) {
      rows[warp * me.lanes + me.lane] = scan.total.open;
      if (me.lane == 0) ends[warp] = scan.total.ends;
    }
    block.sync();
    segmented<Row> before = chain.identity(), total = chain.identity();
    if (team_of_mine.has_thread()) {
      const int first = team_of_mine.warps().first;
      const int warps = ceil_div(me.count * me.lanes, block.shape().warp);
      for (int w = first; w < first + warps; ++w) {
        if (w == warp) before = total;
        total = chain(total, {ends[w], rows[w * me.lanes + me.lane]});
      }
    }
    block.sync();
    return {chain(before, scan.before), total};
  }
}

/// A block with its own number for one panel of the rows, and for one piece of a block's work.
template <class Block> class panel_block : public Block {
 public:
  EVENLY_FN panel_block(const Block& block, int panel, int piece)
      : Block(block), panel_(panel), piece_(piece) {}

  EVENLY_FN int panel() const { return panel_; }
  EVENLY_FN int piece() const { return piece_; }

 private:
  int panel_;
  int piece_;
};

} // namespace evenly

// ---------------------------------------------------------------------------------------------------------------------
// How users' functions of rows are called.

namespace evenly::detail {

/// How a map of columns is called: with as few arguments as it accepts.
template <class Map, class Tiles>
concept maps_columns = std::invocable<const Map&, atom_type<Tiles>, int>;
template <class Map, class Tiles>
concept maps_columns_of_tiles =
    !maps_columns<Map, Tiles> && std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>, int>;

/// Whether a map also returns packs of consecutive columns; and whether a store accepts them.
template <class Map, class Tiles, class T>
concept maps_packs = maps_columns<Map, Tiles> && requires(const Map& map, atom_type<Tiles> a) {
  { map.pack(a, 0) } -> std::same_as<row_pack<T>>;
};
/// Whether storage and uninitialised registers can hold it.
template <class Fetched>
concept can_be_staged = std::is_trivially_copyable_v<Fetched> && std::is_default_constructible_v<Fetched> &&
                        alignof(Fetched) <= 16;

/// Whether a map also separates loads from arithmetic: the data that all columns of an atom share, its row, then the
/// values.
template <class Map, class Tiles, class T>
concept fetches_atoms = maps_packs<Map, Tiles, T> && requires(const Map& map, atom_type<Tiles> a) {
  { map.values_in(map.fetch(a), map.load(map.fetch(a), 0)) } -> std::same_as<row_pack<T>>;
  requires can_be_staged<decltype(map.fetch(a))>;
};
template <class Store, class Tile, class T>
concept stores_packs =
    requires(const Store& store, Tile t, const row_pack<T>& values) { store.pack(t, 0, values); };

/// The result type of such a map, if it can be called.
template <tile_set Tiles, class Map> struct column_given_by {
  using type = std::invoke_result<const Map&, tile_type<Tiles>, atom_type<Tiles>, int>::type;
};
template <tile_set Tiles, maps_columns<Tiles> Map> struct column_given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, atom_type<Tiles>, int>;
};

/// The `map` of reduce_tiles_wide.
template <tile_set Tiles, class Map, monoid_argument Op> struct combinable_rows {
  static_assert(!generic_function<Map, tile_type<Tiles>, atom_type<Tiles>> &&
                    !generic_function<Map, atom_type<Tiles>, int>,
                "map must have concrete parameter types, as in [=](int atom, int column), instead of auto");
  static_assert(is_device_copyable<Map>, "map must be trivially copyable, because it is copied to the "
                                         "device: capture pointers and numbers by value");
  static_assert(maps_columns<Map, Tiles> || maps_columns_of_tiles<Map, Tiles>,
                "map must accept map(atom, column) or map(tile, atom, column) for reduce_tiles_wide");
  using given = typename column_given_by<Tiles, Map>::type;
  using op = monoid_type<Op, given>;
  static constexpr bool holds = combinable<op, given>::holds;
};

/// The `store` of reduce_tiles_wide.
template <class Store, class Tile, class Value> struct stores_rows {
  static_assert(!generic_function<Store, Tile, int> && !generic_function<Store, Tile, Value>,
                "store must have concrete parameter types, as in [=](int tile, int column, float value), "
                "instead of auto");
  static_assert(generic_function<Store, Tile, int> || generic_function<Store, Tile, Value> ||
                    std::invocable<const Store&, Tile, int, Value>,
                "store must accept store(tile, column, value) for reduce_tiles_wide");
  static_assert(is_device_copyable<Store>, "store must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The rows of a tile set's atoms, as a map returns them, and how one strand combines consecutive atoms.

namespace evenly {

/// `Columns`: the maximum number of a lane. `Packed`: they are a pack.
template <tile_set Tiles, class Map, monoid Op, int Columns, bool Packed = false> struct row_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int columns = Columns;
  static constexpr bool packs = Packed;
  static constexpr bool is_copyable = is_device_copyable<Map, Op>;
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
      add_together(both, a, end, at, sum);
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

  /// The same for maps that separate loads from arithmetic, with the entries of the next batch in flight too. `ahead`:
  /// one of the types below. Of a batch of eight, the second half is loaded only if there is one.
  template <class Entries>
  EVENLY_INLINE_FN void add_ahead(Entries ahead, const values_op& both, atom a, atom end,
                                  const lane_columns& at, values& sum) const {
    constexpr int batch = Entries::count;
    atom left = static_cast<atom>(end - a);
    const auto fetch_ahead = [&](int distance) {
      ahead.fetch(*this, [&](int i) {
        return static_cast<atom>(end - 1 - larger<atom>(left - 1 - distance - i, 0));
      });
    };
    if (left > 0) fetch_ahead(0);
    while (left > 0) {
      typename Entries::fetched here[batch];
      EVENLY_UNROLL
      for (int i = 0; i < batch; ++i) here[i] = ahead.take(i);
      if (left > batch) fetch_ahead(batch);
      decltype(load(here[0], at)) x[batch];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) x[i] = load(here[i], at);
      if constexpr (batch > together) {
        if (left > together) {
          EVENLY_UNROLL
          for (int i = together; i < batch; ++i) x[i] = load(here[i], at);
        }
      }
      if (left >= batch) {
        EVENLY_UNROLL
        for (int i = 0; i < batch; ++i) sum = both(sum, values_in(here[i], x[i]));
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < batch; ++i)
          if (i < left) sum = both(sum, values_in(here[i], x[i]));
      }
      left = static_cast<atom>(left - batch);
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
  EVENLY_INLINE_FN void add_together(const values_op& both, atom a, atom end, const lane_columns& at,
                                     values& sum) const {
    for (; a < end; a = static_cast<atom>(a + together)) {
      const atom left = static_cast<atom>(end - a);
      decltype(fetch(a)) here[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) here[i] = fetch(static_cast<atom>(a + smaller<atom>(i, left - 1)));
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
inline constexpr int exchanging_lanes = 8;

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
  static constexpr int count = exchanging_lanes;
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

// ---------------------------------------------------------------------------------------------------------------------
// Carries of rows: the records of carries.hpp for each lane's columns, combined by one more launch
// (docs/decisions/0016). The records that one lane writes, block after block, are contiguous.
//
// A thread of the launch has one record. If the tile that is open at the record's end began there, the thread continues
// through the following records up to the tile's end. No block waits for another, and the association depends only on
// the tiles. For a giant tile, which spans many records, the threads of a block take consecutive records.

/// `Row`: a lane_values.
template <class Row, class Tile> struct row_carries {
  using record = carry_record<Row, Tile>;

  record* records = nullptr;
  int blocks = 0; ///< the first blocks of a launch, which write records
  int max = 0;    ///< how many blocks there is memory for

  static workspace::sizes memory_for(int parts, int max) {
    return {.scratch = static_cast<std::size_t>(parts) * static_cast<std::size_t>(max) * sizeof(record)};
  }
  /// Returns carries for `parts` parts of rows. The memory is needed until the combining launch is done.
  template <class Executor>
  static row_carries in(const Executor& exec, workspace::lease& lease, int parts, int blocks, int max) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(parts, max).scratch);
    return {reinterpret_cast<record*>(memory.scratch), blocks, max};
  }
  EVENLY_FN row_carries for_blocks(int number) const { return {records, number, max}; }

  /// Returns the records of one part of the rows.
  EVENLY_FN record* of(int part) const {
    return records + static_cast<std::size_t>(part) * static_cast<std::size_t>(max);
  }
};

/// Stores a lane's columns of a row. `Serial`: on a serial block, whose lane has consecutive columns.
template <class Store, bool Serial> struct store_columns {
  /// Whether a lane's columns may be a pack, and store accepts one.
  template <class Tile, class T, int Columns>
  static constexpr bool takes_packs = [] {
    if constexpr (!Serial && Columns * sizeof(T) == 16 && Columns > 1)
      return detail::stores_packs<Store, Tile, T>;
    else
      return false;
  }();

  const Store& store;
  lane_columns columns;

  template <class Tile, class T, int Columns>
  EVENLY_INLINE_FN void operator()(Tile t, const lane_values<T, Columns>& row) const {
    if constexpr (takes_packs<Tile, T, Columns>) {
      if (columns.packed) {
        row_pack<T> pack;
        EVENLY_UNROLL
        for (int i = 0; i < Columns; ++i) pack.of[i] = row.of[i];
        if (columns.has(0)) store.pack(t, columns.first, pack);
        return;
      }
    }
    for_columns<Columns>(columns.count, [&](int i) {
      if constexpr (Serial)
        store(t, columns.first + i, row.of[i]);
      else if (columns.has(i))
        store(t, columns[i], row.of[i]);
    });
  }
};

/// How many blocks have written records: a known number; for tile sets sized on the device, the mapping's number.
struct known_blocks {
  int blocks;
  EVENLY_FN int operator()() const { return blocks; }
};
template <class Mapping> struct blocks_by_sizes {
  Mapping mapping;
  capacity max_size;
  block_shape shape; ///< of the launch
  int pieces;        ///< of each block
  EVENLY_FN int operator()() const {
    const auto here = mapping.sized(max_size, shape);
    return evenly::cutting_blocks(here.mapping, here.blocks) * pieces;
  }
};

/// The storage of a block that combines records.
template <class Row> struct fix_up_slots {
  slot<Row> sums; ///< for reductions
  slot<int> ends; ///< for scans
  slot<int> count;
  slot<int> giants; ///< `count` records where giant tiles begin

  EVENLY_FN static constexpr fix_up_slots lay_out(storage_layout& layout, block_shape shape, int max_giants) {
    return {layout.take<Row>(block_reduce_slots(shape)), layout.take<int>(block_scan_slots(shape)),
            layout.take<int>(1), layout.take<int>(max_giants)};
  }
};

/// Combines the records of every part, as a kernel.
template <class Blocks, class Row, class Tile, monoid Op, class Store> struct fix_up_rows {
  using record = carry_record<Row, Tile>;
  using slots = fix_up_slots<Row>;
  static constexpr int tuned_block_size = 128;
  static constexpr int alone = 32;   ///< records after its own that a thread processes alone
  static constexpr int together = 8; ///< records per thread, if a block processes them
  static constexpr bool only_tuned_size = true;
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Blocks> && is_device_copyable<Op, Store>;

  Blocks blocks;
  row_carries<Row, Tile> shared;
  row_shape rows;
  Op op; ///< a row_monoid
  Store store;

  EVENLY_FN static constexpr int groups(int records) { return ceil_div(records, tuned_block_size); }
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return slots::lay_out(layout, shape, tuned_block_size / alone + 1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const int left = blocks();
    const std::int64_t work = static_cast<std::int64_t>(groups(left)) * rows.parts();
    for (std::int64_t i = block.index(); i < work; i += block.count()) {
      const auto part = static_cast<int>(i % rows.parts());
      const int first = static_cast<int>(i / rows.parts()) * tuned_block_size;
      const auto columns = lane_columns::of(rows, part / rows.lanes, rows.lanes, part % rows.lanes, 0);
      fix_up(block, place, shared.of(part), first, left,
             store_columns<Store, Block::is_serial>{store, columns});
      block.sync();
    }
  }

 private:
  EVENLY_FN static bool ends_in(const record& r) { return (r.state & record::ends) != 0; }
  template <class StoreHere>
  EVENLY_FN void end(const record& last, const Row& before, const StoreHere& store_here) const {
    if (last.state & record::head_open) store_here(last.tile, op(before, last.head));
  }

  /// Stores the tiles that begin in and are open at the ends of `tuned_block_size` records from `first` on. All threads
  /// call; synchronises the block.
  template <class Block, class StoreHere>
  EVENLY_FN void fix_up(Block& block, const slots& place, const record* records, int first, int left,
                        const StoreHere& store_here) const {
    const auto count = block.storage(place.count), giants = block.storage(place.giants);
    if (block.rank() == 0) count[0] = 0;
    block.sync();
    for (int i = first + block.rank(); i < smaller(first + tuned_block_size, left - 1); i += block.size())
      if (!go_on<Block::is_serial>(records, i, left, store_here))
        giants[atomic_ref(count[0], scope::block{}).fetch_add(1, order::relaxed{})] = i;
    if constexpr (Block::is_serial) return;
    block.sync();
    const int some = count[0];
    for (int k = 0; k < some; ++k) fix_up_giant(block, place, records, giants[k], left, store_here);
  }

  /// Completes the tile that is open at the end of record i, if it began there. Returns whether it is done; false for a
  /// giant tile.
  template <bool Serial, class StoreHere>
  EVENLY_FN bool go_on(const record* records, int i, int left, const StoreHere& store_here) const {
    const record mine = counted_load(records + i), next = counted_load(records + i + 1);
    if (i > 0 && !ends_in(mine)) return true;
    if (ends_in(next)) {
      end(next, mine.tail, store_here);
      return true;
    }
    Row sum = op(mine.tail, next.tail);
    for (int k = i + 2; k < left; ++k) {
      if (!Serial && k > i + alone) return false;
      const record r = counted_load(records + k);
      if (ends_in(r)) {
        end(r, sum, store_here);
        return true;
      }
      sum = op(sum, r.tail);
    }
    return true; // the tile does not end
  }

  /// The same for a giant tile, by all threads, in the order of records. Synchronises the block.
  template <class Block, class StoreHere>
  EVENLY_FN void fix_up_giant(Block& block, const slots& place, const record* records, int i, int left,
                              const StoreHere& store_here) const {
    const auto sums = block.storage(place.sums);
    const auto ends = block.storage(place.ends);
    Row sum = counted_load(records + i).tail;
    for (int base = i + 1; base < left; base += block.size() * together) {
      const int from = smaller(base + block.rank() * together, left), to = smaller(from + together, left);
      Row mine = op.identity();
      int last = left; // the record where the tile ends, if this thread has it
      for (int k = from; k < to && last == left; ++k) {
        const record r = counted_load(records + k);
        if (ends_in(r))
          last = k;
        else
          mine = op(mine, r.tail);
      }
      const int end_here = block_scan(block, last, minimum<int>{}, ends).total;
      if (from > end_here) mine = op.identity();
      sum = op(sum, block_reduce(block, mine, op, sums));
      block.sync();
      if (end_here == left) continue;
      if (block.rank() == 0) end(counted_load(records + end_here), sum, store_here);
      return;
    }
  }
};

/// Combines the records of a launch's blocks, after the launch. `blocks`: how many have written records, at most.
template <class Executor, class Blocks, class Row, class Tile, monoid Op, class Store>
void fix_up_row_carries(const Executor& exec, const Blocks& blocks, const row_carries<Row, Tile>& shared,
                        const row_shape& rows, const Op& op, const Store& store) {
  using kernel = fix_up_rows<Blocks, Row, Tile, Op, Store>;
  constexpr int max_blocks = 65536; // beyond this number a block processes several groups
  if (shared.blocks < 2) return;
  const std::int64_t work = static_cast<std::int64_t>(kernel::groups(shared.blocks)) * rows.parts();
  launch(exec, {static_cast<int>(smaller<std::int64_t>(work, max_blocks)), kernel::tuned_block_size},
         kernel{blocks, shared, rows, op, store});
}

} // namespace evenly
