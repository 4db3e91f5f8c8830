// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever the bytes, what reads arrays of NumPy gives as many numbers as are announced, or throws
// file_error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenly::io::testing::fuzz_npy(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
