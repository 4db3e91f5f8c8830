// SPDX-License-Identifier: Apache-2.0
// The program of first.cpp on a GPU: operations run where their data are.
//
//   nvcc -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=native -Iinclude examples/spmv_gpu.cu
//     -o spmv_gpu -ltbb -lboost_context
#include <cstdio>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/sparse/operators.hpp"

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU

  const evenly::csr_matrix<float> a{4, 4, {0, 2, 2, 3, 7}, {0, 3, 1, 0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}};
  const auto on_device = a.to(evenly::cuda());
  const evenly::vector x(evenly::cuda(), std::vector<float>{1, 10, 100, 1000});
  const std::vector<float> y = (on_device * x).to_host();
  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
