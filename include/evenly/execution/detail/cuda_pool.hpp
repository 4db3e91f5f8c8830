// SPDX-License-Identifier: Apache-2.0
// The default memory of the cuda executor: a pool per device, used in stream order. The header is empty unless nvcc
// compiles it.
//
// Freed memory stays in the pool and is allocated again in microseconds, without waiting for the device. Other
// allocations get it after all work that was started before the free:
//
// - Blocking streams share the order of the legacy default stream, so the work of all of them counts. Several of them
//   may use the memory, and it may outlive its stream. A non-blocking stream that also uses it must be done before the
//   free.
// - A stream created with cudaStreamNonBlocking counts alone. Another stream that uses the memory first waits for this
//   one, and this one waits for it before the free. Free the memory before the stream is destroyed.
//
// A stream that is being captured in a graph gets no memory: captured work uses memory reserved before. Memory freed
// during a capture returns to the pool after it.
#pragma once

#if defined(__CUDACC__)

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/detail/cuda_check.hpp"

namespace evenly::detail {

/// Makes `device` the current one for as long as it lives; the legacy default stream is that of the current device. A
/// call that fails here fails again in the calls that need it.
class on_cuda_device {
 public:
  explicit on_cuda_device(int device) {
    changed_ =
        cudaGetDevice(&before_) == cudaSuccess && device != before_ && cudaSetDevice(device) == cudaSuccess;
  }
  on_cuda_device(const on_cuda_device&) = delete;
  on_cuda_device& operator=(const on_cuda_device&) = delete;
  ~on_cuda_device() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Returns the pool of a device. The pool keeps all memory that it ever had.
inline cudaMemPool_t cuda_pool(int device) {
  static std::mutex guard;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(guard);
  if (const auto found = pools.find(device); found != pools.end()) return found->second;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  EVENLY_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  auto all = std::numeric_limits<std::uint64_t>::max();
  EVENLY_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  return pools[device] = pool;
}

/// Memory of a device in the order of a stream.
class stream_memory : public std::pmr::memory_resource {
 public:
  /// `blocking`: whether the stream is ordered with the legacy default stream.
  stream_memory(int device, cudaStream_t stream, bool blocking)
      : device_(device), order_(blocking ? cudaStreamLegacy : stream) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const on_cuda_device here(device_);
    if (captures(order_))
      throw device_error("memory is requested during the capture of a graph: allocate it before the capture, "
                         "for example with plan.reserve");
    free_parked();
    void* memory = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, cuda_pool(device_), order_);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw device_error("out of device memory: requested " + std::to_string(bytes) + " bytes");
    }
    EVENLY_CUDA_CHECK(status);
    return memory;
  }

  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    const on_cuda_device here(device_);
    if (captures(order_)) {
      const std::lock_guard lock(guard_);
      parked_.push_back(memory);
      return;
    }
    free_parked();
    free(memory);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  /// Whether work on the stream is captured in a graph. For the legacy default stream: whether a blocking stream is
  /// captured.
  static bool captures(cudaStream_t stream) {
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
    const cudaError_t status = cudaStreamIsCapturing(stream, &now);
    if (status != cudaSuccess) cudaGetLastError();
    return status == cudaErrorStreamCaptureImplicit || now != cudaStreamCaptureStatusNone;
  }

  /// Frees in stream order. If the stream no longer exists, waits for the device instead.
  void free(void* memory) const {
    if (cudaFreeAsync(memory, order_) == cudaSuccess) return;
    cudaGetLastError();
    if (cudaFree(memory) != cudaSuccess) cudaGetLastError(); // when the process ends, CUDA may end first
  }

  void free_parked() {
    const std::lock_guard lock(guard_);
    for (void* const each : std::exchange(parked_, {})) free(each);
  }

  int device_;
  cudaStream_t order_;
  std::mutex guard_;
  std::vector<void*> parked_; ///< freed while a stream was captured
};

/// Returns the memory of `device` for `stream`, which belongs to that device. The result lives as long as the program.
inline std::pmr::memory_resource* stream_memory_of(int device, cudaStream_t stream) {
  static std::mutex guard;
  static auto& known = *new std::map<std::pair<int, unsigned long long>, std::unique_ptr<stream_memory>>();
  unsigned long long id = 0; // unique for ever, whereas a later stream may reuse the handle
  unsigned flags = cudaStreamDefault;
  if (stream != nullptr && stream != cudaStreamLegacy) {
    EVENLY_CUDA_CHECK(cudaStreamGetId(stream, &id));
    EVENLY_CUDA_CHECK(cudaStreamGetFlags(stream, &flags));
  }
  const std::lock_guard lock(guard);
  auto& memory = known[{device, id}];
  if (!memory) memory = std::make_unique<stream_memory>(device, stream, flags != cudaStreamNonBlocking);
  return memory.get();
}

} // namespace evenly::detail

#endif
