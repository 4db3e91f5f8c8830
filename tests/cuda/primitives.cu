// SPDX-License-Identifier: Apache-2.0
// The primitives on a GPU, where they are calls of CUB: what they promise, on a stream of one's own, and for more numbers
// than 32 bits can count.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "primitives/promises.hpp"

namespace evenly::primitives {
namespace {

TEST(PrimitivesOnCuda, AreRight) { expect_all_right(cuda()); }

TEST(PrimitivesOnCuda, AreRightOnAnotherStream) {
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const cuda exec(stream);
  expect_scans(exec);
  expect_selects<cuda, int>(exec);
  expect_sorts<65, int>(exec);
  cudaStreamDestroy(stream);
}

TEST(ReducedPrimitivesOnCuda, AreRight) {
  const cuda exec;
  expect_scans(exec);
  expect_selects<cuda, int>(exec);
  expect_sorts<65, int>(exec);
}

/// Multiples of 2^20.
struct is_round {
  EVENLY_FN bool operator()(std::int64_t i) const { return (i & ((1 << 20) - 1)) == 0; }
};

TEST(PrimitivesOnCuda, SelectFromMoreThan32BitsCount) {
  constexpr std::int64_t count = (std::int64_t{1} << 32) + 5;
  const cuda exec;
  std::vector<std::int64_t> want;
  for (std::int64_t i = 0; i < count; i += 1 << 20) want.push_back(i);
  const auto out = make_buffer<std::int64_t>(exec, want.size());
  EXPECT_EQ(select(exec, count, is_round{}, out.data()), static_cast<std::int64_t>(want.size()));
  EXPECT_EQ(to_host(exec, out), want);
}

} // namespace
} // namespace evenly::primitives
