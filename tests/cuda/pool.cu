// SPDX-License-Identifier: Apache-2.0
// The memory of the cuda executor: a pool, in the order of streams (execution/detail/cuda_pool.hpp).

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

constexpr std::size_t many = 1 << 20;

/// A stream for as long as it lives.
class scoped_stream {
 public:
  explicit scoped_stream(unsigned flags) { EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, flags)); }
  scoped_stream(const scoped_stream&) = delete;
  scoped_stream& operator=(const scoped_stream&) = delete;
  ~scoped_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Waits for a hundredth of a second or so, then writes ones.
__global__ void write_ones_late(int* to, std::size_t count) {
  const long long begin = clock64();
  while (clock64() - begin < 20'000'000) {
  }
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = 1;
}

std::uint64_t reserved_by_pool() {
  std::uint64_t bytes = 0;
  EVENLY_CUDA_CHECK(
      cudaMemPoolGetAttribute(detail::cuda_pool(cuda().device()), cudaMemPoolAttrReservedMemCurrent, &bytes));
  return bytes;
}

/// Memory that a late kernel still writes to is freed, and taken again; returns how much of it has not the zeros that
/// it was then filled with. `used_on`: another stream than that of the memory, perhaps.
std::size_t changed_after_reuse(const cuda& exec, cudaStream_t used_on) {
  {
    const auto first = make_buffer<int>(exec, many);
    exec.synchronize();
    write_ones_late<<<1, 256, 0, used_on>>>(first.data(), many);
  }
  const auto second = make_buffer<int>(exec, many);
  exec.fill_zero(second.data(), many * sizeof(int));
  EVENLY_CUDA_CHECK(cudaDeviceSynchronize());
  std::size_t changed = 0;
  for (const int each : to_host(exec, second)) changed += each != 0;
  return changed;
}

TEST(CudaPool, GivesOutMemoryWhenTheWorkThatUsesItIsDone) {
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    const scoped_stream stream(flags);
    EXPECT_EQ(changed_after_reuse(cuda(stream), stream), 0u) << flags;
  }
  EXPECT_EQ(changed_after_reuse(cuda(), nullptr), 0u);
}

TEST(CudaPool, MemoryMayBeUsedOnSeveralBlockingStreams) {
  const scoped_stream one(cudaStreamDefault), other(cudaStreamDefault);
  EXPECT_EQ(changed_after_reuse(cuda(one), other), 0u);
  EXPECT_EQ(changed_after_reuse(cuda(), other), 0u);
  EXPECT_EQ(changed_after_reuse(cuda(one), nullptr), 0u);
}

TEST(CudaPool, FreeingDoesNotWait) {
  const scoped_stream stream(cudaStreamNonBlocking);
  const cuda exec(stream);
  make_buffer<int>(exec, many); // so that the pool has some
  auto used = make_buffer<int>(exec, many);
  exec.synchronize();
  write_ones_late<<<1, 256, 0, stream>>>(used.data(), many);
  used = {};
  make_buffer<int>(exec, many);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  exec.synchronize();
}

TEST(CudaPool, KeepsWhatIsFreed) {
  const cuda exec;
  make_buffer<int>(exec, 16 * many);
  exec.synchronize();
  const std::uint64_t before = reserved_by_pool();
  EXPECT_GE(before, 16 * many * sizeof(int));
  for (int i = 0; i < 10; ++i) {
    make_buffer<int>(exec, 16 * many);
    exec.synchronize();
  }
  EXPECT_EQ(reserved_by_pool(), before);
}

TEST(CudaPool, MemoryOutlivesItsStream) {
  auto stream = std::make_unique<scoped_stream>(cudaStreamDefault);
  auto memory = make_buffer<int>(cuda(*stream), many);
  write_ones_late<<<1, 256, 0, *stream>>>(memory.data(), many);
  stream.reset();
  memory = {};
  const cuda exec;
  const auto other = make_buffer<int>(exec, many);
  exec.fill_zero(other.data(), many * sizeof(int));
  EXPECT_EQ(to_host(exec, other), std::vector<int>(many));
}

TEST(CudaPool, GivesNothingToACapture) {
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    const scoped_stream stream(flags);
    const cuda exec(stream);
    auto before = make_buffer<int>(exec, many);
    const auto kept = make_buffer<int>(exec, 100);
    exec.synchronize();
    EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(message_of<device_error>([&] { make_buffer<int>(exec, 10); }),
              "memory is requested during the capture of a graph: allocate it before the capture, for "
              "example with plan.reserve");
    before = {}; // goes back later
    exec.fill_zero(kept.data(), 100 * sizeof(int));
    cudaGraph_t graph = nullptr;
    EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &graph)); // what was refused has not spoilt it
    cudaGraphExec_t runs = nullptr;
    EVENLY_CUDA_CHECK(cudaGraphInstantiate(&runs, graph, 0));
    EVENLY_CUDA_CHECK(cudaGraphLaunch(runs, stream));
    EXPECT_EQ(to_host(exec, kept), std::vector<int>(100));
    make_buffer<int>(exec, many);
    EVENLY_CUDA_CHECK(cudaGraphExecDestroy(runs));
    EVENLY_CUDA_CHECK(cudaGraphDestroy(graph));
  }
}

TEST(CudaPool, ExecutorsOfOneStreamShareIt) {
  const scoped_stream one(cudaStreamDefault), other(cudaStreamNonBlocking);
  EXPECT_EQ(cuda(one).resource(), cuda(one).resource());
  EXPECT_EQ(cuda().resource(), cuda(nullptr).resource());
  EXPECT_NE(cuda(one).resource(), cuda(other).resource());
}

} // namespace
} // namespace evenly
