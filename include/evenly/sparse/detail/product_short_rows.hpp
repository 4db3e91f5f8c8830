// SPDX-License-Identifier: Apache-2.0
// Rows of C = A B with few products, without lists or sorts of rows: a warp has as many rows that follow each other as
// it has lanes, and takes the products of as many of them at a time as its part of the storage has room for.
//
//   where     each lane finds where in B the products of its row are
//   products  each lane reads some, of any rows: those that follow each other are read together
//   order     each lane counts for its products how many of the same row come before them, by column and place
//   entries   the first product of a column is an entry of C and sums up those behind it. Entries of rows that follow
//             each other do so in C
// Other rows go to product_rows.hpp and product_giants.hpp.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// What a row has at most that is short: entries of A, and products.
struct short_rows {
  static constexpr int of_lane = 8; ///< products that a lane takes at a time
  static constexpr int most = 64;

  /// For warps of `width` threads.
  EVENLY_FN static constexpr int limit(int width) { return smaller(most, of_lane * width); }
};

/// Columns that are read together. A row's products begin with such four; behind its last are some that are no column.
struct alignas(16) four_columns {
  std::uint32_t at[4];
};

/// Sizes: sizes[row] = how many entries a row of C has. Otherwise the entries are written where they belong.
template <bool Sizes, class Terms, class OffsetC> struct short_product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int tuned_block_size = 128;
  static constexpr int of_lane = short_rows::of_lane;

  Terms of;
  const std::int64_t* work; ///< of all rows (store_row_work)
  int first_row, end_row;   ///< others are left out
  std::int64_t* sizes;      ///< of all rows
  const OffsetC* offsets;   ///< of C's rows
  OffsetC first_entry;      ///< of those that columns_of_c and values_of_c have
  int* columns_of_c;
  value* values_of_c;

  struct slots {
    slot<offset_b> places; ///< of products in B
    slot<std::uint32_t> columns;
    slot<four_columns> fours; ///< the same
    slot<value> values;       ///< factors, then products
    slot<std::uint8_t> rows;  ///< of products: the lane
    slot<int> ends;           ///< of a lane's row, among the products
    slot<int> found;          ///< entries of a lane's row

    EVENLY_FN slots of_warp(int warp, int width) const {
      const int room = of_lane * width;
      const auto part = [&](auto all, int size) {
        return all.count == 0 ? all : all.part(warp * size, size);
      };
      return {part(places, room), part(columns, room), part(fours, room / 4), part(values, room),
              part(rows, room),   part(ends, width),   part(found, width)};
    }
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const int threads = shape.warps() * shape.warp, room = of_lane * threads;
    slots here;
    here.places = layout.take<offset_b>(room);
    const auto shared = layout.mark();
    here.columns = layout.take<std::uint32_t>(room);
    layout.rewind(shared);
    here.fours = layout.take<four_columns>(ceil_div(room, 4));
    here.values = layout.take<value>(Sizes ? 0 : room);
    here.rows = layout.take<std::uint8_t>(room);
    here.ends = layout.take<int>(threads);
    here.found = layout.take<int>(Sizes ? threads : 0);
    return here;
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const block_shape shape = block.shape();
    storage_layout layout;
    const slots here = lay_out(layout, shape).of_warp(warp_of(block), shape.warp);
    const auto warp = this_warp(block);
    const std::int64_t first_of_block = first_row + std::int64_t{block.index()} * shape.size;
    const std::int64_t first = first_of_block + std::int64_t{warp_of(block)} * shape.warp;
    if (first >= end_row) return;
    const int limit = short_rows::limit(shape.warp), room = of_lane * shape.warp;
    const std::int64_t row = first + warp.rank();
    const std::int64_t products = row < end_row ? work[row] : limit + 1;
    const bool is_short = products <= limit;
    const int own = is_short ? static_cast<int>(products) : 0, with_gap = ceil_div(own, 4) * 4;
    const int upto = warp.scan(with_gap, plus<int>{});
    lane_mask left = warp.ballot(is_short);
    while (left != 0) {
      const int begin = first_lane(left);
      const int before = warp.shuffle(upto - with_gap, begin);
      const bool stops = warp.rank() > begin && (!is_short || upto - before > room);
      const lane_mask beyond = warp.ballot(stops);
      const int end = beyond == 0 ? warp.size() : first_lane(beyond);
      const int all = warp.shuffle(upto, end - 1) - before;
      const int its_begin = upto - with_gap - before;
      take_rows(warp, static_cast<int>(first), begin, end, {its_begin, its_begin + own}, all, here);
      left &= ~first_lanes(end);
    }
  }

 private:
  static constexpr auto no_place = static_cast<offset_b>(-1);
  static constexpr std::uint32_t no_column = product_ways::no_column;
  EVENLY_FN static int up_to_four(int p) { return ceil_div(p, 4) * 4; }

  struct range {
    int begin;
    int end;
  };

  /// Rows first + [begin, end), of which each lane has that of its rank, with the products `own` of `products`.
  template <class Block>
  EVENLY_FN void take_rows(const lanes<Block>& warp, int first, int begin, int end, const range& own,
                           int products, const slots& here) const {
    Block& block = warp.block();
    const auto columns = block.storage(here.columns);
    const auto rows = block.storage(here.rows);
    const auto ends = block.storage(here.ends);
    const int me = warp.rank(), width = warp.size();
    const bool is_mine = begin <= me && me < end;
    ends[me] = own.end;
    if constexpr (Sizes) block.storage(here.found)[me] = 0;
    if (is_mine && own.begin < own.end) find_products(block, first + me, me, own, here);
    warp.sync();

    value product[of_lane];
    std::uint32_t column[of_lane];
    EVENLY_UNROLL
    for (int u = 0; u < of_lane; ++u) {
      const int p = u * width + me;
      column[u] = 0;
      product[u] = value{};
      if (p >= products) continue;
      const offset_b e = block.storage(here.places)[p];
      if (e == no_place) {
        column[u] = no_column;
        continue;
      }
      column[u] = static_cast<std::uint32_t>(of.b.columns[e]);
      if constexpr (!Sizes) product[u] = of.b.values[e];
    }
    EVENLY_UNROLL
    for (int u = 0; u < of_lane; ++u) {
      const int p = u * width + me;
      if (p >= products) continue;
      columns[p] = column[u];
      if constexpr (!Sizes) {
        if (column[u] == no_column) continue;
        const value factor = block.storage(here.values)[p];
        product[u] = rounded_product(factor, product[u]);
      }
    }
    warp.sync();
    const auto fours = block.storage(here.fours);
    const auto row_of = [&](int p) {
      const int lane = rows[p];
      range its{0, ends[lane]};
      if (lane > begin) its.begin = up_to_four(ends[lane - 1]);
      return its;
    };
    if constexpr (Sizes) {
      const auto found = block.storage(here.found);
      EVENLY_UNROLL
      for (int u = 0; u < of_lane; ++u) {
        const int p = u * width + me;
        const std::uint32_t mine = column[u];
        if (p >= products || mine == no_column) continue;
        bool again = false;
        for (int q = row_of(p).begin / 4; q < p / 4; ++q) {
          const four_columns other = fours[q];
          EVENLY_UNROLL
          for (int v = 0; v < 4; ++v) again = again || other.at[v] == mine;
        }
        const four_columns other = fours[p / 4];
        EVENLY_UNROLL
        for (int v = 0; v < 3; ++v) again = again || (v < p % 4 && other.at[v] == mine);
        const int lane = rows[p];
        if (!again) atomic_ref(found[lane], scope::block{}).fetch_add(1, order::relaxed{});
      }
      warp.sync();
      const int entries = found[me];
      if (is_mine) sizes[first + me] = entries;
      warp.sync();
    } else {
      const auto values = block.storage(here.values);
      int to[of_lane];
      EVENLY_UNROLL
      for (int u = 0; u < of_lane; ++u) {
        const int p = u * width + me;
        to[u] = p;
        const std::uint32_t mine = column[u];
        if (p >= products || mine == no_column) continue;
        const range its = row_of(p);
        int before = its.begin;
        for (int q = its.begin / 4; 4 * q < its.end; ++q) {
          const four_columns other = fours[q];
          const std::uint32_t behind = q < p / 4 ? mine + 1 : mine; // before it: equal columns count, too
          EVENLY_UNROLL
          for (int v = 0; v < 4; ++v) before += other.at[v] < behind;
        }
        const four_columns other = fours[p / 4];
        EVENLY_UNROLL
        for (int v = 0; v < 3; ++v) before += v < p % 4 && other.at[v] == mine;
        to[u] = before;
      }
      warp.sync();
      EVENLY_UNROLL
      for (int u = 0; u < of_lane; ++u) {
        if (u * width + me >= products) continue;
        if (column[u] == no_column) continue; // there already
        columns[to[u]] = column[u];
        values[to[u]] = product[u];
      }
      warp.sync();
      write_entries(warp, offsets[first + begin] - first_entry, products, row_of, columns, values);
      warp.sync();
    }
  }

  /// Where the products of a lane's row are in B, and their factors.
  template <class Block>
  EVENLY_FN void find_products(Block& block, int row, int lane, const range& own, const slots& here) const {
    constexpr int ahead = 4;
    const auto places = block.storage(here.places);
    const auto rows = block.storage(here.rows);
    int p = own.begin;
    const auto row_end = of.a.offsets[row + 1];
    for (auto k = of.a.offsets[row]; k < row_end; k += ahead) {
      offset_b from[ahead], to[ahead];
      value factor[ahead];
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) {
        from[u] = to[u] = 0;
        factor[u] = value{};
        if (k + u >= row_end) continue;
        const int of_b = of.a.columns[k + u];
        from[u] = of.b.offsets[of_b];
        to[u] = of.b.offsets[of_b + 1];
        if constexpr (!Sizes) factor[u] = of.a.values[k + u];
      }
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u)
        for (offset_b e = from[u]; e < to[u]; ++e, ++p) {
          places[p] = e;
          rows[p] = static_cast<std::uint8_t>(lane);
          if constexpr (!Sizes) block.storage(here.values)[p] = factor[u];
        }
    }
    for (; p < up_to_four(own.end); ++p) {
      places[p] = no_place;
      rows[p] = static_cast<std::uint8_t>(lane);
    }
  }

  /// Sums up products that lie in order.
  template <class Block, class RowOf, class Columns, class Values>
  EVENLY_FN void write_entries(const lanes<Block>& warp, std::int64_t to, int products, const RowOf& row_of,
                               const Columns& columns, const Values& values) const {
    for (int first = 0; first < products; first += warp.size()) {
      const int p = first + warp.rank();
      bool begins = false;
      range its{0, 0};
      std::uint32_t mine = 0;
      if (p < products) {
        its = row_of(p);
        mine = columns[p];
        begins = mine != no_column && p == its.begin;
        if (mine != no_column && !begins) {
          const std::uint32_t before = columns[p - 1];
          begins = before != mine;
        }
      }
      const lane_mask all = warp.ballot(begins);
      if (begins) {
        value sum{0};
        for (int q = p; q < its.end; ++q) {
          const std::uint32_t other = columns[q];
          if (other != mine) break;
          sum += static_cast<value>(values[q]);
        }
        const std::int64_t at = to + lanes_in(all & lanes_before(warp));
        columns_of_c[at] = static_cast<int>(mine);
        values_of_c[at] = sum;
      }
      to += lanes_in(all);
    }
  }
};

/// Runs one over the rows [first, end). Asynchronous.
template <class Executor, class Kernel> void run_short_rows(const Executor& exec, const Kernel& kernel) {
  const int rows = kernel.end_row - kernel.first_row;
  if (rows == 0) return;
  int block_size = Kernel::tuned_block_size;
  if constexpr (Executor::on_host) block_size = 2 * exec.shape_of(1).warp; // a thread costs the host a stack
  launch(exec, {static_cast<int>(ceil_div(rows, block_size)), block_size}, kernel);
}

} // namespace evenly::detail
