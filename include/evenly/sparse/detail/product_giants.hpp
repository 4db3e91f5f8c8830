// SPDX-License-Identifier: Apache-2.0
// The giant rows of C = A B: their list, the memory of their bitmaps, and launches of product_giant_rows.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/detail/product_giant_rows.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// The position of a giant in the list, ascending by number of products: in classes by powers of two, in any order
/// within a class, since no result depends on it.
struct giant_classes {
  static constexpr int count = 64;

  const std::int64_t* work;
  std::int64_t max;     ///< of a row that is not a giant
  std::uint32_t* found; ///< per class
  std::uint32_t* taken; ///< per class; initially 0

  EVENLY_FN bool has(std::int64_t i) const { return work[i] > max; }
  EVENLY_FN int of(std::int64_t i) const { return last_lane(static_cast<lane_mask>(work[i])); }
};
/// Counts giants in their classes; returns the work of a row unchanged.
struct count_giant {
  giant_classes classes;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (classes.has(i)) atomic_ref(classes.found[classes.of(i)]).fetch_add(1u, order::relaxed{});
    return classes.work[i];
  }
};
/// Lists giants and sets their work to 0.
struct take_giant {
  giant_classes classes;
  const int* rows;
  giant_row* giants;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (!classes.has(i)) return classes.work[i];
    const int own = classes.of(i);
    std::uint32_t place = atomic_ref(classes.taken[own]).fetch_add(1u, order::relaxed{});
    for (int c = 0; c < own; ++c) place += classes.found[c];
    giants[place] = {classes.work[i], rows[i]};
    return 0;
  }
};

/// The giants of a product, and their memory.
class product_giants {
 public:
  /// Takes the giants among `listed` rows: the `count` rows with work above `max`. Sets their work to 0. Allocates.
  template <class Executor>
  void take(const Executor& exec, const int* rows, std::int64_t* work, std::int64_t listed, std::int64_t max,
            int count, int cols) {
    constexpr std::size_t counters = 2 * giant_classes::count;
    const auto of_classes = make_buffer<std::uint32_t>(exec, counters);
    exec.fill_zero(of_classes.data(), counters * sizeof(std::uint32_t));
    const giant_classes classes{work, max, of_classes.data(), of_classes.data() + giant_classes::count};
    rows_ = make_buffer<giant_row>(exec, static_cast<std::size_t>(count));
    tabulate(exec, listed, count_giant{classes}, work);
    tabulate(exec, listed, take_giant{classes, rows, rows_.data()}, work);
    count_ = count;
    next_ = make_buffer<std::uint32_t>(exec, 1);
    constexpr int together = giant_bitmaps::together;
    bitmaps_.words = ceil_div<std::int64_t>(cols, giant_bitmaps::bits * together) * together;
    bitmaps_.by_words = cols <= product_ways::few_columns;
    bitmaps_.count = 0;
  }

  /// Runs a kernel, after it sets its giants and bitmaps. The first call allocates and waits.
  template <class Executor, class Kernel> void run(const Executor& exec, Kernel kernel) {
    if (count_ == 0) return;
    // Few blocks have room for large bitmaps; these blocks are large, too.
    const std::int64_t max = max_bitmaps<Executor>(bitmaps_.words);
    int block_size = max < few_blocks ? max_block_size : Kernel::tuned_block_size;
    if constexpr (Executor::on_host)
      block_size = 2 * exec.shape_of(1).warp; // a thread costs the host a stack
    if (bitmaps_.count == 0) {
      const std::int64_t max_parts = std::int64_t{giant_bitmaps::max_parts_per_thread} * block_size;
      kernel.bitmaps = bitmaps_;
      while (kernel.bitmaps.parts() > max_parts ||
             (kernel.bitmaps.parts() > 1 &&
              storage_bytes(kernel, exec.shape_of(block_size)) > exec.max_storage()))
        ++kernel.bitmaps.part_bits;
      bitmaps_ = kernel.bitmaps;
    }
    kernel.bitmaps = bitmaps_;
    std::int64_t blocks = smaller<std::int64_t>(count_, max);
    blocks = smaller<std::int64_t>(blocks, resident_blocks(exec, kernel, block_size));
    if (bitmaps_.count == 0) {
      bitmaps_.count = static_cast<int>(blocks);
      memory_ = make_buffer<std::uint32_t>(exec, static_cast<std::size_t>(bitmaps_.size()));
      exec.fill_zero(memory_.data(),
                     static_cast<std::size_t>(blocks * bitmaps_.words) * sizeof(std::uint32_t));
      bitmaps_.memory = memory_.data();
      bitmaps_.numbers = bitmaps_.memory + blocks * bitmaps_.words;
    }
    exec.fill_zero(next_.data(), sizeof(std::uint32_t));
    kernel.rows = rows_.data();
    kernel.count = count_;
    kernel.next = next_.data();
    kernel.bitmaps = bitmaps_;
    launch(exec, {smaller(static_cast<int>(blocks), bitmaps_.count), block_size}, kernel);
  }

  /// The maximum bytes of bitmaps for a product of `rows` rows and `cols` columns.
  template <class Executor> static std::int64_t max_bytes(std::int64_t rows, std::int64_t cols) {
    const std::int64_t words = ceil_div<std::int64_t>(cols, giant_bitmaps::bits);
    constexpr int together = giant_bitmaps::together;
    const int with_befores = cols <= product_ways::few_columns ? 2 * together : together + 1;
    return smaller(rows, max_bitmaps<Executor>(words)) * ceil_div<std::int64_t>(words, together) *
           with_befores * bytes_of_word;
  }

 private:
  static constexpr std::int64_t bytes_of_word = sizeof(std::uint32_t);
  static constexpr std::int64_t max_blocks = 2048, few_blocks = 640, min_blocks = 128,
                                usual_bytes = std::int64_t{1} << 25;

  /// As many bitmaps as keep a GPU busy, and as fit in `usual_bytes`. A simulated GPU has few.
  template <class Executor> static std::int64_t max_bitmaps(std::int64_t words) {
    if constexpr (Executor::on_host)
      return 3;
    else
      return smaller(max_blocks, min_blocks + usual_bytes / larger<std::int64_t>(words * bytes_of_word, 1));
  }

  buffer<giant_row> rows_;
  int count_ = 0;
  buffer<std::uint32_t> next_;
  buffer<std::uint32_t> memory_;
  giant_bitmaps bitmaps_;
};

} // namespace evenly::detail
