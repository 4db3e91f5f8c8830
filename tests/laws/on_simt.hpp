// SPDX-License-Identifier: Apache-2.0
// The battery on the simulated GPU: the code that runs on a real one, with races on storage checked. Block sizes,
// warp sizes and interleavings vary together. Several files share the skeletons and tile sets, for compile time's
// sake.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "laws/battery.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {

inline battery<simt> on(int block_size, int warp_size, std::uint64_t seed) {
  simt_options options;
  options.warp_size = warp_size;
  options.seed = seed;
  return {simt(options), "simt with warps of " + std::to_string(warp_size) + ", seed " + std::to_string(seed),
          block_size};
}

/// A test for each block size and warp size.
class on_shapes : public testing::TestWithParam<std::tuple<int, int>> {
 public:
  /// Each block size meets warps of 32 threads, where it is not large, and others in turn. Warps that no GPU has meet
  /// small blocks only: a group of 32 threads is wide there, and its barriers are the block's.
  static std::vector<std::tuple<int, int>> all() {
    if (sanitized) return {{1, 32}, {32, 4}, {32, 32}, {100, 32}, {100, 64}};
    return {{1, 1},   {1, 32},   {32, 4},   {32, 32},  {64, 64},  {64, 32},  {96, 1},   {96, 32},
            {100, 4}, {100, 32}, {128, 64}, {128, 32}, {256, 32}, {512, 64}, {1024, 32}};
  }
  static std::string name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
    return "Block" + std::to_string(std::get<0>(info.param)) + "Warp" +
           std::to_string(std::get<1>(info.param));
  }

 protected:
  int block_size() const { return std::get<0>(GetParam()); }
  int warp_size() const { return std::get<1>(GetParam()); }
  /// Order, or one of a few interleavings.
  std::uint64_t seed() const { return number() % 4; }
  /// Which half of the tile sets the shape meets.
  std::size_t parity() const { return number() % 2; }
  battery<simt> here() const { return on(block_size(), warp_size(), seed()); }

 private:
  unsigned number() const {
    return static_cast<unsigned>(block_size() / 32 + std::bit_width(static_cast<unsigned>(warp_size())));
  }
};

/// Block size, warp size and seed where blocks leave tiles to each other.
inline const auto many_blocks_on_simt =
    testing::Values(std::tuple(1, 32, 0), std::tuple(1, 1, 1), std::tuple(1, 64, 2), std::tuple(2, 2, 3));

} // namespace evenly::laws
