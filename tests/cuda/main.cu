// SPDX-License-Identifier: Apache-2.0
// Without a CUDA device there is nothing to test here: exit status 77 says so to ctest.

#include <cstdio>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  return RUN_ALL_TESTS();
}
