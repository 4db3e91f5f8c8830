// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key on a GPU: the laws, and as a part of a graph.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "primitives/sort_laws.hpp"

namespace evenly {
namespace {

TEST(Sorts, AreStableOnCuda) {
  sort_laws::expect_sorts_of<std::int64_t>(cuda(), 300'007);
  sort_laws::expect_sorts_of<float>(cuda(), 100'003);
}

TEST(ReducedSorts, AreStableOnCuda) { sort_laws::expect_sorts_of<std::int64_t>(cuda(), 5'003); }

TEST(ReducedSorts, MoveAnyValueOnCuda) { sort_laws::expect_moves_any_value(cuda()); }

TEST(Sorts, MayBePartsOfAGraph) {
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const cuda exec(stream);
    const int count = 20'000;
    std::vector<float> keys(count), want(count);
    const auto in = make_buffer<float>(exec, count), out = make_buffer<float>(exec, count);
    workspace memory;
    sort(exec, in.data(), count, out.data(), memory); // takes the memory
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    sort(exec, in.data(), count, out.data(), memory);
    EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    EVENLY_CUDA_CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = 0; i < count; ++i) keys[i] = static_cast<float>((i * 7919 + turn) % count);
      for (int i = 0; i < count; ++i) want[i] = static_cast<float>(i);
      exec.copy_from_host(in.data(), keys.data(), count * sizeof(float));
      EVENLY_CUDA_CHECK(cudaGraphLaunch(replay, stream));
      EXPECT_EQ(to_host(exec, out), want);
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
  }
  EVENLY_CUDA_CHECK(cudaStreamDestroy(stream));
}

} // namespace
} // namespace evenly
