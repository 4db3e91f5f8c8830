// SPDX-License-Identifier: Apache-2.0
// Your own __global__ function with the library's collectives.
//
// Each block of 256 threads moves the positive values of its part to the front, in order, and writes their number and
// their sum. block_scan computes the position of each value, block_reduce the sum.
#include <cstdio>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

constexpr int threads = 256;

struct block_slots {
  evenly::slot<int> counts;
  evenly::slot<float> sums;
};
/// The layout of a block's storage. The host uses its size, the kernel its slots.
EVENLY_FN constexpr block_slots lay_out(evenly::storage_layout& layout) {
  constexpr evenly::block_shape shape{threads, 32};
  return {layout.take<int>(evenly::block_scan_slots(shape)),
          layout.take<float>(evenly::block_reduce_slots(shape))};
}

/// `values` and `front` hold `threads` values for each block, `counts` and `sums` one.
__global__ void keep_positive(const float* values, float* front, int* counts, float* sums) {
  auto block = evenly::this_block<threads>();
  evenly::storage_layout layout;
  const block_slots slots = lay_out(layout);

  const int first = block.index() * threads;
  const float mine = values[first + block.rank()];
  const int kept = mine > 0 ? 1 : 0;
  const auto place = evenly::block_scan(block, kept, evenly::plus<int>{}, block.storage(slots.counts));
  if (kept) front[first + place.before] = mine;

  const float sum =
      evenly::block_reduce(block, kept ? mine : 0, evenly::plus<float>{}, block.storage(slots.sums));
  if (block.rank() == 0) {
    counts[block.index()] = place.total;
    sums[block.index()] = sum;
  }
}

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return 77; // no GPU: skipped

  constexpr int blocks = 3;
  std::vector<float> values;
  for (int i = 0; i < blocks * threads; ++i) values.push_back(static_cast<float>(i * 37 % 101 - 50));
  const evenly::cuda exec;
  const auto in = evenly::to_executor(exec, values);
  const auto front = evenly::make_buffer<float>(exec, values.size());
  const auto counts = evenly::make_buffer<int>(exec, blocks);
  const auto sums = evenly::make_buffer<float>(exec, blocks);
  evenly::storage_layout layout;
  lay_out(layout);
  keep_positive<<<blocks, threads, layout.bytes(), exec.stream()>>>(in.data(), front.data(), counts.data(),
                                                                    sums.data());
  EVENLY_CUDA_CHECK(cudaGetLastError());

  const auto found = evenly::to_host(exec, front);
  const auto found_counts = evenly::to_host(exec, counts);
  const auto found_sums = evenly::to_host(exec, sums);
  for (int b = 0; b < blocks; ++b) {
    int count = 0;
    float sum = 0;
    bool right = true;
    for (int i = b * threads; i < (b + 1) * threads; ++i) {
      if (values[i] <= 0) continue;
      right = right && found[b * threads + count++] == values[i];
      sum += values[i]; // whole numbers: exact in any order
    }
    if (right && found_counts[b] == count && found_sums[b] == sum) continue;
    std::printf("block %d is wrong\n", b);
    return 1;
  }
  return 0;
}
