// SPDX-License-Identifier: Apache-2.0
// A side stream: a second executor over the same memory whose work is not ordered with the first. On cuda it has its
// own stream of the highest priority, so its blocks start first even if other work fills the GPU. Events order the two
// executors (executor.hpp).
//
// On cuda its memory is allocated in the order of the side stream. Another stream that uses the memory waits for the
// side stream's event, and the side stream waits for that stream before the memory is freed (detail/cuda_pool.hpp). On
// the host both executors take memory from one resource, from several threads.
#pragma once

#include "evenly/execution/executor.hpp"
#if defined(__CUDACC__)
#include "evenly/execution/cuda.hpp"
#endif

namespace evenly {

/// Owns the second executor. The executor must not be used after the side stream ends.
template <executor Executor> class side_stream {
 public:
  /// Work on the side stream is not counted in the trace of `exec` (simt).
  explicit side_stream(const Executor& exec) : exec_(of(exec)) {}
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;

  const Executor& get() const { return exec_; }

 private:
  static Executor of(const Executor& exec) {
    if constexpr (requires { exec.options().trace; }) {
      auto options = exec.options();
      options.trace = nullptr;
      return Executor(options, exec.resource());
    } else {
      return exec;
    }
  }

  Executor exec_;
};

#if defined(__CUDACC__)
/// On cuda: owns a stream of the highest priority.
template <> class side_stream<cuda> {
 public:
  explicit side_stream(const cuda& exec) : stream_(exec), exec_(exec.device(), stream_.made) {}
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;

  const cuda& get() const { return exec_; }

 private:
  struct stream {
    explicit stream(const cuda& exec) : device(exec.device()) {
      const auto here = exec.on_device();
      int greatest = 0;
      EVENLY_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(nullptr, &greatest));
      EVENLY_CUDA_CHECK(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, greatest));
    }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() {
      const detail::on_cuda_device here(device);
      cudaStreamDestroy(made);
    }

    int device;
    cudaStream_t made = nullptr;
  };

  stream stream_;
  cuda exec_;
};
#endif

template <class Executor> using beside [[deprecated("use side_stream")]] = side_stream<Executor>;

} // namespace evenly
