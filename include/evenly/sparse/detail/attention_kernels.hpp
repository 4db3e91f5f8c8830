// SPDX-License-Identifier: Apache-2.0
// Attention over the entries of a sparse pattern, forward and backward, by groups of lanes.
//
// All three passes have one form. A tile is a row of the pattern, or a column of it under its transpose. Each entry
// joins a tile and another line. Its score comes from the first features of both (queries and keys, or two numbers),
// its share from the score, and the tile adds up multiples of the other line's features:
//
//   pass         tile     share p                      adds
//   forward      row      exp(score - maximum)         p V                        maximum and sum are kept
//   of_rows      row      exp(score - log sum)         d K            d = p (dot(dO, V) - dot(dO, O)), or d alone
//   of_columns   column   exp(score - log sum)         d Q, p dO
//
// The forward pass rescales its sums when the maximum grows (Milakov and Gimelshein, 2018; Dao et al., FlashAttention,
// 2022). The backward passes compute scores again, so nothing is stored per entry.
//
// A block takes consecutive entries, a group of lanes a part of them, so the sizes of rows do not matter. A group
// stores tiles that begin and end in its part. Tiles that groups of a block share are combined in storage, and tiles
// that blocks share by a second launch, both in the order of entries: bits repeat. The second launch also writes empty
// tiles.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/sparse/detail/entry_rows.hpp"
#include "evenly/sparse/detail/sampled_dots.hpp"

namespace evenly::detail {

enum class attention_pass { forward, of_rows, of_columns };

/// What rows, or columns, of a pattern have. Features are by rows, one head after the other.
template <class T> struct attention_side {
  const T* first = nullptr; ///< queries or keys; or a number per head
  std::int64_t first_leading = 0;
  const T* second = nullptr; ///< values, or gradients of the output
  std::int64_t second_leading = 0;
  const sum_number<T>* log_sums = nullptr; ///< of rows, like deltas: [row * heads + head]
  const sum_number<T>* deltas = nullptr;
};

template <class T, class Offset> struct attention_operands {
  using number = sum_number<T>;

  const Offset* offsets;
  int lines; ///< the number of tiles
  Offset from;
  std::int64_t count; ///< of entries
  const int* others;  ///< of entries, from the first one on
  int heads, width;   ///< features of a head
  number factor;      ///< of products; or the slope of negative sums
  attention_side<T> tile, other;

  EVENLY_FN bool is_empty(int line) const { return offsets[line] == offsets[line + 1]; }
};

/// Where tiles go: the gradient of `first`, and the output or the gradient of `second`.
template <class T> struct attention_results {
  T* first = nullptr;
  std::int64_t first_leading = 0;
  T* second = nullptr;
  std::int64_t second_leading = 0;
  sum_number<T>* log_sums = nullptr; ///< null: not wanted
};

template <attention_pass Pass, bool Dots> struct attention_terms {
  static constexpr bool is_forward = Pass == attention_pass::forward;
  static constexpr bool adds_first = Dots && !is_forward;
  static constexpr bool adds_second = Pass != attention_pass::of_rows;
};

/// exp(a - b) for b >= a; 0 for two of -infinity.
template <class Number> EVENLY_FN Number share_below(Number a, Number b) {
  return std::exp(a - (b == -std::numeric_limits<Number>::infinity() ? Number{0} : b));
}

/// What a lane knows of a tile: sums of `Part` features of each kind, and of shares, or of gradients of scores.
template <class Number, attention_pass Pass, bool Dots, int Part> struct attention_state {
  using terms = attention_terms<Pass, Dots>;
  static constexpr int firsts = terms::adds_first ? Part : 0;
  static constexpr int sums = firsts + (terms::adds_second ? Part : 0);

  Number max;
  Number total;
  Number of[sums > 0 ? sums : 1];

  EVENLY_FN static attention_state none() {
    attention_state made{-std::numeric_limits<Number>::infinity(), Number{0}, {}};
    for (Number& each : made.of) each = Number{0};
    return made;
  }
  EVENLY_FN void scale(Number by) {
    total *= by;
    EVENLY_UNROLL
    for (int i = 0; i < sums; ++i) of[i] *= by;
  }
  /// Adds what later entries give.
  EVENLY_FN void add(attention_state later) {
    if constexpr (terms::is_forward) {
      const Number both = later.max > max ? later.max : max;
      scale(share_below(max, both));
      later.scale(share_below(later.max, both));
      max = both;
    }
    total += later.total;
    EVENLY_UNROLL
    for (int i = 0; i < sums; ++i) of[i] += later.of[i];
  }
};

/// How features are divided among the lanes of a group, and among blocks.
struct attention_shape {
  int lanes;  ///< of a head: a power of two
  int group;  ///< lanes of a group: those of some heads
  int panels; ///< of the features of a head, if a group has too few lanes for them
  int slices; ///< of the features of a line: sets of heads times panels
  int steps;  ///< entries of a warp, in multiples of its lanes
  int chunks; ///< blocks of a slice

