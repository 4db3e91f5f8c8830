// SPDX-License-Identifier: Apache-2.0
// One includer: the methods of spgemm.hpp have a header each.
// Short rows of a sparse product, each by a few threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/detail/product_by_threads.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// The first pass over C = A B on a GPU, in one launch: the cost and the class of each row, and the number of entries of
// rows with very few products. It writes a few sums, which the host reads.
//
// A thread processes a row. The warps of a block share all its rows with many entries of A, some entries at a time.

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
    list_groups(block, warp, is_long ? 0 : static_cast<int>(products), is_long,
                is_long && cost > max_in_storage, size, here);
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
  EVENLY_FN void list_groups(Block& block, const lanes<Block>& warp, int products, bool is_long,
                             bool is_giant, int size, const slots& here) const {
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

// ---------------------------------------------------------------------------------------------------------------------
// Rows of C = A B with few products, one thread per row. A thread loads its products to storage, sorts their columns
// with their places in registers, and sums those of equal columns. A warp has a group of consecutive rows, whose
// entries are consecutive in C, and writes them together. All groups of a launch are of one class
// (product_by_threads.hpp).
//
// In storage each lane has a column, so that lanes use different banks. Entries of a group are gathered there before
// they are written, with a gap after each 32 entries, since lanes begin at multiples of their sizes. Other rows:
// spgemm.hpp and product_giants.hpp.

/// The input for groups of one class.
template <class Terms> struct product_groups {
  Terms of;
  const int* groups;
  int count;
  const std::uint8_t* few;
};

/// Sizes of rows with up to N products that the first pass did not count.
template <int N, class Terms> struct size_short_product_rows : product_groups<Terms> {
  static constexpr int tuned_block_size = 64;

  int* sizes;

  struct slots {
    slot<std::uint32_t> columns;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<std::uint32_t>(N * (shape.warp + 1) * shape.warps())};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots here = lay_out(layout, block.shape());
    const auto warp = this_warp(block);
    const int lane = warp.rank(), width = warp.size(), me = warp_of(block);
    const int at = block.index() * block.shape().warps() + me;
    if (at >= this->count) return;
    const std::int64_t row = std::int64_t{this->groups[at]} * width + lane;
    const int pitch = block.shape().warp + 1; // products of a row are in different banks
    const auto columns = block.storage(here.columns.part(me * pitch * N, pitch * N));
    int products = row < this->of.a.rows ? this->few[row] : 0;
    if (products > N || products <= short_rows::counted_at_once) products = 0;
    auto begin = this->of.a.offsets[0], end = begin;
    if (products > 0) {
      begin = this->of.a.offsets[row];
      end = this->of.a.offsets[row + 1];
    }
    products_of_group<Terms, false>::read(warp, this->of, begin, end, products,
                                          [&](int whose, int place, std::uint32_t column, const auto&) {
                                            columns[place * pitch + whose] = column;
                                          });
    warp.sync();
    const int size = count_different<N>(columns, lane, pitch, products);
    if (products > 0) sizes[row] = size;
  }
};

