// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times dense matrix on serial blocks: a skeleton of its own, since a core can sum rows of C in place.
//
// A block that has the first atom of a row sums into the row of C. Later blocks sum their part of that row into a row
// of their own; only the first tile of a block can have begun before, so one row per block suffices. When all blocks
// are done, these rows are added in the order of blocks. So rows need no passes over A for each panel of columns, as in
// reduce_tiles_wide: the panels of a row are consecutive, and B and C are accessed by whole cache lines.
//
// Up to four cache lines are summed at a time, in vector registers. GCC compiled plain loops to one multiplication per
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/sparse/detail/sum_registers.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

/// The operands B and C, and the factors of the product.
template <class Value, class Column = int> struct core_operands {
  const Column* columns;
  const Value* values;
  const Value* b;
  std::int64_t b_leading;
  Value* c;
  std::int64_t c_row; ///< distance of rows
  std::int64_t c_column;
  int width;
  Value alpha;
  Value beta;
  std::int64_t b_column = 1; ///< distance of columns; if it is not 1, rows are 1 apart
};

/// RegisterBytes: of this translation unit's registers; a template parameter for the reason in monoid.hpp.
template <tile_set Tiles, class Value, class Column = int, int RegisterBytes = sum_register_bytes>
struct spmm_on_cores {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = true;
  /// Columns in a cache line.
  static constexpr int line = 64 / static_cast<int>(sizeof(Value));
  /// How many atoms ahead rows of B are prefetched. With 8, 16 and 32 atoms, times 32 columns in double, on one core of
  /// an EPYC (2026-11-25), in ms: a skewed graph 8.3, 6.9 and 5.0; random columns 28, 21 and 18; a grid 26, 28 and 31.
  /// The grid times 128 columns: 34 and 36.
  static constexpr int ahead = 16;

  Tiles tiles;
  core_operands<Value, Column> of;
  atom prefetch_end; ///< the end of the atoms with rows of B that are prefetched
  Value* heads;      ///< one row per block
  tile* head_tiles;  ///< per block: the tile that began before it, or -1

  template <class Form>
  static constexpr bool takes = sharing::blocked_items<Form> > 0 || std::is_same_v<Form, sharing::piece>;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    worker_copy<spmm_on_cores, Block> work;
    Block& block;
    const Slots& slots;
    tile current = -1; ///< the tile of the last atoms
    tile head = -1;