  static attention_shape of(int heads, int width, int part, int warp) {
    const int parts = larger(ceil_div(width, part), 1);
    attention_shape made{1, 0, 0, 0, 0, 0};
    while (made.lanes < parts && made.lanes < warp) made.lanes *= 2;
    made.group = made.lanes;
    while (made.group < made.lanes * heads && made.group < warp) made.group *= 2;
    made.panels = ceil_div(parts, made.lanes);
    made.slices = ceil_div(heads, made.group / made.lanes) * made.panels;
    return made;
  }
};

/// The features of a lane.
template <class T, class Offset, attention_pass Pass, bool Dots, int Part> struct attention_lane {
  using terms = attention_terms<Pass, Dots>;
  using number = sum_number<T>;
  using state = attention_state<number, Pass, Dots, Part>;
  using part = row_part<T, Part>;

  const attention_operands<T, Offset>& of;
  int lane; ///< in its head
  int panel;
  int head;    ///< some head, if the lane has none
  int element; ///< of the head: the first of the lane's part
  bool has_head;
  bool is_active; ///< whether the lane has a part

  EVENLY_FN attention_lane(const attention_operands<T, Offset>& operands, const attention_shape& shape,
                           int in_group, int slice)
      : of(operands), lane(remainder(in_group, shape.lanes)), panel(slice % shape.panels),
        head(slice / shape.panels * quotient(shape.group, shape.lanes) + quotient(in_group, shape.lanes)),
        element((panel * shape.lanes + lane) * Part), has_head(head < operands.heads),
        is_active(has_head && element < operands.width) {
    head = smaller(head, of.heads - 1);
  }

  EVENLY_FN std::int64_t place(int line, std::int64_t leading, int at) const {
    return line * leading + std::int64_t{head} * of.width + at;
  }

  /// Writes a tile.
  template <class Block>
  EVENLY_FN void store(Block& block, const attention_results<T>& to, int line, const state& found) const {
    const bool is_leader = has_head && lane == 0 && panel == 0;
    if constexpr (terms::is_forward) {
      if (is_leader && to.log_sums != nullptr) {
        const bool is_none = found.total == number{0};
        traced(block, to.log_sums)[std::int64_t{line} * of.heads + head] =
            is_none ? found.max : found.max + std::log(found.total);
      }
    } else if constexpr (!Dots) {
      if (is_leader) traced(block, to.first)[line * to.first_leading + head] = static_cast<T>(found.total);
    }
    if (!is_active) return;
    if constexpr (terms::adds_first)
      store_part(block, to.first + place(line, to.first_leading, element), found.of);
    if constexpr (terms::is_forward) {
      number shares[Part];
      EVENLY_UNROLL
      for (int i = 0; i < Part; ++i) shares[i] = found.of[i] / found.total;
      store_part(block, to.second + place(line, to.second_leading, element), shares);
    } else if constexpr (terms::adds_second) {
      store_part(block, to.second + place(line, to.second_leading, element), found.of + state::firsts);
    }
  }
  /// Writes a tile without entries.
  template <class Block>
  EVENLY_FN void store_empty(Block& block, const attention_results<T>& to, int line) const {
    state none = state::none();
    if constexpr (terms::is_forward) {
      store_log_of_none(block, to, line);
      none.total = number{1};
      attention_results<T> features = to;
      features.log_sums = nullptr;
      store(block, features, line, none);
    } else {
      store(block, to, line, none);
    }
  }

 private:
  template <class Block>
  EVENLY_FN void store_log_of_none(Block& block, const attention_results<T>& to, int line) const {
    if (has_head && lane == 0 && panel == 0 && to.log_sums != nullptr)
      traced(block, to.log_sums)[std::int64_t{line} * of.heads + head] =
          -std::numeric_limits<number>::infinity();
  }
  template <class Block> EVENLY_FN static void store_part(Block& block, T* to, const number* from) {
#if defined(__CUDA_ARCH__)
    part all;
    EVENLY_UNROLL
    for (int i = 0; i < Part; ++i) all.of[i] = static_cast<T>(from[i]);
    *reinterpret_cast<part*>(to) = all;
#else
    const auto out = traced(block, to);
    for (int i = 0; i < Part; ++i) out[i] = static_cast<T>(from[i]);
#endif
  }
};

/// The first launch.
template <class T, class Offset, attention_pass Pass, bool Dots, int Part> struct attention_kernel {
  using terms = attention_terms<Pass, Dots>;
  using lane_type = attention_lane<T, Offset, Pass, Dots, Part>;
  using number = sum_number<T>;
  using state = typename lane_type::state;
  using part = row_part<T, Part>;
  static constexpr int tuned_block_size = 128;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 5; ///< at most 102 registers
  static constexpr int max_steps = 4;
  static constexpr int entries_at_once = terms::is_forward ? 4 : 2; ///< of a group

  attention_operands<T, Offset> of;
  attention_results<T> to;
  attention_shape shape;
  state* shared; ///< of tiles that blocks share: [slice][chunk][begins before, ends behind][lane of a group]
  int* ends;     ///< per chunk: the tile that ends in it and began before it, or -1

  struct slots {
    slot<int> rows, columns; ///< of the entries of each warp
    slot<int> tiles;         ///< the first and the last of each group; -1 of a group without entries
    slot<state> states;      ///< of these, per thread
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    const int entries = shape.warps() * shape.warp * max_steps;
    return {layout.take<int>(entries), layout.take<int>(entries), layout.take<int>(2 * shape.size),
            layout.take<state>(2 * shape.size)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto places = lay_out(layout, block.shape());
    const auto warp = this_warp(block);
    const int room = block.shape().warp * max_steps, entries = block.shape().warp * shape.steps;
    const int chunk = block.index() % shape.chunks, slice = block.index() / shape.chunks;
    const std::int64_t begin = (std::int64_t{chunk} * block.shape().warps() + warp_of(block)) * entries;
    const int size =
        static_cast<int>(larger<std::int64_t>(smaller<std::int64_t>(entries, of.count - begin), 0));
    const auto rows = block.storage(places.rows.part(warp_of(block) * room, room));
    const auto columns = block.storage(places.columns.part(warp_of(block) * room, room));
    const auto tiles = block.storage(places.tiles);
    const auto states = block.storage(places.states);
    const lane_type mine(of, shape, remainder(warp.rank(), shape.group), slice);
    if (size > 0) {
      for (int i = warp.rank(); i < size; i += warp.size())
        columns[i] = load_streaming(of.others + begin + i);
      find_entry_rows(warp, of.offsets, of.lines, static_cast<Offset>(of.from + begin), size, rows);
      warp.sync();
    }
    walk(block, warp, mine, size, rows, columns, tiles, states);
    block.sync();
    combine(block, mine, chunk, slice, tiles, states);
  }

 private:
  /// Adds up the tiles of a group's entries. The first and the last one go to storage.
  template <class Block, class Warp, class Numbers, class States>
  EVENLY_FN void walk(Block& block, const Warp& warp, const lane_type& mine, int size, const Numbers& rows,
                      const Numbers& columns, const Numbers& tiles, const States& states) const {
    const int group = quotient(block.rank(), shape.group), of_group = shape.group * shape.steps;
    const int begin = quotient(warp.rank(), shape.group) * of_group;
    const int end = smaller(begin + of_group, size);
    int row = -1, first_row = -1;
    state sums = state::none();
    for (int at = begin; at - begin < of_group && at - begin < size; at += entries_at_once) {
      scored_entries scored;
      scored.load(*this, warp, mine, at, size, rows, columns);
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i) {
        if (at + i >= end) continue;
        if (scored.row[i] != row) {
          if (row < 0)
            first_row = scored.row[i];
          else if (row == first_row)
            states[block.rank()] = sums;
          else
            mine.store(block, to, row, sums);
          row = scored.row[i];
          sums = state::none();
        }
        scored.add(*this, i, sums);
      }
    }
    if (row >= 0) states[row == first_row ? block.rank() : block.size() + block.rank()] = sums;
    if (remainder(block.rank(), shape.group) == 0) {
      tiles[2 * group] = first_row;
      tiles[2 * group + 1] = row;
    }
  }

  /// Consecutive entries with their scores and what they add.
  struct scored_entries {
    int row[entries_at_once];
    number share[entries_at_once];    ///< the score of the forward pass
    number gradient[entries_at_once]; ///< of the score
    part first[entries_at_once], second[entries_at_once];

    template <class Warp, class Numbers>
    EVENLY_INLINE_FN void load(const attention_kernel& kernel, const Warp& warp, const lane_type& mine,
                               int at, int size, const Numbers& rows, const Numbers& columns) {
      const auto& of = kernel.of;
      int column[entries_at_once];
      number score[entries_at_once] = {}, product[entries_at_once] = {};
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i) {
        const int entry = larger(smaller(at + i, size - 1), 0);
        row[i] = size > 0 ? static_cast<int>(rows[entry]) : 0;
        column[i] = size > 0 ? static_cast<int>(columns[entry]) : 0;
        first[i] = second[i] = part{};
      }
      if (mine.is_active && size > 0) {
        EVENLY_UNROLL
        for (int i = 0; i < entries_at_once; ++i) {
          if constexpr (Dots)
            first[i] = load_part<T, Part>(of.other.first +
                                          mine.place(column[i], of.other.first_leading, mine.element));
          second[i] = load_part<T, Part>(of.other.second +
                                         mine.place(column[i], of.other.second_leading, mine.element));
        }
        if constexpr (Dots)
          add_products(score, first, of.tile.first, of.tile.first_leading, mine, mine.element);
        if constexpr (!terms::is_forward)
          add_products(product, second, of.tile.second, of.tile.second_leading, mine, mine.element);
      }
      if (kernel.shape.panels > 1 && mine.has_head && size > 0)
        add_other_panels(kernel, mine, column, score, product);
      for (int distance = kernel.shape.lanes / 2; distance > 0; distance /= 2) {
        EVENLY_UNROLL
        for (int i = 0; i < entries_at_once; ++i) {
          if constexpr (Dots) score[i] += warp.shuffle(score[i], warp.rank() ^ distance);
          if constexpr (!terms::is_forward) product[i] += warp.shuffle(product[i], warp.rank() ^ distance);
        }
      }
      if (size == 0) return;
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i) finish(of, mine.head, i, column[i], score[i], product[i]);
    }

