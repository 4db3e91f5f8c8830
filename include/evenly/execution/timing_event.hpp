// SPDX-License-Identifier: Apache-2.0
// Timing events: points in the work of an executor whose distance in time is asked for later, without waiting for them.
//
//   const auto from = timing_event(exec);
//   ...                                                                    // what is started on `exec` meanwhile
//   const auto to = timing_event(exec);
//   if (const std::optional<double> ms = elapsed_ms(from, to)) ...         // nothing while the work still goes on
//
// An executor of the host is done when it returns, so its timing events are times of the host.
#pragma once

#include <chrono>
#include <optional>

#include "evenly/execution/executor.hpp"
#if defined(__CUDACC__)
#include <memory>
#include <type_traits>

#include "evenly/execution/cuda.hpp"
#endif

namespace evenly {

/// Of cpu and simt: when it was made.
struct host_timing_event {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};
/// Milliseconds.
inline std::optional<double> elapsed_ms(const host_timing_event& from, const host_timing_event& to) {
  return std::chrono::duration<double, std::milli>(to.at - from.at).count();
}

/// After what has been started on `exec`, before what is started on it from here on. Asynchronous.
template <executor Executor>
requires(Executor::on_host)
host_timing_event timing_event(const Executor&) {
  return {};
}

#if defined(__CUDACC__)
class cuda_timing_event {
 public:
  /// After what has been started on `stream`, which is of the current device.
  explicit cuda_timing_event(cudaStream_t stream) {
    cudaEvent_t made = nullptr;
    EVENLY_CUDA_CHECK(cudaEventCreate(&made));
    event_.reset(made, [](cudaEvent_t event) { cudaEventDestroy(event); });
    EVENLY_CUDA_CHECK(cudaEventRecord(made, stream));
  }
  cudaEvent_t get() const { return event_.get(); }

 private:
  std::shared_ptr<std::remove_pointer_t<cudaEvent_t>> event_;
};

/// Milliseconds between timing events of one device; nothing while work before one of them goes on. Throws device_error
/// if that work failed.
inline std::optional<double> elapsed_ms(const cuda_timing_event& from, const cuda_timing_event& to) {
  for (const cuda_timing_event& each : {from, to}) { // so that no call fails where nothing is wrong
    const cudaError_t status = cudaEventQuery(each.get());
    if (status == cudaErrorNotReady) {
      cudaGetLastError();
      return {};
    }
    EVENLY_CUDA_CHECK(status);
  }
  float ms = 0;
  EVENLY_CUDA_CHECK(cudaEventElapsedTime(&ms, from.get(), to.get()));
  return ms;
}

inline cuda_timing_event timing_event(const cuda& exec) {
  const auto here = exec.on_device();
  return cuda_timing_event(exec.stream());
}
#endif

template <class Executor> [[deprecated("use timing_event")]] auto mark(const Executor& exec) {
  return timing_event(exec);
}
template <class Event>
[[deprecated("use elapsed_ms")]] std::optional<double> ms_between(const Event& from, const Event& to) {
  return elapsed_ms(from, to);
}

} // namespace evenly
