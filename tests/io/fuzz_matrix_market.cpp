// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever the bytes, read_matrix_market gives a matrix that keeps the rules or throws
// file_error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "invariants.hpp"
#include "io/errors.hpp"
#include "io/matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  constexpr evenly::io::matrix_limits small{.rows = 1 << 16, .cols = 1 << 16, .entries = 1 << 20};
  try {
    if (!evenly::io::testing::broken_rule(evenly::io::read_matrix_market(stream, "fuzz", small)).empty())
      std::abort();
  } catch (const evenly::io::file_error&) {
  }
  return 0;
}