    template <int G> EVENLY_FN void operator()(sharing::team<G>, const team_part<tile, atom>& part) {
      if (part.has_tile) add(part.tile, part.begin, part.end);
    }
    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      if (part.begin < part.end) add(part.tile, part.begin, part.end);
    }
    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
      atom a = chunk.first_atom;
      for (tile t = chunk.first_tile; t < chunk.last_tile; t = static_cast<tile>(t + 1)) {
        const atom end = chunk.tiles.end(t);
        if (a < end || chunk.tiles.begin(t) == end) add(t, a, end);
        a = end;
      }
      if (a < chunk.last_atom) add(chunk.last_tile, a, chunk.last_atom);
    }
    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) {
      stretch open{};
      run.for_each([&](tile t, atom a) { extend(open, t, a); });
      close(open);
    }
    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G>, const Run& run) {
      stretch open{};
      run.for_each([&](bool has, tile t, atom a, bool) {
        if (has) extend(open, t, a);
      });
      close(open);
    }
    EVENLY_FN void finish() { work.head_tiles[block.index()] = head; }

   private:
    /// Consecutive atoms of a tile.
    struct stretch {
      tile of = -1;
      atom begin = 0, end = 0;
    };
    EVENLY_FN void extend(stretch& open, tile t, atom a) {
      if (open.of != t || open.end != a) {
        close(open);
        open = {t, a, a};
      }
      open.end = static_cast<atom>(a + 1);
    }
    EVENLY_FN void close(const stretch& open) {
      if (open.begin < open.end) add(open.of, open.begin, open.end);
    }

    /// Adds atoms [begin, end) of a tile; if it is empty, all of it.
    EVENLY_FN void add(tile t, atom begin, atom end) {
      const bool continues = t == current;
      if (!continues && work.tiles.begin(t) < begin) head = t;
      current = t;
      const core_operands<Value, Column>& with = work.of;
      const Value kept = continues ? Value{1} : head == t ? Value{0} : with.beta;
      if (head == t)
        work.sum_row(begin, end, work.heads + static_cast<std::int64_t>(block.index()) * with.width, 1, kept);
      else
        work.sum_row(begin, end, with.c + t * with.c_row, with.c_column, kept);
    }
  };

  /// to = alpha * sum + kept * to, column by column; with kept = 0, `to` is not read.
  EVENLY_FN void sum_row(atom begin, atom end, Value* to, std::int64_t apart, Value kept) const {
    int first = 0;
    if (of.b_column != 1) {
      for (; of.width - first >= line; first += line) sum_apart<line>(begin, end, first, to, apart, kept);
      for (; first < of.width; ++first) sum_apart<1>(begin, end, first, to, apart, kept);
      return;
    }
    for (; of.width - first >= 4 * line; first += 4 * line)
      sum_bytes<256>(begin, end, first, to, apart, kept);
    sum_below<128>(begin, end, first, to, apart, kept);
  }

 private:
  /// Sums the columns from `first` on, fewer than 2 * Bytes.
  template <int Bytes>
  EVENLY_INLINE_FN void sum_below(atom begin, atom end, int first, Value* to, std::int64_t apart,
                                  Value kept) const {
    constexpr int size = Bytes / static_cast<int>(sizeof(Value));
    if constexpr (Bytes < 16 || RegisterBytes == 0) {
      if (first < of.width) sum_few(begin, end, first, of.width - first, to, apart, kept);
    } else {
      if (of.width - first >= size) {
        sum_bytes<Bytes>(begin, end, first, to, apart, kept);
        first += size;
      }
      sum_below<Bytes / 2>(begin, end, first, to, apart, kept);
    }
  }

  /// Sums as many columns as `Bytes` bytes have. Loops over registers are unrolled at -O2, too: the sums would be in
  /// memory otherwise, and take 1.3 to 1.7 times as long.
  template <int Bytes>
  EVENLY_INLINE_FN void sum_bytes(atom begin, atom end, int first, Value* to, std::int64_t apart,
                                  Value kept) const {
    constexpr int size = Bytes / static_cast<int>(sizeof(Value));
    if constexpr (RegisterBytes == 0) {
      sum_few(begin, end, first, std::integral_constant<int, size>{}, to, apart, kept);
    } else {
      constexpr int register_bytes = Bytes < RegisterBytes ? Bytes : RegisterBytes,
                    lane_count = register_bytes / static_cast<int>(sizeof(Value)),
                    registers = size / lane_count;
      using lanes = typename lanes_of_values<Value, register_bytes>::type;
      const Column* const columns = of.columns;
      const Value* const values = of.values;
      const Value* const b = b_from(begin, end, first);
      const std::int64_t leading = of.b_leading;
      lanes sum[registers] = {};
      for (atom a = begin; a < end; a = static_cast<atom>(a + 1)) {
        if (prefetch_end - a > ahead) {
          const Value* const later = b + columns[a + ahead] * leading;
          EVENLY_UNROLL_REGISTERS
          for (int i = 0; i < size; i += line) prefetch_read(later + i);
          // Rows rarely begin at a cache line: without this, random columns took 28 ms instead of 18 (see `ahead`).
          prefetch_read(later + size - 1);
        }
        const Value* const row = b + columns[a] * leading;
        const Value value = values[a];
        EVENLY_UNROLL_REGISTERS
        for (int i = 0; i < registers; ++i) {
          lanes some;
          std::memcpy(&some, row + i * lane_count, sizeof(some));
          sum[i] += value * some;
        }
      }
      const Value alpha = of.alpha;
      if (apart == 1) {
        Value* const here = to + first;
        EVENLY_UNROLL_REGISTERS
        for (int i = 0; i < registers; ++i) {
          lanes some = alpha * sum[i];
          if (kept != Value{0}) {
            lanes old;
            std::memcpy(&old, here + i * lane_count, sizeof(old));
            some += kept * old;
          }
          std::memcpy(here + i * lane_count, &some, sizeof(some));
        }
      } else {
        EVENLY_UNROLL_REGISTERS
        for (int i = 0; i < registers; ++i)
          for (int j = 0; j < lane_count; ++j) {
            Value& here = to[(first + i * lane_count + j) * apart];
            here = kept == Value{0} ? alpha * sum[i][j] : alpha * sum[i][j] + kept * here;
          }
      }
    }
  }

  /// B from a place on. It may be null if there are no atoms.
  EVENLY_INLINE_FN const Value* b_from(atom begin, atom end, std::int64_t place) const {
    return begin < end ? of.b + place : of.b;
  }

  /// Sums columns of B in place, each element loaded separately.
  template <int Count>
  EVENLY_INLINE_FN void sum_apart(atom begin, atom end, int first, Value* to, std::int64_t apart,
                                  Value kept) const {
    const std::int64_t next = of.b_column;
    const Value* const b = b_from(begin, end, first * next);
    Value sum[Count] = {};
    for (atom a = begin; a < end; a = static_cast<atom>(a + 1)) {
      const Value* const at = b + of.columns[a] * of.b_leading;
      const Value value = of.values[a];
      for (int c = 0; c < Count; ++c) sum[c] += value * at[c * next];
    }
    for (int c = 0; c < Count; ++c) {
      Value& here = to[(first + c) * apart];
      here = kept == Value{0} ? of.alpha * sum[c] : of.alpha * sum[c] + kept * here;
    }
  }

  /// Sums any number of columns, at most four cache lines.
  template <class Count>
  EVENLY_INLINE_FN void sum_few(atom begin, atom end, int first, Count count, Value* to, std::int64_t apart,
                                Value kept) const {
    constexpr int together = 4;
    const Column* const columns = of.columns;
    const Value* const values = of.values;
    const Value* const b = b_from(begin, end, first);
    const std::int64_t leading = of.b_leading;
    Value sum[4 * line];
    for (int c = 0; c < count; ++c) sum[c] = 0;
    atom a = begin;
    for (; end - a >= together; a = static_cast<atom>(a + together)) {
      if (prefetch_end - a > ahead + together)
        for (int i = 0; i < together; ++i)
          for (int c = 0; c < count; c += line) prefetch_read(b + columns[a + ahead + i] * leading + c);
      const Value *const r0 = b + columns[a] * leading, *const r1 = b + columns[a + 1] * leading,
                         *const r2 = b + columns[a + 2] * leading, *const r3 = b + columns[a + 3] * leading;
      const Value v0 = values[a], v1 = values[a + 1], v2 = values[a + 2], v3 = values[a + 3];
      for (int c = 0; c < count; ++c) {
        Value each = sum[c] + v0 * r0[c];
        each += v1 * r1[c];
        each += v2 * r2[c];
        sum[c] = each + v3 * r3[c];
      }
    }
    for (; a < end; a = static_cast<atom>(a + 1)) {
      if (prefetch_end - a > ahead)
        for (int c = 0; c < count; c += line) prefetch_read(b + columns[a + ahead] * leading + c);
      const Value* const row = b + columns[a] * leading;
      const Value value = values[a];
      for (int c = 0; c < count; ++c) sum[c] += value * row[c];
    }
    const Value alpha = of.alpha;
    if (apart == 1) {
      Value* const here = to + first;
      if (kept == Value{0})
        for (int c = 0; c < count; ++c) here[c] = alpha * sum[c];
      else
        for (int c = 0; c < count; ++c) here[c] = alpha * sum[c] + kept * here[c];
    } else {
      for (int c = 0; c < count; ++c) {
        Value& here = to[(first + c) * apart];
        here = kept == Value{0} ? alpha * sum[c] : alpha * sum[c] + kept * here;
      }
    }
  }
};

