// SPDX-License-Identifier: Apache-2.0
// Without a CUDA device there is one thing to test here: that the executor says so. Then exit status 77 tells
// ctest that the rest was skipped.

#include <cstdio>
#include <string>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"

namespace {

/// Whether cuda refuses to be where there is no GPU, in words.
bool says_that_there_is_no_gpu() {
  try {
    const evenly::cuda exec;
  } catch (const evenly::device_error& error) {
    return std::string(error.what()).rfind("no usable GPU (CUDA reports: ", 0) == 0;
  }
  return false;
}

} // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    if (!says_that_there_is_no_gpu()) {
      std::puts("failed: without a GPU, evenly::cuda does not say that there is none");
      return 1;
    }
    std::puts("skipped: no CUDA device");
    return 77;
  }
  if (testing::UnitTest::GetInstance()->total_test_count() == 0) {
    std::puts("skipped: built with EVENLY_GPU_TESTS=OFF, or where there is no GPU: without its tests");
    return 77;
  }
  return RUN_ALL_TESTS();
}
