// SPDX-License-Identifier: Apache-2.0
// A stream for a test or a measurement, because launches on the default stream cannot be captured.
#pragma once

#include <cuda_runtime.h>

#include "evenly/execution/cuda.hpp"

namespace evenly {

/// A stream of the current device that does not wait for other streams.
class own_stream {
 public:
  own_stream() { EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~own_stream() { cudaStreamDestroy(stream_); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

} // namespace evenly
