// SPDX-License-Identifier: Apache-2.0
// Rows of C = A B with more products than a block's storage has room for: giants. Each by one block, which has a bit in
// memory for each column, and goes from giant to giant.
//
//   sizes     whoever sets a bit first counts it
//   columns   warps have equal parts of the bitmap: they count, then write where their columns belong, and for each
//             word how many columns come before it
//   values    warps have equal parts of the row's columns: each goes through the products of these, a warp's width at a
//             time, and finds the place of each by the bitmap. So products are added in their order (ordered_turns)
//             without waiting for other warps
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/order_by_key.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/detail/ordered_turns.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// Memory for the bits of all columns: of each block a bitmap, all 0 between two launches, and as many numbers.
struct giant_bitmaps {
  static constexpr int bits = 32; ///< of a word

  std::uint32_t* memory = nullptr;
  std::int64_t words = 0; ///< of a bitmap
  int count = 0;          ///< of bitmaps

  EVENLY_FN std::uint32_t* bitmap(int block) const { return memory + block * words; }
  EVENLY_FN std::uint32_t* befores(int block) const { return memory + (count + block) * words; }
};

template <class Terms, class OffsetC> struct giant_product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int tuned_block_size = 512;
  static constexpr int warp_width = 32; ///< of a team that keeps the order of its products
  static constexpr int marks_per_thread = 4;

  Terms of;
  const int* rows; ///< the giants, with the most products last
  int count;
  std::uint32_t* next; ///< 0
  giant_bitmaps bitmaps;
  int first_row, end_row; ///< others are left out
  std::int64_t* sizes;    ///< of all rows; or null, to write what follows
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< of those that columns and values have
  int* columns_of_c;
  value* values_of_c;

  struct slots {
    slot<offset_b> starts;
    slot<std::int64_t> ends;
    slot<value> factors;
    slot<std::int64_t> scratch;
    slot<std::int64_t> of_warp;
    slot<std::uint32_t> marks;
    slot<std::uint32_t> drawn;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<offset_b>(shape.size),
            layout.take<std::int64_t>(shape.size),
            layout.take<value>(shape.size),
            layout.take<std::int64_t>(shape.warps()),
            layout.take<std::int64_t>(shape.warps()),
            layout.take<std::uint32_t>(marks_per_thread * shape.size + ceil_div(shape.size, warp_width) + 1),
            layout.take<std::uint32_t>(1)};
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
      const int row = rows[count - 1 - static_cast<int>(turn)];
      if (row < first_row || row >= end_row) continue;
      if (sizes != nullptr)
        size_row(all, row, places);
      else
        fill_row(all, row, places);
      for (std::int64_t i = block.rank(); i < bitmaps.words; i += block.size())
        bitmaps.bitmap(block.index())[i] = 0;
      block.sync();
    }
  }

 private:
  EVENLY_FN static std::uint32_t bit_of(int column) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(column) % giant_bitmaps::bits;
  }
  EVENLY_FN static int word_of(int column) { return column / giant_bitmaps::bits; }

  /// Sets the bits of a row's columns. Returns how many the caller has set first. Synchronises the team, at last too.
  template <class Team> EVENLY_FN std::int64_t mark(const Team& all, int row, const slots& places) const {
    auto& block = all.block();
    std::uint32_t* const words = bitmaps.bitmap(block.index());
    std::int64_t first = 0;
    of.for_each_product(
        all, row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends), no_factors{},
        block.storage(places.scratch), [&](bool has, offset_b at, value, std::int64_t) {
          if (!has) return;
          const int column = of.b.columns[at];
          const std::uint32_t bit = bit_of(column);
          const std::uint32_t before =
              atomic_ref(words[word_of(column)], scope::block{}).fetch_or(bit, order::relaxed{});
          first += (before & bit) == 0;
        });
    return first;
  }

  template <class Team> EVENLY_FN void size_row(const Team& all, int row, const slots& places) const {
    const std::int64_t mine = mark(all, row, places);
    const std::int64_t found = all.reduce(mine, plus<std::int64_t>{}, all.block().storage(places.scratch));
    if (all.rank() == 0) sizes[row] = found;
  }

  template <class Block>
  EVENLY_FN void fill_row(const team<whole_block, Block>& all, int row, const slots& places) const {
    Block& block = all.block();
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    mark(all, row, places);
    const std::int64_t entries = write_columns(all, to, places);
    block.sync();
    const team<warp_width, Block> mine(block);
    if (mine.wide() || block.size() % warp_width != 0)
      return add_values(all, row, to, {0, of.b.cols}, places.starts, places.ends, places.factors,
                        places.marks, places.scratch);
    const int teams = mine.count(), me = mine.index();
    const auto of_team = [&](const auto& place, int each) { return place.part(me * each, each); };
    const std::int64_t begin = entries * me / teams, end = entries * (me + 1) / teams;
    if (begin < end) {
      const int first = columns_of_c[to + begin], last = columns_of_c[to + end - 1];
      add_values(mine, row, to, {first, last + 1}, of_team(places.starts, mine.size()),
                 of_team(places.ends, mine.size()), of_team(places.factors, mine.size()),
                 of_team(places.marks, marks_per_thread * mine.size() + 1), places.scratch);
    }
    block.sync();
  }

  /// The row's columns in order, with values of 0, and how many come before each word that has some. Returns how many
  /// there are.
  template <class Team>
  EVENLY_FN std::int64_t write_columns(const Team& all, std::int64_t to, const slots& places) const {
    auto& block = all.block();
    const auto warp = this_warp(block);
    const int warps = block.shape().warps(), me = warp_of(block);
    const std::uint32_t* const words = bitmaps.bitmap(block.index());
    std::uint32_t* const befores = bitmaps.befores(block.index());
    const std::int64_t part = ceil_div<std::int64_t>(bitmaps.words, warps);
    const std::int64_t begin = smaller(part * me, bitmaps.words), end = smaller(begin + part, bitmaps.words);
    std::int64_t found = 0;
    for (std::int64_t i = begin + warp.rank(); i < end; i += warp.size()) found += lanes_in(words[i]);
    const std::int64_t all_of_warp = warp.shuffle(warp.scan(found, plus<std::int64_t>{}), warp.size() - 1);
    const auto of_warp = block.storage(places.of_warp);
    if (warp.rank() == 0) of_warp[me] = all_of_warp;
    block.sync();
    std::int64_t before = 0, total = 0;
    for (int w = 0; w < warps; ++w) {
      const std::int64_t here = of_warp[w];
      if (w < me) before += here;
      total += here;
    }
    for (std::int64_t first = begin; first < end; first += warp.size()) {
      const std::int64_t i = first + warp.rank();
      std::uint32_t word = 0;
      if (i < end) word = words[i];
      if (!warp.any(word != 0)) continue;
      const int upto = warp.scan(lanes_in(word), plus<int>{});
      std::int64_t place = before + upto - lanes_in(word);
      if (word != 0) befores[i] = static_cast<std::uint32_t>(place);
      for (; word != 0; word &= word - 1) {
        columns_of_c[to + place] = static_cast<int>(i * giant_bitmaps::bits + first_lane(word));
        values_of_c[to + place++] = value{0};
      }
      before += warp.shuffle(upto, warp.size() - 1);
    }
    return total;
  }

  /// Adds the products whose columns are in a window, by all threads of a team.
  template <class Team>
  EVENLY_FN void add_values(const Team& mine, int row, std::int64_t to, const column_window& window,
                            const slot<offset_b>& starts, const slot<std::int64_t>& ends,
                            const slot<value>& factors, const slot<std::uint32_t>& marks,
                            const slot<std::int64_t>& scratch) const {
    auto& block = mine.block();
    const std::uint32_t* const words = bitmaps.bitmap(block.index());
    const std::uint32_t* const befores = bitmaps.befores(block.index());
    const auto marks_here = block.storage(marks);
    ordered_turns turns(mine, marks_here);
    of.for_each_product(mine, row, window, block.storage(starts), block.storage(ends), block.storage(factors),
                        block.storage(scratch), [&](bool has, offset_b at, value factor, std::int64_t) {
                          int column = 0;
                          if (has) column = of.b.columns[at];
                          has = has && window.has(column);
                          std::uint32_t place = 0;
                          value product{};
                          if (has) {
                            const std::uint32_t bit = bit_of(column);
                            place = befores[word_of(column)] +
                                    static_cast<std::uint32_t>(lanes_in(words[word_of(column)] & (bit - 1)));
                            product = rounded_product(factor, of.b.values[at]);
                          }
                          turns(has, place, [&] { values_of_c[to + place] += product; });
                        });
  }
};

