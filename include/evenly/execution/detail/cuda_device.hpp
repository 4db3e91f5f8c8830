// SPDX-License-Identifier: Apache-2.0
// One includer: only nvcc reads it.
// The properties of a device, and the events of the cuda executor. The header is empty unless nvcc compiles it.
#pragma once

#if defined(__CUDACC__)

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include <cuda_runtime.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/detail/cuda_check.hpp"

namespace evenly {

namespace detail {

/// Properties of a device. They never change.
struct cuda_properties {
  int multiprocessors = 0;
  int threads_of_multiprocessor = 0;
  std::size_t max_storage = 0; ///< the maximum bytes of storage per block
};

/// Returns the properties of a device. CUDA is queried once per device; the result lives as long as the program.
inline const cuda_properties& properties_of(int device) {
  static std::mutex guard;
  static auto& known = *new std::map<int, cuda_properties>();
  const std::lock_guard lock(guard);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  const auto ask = [&](cudaDeviceAttr what) {
    int value = 0;
    EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&value, what, device));
    return value;
  };
  return known[device] = {ask(cudaDevAttrMultiProcessorCount), ask(cudaDevAttrMaxThreadsPerMultiProcessor),
                          static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin))};
}

/// Returns how many GPUs CUDA can use. Throws device_error if there is none.
inline int require_gpu() {
  int gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status == cudaSuccess && gpus > 0) return gpus;
  cudaGetLastError();
  const std::string why = status == cudaSuccess ? "0 devices" : cudaGetErrorString(status);
  throw device_error("no usable GPU (CUDA reports: " + why + "): use evenly::cpu or evenly::simt");
}

/// Returns the device of a stream. For the default streams, and before CUDA 12.8 for all, that is the current device.
inline int device_of([[maybe_unused]] cudaStream_t stream) {
  require_gpu();
  int device = 0;
  EVENLY_CUDA_CHECK(cudaGetDevice(&device));
#if CUDART_VERSION >= 12080
  if (stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread)
    EVENLY_CUDA_CHECK(cudaStreamGetDevice(stream, &device));
#endif
  return device;
}

/// Returns `device`. Throws invalid_argument if there is no device of that number.
inline int require_device(int device) {
  const int gpus = require_gpu();
  require(device >= 0 && device < gpus, [&] {
    return "device = " + std::to_string(device) + ": must be less than the number of GPUs, " +
           std::to_string(gpus) + ", and not negative";
  });
  return device;
}

} // namespace detail

/// A point in the work of a stream (execution/executor.hpp).
class cuda_event {
 public:
  /// Comes after all work started on `stream`, which belongs to the current device.
  explicit cuda_event(cudaStream_t stream) {
    cudaEvent_t made = nullptr;
    EVENLY_CUDA_CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    event_.reset(made, [](cudaEvent_t event) { cudaEventDestroy(event); });
    EVENLY_CUDA_CHECK(cudaEventRecord(made, stream));
  }

  cudaEvent_t get() const { return event_.get(); }
  /// Waits on the host. Throws device_error if the work failed.
  void synchronize() const { EVENLY_CUDA_CHECK(cudaEventSynchronize(get())); }

 private:
  std::shared_ptr<std::remove_pointer_t<cudaEvent_t>> event_;
};

} // namespace evenly

#endif
