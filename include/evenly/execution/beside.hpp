// SPDX-License-Identifier: Apache-2.0
// An executor beside another one, where the same memory is, whose work is not ordered with it: on cuda on a stream of
// its own, of the greatest priority: its blocks are the next to begin, so that what it makes comes soon, also where
// others fill the GPU. Events order the two (event.hpp).
//
// Memory that comes from it on cuda is in the order of that stream: whoever else uses it waits for its event, and has
// it wait for his own before it is freed (detail/cuda_pool.hpp). On the host both take memory from one resource, from
// several threads.
#pragma once

#include "evenly/execution/executor.hpp"
#if defined(__CUDACC__)
#include "evenly/execution/cuda.hpp"
#endif

namespace evenly {

/// Owns what the executor needs, which must not be used any longer than it.
template <executor Executor> class beside {
 public:
  /// What `exec` counts, on simt, is not counted of this one.
  explicit beside(const Executor& exec) : exec_(of(exec)) {}
  beside(const beside&) = delete;
  beside& operator=(const beside&) = delete;

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
template <> class beside<cuda> {
 public:
  explicit beside(const cuda& exec) : stream_(exec), exec_(exec.device(), stream_.made) {}
  beside(const beside&) = delete;
  beside& operator=(const beside&) = delete;

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

} // namespace evenly
