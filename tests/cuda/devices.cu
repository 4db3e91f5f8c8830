// SPDX-License-Identifier: Apache-2.0
// Executors on streams and devices: events order streams, of one device or of two; two devices work in one process,
// with either as the current one.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "measure/own_stream.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

int current_device() {
  int device = -1;
  EVENLY_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

/// One thread takes its time, then stores.
struct store_late {
  int* place;
  int value;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (int i = 0; i < 20'000; ++i) block.backoff();
    *place = value;
  }
};
struct add_to {
  const int* from;
  int* to;
  template <class Block> EVENLY_FN void operator()(Block&) const { *to += *from; }
};

TEST(CudaEvents, OrderTwoStreams) {
  const own_stream one, other;
  const cuda first(one.get()), second(other.get());
  const auto late = to_executor(first, std::vector<int>{0}), sum = to_executor(second, std::vector<int>{1});
  launch(first, {1, 1}, store_late{late.data(), 41});
  const cuda_event done = first.record();
  second.wait(done);
  second.wait(cpu(1).record());
  launch(second, {1, 1}, add_to{late.data(), sum.data()});
  EXPECT_EQ(to_host(second, sum), std::vector<int>{42});
}

TEST(CudaEvents, AreWaitedForOnTheHost) {
  const own_stream stream;
  const cuda exec(stream.get());
  const auto late = to_executor(exec, std::vector<int>{0});
  launch(exec, {1, 1}, store_late{late.data(), 5});
  const cuda_event done = exec.record();
  cpu(1).wait(done);
  EXPECT_EQ(cudaEventQuery(done.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaSuccess);
}

TEST(CudaEvents, OrderStreamsOfAGraph) {
  const own_stream one, other;
  const cuda first(one.get()), second(other.get());
  const auto late = to_executor(first, std::vector<int>{0}), sum = to_executor(first, std::vector<int>{0});
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeThreadLocal));
  launch(first, {1, 1}, store_late{late.data(), 10});
  second.wait(first.record());
  launch(second, {1, 1}, add_to{late.data(), sum.data()});
  first.wait(second.record());
  EVENLY_CUDA_CHECK(cudaStreamEndCapture(one.get(), &graph));
  EVENLY_CUDA_CHECK(cudaGraphInstantiate(&replay, graph, 0));
  for (int i = 0; i < 2; ++i) EVENLY_CUDA_CHECK(cudaGraphLaunch(replay, one.get()));
  EXPECT_EQ(to_host(first, sum), std::vector<int>{20});
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
}

TEST(CudaDevices, AnExecutorKnowsItsOwn) {
  const int now = current_device();
  EXPECT_EQ(cuda().device(), now);
  const own_stream stream;
  EXPECT_EQ(cuda(stream.get()).device(), now);
  EXPECT_EQ(cuda(now, stream.get()).stream(), stream.get());
  int multiprocessors = 0;
  EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, now));
  EXPECT_EQ(cuda(now).multiprocessors(), multiprocessors);
}

// --- two devices ---

bool has_two_devices() {
  int devices = 0;
  EVENLY_CUDA_CHECK(cudaGetDeviceCount(&devices));
  return devices >= 2;
}
#define SKIP_WITHOUT_TWO_DEVICES()                                                                           \
  if (!has_two_devices()) GTEST_SKIP() << "there is one GPU"

/// Makes memory, plans and sums on `exec`, with another device as the current one.
void expect_works(const cuda& exec, workspace& memory) {
  const auto offsets = to_executor(exec, std::vector<std::int64_t>{0, 3, 3, 10'000});
  const auto tile_of = make_buffer<int>(exec, 10'000);
  const auto sum = make_buffer<std::int64_t>(exec, 1);
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets.span()));
  expand(exec, plan, tile_of.span());
  reduce(exec, tile_of.data(), 10'000, plus<std::int64_t>{}, sum.data(), memory);
  EXPECT_EQ(to_host(exec, sum), std::vector<std::int64_t>{2 * (10'000 - 3)});
  cudaPointerAttributes where{};
  EVENLY_CUDA_CHECK(cudaPointerGetAttributes(&where, tile_of.data()));
  EXPECT_EQ(where.device, exec.device());
}

TEST(CudaTwoDevices, WorkWhicheverIsTheCurrentOne) {
  SKIP_WITHOUT_TWO_DEVICES();
  workspace of_first, of_second;
  for (const int now : {0, 1}) {
    EVENLY_CUDA_CHECK(cudaSetDevice(now));
    for (int turn = 0; turn < 2; ++turn) {
      expect_works(cuda(0), of_first);
      expect_works(cuda(1), of_second);
      EXPECT_EQ(current_device(), now);
    }
  }
  EVENLY_CUDA_CHECK(cudaSetDevice(0));
}

TEST(CudaTwoDevices, EventsOrderTheirStreams) {
  SKIP_WITHOUT_TWO_DEVICES();
  const cuda first(0), second(1);
  const auto late = to_executor(first, std::vector<int>{0});
  const auto copy = to_executor(second, std::vector<int>{0});
  launch(first, {1, 1}, store_late{late.data(), 7});
  second.wait(first.record());
  {
    const auto here = second.on_device();
    EVENLY_CUDA_CHECK(cudaMemcpyPeerAsync(copy.data(), 1, late.data(), 0, sizeof(int), second.stream()));
  }
  EXPECT_EQ(to_host(second, copy), std::vector<int>{7});
  EXPECT_EQ(current_device(), 0);
}

TEST(CudaTwoDevices, APlanIsForOneOfThem) {
  SKIP_WITHOUT_TWO_DEVICES();
  const cuda exec(0), other(1);
  const auto offsets = to_executor(exec, std::vector<int>{0, 1, 2, 3});
  const auto tile_of = make_buffer<int>(exec, 3);
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets.span()));
  EXPECT_EQ(message_of<invalid_argument>([&] { expand(other, plan, tile_of.span()); }),
            "the plan is in the memory of device 0, but the executor uses that of device 1");
  const own_stream stream;
  const cuda same(0, stream.get());
  same.wait(exec.record());
  expand(same, plan, tile_of.span());
  EXPECT_EQ(to_host(same, tile_of), (std::vector<int>{0, 1, 2}));
}

} // namespace
} // namespace evenly
