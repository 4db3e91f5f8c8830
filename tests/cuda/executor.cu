// SPDX-License-Identifier: Apache-2.0
// The cuda executor: errors that name the request, streams, graphs, and co-resident blocks.

#include "evenly/execution/cuda.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/spmv.hpp"
#include "measure/own_stream.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

struct does_nothing {
  int bytes = 0;
  slot<char> lay_out(storage_layout& layout, block_shape) const { return layout.take<char>(bytes); }
  template <class Block> EVENLY_FN void operator()(Block&) const {}
};

/// Adds 1 to every element.
struct increment {
  int* values;
  int count;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int i = block.index() * block.size() + block.rank();
    if (i < count) ++values[i];
  }
};

TEST(CudaErrors, TooMuchStorageIsNamed) {
  const auto words = message_of<invalid_argument>([] { launch(cuda(), {1, 32}, does_nothing{1 << 20}); });
  EXPECT_EQ(words, "a block of 32 threads needs 1048576 bytes of storage, but the device has " +
                       std::to_string(cuda().max_storage()) + ": use smaller blocks");
  launch(cuda(), {1, 32}, does_nothing{}); // and nothing is left of it
  cuda().synchronize();
}

TEST(CudaErrors, OutOfMemoryTellsTheBytes) {
  const std::size_t bytes = std::size_t{1} << 50;
  const auto words = message_of<device_error>([&] { make_buffer<char>(cuda(), bytes); });
  EXPECT_TRUE(contains(words, "out of device memory")) << words;
  EXPECT_TRUE(contains(words, std::to_string(bytes) + " bytes")) << words;
  EXPECT_NO_THROW(make_buffer<char>(cuda(), 1000));
}

TEST(CudaErrors, BadShapesAreRefused) {
  EXPECT_THROW(launch(cuda(), {1, 1025}, does_nothing{}), invalid_argument);
  EXPECT_THROW(launch(cuda(), {-1, 32}, does_nothing{}), invalid_argument);
  EXPECT_NO_THROW(launch(cuda(), {0, 32}, does_nothing{}));
}

TEST(CudaErrors, CoResidentBlocksThatDoNotFitAreRefused) {
  const auto words =
      message_of<device_error>([] { launch(cuda(), {1'000'000, 1024, true}, does_nothing{}); });
  EXPECT_TRUE(contains(words, "cudaErrorCooperativeLaunchTooLarge")) << words;
}

TEST(CudaErrors, BadOffsetsAreNamed) {
  const cuda exec;
  std::vector<int> offsets(100);
  std::iota(offsets.begin(), offsets.end(), 36);
  offsets[17] = 40;
  const auto there = to_executor(exec, offsets);
  EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(exec, merge_path{}, csr_tiles(there.span())); }),
            "offsets[17] = 40 is less than offsets[16] = 52: offsets must not decrease");
}

TEST(CudaErrors, ThereIsAMemoryResource) {
  EXPECT_EQ(message_of<invalid_argument>([] { cuda(nullptr, nullptr); }),
            "resource is null: an executor needs a std::pmr::memory_resource");
}

TEST(CudaErrors, ThePlanOfAnotherMatrixIsRefused) {
  const cuda exec;
  const auto offsets = to_executor(exec, std::vector<int>{0, 1, 2, 3});
  const auto others = to_executor(exec, std::vector<int>{0, 50, 100, 150});
  const auto columns = to_executor(exec, std::vector<int>{0, 1, 2});
  const auto values = to_executor(exec, std::vector<float>{1, 2, 3});
  const auto x = to_executor(exec, std::vector<float>{1, 1, 1});
  const auto y = to_executor(exec, std::vector<float>{0, 0, 0});
  const csr_view<float> a{3, 3, offsets.data(), columns.data(), values.data()};
  auto plan = make_plan(exec, merge_path{}, csr_tiles(others.span()));
  EXPECT_EQ(
      message_of<invalid_argument>([&] { spmv(exec, plan, a, x.span(), y.span()); }),
      "the plan is for another matrix of 3 rows: a plan supports only the offsets that it was made for");
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, merge_path{}, a, x.span(), values.span()); }),
            "y begins 0 bytes after the start of values and overlaps it: they must be disjoint");
  spmv(exec, merge_path{}, a, x.span(), y.span());
  EXPECT_EQ(to_host(exec, y), (std::vector<float>{1, 2, 3}));
}

TEST(CudaErrors, AWorkspaceStaysWhereItsMemoryIs) {
  const cuda exec;
  workspace memory;
  const auto there = to_executor(exec, std::vector<int>(100, 1));
  const auto sum = make_buffer<int>(exec, 1);
  reduce(exec, there.span().begin(), 100, plus<int>{}, sum.data(), memory);
  EXPECT_EQ(to_host(exec, sum), std::vector<int>{100});
  const std::vector<int> here(100, 1);
  int out = 0;
  EXPECT_EQ(
      message_of<invalid_argument>([&] { reduce(cpu(1), here.data(), 100, plus<int>{}, &out, memory); }),
      "the workspace has memory of device " + std::to_string(exec.device()) +
          ", but the executor uses that of the host: use one workspace per memory");
}

TEST(CudaErrors, DevicesThatAreNotThereAreRefused) {
  int devices = 0;
  EVENLY_CUDA_CHECK(cudaGetDeviceCount(&devices));
  for (const int device : {-1, devices, 1000})
    EXPECT_EQ(message_of<invalid_argument>([&] { cuda{device}; }),
              "device = " + std::to_string(device) + ": must be less than the number of GPUs, " +
                  std::to_string(devices) + ", and not negative");
  EXPECT_EQ(cuda(devices - 1).device(), devices - 1);
}

