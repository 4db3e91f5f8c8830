// SPDX-License-Identifier: Apache-2.0
// Timing events: points in the work of an executor. The time between two of them can be queried later without waiting.
//
//   const auto from = timing_event(exec);
//   ...                                                                    // start work on `exec`
//   const auto to = timing_event(exec);
//   if (const std::optional<double> ms = elapsed_ms(from, to)) ...         // empty while the work still runs
//
// The work of a host executor is done when its call returns, so its timing events are times of the host.
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

/// A timing event of cpu or simt: the time when it was made.
struct host_timing_event {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};
/// Returns the time between two timing events, in milliseconds.
inline std::optional<double> elapsed_ms(const host_timing_event& from, const host_timing_event& to) {
  return std::chrono::duration<double, std::milli>(to.at - from.at).count();
}

/// Returns a timing event after all work that has been started on `exec`, and before later work. Asynchronous.
template <executor Executor>
requires(Executor::on_host)
host_timing_event timing_event(const Executor&) {
  return {};
}

#if defined(__CUDACC__)
/// A timing event of cuda.
class cuda_timing_event {
 public:
  /// Comes after all work started on `stream`, which belongs to the current device.
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

/// Returns the time between timing events of one device, in milliseconds; empty while work before one of them still
/// runs. Throws device_error if that work failed.
inline std::optional<double> elapsed_ms(const cuda_timing_event& from, const cuda_timing_event& to) {
  for (const cuda_timing_event& each : {from, to}) { // so that no later call fails
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
