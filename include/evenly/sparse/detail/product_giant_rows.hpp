// SPDX-License-Identifier: Apache-2.0
// Giant rows of C = A B: those with more products than a block's storage can hold. A block processes one giant after
// the other, with a bitmap of columns in memory.
//
//   sizes     the thread that first sets a bit counts it; in the pass for columns and values also for the part of the
//             bitmap, in storage. A scan of the part counts gives the positions of columns. Parts without bits are
//             neither read nor cleared
//   columns   each thread has some words of the bitmap and writes their columns. The position of a column is the count
//             before its part plus the number of bits before it in the part (product_bits.hpp)
//   values    one of two methods; both add the products of a place in order
//             parts  warps have parts of the row's columns, and do not wait for each other (product_giant_sums.hpp)
//             lists  the block goes through all products, some per thread at a time. A product whose filter bit is 0
//                    is the only one of its column, and is stored directly. Other products are listed in order,
//                    and one warp per place adds them. For rows with few products per place
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/sparse/detail/product_bits.hpp"
#include "evenly/sparse/detail/product_giant_sums.hpp"
#include "evenly/sparse/detail/product_sort.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// A giant, and the larger of its numbers of products and of entries of A.
struct giant_row {
  std::int64_t products;
  int row;
};

template <class Terms, class OffsetC> struct giant_product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int tuned_block_size = 256, min_blocks = 5;
  static constexpr int warp_width = 32; ///< of a team that keeps the order of its products
  static constexpr int filter_per_thread = 4;
  static constexpr int min_of_entry = 8; ///< minimum products of an entry that a warp reads together

  Terms of;
  const giant_row* rows; ///< the giants, ascending by number of products
  int count;
  std::uint32_t* next; ///< initially 0
  giant_bitmaps bitmaps;
  int first_row, end_row; ///< other rows are skipped
  int* sizes;             ///< of all rows; null: writes columns and values instead
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;

  struct slots {
    slot<offset_b> starts;
    slot<std::int64_t> ends;
    slot<value> factors;
    slot<value> sums;
    slot<std::uint32_t> listed; ///< places; shares memory with sums, like products
    slot<value> products;
    slot<std::uint32_t> filter; ///< one bit per hash: whether some of its columns has several products
    slot<std::int64_t> scratch;
    slot<std::int64_t> of_warp;
    slot<std::uint32_t> drawn;
    slot<std::uint32_t> parts; ///< numbers of bits in parts, and before them

    /// The slots of one team of the block.
    EVENLY_FN slots of_team(int team, int size) const {
      return {starts.part(team * size, size),
              ends.part(team * size, size),
              factors.part(team * size, size),
              sums.part(team * size * giant_sums::per_thread, size * giant_sums::per_thread),
              listed,
              products,
              filter,
              scratch,
              of_warp,
              drawn,
              parts};
    }
  };
  EVENLY_FN constexpr slots lay_out(storage_layout& layout, block_shape shape) const {
    slots all;
    all.starts = layout.take<offset_b>(shape.size);
    all.ends = layout.take<std::int64_t>(shape.size);
    all.factors = layout.take<value>(shape.size);
    const auto shared = layout.mark();
    all.sums = layout.take<value>(shape.size * giant_sums::per_thread);
    layout.rewind(shared);
    all.listed = layout.take<std::uint32_t>(shape.size * Terms::ahead);
    all.products = layout.take<value>(shape.size * Terms::ahead);
    layout.skip_to_max();
    all.filter = layout.take<std::uint32_t>(shape.size * filter_per_thread);
    all.scratch = layout.take<std::int64_t>(shape.warps());
    all.of_warp = layout.take<std::int64_t>(shape.warps());
    all.drawn = layout.take<std::uint32_t>(1);
    all.parts = layout.take<std::uint32_t>(bitmaps.parts() + 1);
    return all;
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots places = lay_out(layout, block.shape());
    const team<whole_block, Block> all(block);
    const auto drawn = block.storage(places.drawn);
    for (;;) {
      if (block.rank() == 0) drawn[0] = atomic_ref(*next).fetch_add(1u, order::relaxed{});
      block.sync();
      const std::uint32_t turn = drawn[0];
      block.sync();
      if (turn >= static_cast<std::uint32_t>(count)) return;
      const giant_row giant = rows[count - 1 - static_cast<int>(turn)];
      if (giant.row < first_row || giant.row >= end_row) continue;
      if (sizes != nullptr)
        size_row(all, giant, places);
      else
        fill_row(all, giant, places);
      block.sync();
    }
  }

 private:
  template <class Block> EVENLY_FN auto bits_of(const Block& block, const slots& places) const {
    return bits_of_row(bitmaps, block, block.storage(places.parts));
  }

  EVENLY_FN std::int64_t entries_of_a(int row) const {
    return std::int64_t{of.a.offsets[row + 1]} - of.a.offsets[row];
  }

  /// Sets the bits of a row's columns, and counts them in their parts. If only sizes are needed, the counts of parts
  /// with bits are just not 0. `filters`: records the columns with several products. Returns the number of bits first
  /// set by the caller. Synchronises the block, also at the end.
  template <class Block>
  EVENLY_FN std::int64_t mark(const team<whole_block, Block>& all, const giant_row& giant, bool filters,
                              const slots& places) const {
    auto& block = all.block();
    std::uint32_t* const words = bitmaps.bitmap(block.index());
    const auto filter = block.storage(places.filter);
    const auto parts = block.storage(places.parts);
    if (filters)
      for (int i = all.rank(); i < filter.size(); i += all.size()) filter[i] = std::uint32_t{0};
    for (int i = all.rank(); i < parts.size(); i += all.size()) parts[i] = std::uint32_t{0};
    all.sync();
    // A load saves the atomic operation for each product whose bit is set. If columns are many, few bits are set.
    const bool peeks = of.b.cols <= product_ways::few_columns;
    struct seen {
      int column;
      std::uint32_t bits; ///< of its word before the column's was set; if pending, the current ones
    };
    const auto look = [&](bool has, int column) {
      const auto word = atomic_ref(words[giant_bitmaps::word_of(column)], scope::block{});
      seen at{column, 0};
      if (peeks)
        at.bits = word.load(order::relaxed{});
      else if (has)
        at.bits = word.fetch_or(giant_bitmaps::bit_of(column), order::relaxed{});
      return at;
    };
    int first = 0;
    const auto set = [&](bool has, const seen& at) {
      if (!has) return;
      const std::uint32_t bit = giant_bitmaps::bit_of(at.column);
      std::uint32_t there = at.bits;
      if (peeks && (there & bit) == 0)
        there = atomic_ref(words[giant_bitmaps::word_of(at.column)], scope::block{})
                    .fetch_or(bit, order::relaxed{});
      if ((there & bit) == 0) {
        ++first;
        const auto part = atomic_ref(parts[bitmaps.part_of(at.column)], scope::block{});
        if (sizes == nullptr)
          part.fetch_add(1u, order::relaxed{});
        else if (there == 0)
          part.store(1u, order::relaxed{});
      } else if (filters) {
        atomic_ref(filter[column_filter::word_of(at.column, filter.size())], scope::block{})
            .fetch_or(column_filter::bit_of(at.column), order::relaxed{});
      }
    };
    const team<warp_width, Block> mine(block);
    if (peeks && !mine.wide() && giant.products >= min_of_entry * entries_of_a(giant.row)) {
      if (mine.has_thread())
        of.template for_each_product_by_entries<no_factors>(
            mine, giant.row, {0, of.b.cols}, mine.index(), mine.count(), look,
            [&](bool has, const seen& at, value) { set(has, at); });
      block.sync();
    } else {
      of.template for_each_product<true>(
          all, giant.row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends),
          no_factors{}, block.storage(places.scratch), look,
          [&](int, bool has, const seen& at, value, std::int64_t) { set(has, at); });
    }
    return first;
  }

  template <class Block>
  EVENLY_FN void size_row(const team<whole_block, Block>& all, const giant_row& giant,
                          const slots& places) const {
    const std::int64_t mine = mark(all, giant, false, places);
    const std::int64_t found = all.reduce(mine, plus<std::int64_t>{}, all.block().storage(places.scratch));
    if (all.rank() == 0) sizes[giant.row] = static_cast<int>(found);
    const auto bits = bits_of(all.block(), places);
    bits.clear(all, [&](int first) { return bits.is_marked(first); });
  }

  template <class Block>
  EVENLY_FN void fill_row(const team<whole_block, Block>& all, const giant_row& giant,
                          const slots& places) const {
    Block& block = all.block();
    const int row = giant.row;
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const std::int64_t entries = std::int64_t{offsets[row + 1]} - offsets[row];
    const team<warp_width, Block> mine(block);
    const std::int64_t products = giant.products, of_a = entries_of_a(row);
    const bool nearly_all_alone = 10 * products < 11 * entries;
    const bool finds_few = products < giant_sums::min_found * mine.count() * of_a;
    const bool by_lists = mine.wide() || nearly_all_alone || (finds_few && products < 2 * entries);
    mark(all, giant, by_lists, places);
    const auto bits = bits_of(block, places);
    product_sort::begin_counters(all, bits.parts.size(), bits.parts, block.storage(places.scratch));
    write_columns(all, to, bits);
    block.sync();
    if (by_lists)
      sum_by_lists(all, row, to, entries, places);
    else if (mine.has_thread())
      sum_by_parts(mine, giant, to, entries, places);
    block.sync();
    bits.clear(all, [&](int first) { return bits.may_have_some(first); });
  }

  template <class Team>
  EVENLY_FN void sum_by_parts(const Team& mine, const giant_row& giant, std::int64_t to, std::int64_t entries,
                              const slots& places) const {
    auto& block = mine.block();
    const slots here = places.of_team(mine.index(), mine.size());
    const auto bits = bits_of(block, here);
    const giant_part_sums<Terms, std::remove_const_t<decltype(bits)>> all{of,
                                                                          bits,
                                                                          giant.row,
                                                                          giant.products,
                                                                          entries_of_a(giant.row),
                                                                          columns_of_c + to,
                                                                          entries,
                                                                          values_of_c + to};
    all(mine, block.storage(here.sums), block.storage(here.starts), block.storage(here.ends),
        block.storage(here.factors), block.storage(here.scratch));
  }

  template <class Team>
  EVENLY_FN void sum_by_lists(const Team& all, int row, std::int64_t to, std::int64_t entries,
                              const slots& places) const {
    auto& block = all.block();
    value* const sums = values_of_c + to;
    for (std::int64_t i = all.rank(); i < entries; i += all.size()) sums[i] = value{0};
    all.sync();
    const auto filter = block.storage(places.filter);
    const auto row_bits = bits_of(block, places);
    struct seen {
      std::uint32_t place;
      bool alone;
    };
    std::uint32_t of_place[Terms::ahead];
    value listed[Terms::ahead];
    unsigned waits = 0; // bit u: product u of the thread's run is listed
    of.template for_each_product<true>(
        all, row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends),
        block.storage(places.factors), block.storage(places.scratch),
        [&](bool has, int column) {
          if (!has) return seen{0, true};
          const std::uint32_t bits = filter[column_filter::word_of(column, filter.size())];
          return seen{row_bits.place_of(column), (bits & column_filter::bit_of(column)) == 0};
        },
        [&](int u, bool has, const seen& at, value product, std::int64_t) {
          if (has && at.alone) sums[at.place] = value{0} + product;
          if (u == 0) waits = 0;
          if (has && !at.alone) waits |= 1u << u;
          of_place[u] = at.place;
          listed[u] = product;
          if (u + 1 == Terms::ahead) add_listed(all, waits, of_place, listed, sums, places);
        });
  }

  /// sums[of_place[u]] += listed[u] for all set bits u of `waits`, by all threads of the block together; products of
  /// one place in order.
  template <class Team>
  EVENLY_FN void add_listed(const Team& all, unsigned waits, const std::uint32_t (&of_place)[Terms::ahead],
                            const value (&listed)[Terms::ahead], value* sums, const slots& places) const {
    auto& block = all.block();
    const auto warp = this_warp(block);
    const auto of_list = block.storage(places.listed);
    const auto products = block.storage(places.products);
    const auto of_warp = block.storage(places.of_warp);
    const int mine = lanes_in(waits), upto = warp.scan(mine, plus<int>{});
    if (warp.rank() == warp.size() - 1) of_warp[warp_of(block)] = std::int64_t{upto};
    block.sync();
    const auto before_warp = scan_warps_by_lanes(block, of_warp, plus<std::int64_t>{});
    const auto length = static_cast<int>(before_warp.total);
    int to = static_cast<int>(before_warp.before) + upto - mine;
    EVENLY_UNROLL
    for (int u = 0; u < Terms::ahead; ++u)
      if ((waits >> u & 1u) != 0) {
        of_list[to] = of_place[u];
        products[to++] = listed[u];
      }
    block.sync();
    const auto warps = static_cast<std::uint32_t>(block.shape().warps());
    for (int first = 0; first < length; first += warp.size()) {
      const int i = first + warp.rank();
      std::uint32_t place = 0;
      if (i < length) place = of_list[i];
      const bool is_ours = i < length && place % warps == static_cast<std::uint32_t>(warp_of(block));
      lane_mask same = 0; // in the first lane of a place: all lanes of that place
      for (lane_mask left = warp.ballot(is_ours); left != 0;) {
        const int leader = first_lane(left);
        const std::uint32_t leading = warp.shuffle(place, leader);
        const lane_mask those = warp.ballot(is_ours && place == leading);
        if (warp.rank() == leader) same = those;
        left &= ~those;
      }
      if (same != 0) {
        value sum = sums[place];
        for (; same != 0; same &= same - 1) {
          const value product = products[first + first_lane(same)];
          sum += product;
        }
        sums[place] = sum;
      }
      warp.sync();
    }
    if (length > 0) block.sync();
  }

  /// Writes the row's columns in order; if parts are long, also the number of bits before each `together` words.
  template <class Team, class Bits>
  EVENLY_FN void write_columns(const Team& all, std::int64_t to, const Bits& bits) const {
    constexpr int together = giant_bitmaps::together;
    const auto warp = this_warp(all.block());
    const auto all_words = static_cast<int>(bitmaps.words);
    const bool long_parts = bitmaps.has_long_parts();
    // If parts are long, each warp has equally many consecutive words.
    const int of_warp = ceil_div(bitmaps.parts(), all.block().shape().warps()) << bitmaps.part_bits;
    const int begin = long_parts ? smaller(of_warp * warp_of(all.block()), all_words) : 0;
    const int end = long_parts ? smaller(begin + of_warp, all_words) : all_words;
    const int rank = long_parts ? warp.rank() : all.rank();
    const int stride = together * (long_parts ? warp.size() : all.size());
    std::uint32_t so_far = 0;
    if (long_parts && begin < end) so_far = bits.before(begin);
    for (int first = begin; first < end; first += stride) {
      const int from = first + together * rank;
      const bool some = from < end && bits.may_have_some(from);
      typename Bits::few_words here{};
      if (some) here = bits.read(from);
      std::uint32_t place = 0;
      if (long_parts) {
        int set = 0;
        EVENLY_UNROLL
        for (int u = 0; u < together; ++u) set += lanes_in(here.word[u]);
        const int upto = warp.scan(set, plus<int>{});
        place = so_far + static_cast<std::uint32_t>(upto - set);
        so_far += static_cast<std::uint32_t>(warp.shuffle(upto, warp.size() - 1));
        if (some && !bitmaps.by_words) bits.befores[from / together] = place;
      } else if (some) {
        place = bits.before(from);
      }
      typename Bits::few_words before{};
      EVENLY_UNROLL
      for (int u = 0; u < together; ++u) {
        before.word[u] = place;
        for (std::uint32_t left = here.word[u]; left != 0; left &= left - 1)
          columns_of_c[to + place++] = (from + u) * giant_bitmaps::bits + first_lane(left);
      }
      if (some && bitmaps.by_words)
        *reinterpret_cast<typename Bits::few_words*>(bits.befores + from) = before;
    }
  }
};

} // namespace evenly::detail