struct same_row {
  EVENLY_FN int operator()(std::int64_t i) const { return static_cast<int>(i); }
};
struct is_giant {
  const std::int64_t* work;
  std::int64_t most;
  EVENLY_FN bool operator()(int row) const { return work[row] > most; }
};
struct size_of_giant {
  const std::int64_t* work;
  const int* rows;
  EVENLY_FN int operator()(std::int64_t i) const { return last_lane(static_cast<lane_mask>(work[rows[i]])); }
};
/// The row at a place of an order, which has no work from now on.
struct take_giant {
  const int* rows;
  const int* order;
  std::int64_t* work;
  EVENLY_FN int operator()(std::int64_t i) const {
    const int row = rows[order[i]];
    work[row] = 0;
    return row;
  }
};

/// The giants of a product, and memory for them.
class product_giants {
 public:
  /// The rows with more work than `most`: `count` of them. Their work is 0 afterwards. Allocates and synchronises.
  template <class Executor>
  void take(const Executor& exec, std::int64_t* work, int rows, std::int64_t most, int count, int cols) {
    const auto size = static_cast<std::size_t>(count);
    const auto found = make_buffer<int>(exec, size), order = make_buffer<int>(exec, size);
    rows_ = make_buffer<int>(exec, size);
    select(exec, generated{same_row{}}, rows, is_giant{work, most}, found.data());
    order_by_key<64>(exec, count, size_of_giant{work, found.data()}, order.data());
    tabulate(exec, count, take_giant{found.data(), order.data(), work}, rows_.data());
    count_ = count;
    next_ = make_buffer<std::uint32_t>(exec, 1);
    bitmaps_.words = ceil_div(cols, giant_bitmaps::bits);
    bitmaps_.count = 0;
  }
  int count() const { return count_; }

