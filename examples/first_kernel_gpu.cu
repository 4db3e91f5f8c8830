// SPDX-License-Identifier: Apache-2.0
// The kernel of first_kernel.cpp on a GPU, with pointers to device memory and a user-defined stream.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/work/csr.hpp"

/// The sums of rows.
struct row_sums {
  const int* columns;
  const float *values, *x;

  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto row : range.tiles()) {
      float sum = 0;
      for (const int k : range.atoms(row)) sum += values[k] * x[columns[k]];
      range.combine(row, sum);
    }
  }
};

/// y = A x. All pointers are to memory of the device.
void multiply(int rows, const int* offsets, const row_sums& body, float* y, cudaStream_t stream) {
  const auto tiles = evenly::csr_tiles(std::span<const int>(offsets, rows + 1));
  const auto store = [=] EVENLY_FN(int row, float sum) { y[row] = sum; }; // once per row
  evenly::for_each_range(tiles, body, evenly::plus{}, store, evenly::cuda(stream));
}

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU

  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreate(&stream));
  const evenly::cuda exec(stream);
  const auto offsets = evenly::to_executor(exec, std::vector<int>{0, 2, 2, 3, 7});
  const auto columns = evenly::to_executor(exec, std::vector<int>{0, 3, 1, 0, 1, 2, 3});
  const auto values = evenly::to_executor(exec, std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  const auto x = evenly::to_executor(exec, std::vector<float>{1, 10, 100, 1000});
  const auto y = evenly::make_buffer<float>(exec, 4);

  multiply(4, offsets.data(), {columns.data(), values.data(), x.data()}, y.data(), stream);
  const std::vector<float> found = evenly::to_host(exec, y);
  for (const float each : found) std::printf("%g\n", each);
  return found == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
