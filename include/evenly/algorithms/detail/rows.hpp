// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <string>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"

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
