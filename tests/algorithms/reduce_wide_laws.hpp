// SPDX-License-Identifier: Apache-2.0
// The laws of reduce_tiles_wide under every schedule: each tile and column is stored once a run, empty tiles too,
// with its atoms' values combined in order; and a plan gives the same in a second run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "laws/battery.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {

/// Maps x -> scale x + shift modulo 2^16, the left one first: 4 bytes that notice another order.
struct short_maps {
  struct value_type {
    std::uint16_t scale;
    std::uint16_t shift;
    friend constexpr bool operator==(const value_type&, const value_type&) = default;
  };
  EVENLY_FN static constexpr value_type of(std::uint64_t key) {
    const std::uint64_t bits = mixed(key);
    return {static_cast<std::uint16_t>(bits | 1), static_cast<std::uint16_t>(bits >> 32)};
  }
  EVENLY_FN constexpr value_type identity() const { return {1, 0}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return {static_cast<std::uint16_t>(1u * a.scale * b.scale), // int would overflow
            static_cast<std::uint16_t>(1u * b.scale * a.shift + b.shift)};
  }
};

inline constexpr int widths[] = {1, 2, 3, 7, 32, 33, 100};

template <class Monoid> EVENLY_FN typename Monoid::value_type wide_value(std::int64_t a, int column) {
  return Monoid::of((static_cast<std::uint64_t>(column) << 40) + static_cast<std::uint64_t>(a));
}

template <class Monoid, class Atom> struct value_of_column {
  EVENLY_FN typename Monoid::value_type operator()(Atom a, int column) const {
    return wide_value<Monoid>(a, column);
  }
};
/// Called with a tile that does not have the atom, gives what is not expected.
template <class Monoid, tile_set Tiles> struct value_of_column_of_tile {
  Tiles tiles;
  EVENLY_FN typename Monoid::value_type operator()(tile_type<Tiles> t, atom_type<Tiles> a, int column) const {
    const bool belongs = tiles.begin(t) <= a && a < tiles.end(t);
    return wide_value<Monoid>(belongs ? a : a + 1, column);
  }
};

/// Gives packs; called for a single column, or for columns that are no pack's, it gives what is not expected.
template <class Monoid, class Atom> struct packs_of_columns {
  using value = typename Monoid::value_type;

  EVENLY_FN value operator()(Atom a, int column) const { return wide_value<Monoid>(a + 1, column); }
  EVENLY_FN row_pack<value> pack(Atom a, int column) const {
    const bool begins_one = column % row_pack<value>::size == 0;
    row_pack<value> all;
    for (int i = 0; i < row_pack<value>::size; ++i)
      all.of[i] = wide_value<Monoid>(begins_one ? a : a + 1, column + i);
    return all;
  }
};

/// The same in three steps.
template <class Monoid, class Atom> struct packs_in_steps : packs_of_columns<Monoid, Atom> {
  struct fetched {
    std::int64_t atom;
  };
  struct loaded {
    std::int64_t atom;
    int column;
  };
  EVENLY_FN fetched fetch(Atom a) const { return {a}; }
  EVENLY_FN loaded load(const fetched& of, int column) const { return {of.atom, column}; }
  EVENLY_FN row_pack<typename Monoid::value_type> values_in(const fetched& of, const loaded& row) const {
    return this->pack(static_cast<Atom>(of.atom == row.atom ? of.atom : of.atom + 1), row.column);
  }
};

/// Where rows are stored, and how often.
template <class T> struct note_row {
  T* values;
  int* times;
  int width;
  template <class Tile> EVENLY_FN void store(Tile t, int column, const T& value) const {
    const std::int64_t at = static_cast<std::int64_t>(t) * width + column;
    values[at] = value;
    atomic_ref(times[at]).fetch_add(1);
  }
};
template <class T, class Tile> struct store_row_note : note_row<T> {
  EVENLY_FN void operator()(Tile t, int column, const T& value) const { this->store(t, column, value); }
};

