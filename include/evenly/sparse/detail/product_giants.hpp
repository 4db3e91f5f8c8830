// SPDX-License-Identifier: Apache-2.0
// Rows of C = A B with more products than a block's storage has room for: giants. Each by one block, which has a bit in
// memory for each column, and goes from giant to giant.
//
//   sizes     whoever sets a bit first counts it
//   columns   warps have equal parts of the bitmap: they count, then write where their columns belong, and for each
//             word how many columns come before it
//   values    in one of two ways, which add the products of a place in their order
//             parts  warps have parts of the row's columns: each goes through the products of these, a warp's width at a
//                    time, and does not wait for other warps. Sums lie in storage, unless that took so many parts that
//                    looking for their products in the rows of B were more work than adding them
//             lists  the block goes through all products, its width at a time. A product whose bit nobody has found
//                    set is alone, and stored; others are listed in their order, and the first of a place adds all that
//                    follow. For rows that have few products of one place
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
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
  static constexpr int tuned_block_size = 256, least_blocks = 5;
  static constexpr int warp_width = 32;      ///< of a team that keeps the order of its products
  static constexpr int sums_per_thread = 16; ///< in storage
  static constexpr int filter_per_thread = 4;
  static constexpr int least_found = 3; ///< products that should be found by a search in a row of B

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
    slot<value> sums;
    slot<std::uint32_t> listed; ///< places; where sums are, as their products
    slot<value> products;
    slot<std::uint32_t> filter; ///< a bit for all columns of one hash: whether some has several products
    slot<std::int64_t> scratch;
    slot<std::int64_t> of_warp;
    slot<std::uint32_t> drawn;

    /// Those of one of the block's teams.
    EVENLY_FN slots of_team(int team, int size) const {
      return {starts.part(team * size, size),
              ends.part(team * size, size),
              factors.part(team * size, size),
              sums.part(team * size * sums_per_thread, size * sums_per_thread),
              listed,
              products,
              filter,
              scratch,
              of_warp,
              drawn};
    }
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    slots all;
    all.starts = layout.take<offset_b>(shape.size);
    all.ends = layout.take<std::int64_t>(shape.size);
    all.factors = layout.take<value>(shape.size);
    const auto shared = layout.mark();
    all.sums = layout.take<value>(shape.size * sums_per_thread);
    layout.rewind(shared);
    all.listed = layout.take<std::uint32_t>(shape.size);
    all.products = layout.take<value>(shape.size);
    layout.skip_to_most();
    all.filter = layout.take<std::uint32_t>(shape.size * filter_per_thread);
    all.scratch = layout.take<std::int64_t>(shape.warps());
    all.of_warp = layout.take<std::int64_t>(shape.warps());
    all.drawn = layout.take<std::uint32_t>(1);
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
  /// Where the filter, of so many words, has a column.
  EVENLY_FN static int filter_word(int column, int words) {
    return static_cast<int>(static_cast<std::uint64_t>(hashed(column)) * static_cast<std::uint64_t>(words) >>
                            32);
  }
  EVENLY_FN static std::uint32_t filter_bit(int column) { return std::uint32_t{1} << (hashed(column) & 31u); }
  EVENLY_FN static std::uint32_t hashed(int column) {
    constexpr std::uint32_t golden = 2654435769u;
    const std::uint32_t mixed = static_cast<std::uint32_t>(column) * golden;
    return mixed ^ mixed >> 15;
  }

  /// What is known of a row once its bits are set.
  struct marked {
    std::int64_t products; ///< in all
    std::int64_t first;    ///< bits that the caller has set first
  };
  /// Sets the bits of a row's columns. Synchronises the team, at last too.
  template <class Team> EVENLY_FN marked mark(const Team& all, int row, const slots& places) const {
    auto& block = all.block();
    std::uint32_t* const words = bitmaps.bitmap(block.index());
    const auto filter = block.storage(places.filter);
    for (int i = all.rank(); i < filter.size(); i += all.size()) filter[i] = std::uint32_t{0};
    all.sync();
    std::int64_t first = 0;
    const std::int64_t products = of.for_each_product(
        all, row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends), no_factors{},
        block.storage(places.scratch),
        [&](bool has, int column) {
          if (!has) return 0;
          const std::uint32_t bit = bit_of(column);
          const auto word = atomic_ref(words[word_of(column)], scope::block{});
          if ((word.load(order::relaxed{}) & bit) == 0 && (word.fetch_or(bit, order::relaxed{}) & bit) == 0)
            return 1;
          if (sizes == nullptr)
            atomic_ref(filter[filter_word(column, filter.size())], scope::block{})
                .fetch_or(filter_bit(column), order::relaxed{});
          return 0;
        },
        [&](bool, int is_first, value, std::int64_t) { first += is_first; });
    return {products, first};
  }

  template <class Team> EVENLY_FN void size_row(const Team& all, int row, const slots& places) const {
    const std::int64_t mine = mark(all, row, places).first;
    const std::int64_t found = all.reduce(mine, plus<std::int64_t>{}, all.block().storage(places.scratch));
    if (all.rank() == 0) sizes[row] = found;
  }

  template <class Block>
  EVENLY_FN void fill_row(const team<whole_block, Block>& all, int row, const slots& places) const {
    Block& block = all.block();
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const std::int64_t products = mark(all, row, places).products;
    const std::int64_t entries = write_columns(all, to, places);
    block.sync();
    const team<warp_width, Block> mine(block);
    const std::int64_t of_a = std::int64_t{of.a.offsets[row + 1]} - of.a.offsets[row];
    const bool nearly_all_alone = 10 * products < 11 * entries;
    const bool finds_few = products < least_found * mine.count() * of_a;
    if (mine.wide() || nearly_all_alone || (finds_few && products < 2 * entries))
      sum_by_lists(all, row, to, entries, places);
    else if (mine.has_thread())
      sum_parts(mine, row, to, entries, products / (least_found * of_a), places);
    block.sync();
  }

  template <class Team>
  EVENLY_FN void sum_parts(const Team& mine, int row, std::int64_t to, std::int64_t entries,
                           std::int64_t most_parts, const slots& places) const {
    const slots here = places.of_team(mine.index(), mine.size());
    std::int64_t parts = ceil_div<std::int64_t>(entries, mine.size() * sums_per_thread);
    const bool in_storage = parts <= larger<std::int64_t>(mine.count(), most_parts);
    if (!in_storage || parts < mine.count()) parts = mine.count();
    for (std::int64_t part = mine.index(); part < parts; part += mine.count()) {
      const std::int64_t begin = entries * part / parts, end = entries * (part + 1) / parts;
      value* const values = values_of_c + to + begin;
      if (in_storage) {
        const auto sums = mine.block().storage(here.sums);
        sum_part(mine, row, to, begin, end, here, sums);
        for (std::int64_t i = mine.rank(); i < end - begin; i += mine.size())
          values[i] = sums[static_cast<int>(i)];
        mine.sync();
      } else {
        sum_part(mine, row, to, begin, end, here, values);
      }
    }
  }

  template <class Team>
  EVENLY_FN void sum_by_lists(const Team& all, int row, std::int64_t to, std::int64_t entries,
                              const slots& places) const {
    auto& block = all.block();
    value* const sums = values_of_c + to;
    for (std::int64_t i = all.rank(); i < entries; i += all.size()) sums[i] = value{0};
    all.sync();
    const auto filter = block.storage(places.filter);
    struct seen {
      std::uint32_t place;
      bool alone;
    };
    of.for_each_product(
        all, row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends),
        block.storage(places.factors), block.storage(places.scratch),
        [&](bool has, int column) {
          if (!has) return seen{0, true};
          const std::uint32_t bits = filter[filter_word(column, filter.size())];
          return seen{place_of(block, column), (bits & filter_bit(column)) == 0};
        },
        [&](bool has, const seen& at, value product, std::int64_t) {
          if (has && at.alone) sums[at.place] = value{0} + product;
          add_listed(all, has && !at.alone, at.place, product, sums, places);
        });
  }

  /// sums[place] += product, by all threads of the block together: those of one place in the order of threads.
  template <class Team>
  EVENLY_FN void add_listed(const Team& all, bool has, std::uint32_t place, value product, value* sums,
                            const slots& places) const {
    auto& block = all.block();
    const auto listed = block.storage(places.listed);
    const auto products = block.storage(places.products);
    const auto scan = team_scan(all, std::int64_t{has}, plus<std::int64_t>{}, block.storage(places.scratch));
    const auto count = static_cast<int>(scan.total);
    if (has) {
      listed[static_cast<int>(scan.before)] = place;
      products[static_cast<int>(scan.before)] = product;
    }
    all.sync();
    const int i = all.rank();
    if (i < count) {
      const std::uint32_t mine = listed[i];
      bool is_first = true;
      for (int k = i; is_first && k > 0; --k) {
        const std::uint32_t other = listed[k - 1];
        is_first = other != mine;
      }
      if (is_first) {
        value sum = sums[mine];
        for (int k = i; k < count; ++k) {
          const std::uint32_t other = listed[k];
          const value next = products[k];
          if (other == mine) sum += next;
        }
        sums[mine] = sum;
      }
    }
    if (count > 0) all.sync();
  }

  /// Of a column that the row has.
  template <class Block> EVENLY_FN std::uint32_t place_of(const Block& block, int column) const {
    const std::uint32_t word = bitmaps.bitmap(block.index())[word_of(column)];
    return bitmaps.befores(block.index())[word_of(column)] +
           static_cast<std::uint32_t>(lanes_in(word & (bit_of(column) - 1)));
  }

  /// The row's columns in order, and how many come before each word that has some. Returns how many
  /// there are.
  template <class Team>
  EVENLY_FN std::int64_t write_columns(const Team& all, std::int64_t to, const slots& places) const {
    auto& block = all.block();
    const auto warp = this_warp(block);
    const int warps = block.shape().warps(), me = warp_of(block);
    const std::uint32_t* const words = bitmaps.bitmap(block.index());
    std::uint32_t* const befores = bitmaps.befores(block.index());
    constexpr int ahead = 4; // words of a thread that are read together
    const std::int64_t part = ceil_div<std::int64_t>(bitmaps.words, warps);
    const std::int64_t begin = smaller(part * me, bitmaps.words), end = smaller(begin + part, bitmaps.words);
    const auto read = [&](std::int64_t first, std::uint32_t(&word)[ahead]) {
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) {
        const std::int64_t i = first + u * warp.size() + warp.rank();
        word[u] = i < end ? words[i] : 0;
      }
    };
    std::int64_t found = 0;
    std::uint32_t word[ahead];
    for (std::int64_t first = begin; first < end; first += ahead * warp.size()) {
      read(first, word);
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) found += lanes_in(word[u]);
    }
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
    for (std::int64_t first = begin; first < end; first += ahead * warp.size()) {
      read(first, word);
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) {
        if (!warp.any(word[u] != 0)) continue;
        const std::int64_t i = first + u * warp.size() + warp.rank();
        const int upto = warp.scan(lanes_in(word[u]), plus<int>{});
        std::int64_t place = before + upto - lanes_in(word[u]);
        if (word[u] != 0) befores[i] = static_cast<std::uint32_t>(place);
        for (std::uint32_t left = word[u]; left != 0; left &= left - 1)
          columns_of_c[to + place++] = static_cast<int>(i * giant_bitmaps::bits + first_lane(left));
        before += warp.shuffle(upto, warp.size() - 1);
      }
    }
    return total;
  }

  /// Sums up the entries [begin, end) of a row in sums[0], sums[1], ...; by all threads of a team within a warp.
  template <class Team, class Sums>
  EVENLY_FN void sum_part(const Team& mine, int row, std::int64_t to, std::int64_t begin, std::int64_t end,
                          const slots& here, const Sums& sums) const {
    if (begin == end) return;
    auto& block = mine.block();
    const column_window window{columns_of_c[to + begin], columns_of_c[to + end - 1] + 1};
    for (std::int64_t i = mine.rank(); i < end - begin; i += mine.size())
      sums[static_cast<std::int32_t>(i)] = value{0};
    mine.sync();
    of.for_each_product(
        mine, row, window, block.storage(here.starts), block.storage(here.ends), block.storage(here.factors),
        block.storage(here.scratch),
        [&](bool has, int column) {
          return has && window.has(column) ? std::int64_t{place_of(block, column)} - begin : -1;
        },
        [&](bool, std::int64_t place, value product, std::int64_t) {
          add_in_turn(mine, place, product, sums);
        });
  }

  /// Adds products of the team's threads to sums[place] where place >= 0: those of one place in the order of threads.
  template <class Team, class Sums>
  EVENLY_FN static void add_in_turn(const Team& mine, std::int64_t place, value product, const Sums& sums) {
    constexpr int bits = 10; // places that have these in common go one after the other, too
    const auto all = team_lanes(mine);
    bool waits = place >= 0;
    lane_mask same = all.ballot(waits);
    if (same == 0) return;
    for (int bit = 0; bit < bits; ++bit) {
      const bool is_set = (place >> bit & 1) != 0;
      const lane_mask those = all.ballot(is_set);
      same &= is_set ? those : ~those;
    }
    const int before = lanes_in(same & first_lanes(all.rank()));
    for (int turn = 0; all.any(waits); ++turn) {
      if (waits && turn == before) {
        const auto at = static_cast<std::int32_t>(place);
        const value sum = sums[at];
        sums[at] = sum + product;
        waits = false;
      }
      mine.sync();
    }
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
    // Few blocks have room for large bitmaps: these are large, too.
    const std::int64_t most = most_bitmaps(bitmaps_.words);
    int block_size = most < few_blocks ? max_block_size : Kernel::tuned_block_size;
    std::int64_t blocks = smaller<std::int64_t>(count_, most);
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
  static constexpr std::int64_t most_blocks = 2048, few_blocks = 640, least_blocks = 128,
                                usual_bytes = std::int64_t{1} << 26;

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
