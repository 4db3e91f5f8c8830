// SPDX-License-Identifier: Apache-2.0
// A user-defined kernel with the library's collectives: running sums in the rows of a table, which restart at marks.
//
// A block processes a row, `items` values per thread in each step. Values are read in striped order, which coalesces
// accesses, exchanged into blocked order, scanned within their segments, exchanged back and written. The sum of the
// segment that is open at the end of a step is the prefix of the next step.
#include <cstdio>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/exchange.hpp"
#include "evenly/block/segments.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"

template <class Executor> struct running_sums {
  template <class T> using span = evenly::span_on<Executor, T>;
  static constexpr int items = 4;
  span<const float> values;
  span<const char> marks;
  span<float> sums;
  span<int> segments; ///< of each row, how many marks it has
  int width;

  struct slots {
    evenly::slot<float> exchange;
    evenly::slot<evenly::segmented<float>> scan;
    evenly::slot<int> reduce;
  };
  EVENLY_FN static constexpr slots lay_out(evenly::storage_layout& layout, evenly::block_shape shape) {
    return {layout.take<float>(evenly::block_exchange_slots<float, items>(shape)),
            layout.take<evenly::segmented<float>>(evenly::block_scan_slots(shape)),
            layout.take<int>(evenly::block_reduce_slots(shape))};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using namespace evenly::arrangement;
    evenly::storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const auto staged = block.storage(place.exchange);
    const int row = block.index() * width;
    float open = 0; // of the segment that continues in the next step
    int found = 0;
    for (int first = 0; first < width; first += block.size() * items) {
      float x[items];
      bool heads[items];
      for (int i = 0; i < items; ++i) {
        const int k = first + i * block.size() + block.rank();
        x[i] = k < width ? values[row + k] : 0;
      }
      evenly::block_exchange(block, x, striped{}, blocked{}, staged);
      for (int i = 0; i < items; ++i) {
        const int k = first + block.rank() * items + i;
        heads[i] = k < width && marks[row + k];
        found += heads[i];
      }
      const auto all = evenly::block_inclusive_segmented_scan(block, x, heads, evenly::plus<float>{},
                                                              block.storage(place.scan), open);
      open = all.ends ? all.open : open + all.open;
      block.sync(); // before storage is written again
      evenly::block_exchange(block, x, blocked{}, striped{}, staged);
      for (int i = 0; i < items; ++i) {
        const int k = first + i * block.size() + block.rank();
        if (k < width) sums[row + k] = x[i];
      }
      block.sync();
    }
    found = evenly::block_reduce(block, found, evenly::plus<int>{}, block.storage(place.reduce));
    if (block.rank() == 0) segments[block.index()] = found; // valid in rank 0 only
  }
};

template <class Executor> bool is_right(const Executor& exec, int block_size) {
  constexpr int rows = 3, width = 1234;
  std::vector<float> values, expected;
  std::vector<char> marks;
  std::vector<int> expected_segments(rows);
  for (int i = 0; i < rows * width; ++i) {
    values.push_back(static_cast<float>(i * 37 % 11)); // whole numbers: exact in any order
    marks.push_back(i % 97 == 5 || i % 301 == 6);
    expected.push_back(i % width == 0 || marks[i] ? values[i] : expected[i - 1] + values[i]);
    expected_segments[i / width] += marks[i];
  }
  std::vector<float> sums(values.size());
  std::vector<int> segments(rows);
  launch(exec, {rows, block_size},
         running_sums<Executor>{view(exec, values), view(exec, marks), view(exec, sums), view(exec, segments),
                                width});
  return sums == expected && segments == expected_segments;
}

int main() {
  const bool right = is_right(evenly::simt(), 100) && is_right(evenly::simt(), 32) &&
                     is_right(evenly::simt(), 256) && is_right(evenly::cpu(), 1);
  if (!right) std::printf("a row has other sums\n");
  return right ? 0 : 1;
}
