// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key on a GPU: the laws, and as a part of a graph. reduce_by_index, which sorts.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce_by_index.hpp"
#include "primitives/sort_laws.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

TEST(Sorts, AreStableOnCuda) {
  sort_laws::expect_sorts_of<std::int64_t>(cuda(), 300'007);
  sort_laws::expect_sorts_of<float>(cuda(), 100'003);
}

TEST(ReducedSorts, AreStableOnCuda) { sort_laws::expect_sorts_of<std::int64_t>(cuda(), 5'003); }

TEST(ReducedSorts, MoveAnyValueOnCuda) { sort_laws::expect_moves_any_value(cuda()); }

void expect_reduces_by_index(std::int64_t count, std::int64_t size) {
  std::vector<std::int64_t> index, values;
  for (std::int64_t i = 0; i < count; ++i) {
    index.push_back(
        static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(size)));
    values.push_back(i * i % 1000);
  }
  std::vector<std::int64_t> want(static_cast<std::size_t>(size));
  reduce_by_index(cpu(2), index.data(), values.data(), count, plus<std::int64_t>{}, want.data(), size);
  const cuda exec;
  const auto of = to_executor(exec, index), each = to_executor(exec, values);
  const auto out = make_buffer<std::int64_t>(exec, want.size());
  workspace memory;
  const auto run = [&](std::int64_t outputs) {
    reduce_by_index(exec, of.data(), each.data(), count, plus<std::int64_t>{}, out.data(), outputs, memory);
  };
  run(size);
  EXPECT_EQ(to_host(exec, out), want) << count << " values of " << size;
  if (count > 0) EXPECT_EQ(message_of<invalid_argument>([&] { run(1); }).substr(0, 6), "index ");
}

TEST(ReduceByIndex, SumsOnCuda) {
  expect_reduces_by_index(0, 5);
  expect_reduces_by_index(300'007, 1000);
  expect_reduces_by_index(100'003, 1'000'000);
}

TEST(ReducedReduceByIndex, SumsOnCuda) { expect_reduces_by_index(5'003, 300); }

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
