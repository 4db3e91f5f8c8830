// SPDX-License-Identifier: Apache-2.0
// libFuzzer targets: a reader returns values that keep its rules, or throws file_error. FUZZ: a function of fuzz.hpp.
#include "fuzz.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  evenly::io::testing::FUZZ(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