/// Takes packs, and puts each down at once.
template <class T, class Tile> struct store_pack_note : store_row_note<T, Tile> {
  EVENLY_FN void pack(Tile t, int column, const row_pack<T>& values) const {
    const std::int64_t at = static_cast<std::int64_t>(t) * this->width + column;
    store_pack(this->values + at, values);
    for (int i = 0; i < row_pack<T>::size; ++i) atomic_ref(this->times[at + i]).fetch_add(1);
  }
};

/// Reports the first tile and column that is not as it should be.
template <class Monoid>
void judge_rows(const std::vector<std::int64_t>& offsets, int width,
                const std::vector<typename Monoid::value_type>& values, const std::vector<int>& times,
                int runs, const std::string& where) {
  const Monoid op;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (int column = 0; column < width; ++column) {
      auto want = op.identity();
      for (std::int64_t a = offsets[t]; a < offsets[t + 1]; ++a)
        want = op(want, wide_value<Monoid>(a, column));
      const std::size_t at = t * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
      ASSERT_EQ(times[at], runs) << "times that tile " << t << ", column " << column << " is stored; "
                                 << where;
      ASSERT_TRUE(values[at] == want) << "tile " << t << " of " << offsets[t + 1] - offsets[t]
                                      << " atoms, column " << column << "; " << where;
    }
}

/// Memory for rows, and what is in it after some runs.
template <class Monoid, class Executor> class row_notes {
 public:
  using value = typename Monoid::value_type;

  row_notes(const Executor& exec, std::size_t tiles, int width)
      : exec_(exec), width_(width),
        values_(make_buffer<value>(exec, tiles * static_cast<std::size_t>(width))),
        times_(make_buffer<int>(exec, values_.size())) {
    if (times_.size() > 0) exec.fill_zero(times_.data(), times_.size() * sizeof(int));
  }
  template <class Tile> store_row_note<value, Tile> store() const {
    return {{values_.data(), times_.data(), width_}};
  }
  void judge(const std::vector<std::int64_t>& offsets, int runs, const std::string& where) const {
    judge_rows<Monoid>(offsets, width_, to_host(exec_, values_), to_host(exec_, times_), runs, where);
  }

 private:
  Executor exec_;
  int width_;
  buffer<value> values_;
  buffer<int> times_;
};

/// Two runs under one plan. ByTile: of map(tile, atom, column).
template <class Monoid, bool ByTile, class Executor, class Schedule, tile_set Tiles>
void expect_rows(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const named_tiles& set,
                 int width, const std::string& where) {
  auto plan = make_plan(exec, schedule, tiles);
  const row_notes<Monoid, Executor> rows(exec, set.offsets.size() - 1, width);
  const auto store = rows.template store<tile_type<Tiles>>();
  for (int run = 0; run < 2; ++run) {
    if constexpr (ByTile)
      reduce_tiles_wide(exec, plan, width, value_of_column_of_tile<Monoid, Tiles>{tiles}, Monoid{}, store);
    else
      reduce_tiles_wide(exec, plan, width, value_of_column<Monoid, atom_type<Tiles>>{}, Monoid{}, store);
  }
  rows.judge(set.offsets, 2, where + ", width " + std::to_string(width) + ", \"" + set.name + "\"");
}