    EVENLY_INLINE_FN void add(const attention_kernel& kernel, int i, state& sums) const {
      number p = share[i];
      if constexpr (terms::is_forward) {
        if (share[i] > sums.max) {
          sums.scale(share_below(sums.max, share[i]));
          sums.max = share[i];
        }
        p = share_below(share[i], sums.max);
        sums.total += p;
      } else if constexpr (!Dots) {
        sums.total += gradient[i];
      } else {
        const number scaled = gradient[i] * kernel.of.factor;
        EVENLY_UNROLL
        for (int j = 0; j < Part; ++j) sums.of[j] += scaled * static_cast<number>(first[i].of[j]);
      }
      if constexpr (terms::adds_second) {
        EVENLY_UNROLL
        for (int j = 0; j < Part; ++j) sums.of[state::firsts + j] += p * static_cast<number>(second[i].of[j]);
      }
    }

   private:
    /// Adds the products of the tiles' features and parts of the other lines.
    EVENLY_INLINE_FN void add_products(number (&sums)[entries_at_once], const part (&others)[entries_at_once],
                                       const T* of_tiles, std::int64_t leading, const lane_type& mine,
                                       int element) const {
      part tile[entries_at_once];
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i)
        if (i == 0 || row[i] != row[larger(i - 1, 0)])
          tile[i] = load_part<T, Part>(of_tiles + mine.place(row[i], leading, element));
        else
          tile[i] = tile[larger(i - 1, 0)];
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i) {
        EVENLY_UNROLL
        for (int j = 0; j < Part; ++j)
          sums[i] += static_cast<number>(tile[i].of[j]) * static_cast<number>(others[i].of[j]);
      }
    }
    /// Adds the products of the features of a head in panels other than the caller's.
    EVENLY_FN void add_other_panels(const attention_kernel& kernel, const lane_type& mine,
                                    const int (&column)[entries_at_once], number (&score)[entries_at_once],
                                    number (&product)[entries_at_once]) const {
      const auto& of = kernel.of;
      for (int element = mine.lane * Part; element < of.width; element += kernel.shape.lanes * Part) {
        if (element == mine.element) continue;
        part others[entries_at_once];
        if constexpr (Dots) {
          for (int i = 0; i < entries_at_once; ++i)
            others[i] =
                load_part<T, Part>(of.other.first + mine.place(column[i], of.other.first_leading, element));
          add_products(score, others, of.tile.first, of.tile.first_leading, mine, element);
        }
        if constexpr (!terms::is_forward) {
          for (int i = 0; i < entries_at_once; ++i)
            others[i] =
                load_part<T, Part>(of.other.second + mine.place(column[i], of.other.second_leading, element));
          add_products(product, others, of.tile.second, of.tile.second_leading, mine, element);
        }
      }
    }
    EVENLY_INLINE_FN void finish(const attention_operands<T, Offset>& of, int head, int i, int column,
                                 number score, number product) {
      number slope = of.factor;
      if constexpr (Dots) {
        score *= of.factor;
      } else {
        score = static_cast<number>(of.tile.first[row[i] * of.tile.first_leading + head]) +
                static_cast<number>(of.other.first[column * of.other.first_leading + head]);
        slope = score > number{0} ? number{1} : of.factor;
        score *= slope;
      }
      share[i] = score;
      if constexpr (!terms::is_forward) {
        constexpr bool of_rows = Pass == attention_pass::of_rows;
        const attention_side<T>& side = of_rows ? of.tile : of.other;
        const std::int64_t at = std::int64_t{of_rows ? row[i] : column} * of.heads + head;
        share[i] = std::exp(score - side.log_sums[at]);
        gradient[i] = share[i] * (product - side.deltas[at]) * (Dots ? number{1} : slope);
      }
    }
  };

  /// Combines what groups have of the same tiles, and stores tiles that no other block has.
  template <class Block, class Numbers, class States>
  EVENLY_FN void combine(Block& block, const lane_type& mine, int chunk, int slice, const Numbers& tiles,
                         const States& states) const {
    const int group = quotient(block.rank(), shape.group), groups = quotient(block.size(), shape.group);
    if (group >= groups) return;
    const int first = tiles[2 * group], last = tiles[2 * group + 1];
    if (first < 0) return;
    const int next = group + 1 < groups ? static_cast<int>(tiles[2 * group + 2]) : -1;
    const int lane = remainder(block.rank(), shape.group);
    if (last != first && next != last)
      give(block, mine, chunk, slice, last, false, states[block.size() + block.rank()]);
    if (last == first && next == first) return; // the next group has it
    int from = group;
    while (from > 0 && tiles[2 * from - 1] == first) --from;
    state sums = state::none();
    for (int g = from; g <= group; ++g)
      sums.add(states[(tiles[2 * g] == first ? 0 : block.size()) + g * shape.group + lane]);
    give(block, mine, chunk, slice, first, from == 0 && tiles[0] == first, sums);
  }

  /// Stores a tile, or what the block has of it.
  template <class Block>
  EVENLY_FN void give(Block& block, const lane_type& mine, int chunk, int slice, int tile, bool is_first,
                      const state& sums) const {
    const std::int64_t entries = std::int64_t{block.size()} * shape.steps, begin = chunk * entries;
    const bool begins_before = of.offsets[tile] - of.from < begin;
    const bool ends_behind = of.offsets[tile + 1] - of.from > begin + entries;
    const int lane = remainder(block.rank(), shape.group);
    if (is_first && slice == 0 && lane == 0)
      traced(block, ends)[chunk] = begins_before && !ends_behind ? tile : -1;
    if (!begins_before && !ends_behind) return mine.store(block, to, tile, sums);
    const std::int64_t at =
        ((std::int64_t{slice} * shape.chunks + chunk) * 2 + (begins_before ? 0 : 1)) * shape.group;
    traced(block, shared)[at + lane] = sums;
  }
};

