// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "measure/bench_cuda.hpp"

namespace evenly::cli {
namespace {

__global__ void sleep_kernel() {
  for (int i = 0; i < 50; ++i) __nanosleep(1000);
}

__global__ void empty_kernel() {}

} // namespace

void start_nothing() {
  empty_kernel<<<1, 1>>>();
  EVENLY_CUDA_CHECK(cudaGetLastError());
}

void wait_on_device() {
  sleep_kernel<<<1, 1>>>();
  EVENLY_CUDA_CHECK(cudaGetLastError());
}

std::size_t l2_bytes() {
  int device = 0;
  int bytes = 0;
  EVENLY_CUDA_CHECK(cudaGetDevice(&device));
  EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  return static_cast<std::size_t>(bytes);
}

cuda_status find_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return {false, std::string("no CUDA device: ") + cudaGetErrorString(status)};
  cudaDeviceProp device{};
  if (count == 0 || cudaGetDeviceProperties(&device, 0) != cudaSuccess) return {false, "no CUDA device"};
  return {true, device.name};
}

} // namespace evenly::cli
