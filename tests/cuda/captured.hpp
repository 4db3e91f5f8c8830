// SPDX-License-Identifier: Apache-2.0
// CUDA graphs of the work that is submitted to a stream.
#pragma once

#include "evenly/execution/cuda.hpp"

namespace evenly::laws {

/// Captures the work that a stream gets during its lifetime. The graph can then run any number of times.
class captured {
 public:
  template <class Body> captured(cudaStream_t stream, const Body& body) : stream_(stream) {
    EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    body();
    EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &graph_));
    EVENLY_CUDA_CHECK(cudaGraphInstantiate(&runs_, graph_, 0));
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    cudaGraphExecDestroy(runs_);
    cudaGraphDestroy(graph_);
  }
  void run() const { EVENLY_CUDA_CHECK(cudaGraphLaunch(runs_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t runs_ = nullptr;
};

} // namespace evenly::laws
