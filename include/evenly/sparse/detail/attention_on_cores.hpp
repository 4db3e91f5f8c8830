// SPDX-License-Identifier: Apache-2.0
// One includer: the kernels of attention.hpp would hide what it promises.
// Attention over the entries of a sparse pattern on serial blocks: the passes of attention_kernels.hpp. A block takes
// consecutive entries; what it has of a tile that it shares with other blocks goes to memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/sparse/detail/attention_kernels.hpp"
#include "evenly/sparse/detail/sampled_dots.hpp"
#include "evenly/sparse/detail/sum_registers.hpp"

namespace evenly::detail {

/// sums[j] += by[0] y[0][j] + by[1] y[1][j] + ...
template <int Count, class Number>
void add_multiples(Number* sums, const Number* const (&y)[Count], const Number (&by)[Count], int width) {
  int j = 0;
#if EVENLY_REGISTER_BYTES > 0
  using values = typename lanes_of_values<Number, sum_register_bytes>::type;
  constexpr int lanes = sum_register_bytes / static_cast<int>(sizeof(Number));
  for (; width - j >= lanes; j += lanes) {
    values total;
    std::memcpy(&total, sums + j, sizeof(total));
    EVENLY_UNROLL_REGISTERS
    for (int c = 0; c < Count; ++c) {
      values of_y;
      std::memcpy(&of_y, y[c] + j, sizeof(of_y));
      total += of_y * by[c];
    }
    std::memcpy(sums + j, &total, sizeof(total));
  }
#endif
  for (; j < width; ++j)
    for (int c = 0; c < Count; ++c) sums[j] += by[c] * y[c][j];
}

/// What a core knows of a tile: maxima and totals of heads, then sums of features.
template <class Number, class Out, class Offset, attention_pass Pass, bool Dots> struct attention_tile {
  using terms = attention_terms<Pass, Dots>;
  static constexpr int entries_at_once = 32;

  const attention_operands<Number, Offset>& of;
  Number* at;

  /// Numbers of a tile.
  static std::int64_t size(int heads, int width) {
    return heads * (2 + std::int64_t{width} * (terms::adds_first + terms::adds_second));
  }

  void clear() const {
    for (int h = 0; h < of.heads; ++h) at[h] = -std::numeric_limits<Number>::infinity();
    for (std::int64_t i = of.heads; i < size(of.heads, of.width); ++i) at[i] = Number{0};
  }

  /// Adds entries [begin, end) of a tile.
  void add_entries(int tile, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t k = begin; k < end; k += entries_at_once) {
      const int count = static_cast<int>(smaller<std::int64_t>(end - k, entries_at_once));
      for (int h = 0; h < of.heads; ++h) add_batch(tile, h, of.others + k, count);
    }
  }

  /// Adds what later entries give.
  void add(const attention_tile& later) const {
    for (int h = 0; h < of.heads; ++h) {
      Number by = 1, by_later = 1;
      if constexpr (terms::is_forward) {
        const Number both = larger(at[h], later.at[h]);
        by = share_below(at[h], both);
        by_later = share_below(later.at[h], both);
        at[h] = both;
      }
      total(h) = by * total(h) + by_later * later.total(h);
      for (int kind = 0; kind < terms::adds_first + terms::adds_second; ++kind)
        for (int j = 0; j < of.width; ++j)
          features(kind, h)[j] = by * features(kind, h)[j] + by_later * later.features(kind, h)[j];
    }
  }

  void store(const attention_results<Out>& to, int tile) const {
    const bool is_empty = of.is_empty(tile);
    for (int h = 0; h < of.heads; ++h) {
      const std::int64_t first = std::int64_t{h} * of.width;
      if constexpr (terms::is_forward) {
        if (to.log_sums != nullptr)
          to.log_sums[std::int64_t{tile} * of.heads + h] =
              total(h) == Number{0} ? at[h] : at[h] + std::log(total(h));
        store_features(to.second + tile * to.second_leading + first, features(0, h),
                       is_empty ? Number{1} : total(h));
      } else {
        if constexpr (Dots)
          store_features(to.first + tile * to.first_leading + first, features(0, h), Number{1});
        else
          to.first[tile * to.first_leading + h] = static_cast<Out>(total(h));
        if constexpr (terms::adds_second)
          store_features(to.second + tile * to.second_leading + first, features(terms::adds_first, h),
                         Number{1});
      }
    }
  }

