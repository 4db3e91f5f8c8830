// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever the bytes, read_points gives finite points or throws file_error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenly::io::testing::fuzz_points(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
