// SPDX-License-Identifier: Apache-2.0
// The first pass over C = A B on a GPU, in one launch: the cost and the class of each row, and the number of entries of
// rows with very few products. It writes a few sums, which the host reads.
//
// A thread processes a row. The warps of a block share all its rows with many entries of A, some entries at a time.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/detail/product_by_threads.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// Sums of the first pass.
struct product_counts {
  std::int64_t groups[short_rows::classes]; ///< number of groups of short rows per class
  std::int64_t long_rows;
  std::int64_t giants;
  std::int64_t entries; ///< of rows with known sizes
};

template <class Terms> struct count_product_rows {
  using offset_b = typename Terms::offset_b;
  static constexpr int tuned_block_size = 256, min_blocks = 4;
  static constexpr int at_once = short_rows::counted_at_once;
  static constexpr int entries_of_lane = 8; ///< entries of A that a lane loads together, in rows with many

  Terms of;
  int max_short;               ///< maximum products and entries of A of a short row
  std::int64_t max_in_storage; ///< of a row that is not a giant
  std::uint8_t* few;           ///< per row: its number of products, or is_long
  std::int64_t* work;          ///< of long rows: the larger of their numbers of products and of entries of A
  int* sizes;                  ///< of rows that this pass counts; and 0 after the last
  int* groups;                 ///< one list per class
  int group_count;
  product_counts* counts;

  struct slots {
    slot<std::uint32_t> columns; ///< product p of a lane is at p * width + lane of its warp's part
    slot<std::int64_t> products; ///< of rows with many entries of A
    slot<lane_mask> many;        ///< per warp: the lanes with such rows
    slot<int> size_class, long_rows, giants, entries; ///< per warp
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    slots here;
    here.columns = layout.take<std::uint32_t>(at_once * shape.size);
    here.products = layout.take<std::int64_t>(shape.size);
    here.many = layout.take<lane_mask>(shape.warps());
    here.size_class = layout.take<int>(shape.warps());
    here.long_rows = layout.take<int>(shape.warps());
    here.giants = layout.take<int>(shape.warps());
    here.entries = layout.take<int>(shape.warps());
    return here;
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots here = lay_out(layout, block.shape());
    const auto warp = this_warp(block);
    const int me = warp_of(block), lane = warp.rank(), width = warp.size();
    const std::int64_t first = std::int64_t{block.index()} * block.size();
    const std::int64_t at = first + block.rank();
    const bool has_row = at < of.a.rows;
    const int row = has_row ? static_cast<int>(at) : 0;
    auto begin = of.a.offsets[row], end = begin;
    if (has_row) end = of.a.offsets[row + 1];
    const bool many = end - begin > max_short;
    count_many(block, first, many, here);

    entries_of_thread<Terms, false> entries;
    std::int64_t products = 0;
    if (many) {
      products = block.storage(here.products)[block.rank()];
    } else {
      products = entries.read(of, begin, end);
      for (auto k = begin + entries.count; k < end; k += entries.count) {
        entries_of_thread<Terms, false> more;
        products += more.read(of, k, end);
      }
    }
    const bool is_long = many || products > max_short;
    const bool is_counted = !is_long && products <= at_once;
    const auto columns = block.storage(here.columns.part(me * width * at_once, width * at_once));
    if (is_counted) {
      int place = 0;
      const auto put = [&](int to, std::uint32_t column, const auto&) {
        columns[to * width + lane] = column;
      };
      place = entries.each_product(of, place, put);
      for (auto k = begin + entries.count; k < end; k += entries.count) {
        entries.read(of, k, end);
        place = entries.each_product(of, place, put);
      }
    }
    const int own = is_counted ? static_cast<int>(products) : 0;
    const int size = size_of(warp, columns, own);
    const std::int64_t cost = many ? larger<std::int64_t>(products, end - begin) : products;
    if (has_row) {
      few[row] = is_long ? short_rows::is_long : static_cast<std::uint8_t>(products);
      if (is_long) work[row] = cost;
      sizes[row] = size;
    }
    if (at == of.a.rows) sizes[at] = 0;
    tell(block, warp, is_long ? 0 : static_cast<int>(products), is_long, is_long && cost > max_in_storage,
         size, here);
  }

 private:
  /// The products of the rows with many entries of A, marked by is_many.
  template <class Block>
  EVENLY_FN void count_many(Block& block, std::int64_t first, bool is_many, const slots& here) const {
    const auto warp = this_warp(block);
    const auto many = block.storage(here.many);
    const auto products = block.storage(here.products);
    const int me = warp_of(block), warps = block.shape().warps(), width = warp.size();
    const lane_mask of_warp = warp.ballot(is_many);
    if (warp.rank() == 0) many[me] = of_warp;
    products[block.rank()] = std::int64_t{0};
    block.sync();
    std::int64_t parts = 0; // of all rows so far
    for (int w = 0; w < warps; ++w) {
      lane_mask left = many[w];
      for (; left != 0; left &= left - 1) {
        const int thread = w * width + first_lane(left);
        const auto row = first + thread;
        const std::int64_t begin = of.a.offsets[row], end = of.a.offsets[row + 1];
        const std::int64_t of_row = ceil_div<std::int64_t>(end - begin, entries_of_lane * width);
        std::int64_t mine = 0;
        for (std::int64_t part = (me + warps - parts % warps) % warps; part < of_row; part += warps) {
          const std::int64_t from = begin + part * entries_of_lane * width;
          EVENLY_UNROLL
          for (int u = 0; u < entries_of_lane; ++u) {
            const std::int64_t k = from + u * width + warp.rank();
            if (k < end) mine += of.products_of(k);
          }
        }
        if (mine != 0) atomic_ref(products[thread], scope::block{}).fetch_add(mine, order::relaxed{});
        parts += of_row;
      }
    }
    block.sync();
  }

  /// The number of distinct columns of the caller's products. Called by all lanes of a warp.
  template <class Block, class Columns>
  EVENLY_FN static int size_of(const lanes<Block>& warp, const Columns& columns, int products) {
    const int lane = warp.rank(), width = warp.size();
    if (warp.any(products > 16)) return count_different<32>(columns, lane, width, products);
    if (warp.any(products > 8)) return count_different<16>(columns, lane, width, products);
    return count_different<8>(columns, lane, width, products);
  }

  /// Lists the group of each warp in its class, and adds to the sums.
  template <class Block>
  EVENLY_FN void tell(Block& block, const lanes<Block>& warp, int products, bool is_long, bool is_giant,
                      int size, const slots& here) const {
    const auto size_class = block.storage(here.size_class), long_rows = block.storage(here.long_rows);
    const auto giants = block.storage(here.giants), entries = block.storage(here.entries);
    const lane_mask of_long = warp.ballot(is_long), of_giants = warp.ballot(is_giant);
    const int upto = warp.scan(size, plus<int>{});
    int own = warp.any(products > 0) ? 0 : -1;
    for (int c = 0; c + 1 < short_rows::classes; ++c)
      if (warp.any(products > short_rows::max_of(c))) own = c + 1;
    if (warp.rank() == warp.size() - 1) {
      const int me = warp_of(block);
      size_class[me] = own;
      long_rows[me] = lanes_in(of_long);
      giants[me] = lanes_in(of_giants);
      entries[me] = upto;
    }
    block.sync();
    const int warps = block.shape().warps(), first = block.index() * warps;
    const auto sum_to = [&](std::int64_t& sum, const auto& of_warps) {
      std::int64_t all = 0;
      for (int w = 0; w < warps; ++w) {
        const int here_too = of_warps[w];
        all += here_too;
      }
      if (all != 0) atomic_ref(sum).fetch_add(all, order::relaxed{});
    };
    for (int task = block.rank(); task < short_rows::classes + 3; task += block.size()) {
      if (task == short_rows::classes) sum_to(counts->long_rows, long_rows);
      if (task == short_rows::classes + 1) sum_to(counts->giants, giants);
      if (task == short_rows::classes + 2) sum_to(counts->entries, entries);
      if (task >= short_rows::classes) continue;
      int found = 0;
      for (int w = 0; w < warps; ++w) {
        const int its = size_class[w];
        found += its == task;
      }
      if (found == 0) continue;
      std::int64_t to = atomic_ref(counts->groups[task]).fetch_add(std::int64_t{found}, order::relaxed{});
      to += std::int64_t{task} * group_count;
      for (int w = 0; w < warps; ++w) {
        const int its = size_class[w];
        if (its == task) groups[to++] = first + w;
      }
    }
  }
};

} // namespace evenly::detail
