// SPDX-License-Identifier: Apache-2.0
// Times runs on the current CUDA device with CUDA events.
//
// Before a cold run, the timer fills twice the size of the L2 cache. The fill also keeps the device busy while the host
// starts the run, so that the time of the host is not measured. Before a warm run, the device waits for a short time
// for the same purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "measure/bench.hpp"
#include "measure/work_on.hpp"

namespace evenly::measure {

template <> inline cuda on_memory(const cuda& exec, std::pmr::memory_resource* memory) {
  return cuda(exec.device(), exec.stream(), memory);
}

template <> inline cuda make_executor(const bench_options&) { return cuda(); }

/// Of the current device.
std::size_t l2_bytes();
/// Starts an empty kernel. Throws device_error.
void start_nothing();
/// Starts an empty kernel that runs longer than the host needs to start another one. Throws device_error.
void wait_on_device(cudaStream_t stream = nullptr);

/// Times the work on a stream between start() and stop().
class event_timer {
 public:
  explicit event_timer(cudaStream_t stream = nullptr) : stream_(stream) {
    EVENLY_CUDA_CHECK(cudaEventCreate(&start_));
    EVENLY_CUDA_CHECK(cudaEventCreate(&stop_));
  }
  event_timer(const event_timer&) = delete;
  event_timer& operator=(const event_timer&) = delete;
  ~event_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  void start() const { EVENLY_CUDA_CHECK(cudaEventRecord(start_, stream_)); }
  /// Milliseconds; synchronises.
  double stop() const {
    EVENLY_CUDA_CHECK(cudaEventRecord(stop_, stream_));
    EVENLY_CUDA_CHECK(cudaEventSynchronize(stop_));
    float ms = 0;
    EVENLY_CUDA_CHECK(cudaEventElapsedTime(&ms, start_, stop_));
    return ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

class device_timer : public timer {
 public:
  /// For runs on `stream`. `warm`: do not clear the L2 cache before a run.
  explicit device_timer(bool warm, cudaStream_t stream = nullptr)
      : exec_(stream), evictor_(make_buffer<std::byte>(exec_, warm ? 0 : 2 * l2_bytes())), events_(stream) {}

  std::string place() const override { return find_cuda().text; }
  int threads() const override { return 0; }
  double time_once(const std::function<void()>& run) override;
  std::function<void()> copy(std::int64_t bytes) override;
  std::function<void()> fill(std::int64_t bytes) override;
  std::function<void()> nothing() override { return start_nothing; }

 private:
  cuda exec_;
  buffer<std::byte> evictor_;
  event_timer events_;
};

inline std::unique_ptr<timer> make_timer(const cuda&, const bench_options& options) {
  return std::make_unique<device_timer>(options.warm);
}

} // namespace evenly::measure