TEST(CudaExecutor, StorageBeyond48KilobytesIsGiven) {
  launch(cuda(), {2, 32}, does_nothing{200'000});
  EXPECT_NO_THROW(cuda().synchronize());
}

/// Each block waits until all have come.
struct wait_for_all {
  int* arrived;
  int* seen;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) {
      atomic_ref(*arrived).fetch_add(1);
      while (atomic_ref(*arrived).load() < block.count()) block.backoff();
      seen[block.index()] = 1;
    }
  }
};

TEST(CudaExecutor, CoResidentBlocksWaitForEachOther) {
  const cuda exec;
  const int blocks = 100;
  const auto arrived = to_executor(exec, std::vector<int>{0});
  const auto seen = to_executor(exec, std::vector<int>(blocks));
  launch(exec, {blocks, 64, true}, wait_for_all{arrived.data(), seen.data()});
  EXPECT_EQ(to_host(exec, seen), std::vector<int>(blocks, 1));
}

struct counts_blocks {
  int* count;
  int bytes;
  slot<char> lay_out(storage_layout& layout, block_shape) const { return layout.take<char>(bytes); }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) atomic_ref(*count).fetch_add(1);
  }
};

TEST(CudaExecutor, AsManyBlocksAreCoResidentAsHaveRoom) {
  const cuda exec;
  const auto there = to_executor(exec, std::vector<int>(1));
  for (const int block_size : {32, 100, 256, 1024})
    for (const int bytes : {0, 10'000, 60'000}) {
      const counts_blocks kernel{there.data(), bytes};
      const int room = resident_blocks(exec, kernel, block_size);
      EXPECT_EQ(resident_blocks(exec, kernel, block_size), room);
      EXPECT_EQ(room % exec.multiprocessors(), 0);
      EXPECT_LE(std::int64_t{room} * block_size, exec.resident_threads());
      exec.fill_zero(there.data(), sizeof(int));
      launch(exec, {room, block_size, true}, kernel);
      EXPECT_EQ(to_host(exec, there), std::vector<int>{room});
      EXPECT_THROW(launch(exec, {room + 1, block_size, true}, kernel), device_error);
    }
  EXPECT_THROW(resident_blocks(exec, counts_blocks{nullptr, 1 << 20}, 32), invalid_argument);
}

TEST(CudaExecutor, UsesTheUsersStream) {
  const own_stream stream;
  const cuda exec(stream.get());
  const auto values = to_executor(exec, std::vector<int>(1000, 5));
  for (int i = 0; i < 20; ++i) launch(exec, {8, 128}, increment{values.data(), 1000});
  EXPECT_EQ(to_host(exec, values), std::vector<int>(1000, 25));
}

/// Rows of very different lengths, with small whole numbers as values so that sums are exact.
struct problem {
  csr_matrix<float> a;
  std::vector<float> x;
  std::vector<float> y; ///< A x

  problem() {
    a.rows = 3000;
    a.cols = 500;
    for (int row = 0; row < a.rows; ++row) {
      const int size = row == 1000 ? 400'000 : row % 7 == 0 ? 0 : row % 50;
      float sum = 0;
      for (int k = 0; k < size; ++k) {
        a.columns.push_back((row * 31 + k * 17) % a.cols);
        a.values.push_back(static_cast<float>((row + k) % 3));
        sum += a.values.back() * static_cast<float>(a.columns.back() % 5);
      }
      a.offsets.push_back(a.offsets.back() + size);
      y.push_back(sum);
    }
    for (int i = 0; i < a.cols; ++i) x.push_back(static_cast<float>(i % 5));
  }
};

/// Runs a kept plan as part of a graph, which copies x before it and is replayed with other values of x.
template <class Schedule> void expect_replays(const Schedule& schedule) {
  const problem given;
  const own_stream stream;
  const cuda exec(stream.get());
  const auto offsets = to_executor(exec, given.a.offsets);
  const auto columns = to_executor(exec, given.a.columns);
  const auto values = to_executor(exec, given.a.values);
  const csr_view<float> a{given.a.rows, given.a.cols, offsets.data(), columns.data(), values.data()};
  const auto x = to_executor(exec, given.x);
  const auto y = to_executor(exec, std::vector<float>(given.y.size(), -1));
  auto plan = make_plan(exec, schedule, rows_of(a));
  spmv(exec, plan, a, x.span(), y.span()); // the first run may make the workspace
  EXPECT_EQ(to_host(exec, y), given.y);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  spmv(exec, plan, a, x.span(), y.span(), 2);
  spmv(exec, plan, a, x.span(), y.span(), 1, 1);
  EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  EVENLY_CUDA_CHECK(cudaGraphInstantiate(&replay, graph, 0));
  for (const float scale : {1.0f, 2.0f, 4.0f}) {
    std::vector<float> scaled = given.x, want = given.y;
    for (float& each : scaled) each *= scale;
    for (float& each : want) each *= 3 * scale;
    exec.copy_from_host(x.data(), scaled.data(), scaled.size() * sizeof(float));
    exec.fill_zero(y.data(), y.size() * sizeof(float));
    EVENLY_CUDA_CHECK(cudaGraphLaunch(replay, stream.get()));
    EXPECT_EQ(to_host(exec, y), want) << "scale " << scale;
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
}

TEST(CudaGraph, ReplaysAKeptPlan) {
  expect_replays(merge_path{});
  expect_replays(direct_search{});
  expect_replays(block_mapped{});
}

TEST(CudaGraph, ReplaysAPlanOfFewBlocks) {
  merge_path large_blocks;
  large_blocks.block_size = 1024; // so few that the blocks themselves put together what they share
  expect_replays(large_blocks);
}

} // namespace
} // namespace evenly