/// Whether consecutive entries name neighbouring rows of B. Then these rows are in the caches even for a B by columns.
/// Reads some entries.
template <class Value, class Column, class Atom>
bool asks_for_neighbours(const Column* columns, Atom first, Atom atoms) {
  constexpr int samples = 64, before = 16, line = 64 / static_cast<int>(sizeof(Value));
  if (atoms < samples * before) return false;
  int near = 0;
  for (int i = 0; i < samples; ++i) {
    const Column* const at =
        columns + first + before + static_cast<std::int64_t>(atoms - before) / samples * i;
    bool found = false;
    for (int j = 1; j <= before; ++j) {
      const std::int64_t apart = std::int64_t{at[0]} - at[-j];
      found = found || (apart <= line && apart >= -line);
    }
    near += found;
  }
  return near * 8 >= samples * 7;
}

/// Whether rows of B are prefetched: not if B is in a core's second cache, nor if the hardware prefetches them.
///
/// Measured on one core of an EPYC (2026-11-27), -O2, 8 and 32 columns: times with prefetching over those without.
/// They are 1.2 and 1.1 if B is in the second cache, 1.0 to 1.5 for grids of 64,000 and 10^6 rows, and .75 to 1.06 for
/// skewed graphs.
template <class Value, class Column, class Atom>
bool prefetches_rows(const core_operands<Value, Column>& of, std::int64_t b_rows, Atom first, Atom atoms) {
  constexpr std::int64_t cached = 1 << 19;
  return b_rows * of.b_leading > cached / static_cast<std::int64_t>(sizeof(Value)) &&
         !asks_for_neighbours<Value>(of.columns, first, atoms);
}

/// C = alpha A B + beta C by a plan of A's rows, on cpu.
template <class Executor, class Plan, class Value, class Column>
void multiply_on_cores(const Executor& exec, Plan& plan, const core_operands<Value, Column>& of,
                       std::int64_t b_rows) {
  using tiles = typename Plan::tiles_type;
  [[maybe_unused]] const auto run = plan.start(exec);
  const auto& each = plan.launch();
  const auto blocks = static_cast<std::size_t>(each.shape.blocks);
  const auto heads = make_buffer<Value>(exec, blocks * static_cast<std::size_t>(of.width));
  const auto head_tiles = make_buffer<tile_type<tiles>>(exec, blocks);
  const auto first = static_cast<atom_type<tiles>>(plan.first_atom());
  const auto atoms = static_cast<atom_type<tiles>>(plan.atoms());
  const auto prefetched = prefetches_rows(of, b_rows, first, atoms) ? atoms : atom_type<tiles>{0};
  launch_skeleton(exec, each,
                  spmm_on_cores<tiles, Value, Column>{plan.tiles(), of,
                                                      static_cast<atom_type<tiles>>(first + prefetched),
                                                      heads.data(), head_tiles.data()});
  exec.synchronize();
  for (std::size_t i = 0; i < blocks; ++i) {
    if (head_tiles.data()[i] < 0) continue;
    const Value* const from = heads.data() + i * static_cast<std::size_t>(of.width);
    Value* const to = of.c + head_tiles.data()[i] * of.c_row;
    for (int c = 0; c < of.width; ++c) to[c * of.c_column] += from[c];
  }
}

} // namespace evenly::detail