/// The second launch: tiles that blocks share, and those without entries.
template <class T, class Offset, attention_pass Pass, bool Dots, int Part> struct attention_join {
  using lane_type = attention_lane<T, Offset, Pass, Dots, Part>;
  using state = typename lane_type::state;
  static constexpr int tuned_block_size = 128;
  static constexpr bool only_tuned_size = true;

  attention_operands<T, Offset> of;
  attention_results<T> to;
  attention_shape shape;
  const state* shared;
  const int* ends;

  struct slots {
    slot<state> states; ///< per thread
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<state>(shape.size)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto states = block.storage(lay_out(layout, block.shape()).states);
    const int chunks = larger(shape.chunks, 1);
    const int chunk = block.index() % chunks, slice = block.index() / chunks;
    const int warps = block.shape().warps(), of_warp = quotient(block.shape().warp, shape.group);
    const int lane = remainder(lane_of(block), shape.group);
    const int group = warp_of(block) * of_warp + quotient(lane_of(block), shape.group),
              groups = warps * of_warp;
    const lane_type mine(of, shape, lane, slice);
    const int tile = shape.chunks > 0 ? static_cast<int>(traced(block, ends)[chunk]) : -1;
    if (tile >= 0) {
      const std::int64_t entries = std::int64_t{block.size()} * shape.steps;
      const int from = static_cast<int>((of.offsets[tile] - of.from) / entries);
      const int count = chunk - from + 1, of_group = ceil_div(count, groups);
      state sums = state::none();
      for (int i = group * of_group; i < smaller((group + 1) * of_group, count); ++i)
        sums.add(traced(
            block,
            shared)[((std::int64_t{slice} * chunks + from + i) * 2 + (i == 0 ? 1 : 0)) * shape.group + lane]);
      states[block.rank()] = sums;
      block.sync();
      if (group == 0) {
        for (int g = 1; g < groups && g * of_group < count; ++g) sums.add(states[g * shape.group + lane]);
        mine.store(block, to, tile, sums);
      }
    }
    const int per_block = ceil_div(of.lines, chunks);
    const std::int64_t end = smaller<std::int64_t>(std::int64_t{chunk + 1} * per_block, of.lines);
    for (std::int64_t line = std::int64_t{chunk} * per_block + group; line < end; line += groups)
      if (of.is_empty(static_cast<int>(line))) mine.store_empty(block, to, static_cast<int>(line));
  }
};

} // namespace evenly::detail
