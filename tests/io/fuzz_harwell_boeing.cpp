// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: for any bytes, the reader of Harwell-Boeing files returns a matrix that keeps the rules or throws
// file_error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenly::io::testing::fuzz_harwell_boeing(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