/// Writes the entries of rows with up to N products.
template <int N, class Terms, class OffsetC> struct fill_short_product_rows : product_groups<Terms> {
  using value = typename Terms::value_type;
  static constexpr int tuned_block_size = N > 32 ? 64 : 128;

  int first_row, end_row; ///< other rows are skipped
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns_of_c and values_of_c
  int* columns_of_c;
  value* values_of_c;

  struct slots {
    slot<std::uint32_t> keys; ///< columns and places of products; then columns of entries
    slot<value> values;       ///< of products, then of entries

    EVENLY_FN constexpr slots of_warp(int warp, int room) const {
      return {keys.part(warp * room, room), values.part(warp * room, room)};
    }
  };
  EVENLY_FN static constexpr int room(int width) { return larger(padded(N * width), N * pitch_of(width)); }
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const int all = shape.warps() * room(shape.warp);
    return {layout.take<std::uint32_t>(all), layout.take<value>(all)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto warp = this_warp(block);
    const int lane = warp.rank(), width = warp.size(), me = warp_of(block);
    const slots here = lay_out(layout, block.shape()).of_warp(me, room(block.shape().warp));
    const int at = block.index() * block.shape().warps() + me;
    if (at >= this->count) return;
    const std::int64_t row = std::int64_t{this->groups[at]} * width + lane;
    int products = short_rows::is_long;
    if (first_row <= row && row < end_row) products = this->few[row];
    const bool is_ours = products <= N;
    if (!is_ours) products = 0;
    std::int64_t to = 0;
    int entries = 0;
    if (is_ours) {
      to = std::int64_t{offsets[row]} - first_entry;
      entries = static_cast<int>(std::int64_t{offsets[row + 1]} - first_entry - to);
    }
    const auto keys = block.storage(here.keys);
    const auto values = block.storage(here.values);
    const int pitch = pitch_of(block.shape().warp);
    place_products(warp, row, products, pitch, keys, values);

    std::uint32_t key[N];
    EVENLY_UNROLL
    for (int i = 0; i < N; ++i)
      key[i] = i < products ? static_cast<std::uint32_t>(keys[i * pitch + lane]) : no_key;
    sort_in_registers(key);
    const int upto = warp.scan(entries, plus<int>{});
    warp.sync();
    sum_up(warp, key, upto - entries, pitch, keys, values);
    warp.sync();
    write(warp, is_ours, to, upto - entries, upto, keys, values);
  }

 private:
  static constexpr int place_bits = short_rows::bits_of(N);
  static constexpr std::uint32_t no_key = product_ways::no_column;
  EVENLY_FN static constexpr int padded(int entry) { return entry + entry / 32; }

  /// Whether lanes read products of a group together.
  static constexpr bool together = N > 32;
  /// The distance of a row's consecutive products in storage. If several lanes put products of one row, these are in
  /// different banks.
  EVENLY_FN static constexpr int pitch_of(int width) { return together ? width + 1 : width; }

  template <class Block, class Keys, class Values>
  EVENLY_INLINE_FN void place_products(const lanes<Block>& warp, std::int64_t row, int products, int pitch,
                                       const Keys& keys, const Values& values) const {
    const int lane = warp.rank();
    const auto put = [&](int whose, int at, std::uint32_t column, value product) {
      keys[at * pitch + whose] = column << place_bits | static_cast<std::uint32_t>(at);
      values[at * pitch + whose] = product;
    };
    auto k = this->of.a.offsets[0], end = k;
    if (products > 0) {
      k = this->of.a.offsets[row];
      end = this->of.a.offsets[row + 1];
    }
    if constexpr (together) {
      products_of_group<Terms, true>::read(warp, this->of, k, end, products, put);
      warp.sync();
    } else {
      entries_of_thread<Terms, true> entries;
      int place = 0;
      for (; k < end; k += entries.count) {
        entries.read(this->of, k, end);
        place = entries.each_product(this->of, place, [&](int at, std::uint32_t column, value product) {
          put(lane, at, column, product);
        });
      }
    }
  }

  /// Sums the entries of the caller's row; the first is entry `first` of the group. Products are in the order of keys.
  template <class Block, class Keys, class Values>
  EVENLY_INLINE_FN static void sum_up(const lanes<Block>& warp, const std::uint32_t (&key)[N], int first,
                                      int pitch, const Keys& keys, const Values& values) {
    const int lane = warp.rank();
    value sums[N];
    std::uint32_t ends[2] = {0, 0}; // the keys that are the last of their columns
    value sum{0};
    int entry = first;
    EVENLY_UNROLL
    for (int i = 0; i < N; ++i) {
      sums[i] = value{0};
      if (key[i] == no_key) continue;
      const auto place = static_cast<int>(key[i] & (N - 1));
      sum += static_cast<value>(values[place * pitch + lane]);
      if (i + 1 < N && key[i + 1 < N ? i + 1 : i] >> place_bits == key[i] >> place_bits) continue;
      keys[padded(entry++)] = key[i] >> place_bits;
      sums[i] = sum;
      sum = value{0};
      ends[i / 32] |= std::uint32_t{1} << i % 32;
    }
    warp.sync();
    entry = first;
    EVENLY_UNROLL
    for (int i = 0; i < N; ++i)
      if ((ends[i / 32] >> i % 32 & 1u) != 0) values[padded(entry++)] = sums[i];
  }

  /// Writes entries [first, end) of each lane that has some to `to`; entries of consecutive lanes are consecutive.
  template <class Block, class Keys, class Values>
  EVENLY_FN void write(const lanes<Block>& warp, bool is_ours, std::int64_t to, int first, int end,
                       const Keys& keys, const Values& values) const {
    lane_mask left = warp.ballot(is_ours);
    while (left != 0) {
      const int from = first_lane(left);
      const lane_mask others = ~left & ~first_lanes(from + 1) & first_lanes(warp.size());
      const int behind = others == 0 ? warp.size() : first_lane(others);
      left &= ~first_lanes(behind);
      const int begin = warp.shuffle(first, from), stop = warp.shuffle(end, behind - 1);
      const std::int64_t base = warp.shuffle(to, from);
      for (int i = begin + warp.rank(); i < stop; i += warp.size()) {
        const std::uint32_t column = keys[padded(i)];
        columns_of_c[base + (i - begin)] = static_cast<int>(column);
        values_of_c[base + (i - begin)] = values[padded(i)];
      }
    }
  }
};

