// SPDX-License-Identifier: Apache-2.0
// A kernel with a race, and what the simulated GPU says of it: docs/simulated-gpu.md.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"

/// values[i] becomes values[i] - values[i - 1]; the first keeps its value. One block.
struct differences {
  evenly::span_on<evenly::simt, int> values;

  EVENLY_FN static evenly::slot<int> lay_out(evenly::storage_layout& layout, evenly::block_shape shape) {
    return layout.take<int>(shape.size);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    const auto staged = block.storage(lay_out(layout, block.shape()));
    const int i = block.rank();
    staged[i] = values[i];
    // block.sync() belongs here
    if (i > 0) values[i] -= staged[i - 1];
  }
};

int main() {
  const evenly::simt exec;
  std::vector<int> values(64, 1);
  try {
    launch(exec, {.blocks = 1, .block_size = 64}, differences{view(exec, values)});
  } catch (const evenly::simulation_error& found) {
    std::printf("%s\n", found.what());
    return 0;
  }
  std::printf("the race was not found\n");
  return 1;
}
