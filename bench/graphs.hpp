// SPDX-License-Identifier: Apache-2.0
// Graphs of launches, with conditional nodes as CUDA 13 has them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "evenly/execution/cuda.hpp"

namespace evenly::bench {

/// Made once, then run often.
class graph {
 public:
  graph() { EVENLY_CUDA_CHECK(cudaGraphCreate(&graph_, 0)); }
  ~graph() {
    if (replay_) cudaGraphExecDestroy(replay_);
    cudaGraphDestroy(graph_);
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  cudaGraph_t get() const { return graph_; }

  /// What `launches` puts on the stream becomes part of `into`.
  static void capture(cudaStream_t stream, cudaGraph_t into, const std::function<void()>& launches) {
    cudaGraph_t same = nullptr;
    EVENLY_CUDA_CHECK(
        cudaStreamBeginCaptureToGraph(stream, into, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
    launches();
    EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &same));
  }

  /// What kernels turn a conditional node on and off by; `value` when a run begins.
  cudaGraphConditionalHandle make_handle(unsigned value) {
    cudaGraphConditionalHandle handle{};
    EVENLY_CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph_, value, cudaGraphCondAssignDefault));
    return handle;
  }
  /// A conditional node after all nodes so far. Returns its body, which is empty.
  cudaGraph_t add_conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type) {
    std::size_t count = 0;
    EVENLY_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &count));
    std::vector<cudaGraphNode_t> before(count);
    EVENLY_CUDA_CHECK(cudaGraphGetNodes(graph_, before.data(), &count));
    cudaGraphNodeParams what{};
    what.type = cudaGraphNodeTypeConditional;
    what.conditional.handle = handle;
    what.conditional.type = type;
    what.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    EVENLY_CUDA_CHECK(cudaGraphAddNode(&node, graph_, before.data(), nullptr, count, &what));
    return what.conditional.phGraph_out[0];
  }

  void ready() { EVENLY_CUDA_CHECK(cudaGraphInstantiate(&replay_, graph_, 0)); }
  void run(cudaStream_t stream) const { EVENLY_CUDA_CHECK(cudaGraphLaunch(replay_, stream)); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

} // namespace evenly::bench
