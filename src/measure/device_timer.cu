// SPDX-License-Identifier: Apache-2.0
#include "measure/device_timer.hpp"

#include <algorithm>
#include <memory>

namespace evenly::measure {
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

void wait_on_device(cudaStream_t stream) {
  sleep_kernel<<<1, 1, 0, stream>>>();
  EVENLY_CUDA_CHECK(cudaGetLastError());
}

std::size_t l2_bytes() {
  int device = 0;
  int bytes = 0;
  EVENLY_CUDA_CHECK(cudaGetDevice(&device));
  EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  return static_cast<std::size_t>(bytes);
}

double device_timer::time_once(const std::function<void()>& run) {
  if (evictor_.size() > 0)
    exec_.fill_zero(evictor_.data(), evictor_.size());
  else
    wait_on_device(exec_.stream());
  events_.start();
  run();
  return events_.stop();
}

std::function<void()> device_timer::copy(std::int64_t bytes) {
  const auto half = static_cast<std::size_t>(std::max<std::int64_t>(bytes / 2, 1));
  const auto from = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(exec_, half));
  const auto to = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(exec_, half));
  exec_.fill_zero(from->data(), half);
  return [=, stream = exec_.stream()] {
    EVENLY_CUDA_CHECK(cudaMemcpyAsync(to->data(), from->data(), half, cudaMemcpyDeviceToDevice, stream));
  };
}

std::function<void()> device_timer::fill(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  const auto to = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(exec_, size));
  return [=, stream = exec_.stream()] { EVENLY_CUDA_CHECK(cudaMemsetAsync(to->data(), 0, size, stream)); };
}

cuda_status find_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return {false, std::string("no CUDA device: ") + cudaGetErrorString(status)};
  cudaDeviceProp device{};
  if (count == 0 || cudaGetDeviceProperties(&device, 0) != cudaSuccess) return {false, "no CUDA device"};
  return {true, device.name};
}

} // namespace evenly::measure