  /// Runs a kernel without its giants and bitmaps. Allocates and waits the first time.
  template <class Executor, class Kernel> void run(const Executor& exec, Kernel kernel) {
    if (count_ == 0) return;
    int block_size = Kernel::tuned_block_size;
    std::int64_t blocks = smaller<std::int64_t>(count_, most_bitmaps(bitmaps_.words));
    if constexpr (Executor::on_host) { // a thread costs the host a stack
      block_size = 2 * exec.shape_of(1).warp;
      blocks = smaller<std::int64_t>(blocks, 3);
    }
    blocks = smaller<std::int64_t>(blocks, resident_blocks(exec, kernel, block_size));
    if (bitmaps_.count == 0) {
      bitmaps_.count = static_cast<int>(blocks);
      memory_ = make_buffer<std::uint32_t>(exec, static_cast<std::size_t>(2 * blocks * bitmaps_.words));
      exec.fill_zero(memory_.data(), memory_.size() * sizeof(std::uint32_t));
      bitmaps_.memory = memory_.data();
    }
    exec.fill_zero(next_.data(), sizeof(std::uint32_t));
    kernel.rows = rows_.data();
    kernel.count = count_;
    kernel.next = next_.data();
    kernel.bitmaps = bitmaps_;
    launch(exec, {smaller(static_cast<int>(blocks), bitmaps_.count), block_size}, kernel);
  }

  /// The most bytes that bitmaps take, where there are so many columns.
  static std::int64_t most_bytes(std::int64_t cols) {
    const std::int64_t words = ceil_div<std::int64_t>(cols, giant_bitmaps::bits);
    return most_bitmaps(words) * words * bytes_of_word;
  }

 private:
  static constexpr std::int64_t bytes_of_word = 2 * sizeof(std::uint32_t);
  static constexpr std::int64_t most_blocks = 2048, least_blocks = 128, usual_bytes = std::int64_t{1} << 26;

  /// As many as have room in `usual_bytes`, but no fewer than keep a GPU at work.
  static std::int64_t most_bitmaps(std::int64_t words) {
    return smaller(most_blocks, least_blocks + usual_bytes / larger<std::int64_t>(words * bytes_of_word, 1));
  }

  buffer<int> rows_;
  int count_ = 0;
  buffer<std::uint32_t> next_;
  buffer<std::uint32_t> memory_;
  giant_bitmaps bitmaps_;
};

} // namespace evenly::detail
