// SPDX-License-Identifier: Apache-2.0
// ELLPACK: each row has `width` slots for entries, in arrays as regular as a dense matrix. Tile = row, atom = entry.
// Rows with fewer entries have them first; the remaining slots are padding and no atoms.
//
// Source: Grimes, Kincaid & Young, ITPACK 2.0, 1979; on GPUs Bell & Garland, SC 2009, section 3.2.
//
// Choose the tile set by the description of the padding:
//   ell_tiles(layout)                      no padding: a tile set without memory; begin and end cost a multiplication,
//                                          tile_of a division
//   ell_tiles_by_length(layout, lengths)   the number of entries per row: a source (tile_set.hpp); size costs one
//                                          load (ELLPACK-R: Vazquez, Fernandez & Garzon, CCPE 2011)
//   ell_tiles_by_padding(layout, columns)  a negative column marks padding: a source; size costs log2(width) + 1 loads
//
// A plan sums the sizes of a source once; begin and end of plan.tiles() then cost one load.
//
// Atoms are numbered row after row. layout.slot(row, rank) returns the place of entry `rank` of a row in the arrays. A
// map of (tile, atom, rank) has both arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_set.hpp"
#include "evenly/work/uniform.hpp"

namespace evenly {

/// The slots of rows x width entries in the format's arrays: ell_by_rows, ell_by_columns. `Slot`: the type that numbers
/// slots and atoms.
template <signed_of_32_or_64_bits Slot = int, signed_of_32_or_64_bits Tile = int> class ell_layout {
 public:
  using tile_type = Tile;
  using slot_type = Slot;

  ell_layout() = default;
  /// `of_row`: the distance to the next row, in slots. `of_rank`: the distance to the row's next entry.
  EVENLY_FN constexpr ell_layout(Tile rows, Slot width, Slot of_row, Slot of_rank)
      : rows_(rows), width_(width), of_row_(of_row), of_rank_(of_rank) {}

  EVENLY_FN constexpr Tile rows() const { return rows_; }
  EVENLY_FN constexpr Slot width() const { return width_; }
  /// The minimum number of elements of an array.
  EVENLY_FN constexpr Slot slots() const {
    return rows_ == 0 || width_ == 0 ? 0 : slot(rows_ - 1, width_ - 1) + 1;
  }
  /// The slot of entry `rank` of a row, counted from 0.
  EVENLY_FN constexpr Slot slot(Tile row, Slot rank) const {
    return static_cast<Slot>(row) * of_row_ + rank * of_rank_;
  }
  /// Whether entry `rank` of the next row is in the next slot.
  EVENLY_FN constexpr bool has_adjacent_rows() const { return of_row_ == 1; }
  [[deprecated("use has_adjacent_rows()")]] constexpr bool has_rows_beside() const {
    return has_adjacent_rows();
  }
  constexpr bool operator==(const ell_layout&) const = default;

 private:
  Tile rows_ = 0;
  Slot width_ = 0;
  Slot of_row_ = 0;
  Slot of_rank_ = 0;
};

namespace detail {

/// Throws invalid_argument unless there can be `lines` lines of `pitch` slots each, of which `used` are used.
template <class Slot, class Tile>
void require_ell(const char* maker, Tile rows, Slot width, Slot pitch, std::int64_t lines,
                 std::int64_t used) {
  constexpr std::int64_t max = std::numeric_limits<Slot>::max();
  require_number("rows", rows, smaller(max, count_on_host<Tile>::max));
  require_number("width", width, max);
  require(pitch >= used, [&] {
    return detail::concat("pitch = ", pitch, ": must be at least ", used, ", the number of rows");
  });
  require(pitch == 0 || lines <= max / pitch, [&] {
    return detail::concat(lines, " lines of ", pitch, " slots overflow the slot type: use ", maker,
                          "<std::int64_t>");
  });
}

} // namespace detail

/// Returns the layout with contiguous rows: slot = row * pitch + rank. Requires pitch >= width. Throws invalid_argument
/// if a number is negative, the pitch is less than the width, or rows * pitch is more than Slot can number.
template <signed_of_32_or_64_bits Slot = int, signed_of_32_or_64_bits Tile = int>
ell_layout<Slot, Tile> ell_by_rows(Tile rows, Slot width, std::type_identity_t<Slot> pitch) {
  detail::require_ell("ell_by_rows", rows, width, pitch, rows, width);
  return {rows, width, pitch, 1};
}
/// The same with pitch = width.
template <signed_of_32_or_64_bits Slot = int, signed_of_32_or_64_bits Tile = int>
ell_layout<Slot, Tile> ell_by_rows(Tile rows, Slot width) {
  return ell_by_rows<Slot, Tile>(rows, width, width);
}

/// Returns the layout with all first entries, then all second entries, and so on: slot = rank * pitch + row.
/// Consecutive rows are read together. Requires pitch >= rows. Throws invalid_argument if a number is negative, the
/// pitch is less than the rows, or width * pitch is more than Slot can number.
template <signed_of_32_or_64_bits Slot = int, signed_of_32_or_64_bits Tile = int>
ell_layout<Slot, Tile> ell_by_columns(Tile rows, Slot width, std::type_identity_t<Slot> pitch) {
  detail::require_ell("ell_by_columns", rows, width, pitch, width, rows);
  return {rows, width, 1, pitch};
}
/// The same with pitch = rows.
template <signed_of_32_or_64_bits Slot = int, signed_of_32_or_64_bits Tile = int>
ell_layout<Slot, Tile> ell_by_columns(Tile rows, Slot width) {
  detail::require_number("rows", rows, std::numeric_limits<Slot>::max()); // the pitch must fit
  return ell_by_columns<Slot, Tile>(rows, width, static_cast<Slot>(rows));
}

/// Rows without padding: as many entries as slots.
template <class Slot, class Tile>
uniform_tile_set<Slot, Tile> ell_tiles(const ell_layout<Slot, Tile>& layout) {
  return uniform_tiles<Slot, Tile>(layout.rows(), layout.width());
}

/// Rows with given numbers of entries. size costs one load.
template <class Slot, class Tile, signed_of_32_or_64_bits Length> class ell_lengths_source {
 public:
  using tile_type = Tile;
  using atom_type = Slot;

  ell_lengths_source() = default;
  EVENLY_FN constexpr ell_lengths_source(const ell_layout<Slot, Tile>& layout, const Length* lengths)
      : layout_(layout), lengths_(lengths) {}

  EVENLY_FN constexpr Tile tiles() const { return layout_.rows(); }
  EVENLY_FN constexpr Slot size(Tile t) const { return valid(t) ? static_cast<Slot>(entry(t)) : 0; }

  EVENLY_FN constexpr bool valid(Tile t) const { return entry(t) >= 0 && entry(t) <= layout_.width(); }
  EVENLY_FN constexpr std::int64_t entry(Tile t) const { return read_only(lengths_ + t); }
  /// Returns the message for a length that breaks a law.
  static std::string describe(long long t, std::int64_t length, std::int64_t) {
    return detail::concat("lengths[", t, "] = ", length, ": must be from 0 to the width of the layout");
  }
  /// Whether both are views of the same lengths in memory, in one layout.
  constexpr bool operator==(const ell_lengths_source&) const = default;

 private:
  ell_layout<Slot, Tile> layout_{};
  const Length* lengths_ = nullptr;
};

/// Rows whose padding has a negative column. size costs log2(width) + 1 loads.
template <class Slot, class Tile, std::signed_integral Column> class ell_padding_source {
 public:
  using tile_type = Tile;
  using atom_type = Slot;

  ell_padding_source() = default;
  EVENLY_FN constexpr ell_padding_source(const ell_layout<Slot, Tile>& layout, const Column* columns)
      : layout_(layout), columns_(columns) {}

  EVENLY_FN constexpr Tile tiles() const { return layout_.rows(); }
  EVENLY_FN constexpr Slot size(Tile t) const {
    return first_past(Slot{0}, layout_.width(), [&](Slot rank) { return is_padding(t, rank); });
  }

  /// Whether all entries precede all padding. Costs width loads.
  EVENLY_FN constexpr bool valid(Tile t) const { return entry(t) == layout_.width(); }
  /// The first entry after padding; the width if there is none.
  EVENLY_FN constexpr std::int64_t entry(Tile t) const {
    Slot rank = 0;
    while (rank < layout_.width() && !is_padding(t, rank)) ++rank;
    while (rank < layout_.width() && is_padding(t, rank)) ++rank;
    return rank;
  }
  /// Returns the message for a row that breaks a law.
  static std::string describe(long long t, std::int64_t rank, std::int64_t) {
    return detail::concat("slot ", rank, " of row ", t,
                          " has an entry after padding: entries must come first");
  }

 private:
  EVENLY_FN constexpr bool is_padding(Tile t, Slot rank) const {
    return read_only(columns_ + layout_.slot(t, rank)) < 0;
  }

  ell_layout<Slot, Tile> layout_{};
  const Column* columns_ = nullptr;
};

static_assert(tile_source<ell_lengths_source<int, int, int>>);
static_assert(tile_source<ell_padding_source<std::int64_t, int, int>>);

/// Row t has lengths[t] entries, from 0 to the width; make_plan checks this.
///
/// - `lengths`: in memory that the executor can read; it outlives the source. A temporary is accepted only if it is
///   itself a view, as std::span is.
/// - Throws invalid_argument if `lengths` is null or its size differs from the number of rows.
template <class Slot, class Tile, detail::array_like Lengths>
auto ell_tiles_by_length(const ell_layout<Slot, Tile>& layout, Lengths&& lengths) {
  static_assert(detail::outlives_call<Lengths>,
                "ell_tiles_by_length keeps a view of the lengths: store them in a variable, because a "
                "temporary ends with this statement");
  const auto values = detail::elements_of("lengths", std::as_const(lengths));
  require(values.size() == static_cast<std::size_t>(layout.rows()), [&] {
    return detail::concat("lengths has ", values.size(), " elements, but the layout has ", layout.rows(),
                          " rows");
  });
  using length = typename decltype(values)::value_type;
  static_assert(signed_of_32_or_64_bits<length>,
                "lengths must be signed integers of 32 or 64 bits, such as int and std::int64_t");
  return ell_lengths_source<Slot, Tile, length>(layout, values.data());
}

/// A row's entries are those before its first negative column; the rest is padding, which make_plan checks.
///
/// - `columns`: in memory that the executor can read; it outlives the source. A temporary is accepted only if it is
///   itself a view, as std::span is.
/// - Throws invalid_argument if `columns` is null or has fewer elements than slots.
template <class Slot, class Tile, detail::array_like Columns>
auto ell_tiles_by_padding(const ell_layout<Slot, Tile>& layout, Columns&& columns) {
  static_assert(detail::outlives_call<Columns>,
                "ell_tiles_by_padding keeps a view of the columns: store them in a variable, because a "
                "temporary ends with this statement");
  const auto values = detail::elements_of("columns", std::as_const(columns));
  require(values.size() >= static_cast<std::size_t>(layout.slots()), [&] {
    return detail::concat("columns has ", values.size(), " elements, but the layout has ", layout.slots(),
                          " slots");
  });
  using column = typename decltype(values)::value_type;
  static_assert(std::signed_integral<column>,
                "columns must be signed integers, because a negative column is padding");
  return ell_padding_source<Slot, Tile, column>(layout, values.data());
}

} // namespace evenly
