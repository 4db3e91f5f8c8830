// SPDX-License-Identifier: Apache-2.0
// A pipeline on a GPU: the results of its runs, its progress while the stream is held, and events.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/reorder.hpp"
#include "evenly/layouts/share.hpp"
#include "evenly/layouts/sort_threads.hpp"
#include "layouts/pipeline_laws.hpp"

namespace evenly::layouts {
namespace {

template <class Layout>
void expect_laws(const cuda& exec, const laws::changing_lists& of, const Layout& layout,
                 const laws::loop_of_epochs& loop) {
  const side_stream<cuda> builder(exec);
  access_pipeline<cuda, Layout, int> pipeline(exec, builder.get(), of.shape(), {}, layout);
  EXPECT_EQ(laws::broken_run(exec, pipeline, of, loop), "");
}

void expect_laws_of_layouts(const laws::changing_lists& of, const laws::loop_of_epochs& loop) {
  expect_laws(cuda(), of, sort_threads<>{}, loop);
  expect_laws(cuda(), of, reorder<first_access>{}, loop);
  expect_laws(cuda(), of, duplicate{.fraction = 0.5}, loop);
  expect_laws(cuda(), of, share<by_smallest>{}, loop);
}

TEST(PipelineOnCuda, StoresWhatListsSay) {
  expect_laws_of_layouts(laws::changing_lists(300'000, 4, 200'000, 256), {.epochs = 8, .runs = 10});
  expect_laws_of_layouts(laws::changing_lists(300'000, 4, 200'000, 256), {.runs = 10, .announces = true});
  expect_laws_of_layouts(laws::changing_lists(20'000, 4, 20'000, 256),
                         {.epochs = 20, .runs = 1, .turns = 2000});
}

TEST(ReducedPipelineOnCuda, StoresWhatListsSay) {
  expect_laws_of_layouts(laws::changing_lists(110, 3, 90, 40), {.epochs = 4, .runs = 2});
}

TEST(PipelineOnCuda, WorksOnStreamsThatDoNotBlock) {
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  expect_laws(cuda(stream), laws::changing_lists(50'000, 4, 50'000, 256), share<by_smallest>{},
              {.epochs = 8, .runs = 6});
  EVENLY_CUDA_CHECK(cudaStreamSynchronize(stream));
  EVENLY_CUDA_CHECK(cudaStreamDestroy(stream));
}

/// Runs until the host says that it may end.
__global__ void hold(const volatile int* may_end) {
  while (*may_end == 0) {
  }
}

TEST(PipelineOnCuda, GoesOnWhileTheStreamIsHeld) {
  const laws::changing_lists of(100'000, 4, 100'000, 256);
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const cuda exec(stream);
    const side_stream<cuda> builder(exec);
    std::vector<buffer<int>> lists;
    for (int epoch = 0; epoch < 5; ++epoch) lists.push_back(to_executor(exec, of.list(epoch)));
    const auto a = to_executor(exec, of.values(1));
    const auto out = make_buffer<float>(exec, static_cast<std::size_t>(of.shape().threads));
    access_pipeline<cuda, share<by_smallest>, int> pipeline(exec, builder.get(), of.shape(), {}, {});
    const auto begin = [&](int epoch) {
      pipeline.begin_epoch(
          index_list<int>(lists[static_cast<std::size_t>(epoch)], static_cast<std::uint64_t>(epoch))
              .assume_valid());
    };
    const auto run = [&] {
      pipeline.run(static_cast<const float*>(a.data()), laws::sum_in_order{4, 1, out.data()});
    };
    begin(0); // kernels are loaded, and a plan has been made
    for (int i = 0; i < 1000 && pipeline.counts().planned == 0; ++i) {
      run();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_GT(pipeline.counts().planned, 0);
    exec.synchronize();
    int* may_end = nullptr;
    EVENLY_CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&may_end), sizeof(int), cudaHostAllocMapped));
    *may_end = 0;
    hold<<<1, 1, 0, stream>>>(may_end);
    for (int i = 0; i < 4; ++i) run(); // under the plan
    for (int epoch = 1; epoch < 5; ++epoch) {
      begin(epoch);
      for (int i = 0; i < 3 && pipeline.choice().way != pipeline_way::split; ++i) run();
    }
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    cudaGetLastError();
    std::atomic_ref(*may_end).store(1);
    exec.synchronize();
    begin(0);
    run();
    EXPECT_EQ(to_host(exec, out), of.right(exec, of.list(0), of.values(1), 1));
    EVENLY_CUDA_CHECK(cudaFreeHost(may_end));
  }
  EVENLY_CUDA_CHECK(cudaStreamDestroy(stream));
}

/// The host starts all runs of an epoch before a plan can be there, and lets go of the list: waiting for plans would be
/// all that is left of them.
TEST(PipelineOnCuda, AsksLessAndLessOftenWhereTheHostIsFarAhead) {
  const laws::changing_lists of(400'000, 4, 400'000, 256);
  const cuda exec;
  const side_stream<cuda> builder(exec);
  const auto p = to_executor(exec, of.list(0));
  const auto a = to_executor(exec, of.values(1));
  const auto out = make_buffer<float>(exec, static_cast<std::size_t>(of.shape().threads));
  access_pipeline<cuda, share<by_smallest>, int> pipeline(exec, builder.get(), of.shape(), {}, {});
  constexpr int epochs = 60;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto list = index_list<int>(p, static_cast<std::uint64_t>(epoch)).assume_valid();
    pipeline.begin_epoch(list);
    for (int i = 0; i < 10; ++i)
      pipeline.run(static_cast<const float*>(a.data()), laws::sum_in_order{4, 1, out.data()});
    pipeline.release(list);
  }
  EXPECT_EQ(to_host(exec, out), of.right(exec, of.list(0), of.values(1), 1));
  EXPECT_LT(pipeline.counts().dropped, epochs / 4) << pipeline.why();
}

TEST(MarksOnCuda, SayNothingBeforeTheirWorkIsDone) {
  const cuda exec;
  int* may_end = nullptr;
  EVENLY_CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&may_end), sizeof(int), cudaHostAllocMapped));
  *may_end = 0;
  const auto from = timing_event(exec);
  hold<<<1, 1>>>(may_end);
  const auto to = timing_event(exec);
  EXPECT_FALSE(elapsed_ms(from, to));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic_ref(*may_end).store(1);
  exec.synchronize();
  EXPECT_GT(elapsed_ms(from, to).value_or(0), 4);
  EVENLY_CUDA_CHECK(cudaFreeHost(may_end));
}

} // namespace
} // namespace evenly::layouts
