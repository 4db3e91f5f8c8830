// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever the bytes, what reads SciPy's matrices gives one that keeps the rules or throws
// file_error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenly::io::testing::fuzz_npz(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
