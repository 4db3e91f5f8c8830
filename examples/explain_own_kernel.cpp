// SPDX-License-Identifier: Apache-2.0
// The memory accesses of two kernels: a transposition whose lanes read down a column, and one that copies through a
// tile in shared memory. docs/explain.md shows the output.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/trace/explain.hpp"

constexpr int rows = 64, columns = 600, warp = 32;

template <class T> using span = evenly::span_on<evenly::simt, T>;

/// A thread for each element of the result: the lanes of a warp write a row, and read a column.
struct naive_transpose {
  span<const float> from;
  span<float> to;

  EVENLY_FN static evenly::slot<float> lay_out(evenly::storage_layout&, evenly::block_shape) { return {}; }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int i = block.index() * block.size() + block.rank();
    if (i < rows * columns) to[i] = from[i % rows * columns + i / rows];
  }
};

/// A block for each tile of 32 x 32 elements: its warps read rows of the tile, and write columns of it as rows.
struct tiled_transpose {
  span<const float> from;
  span<float> to;

  static constexpr int tile_row = warp + 1; // one more: the elements of a column lie in different banks
  static constexpr int tiles_across = (columns + warp - 1) / warp;

  EVENLY_FN static evenly::slot<float> lay_out(evenly::storage_layout& layout, evenly::block_shape) {
    return layout.take<float>(warp * tile_row);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    const auto tile = block.storage(lay_out(layout, block.shape()));
    const int lane = block.rank() % warp, warps = block.size() / warp;
    const int first_row = block.index() / tiles_across * warp,
              first_column = block.index() % tiles_across * warp;
    const int width = std::min(warp, columns - first_column);
    for (int r = block.rank() / warp; r < warp; r += warps)
      if (lane < width) tile[r * tile_row + lane] = from[(first_row + r) * columns + first_column + lane];
    block.sync();
    for (int c = block.rank() / warp; c < width; c += warps)
      to[(first_column + c) * rows + first_row + lane] = tile[lane * tile_row + c];
  }
};

/// Explains a launch of `kernel`, prints its findings, and returns how many there are; -1 if the result is wrong.
template <class Kernel> int explain(const char* name, int blocks, int block_size) {
  evenly::trace counts(evenly::keep_profiles{});
  const evenly::simt exec({.trace = &counts});
  // Buffers are aligned as on a GPU, a vector is not.
  const auto in = evenly::make_buffer<float>(exec, rows * columns),
             out = evenly::make_buffer<float>(exec, rows * columns);
  std::iota(in.data(), in.data() + in.size(), 0.F);
  const evenly::explanation found = evenly::explain(name, counts, [&] {
    launch(exec, {.blocks = blocks, .block_size = block_size}, Kernel{view(exec, in), view(exec, out)});
  });
  const std::vector<evenly::finding> findings = evenly::findings_of(found);
  std::printf("findings of %s: %zu\n", name, findings.size());
  for (const evenly::finding& each : findings) std::printf("%s", evenly::to_text(each).c_str());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      if (out.data()[c * rows + r] != in.data()[r * columns + c]) return -1;
  return static_cast<int>(findings.size());
}

int main() {
  const int naive = explain<naive_transpose>("naive", (rows * columns + 255) / 256, 256);
  const int tiled = explain<tiled_transpose>("tiled", rows / warp * tiled_transpose::tiles_across, 256);
  return naive == 1 && tiled == 0 ? 0 : 1;
}