/// The same with packs, stored one by one and at once, and had in steps.
template <class Monoid, class Executor, class Schedule>
void expect_packed_rows(const Executor& exec, const Schedule& schedule, const named_tiles& set, int width,
                        const std::string& where) {
  using value = typename Monoid::value_type;
  const auto offsets = to_executor(exec, std::vector<int>(set.offsets.begin(), set.offsets.end()));
  auto plan = make_plan(exec, schedule, csr_tiles(offsets.span()));
  const row_notes<Monoid, Executor> rows(exec, set.offsets.size() - 1, width);
  const store_row_note<value, int> one_by_one = rows.template store<int>();
  const packs_of_columns<Monoid, int> map;
  reduce_tiles_wide(exec, plan, width, map, Monoid{}, one_by_one);
  reduce_tiles_wide(exec, plan, width, map, Monoid{}, store_pack_note<value, int>{one_by_one});
  reduce_tiles_wide(exec, plan, width, packs_in_steps<Monoid, int>{}, Monoid{},
                    store_pack_note<value, int>{one_by_one});
  rows.judge(set.offsets, 3, where + ", packs, width " + std::to_string(width) + ", \"" + set.name + "\"");
}
inline constexpr int packed_widths[] = {4, 8, 12, 32, 36, 128, 260};
template <class Executor, class Schedule>
void expect_packed_rows_of_all(const Executor& exec, Schedule schedule, int block_size, std::size_t salt,
                               const std::string& name) {
  schedule.block_size = block_size;
  for (const named_tiles& set : adversarial_tile_sets(items_of_a_block(schedule)))
    expect_packed_rows<short_maps>(exec, schedule, set, packed_widths[salt++ % std::size(packed_widths)],
                                   name + ", blocks of " + std::to_string(block_size));
}

/// The same of tiles given by offsets of a type.
template <class Monoid, bool ByTile, class Offset, class Executor, class Schedule>
void expect_rows_of(const Executor& exec, const Schedule& schedule, const named_tiles& set, int width,
                    const std::string& where) {
  const auto offsets = to_executor(exec, std::vector<Offset>(set.offsets.begin(), set.offsets.end()));
  expect_rows<Monoid, ByTile>(exec, schedule, csr_tiles(offsets.span()), set, width, where);
}

/// All adversarial tile sets, each with another width. `salt`: for which.
template <class Monoid, bool ByTile, class Offset = int, class Executor, class Schedule>
void expect_rows_of_all(const Executor& exec, Schedule schedule, int block_size, std::size_t salt,
                        const std::string& name) {
  schedule.block_size = block_size;
  std::size_t turn = salt;
  for (const named_tiles& set : adversarial_tile_sets(items_of_a_block(schedule)))
    expect_rows_of<Monoid, ByTile, Offset>(exec, schedule, set, widths[turn++ % std::size(widths)],
                                           name + ", blocks of " + std::to_string(block_size));
}

/// Sizes on the device, under one plan with room for more than there is.
template <class Executor, class Schedule>
void expect_rows_of_device_sizes(const Executor& exec, const Schedule& schedule,
                                 const std::vector<named_tiles>& sets, int width, const std::string& where) {
  capacity max_size;
  for (const named_tiles& set : sets)
    max_size = {larger<std::int64_t>(max_size.tiles, std::ssize(set.offsets) - 1),
                larger(max_size.atoms, set.offsets.back() - set.offsets.front())};
  const auto offsets = make_buffer<int>(exec, static_cast<std::size_t>(max_size.tiles) + 1);
  const auto count = make_buffer<int>(exec, 1);
  const int none = 0;
  exec.copy_from_host(count.data(), &none, sizeof(none));
  const auto tiles = csr_tiles_on_device(offsets.data(), count.data(), max_size);
  auto plan = make_plan(exec, schedule, tiles);
  plan.reserve(reduces_wide<short_maps::value_type>{width});
  for (const named_tiles& set : sets) {
    const std::vector<int> here(set.offsets.begin(), set.offsets.end());
    const int now = static_cast<int>(here.size()) - 1;
    exec.copy_from_host(offsets.data(), here.data(), here.size() * sizeof(int));
    exec.copy_from_host(count.data(), &now, sizeof(now));
    plan.rebind(tiles);
    const row_notes<short_maps, Executor> rows(exec, static_cast<std::size_t>(now), width);
    reduce_tiles_wide(exec, plan, width, value_of_column<short_maps, int>{}, short_maps{},
                      rows.template store<int>());
    rows.judge(set.offsets, 1, where + ", sizes on the device, \"" + set.name + "\"");
  }
}

} // namespace evenly::laws
