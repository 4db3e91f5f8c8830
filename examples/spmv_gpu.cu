// SPDX-License-Identifier: Apache-2.0
// The program of first.cpp on a GPU: the arrays are copied to the device, the rest stays as it is.
//
//   nvcc -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=native -Iinclude examples/spmv_gpu.cu -o spmv_gpu
//
// The two functions are objects here, as in the library's own applications: they run on every executor, and
// cost nothing on any.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

struct product {
  evenly::span_on<evenly::cuda, const int> column;
  evenly::span_on<evenly::cuda, const float> value, x;
  EVENLY_FN float operator()(int k) const { return value[k] * x[column[k]]; }
};

struct store_sum {
  evenly::span_on<evenly::cuda, float> y;
  EVENLY_FN void operator()(int row, float sum) const { y[row] = sum; }
};

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU

  const evenly::cuda exec;
  const auto offsets = evenly::to_executor(exec, std::vector<int>{0, 2, 2, 3, 7});
  const auto columns = evenly::to_executor(exec, std::vector<int>{0, 3, 1, 0, 1, 2, 3});
  const auto values = evenly::to_executor(exec, std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  const auto x = evenly::to_executor(exec, std::vector<float>{1, 10, 100, 1000});
  const auto y = evenly::make_buffer<float>(exec, 4);

  const auto rows = evenly::csr_tiles(offsets.span());
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, rows); // synchronises
  evenly::reduce_tiles(exec, plan, product{view(exec, columns), view(exec, values), view(exec, x)},
                       evenly::plus<float>{},
                       store_sum{view(exec, y)}); // asynchronous, on the executor's stream

  const std::vector<float> result = evenly::to_host(exec, y); // waits for the stream
  for (const float each : result) std::printf("%g\n", each);
  return result == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