 private:
  Number& total(int head) const { return at[of.heads + head]; }
  Number* features(int kind, int head) const {
    return at + 2 * of.heads + (std::int64_t{kind} * of.heads + head) * of.width;
  }
  void store_features(Out* to, const Number* from, Number divisor) const {
    for (int j = 0; j < of.width; ++j) to[j] = static_cast<Out>(from[j] / divisor);
  }

  /// Calls visit(i, rows of four features or of one) for all entries of a batch.
  template <class Visit>
  void for_each_four(const Number* lines, std::int64_t leading, int head, const int* others, int count,
                     const Visit& visit) const {
    const Number* const first = lines + std::int64_t{head} * of.width;
    int i = 0;
    for (; count - i >= 4; i += 4) {
      const Number* const rows[4] = {first + others[i] * leading, first + others[i + 1] * leading,
                                     first + others[i + 2] * leading, first + others[i + 3] * leading};
      visit(i, rows);
    }
    for (; i < count; ++i) {
      const Number* const rows[1] = {first + others[i] * leading};
      visit(i, rows);
    }
  }
  /// Writes the dot products of a tile's features and those of other lines.
  void multiply(Number* products, const Number* tile, const Number* lines, std::int64_t leading, int head,
                const int* others, int count) const {
    for_each_four(lines, leading, head, others, count,
                  [&]<int Count>(int i, const Number* const(&rows)[Count]) {
                    Number sums[Count];
                    dots_on_core(tile, rows, of.width, sums);
                    for (int c = 0; c < Count; ++c) products[i + c] = sums[c];
                  });
  }
  /// Adds multiples of the features of other lines.
  void add_lines(Number* sums, const Number* by, const Number* lines, std::int64_t leading, int head,
                 const int* others, int count) const {
    for_each_four(lines, leading, head, others, count,
                  [&]<int Count>(int i, const Number* const(&rows)[Count]) {
                    Number factors[Count];
                    for (int c = 0; c < Count; ++c) factors[c] = by[i + c];
                    add_multiples(sums, rows, factors, of.width);
                  });
  }

  void add_batch(int tile, int head, const int* others, int count) const {
    Number scores[entries_at_once], slopes[entries_at_once];
    const std::int64_t first = std::int64_t{head} * of.width;
    if constexpr (Dots) {
      multiply(scores, of.tile.first + tile * of.tile.first_leading + first, of.other.first,
               of.other.first_leading, head, others, count);
      for (int i = 0; i < count; ++i) scores[i] *= of.factor;
    } else {
      const Number mine = of.tile.first[tile * of.tile.first_leading + head];
      for (int i = 0; i < count; ++i) {
        const Number sum = mine + of.other.first[others[i] * of.other.first_leading + head];
        slopes[i] = sum > Number{0} ? Number{1} : of.factor;
        scores[i] = sum * slopes[i];
      }
    }
    if constexpr (terms::is_forward) {
      Number max = at[head];
      for (int i = 0; i < count; ++i) max = scores[i] > max ? scores[i] : max;
      if (max > at[head]) {
        const Number by = share_below(at[head], max);
        total(head) *= by;
        for (int j = 0; j < of.width; ++j) features(0, head)[j] *= by;
        at[head] = max;
      }
      for (int i = 0; i < count; ++i) {
        scores[i] = share_below(scores[i], max);
        total(head) += scores[i];
      }
    } else {
      add_gradients(tile, head, others, count, scores, slopes);
    }
    if constexpr (terms::adds_second)
      add_lines(features(terms::adds_first, head), scores, of.other.second, of.other.second_leading, head,
                others, count);
  }
  /// Turns scores into shares, and adds what their gradients give.
  void add_gradients(int tile, int head, const int* others, int count, Number* scores,
                     const Number* slopes) const {
    Number gradients[entries_at_once];
    multiply(gradients, of.tile.second + tile * of.tile.second_leading + std::int64_t{head} * of.width,
             of.other.second, of.other.second_leading, head, others, count);
    for (int i = 0; i < count; ++i) {
      constexpr bool of_rows = Pass == attention_pass::of_rows;
      const attention_side<Number>& side = of_rows ? of.tile : of.other;
      const std::int64_t place = std::int64_t{of_rows ? tile : others[i]} * of.heads + head;
      scores[i] = std::exp(scores[i] - side.log_sums[place]);
      gradients[i] = scores[i] * (gradients[i] - side.deltas[place]) * (Dots ? of.factor : slopes[i]);
      if constexpr (!Dots) total(head) += gradients[i];
    }
    if constexpr (terms::adds_first)
      add_lines(features(0, head), gradients, of.other.first, of.other.first_leading, head, others, count);
  }
};