/// The short rows of a product: their groups, and their launches.
class short_product_groups {
 public:
  /// Counts all rows, and the entries of rows with very few products. sizes: rows + 1 elements. work: of long rows.
  /// Allocates and synchronises.
  template <class Executor, class Terms>
  product_counts count(const Executor& exec, const Terms& of, int max_short, std::int64_t max_in_storage,
                       std::int64_t* work, int* sizes) {
    using kernel = count_product_rows<Terms>;
    const int block_size = block_size_of<kernel>(exec);
    width_ = exec.shape_of(block_size).warp;
    const auto blocks = static_cast<int>((std::int64_t{of.a.rows} + block_size) / block_size);
    group_count_ = blocks * (block_size / width_);
    few_ = make_buffer<std::uint8_t>(exec, static_cast<std::size_t>(of.a.rows));
    groups_ = make_buffer<int>(exec, short_rows::classes * static_cast<std::size_t>(group_count_));
    const auto counts = make_buffer<product_counts>(exec, 1);
    exec.fill_zero(counts.data(), sizeof(product_counts));
    launch(exec, {blocks, block_size},
           kernel{of, max_short, max_in_storage, few_.data(), work, sizes, groups_.data(), group_count_,
                  counts.data()});
    product_counts found{};
    exec.copy_to_host(&found, counts.data(), sizeof(found));
    for (int c = 0; c < short_rows::classes; ++c) counts_[c] = static_cast<int>(found.groups[c]);
    return found;
  }

  /// The number of products of each row, or short_rows::is_long.
  const std::uint8_t* few() const { return few_.data(); }
  /// Whether some short rows are not counted yet.
  bool has_more() const { return counts_[short_rows::classes - 1] > 0; }

  /// Finds the sizes of the rows not counted yet. Asynchronous.
  template <class Executor, class Terms> void size(const Executor& exec, const Terms& of, int* sizes) const {
    constexpr int last = short_rows::classes - 1;
    run(exec, size_short_product_rows<short_rows::max_of(last), Terms>{groups_of(of, last), sizes});
  }
  /// Runs all classes of a writing pass; `rest` are the kernel's members after `of`. Asynchronous.
  template <class OffsetC, class Executor, class Terms, class... Rest>
  void fill(const Executor& exec, const Terms& of, const Rest&... rest) const {
    run(exec, fill_short_product_rows<8, Terms, OffsetC>{groups_of(of, 0), rest...});
    run(exec, fill_short_product_rows<16, Terms, OffsetC>{groups_of(of, 1), rest...});
    run(exec, fill_short_product_rows<32, Terms, OffsetC>{groups_of(of, 2), rest...});
    run(exec, fill_short_product_rows<64, Terms, OffsetC>{groups_of(of, 3), rest...});
  }

 private:
  template <class Kernel, class Executor> static int block_size_of(const Executor& exec) {
    if constexpr (Executor::on_host)
      return 2 * exec.shape_of(1).warp; // a thread costs the host a stack
    else
      return Kernel::tuned_block_size;
  }
  template <class Terms> product_groups<Terms> groups_of(const Terms& of, int size_class) const {
    return {of, groups_.data() + std::int64_t{size_class} * group_count_, counts_[size_class], few_.data()};
  }
  template <class Executor, class Kernel> void run(const Executor& exec, const Kernel& kernel) const {
    const int block_size = block_size_of<Kernel>(exec);
    launch(exec, {ceil_div(kernel.count, block_size / width_), block_size}, kernel);
  }

  buffer<std::uint8_t> few_;
  buffer<int> groups_;
  int width_ = 1; ///< rows per group
  int group_count_ = 0;
  int counts_[short_rows::classes] = {};
};

} // namespace evenly::detail