/// The first launch. A block has three places: for a tile that began before it, for one that goes on behind it, and for
/// its own.
template <class Number, class Out, class Offset, attention_pass Pass, bool Dots> struct attention_on_cores {
  using tile_type = attention_tile<Number, Out, Offset, Pass, Dots>;

  attention_operands<Number, Offset> of;
  attention_results<Out> to;
  std::int64_t per_block;
  Number* shared; ///< [block][place]
  int* ends;      ///< per block: the tile that ends in it and began before it, or -1

  Number* place(std::int64_t block, int which) const {
    return shared + (3 * block + which) * tile_type::size(of.heads, of.width);
  }

  template <class Block> void operator()(Block& block) const {
    const std::int64_t begin = block.index() * per_block, end = smaller(begin + per_block, of.count);
    int line = first_past(0, of.lines, [&](int r) { return of.offsets[r] > of.from + begin; }) - 1;
    for (std::int64_t k = begin; k < end; ++line) {
      const std::int64_t line_begin = of.offsets[line] - of.from, line_end = of.offsets[line + 1] - of.from;
      if (line_begin == line_end) continue;
      const bool begins_before = line_begin<begin, ends_behind = line_end> end;
      if (k == begin) ends[block.index()] = begins_before && !ends_behind ? line : -1;
      const tile_type tile{of, place(block.index(), begins_before ? 0 : ends_behind ? 1 : 2)};
      tile.clear();
      tile.add_entries(line, k, smaller(line_end, end));
      if (!begins_before && !ends_behind) tile.store(to, line);
      k = smaller(line_end, end);
    }
  }
};

/// The second launch: tiles that blocks share, and those without entries. Block i combines what ends in block i.
template <class Number, class Out, class Offset, attention_pass Pass, bool Dots>
struct attention_join_on_cores {
  attention_on_cores<Number, Out, Offset, Pass, Dots> first;
  int blocks;

  template <class Block> void operator()(Block& block) const {
    using tile_type = attention_tile<Number, Out, Offset, Pass, Dots>;
    const auto& of = first.of;
    const int me = static_cast<int>(block.index());
    const int line = of.count > 0 ? first.ends[me] : -1;
    if (line >= 0) {
      const auto from = static_cast<int>((of.offsets[line] - of.from) / first.per_block);
      const tile_type sums{of, first.place(me, 2)};
      sums.clear();
      for (int b = from; b <= me; ++b) sums.add({of, first.place(b, b == from ? 1 : 0)});
      sums.store(first.to, line);
    }
    const std::int64_t per_block = ceil_div(of.lines, blocks);
    const std::int64_t end = smaller<std::int64_t>((me + 1) * per_block, of.lines);
    const tile_type none{of, first.place(me, 2)};
    none.clear();
    for (std::int64_t r = me * per_block; r < end; ++r)
      if (of.is_empty(static_cast<int>(r))) none.store(first.to, static_cast<int>(r));
  }
};

} // namespace evenly::detail
