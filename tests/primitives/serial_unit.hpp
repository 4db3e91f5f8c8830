// SPDX-License-Identifier: Apache-2.0
// Shared by two units of the tests, of which one has no AVX: folds and scans by one thread
// (primitives/detail/serial.hpp).
#pragma once

#include <cstdint>
#include <typeinfo>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/primitives/detail/serial.hpp"

namespace evenly::detail {

namespace serial_unit {

using scan = serial_scan<true, const float*, float*, maximum<float>>;

template <bool Lanes, int RegisterBytes = EVENLY_REGISTER_BYTES>
std::vector<int> scanned(const std::vector<int>& in) {
  std::vector<int> out(in.size());
  const auto size = static_cast<std::int64_t>(in.size());
  const serial_scan<true, const int*, int*, plus<int>, Lanes, RegisterBytes> run(in.data(), out.data(), 0,
                                                                                 size, plus<int>{});
  run.write(0, false);
  return out;
}

template <int RegisterBytes> float greatest(const std::vector<float>& in) {
  return fold_serial<RegisterBytes>(in.data(), 0, static_cast<std::int64_t>(in.size()), maximum<float>{});
}

} // namespace serial_unit

/// What the other unit has.
struct unit_without_avx {
  int register_bytes;
  const std::type_info* scan;
  std::vector<int> (*scanned)(const std::vector<int>&);
  float (*greatest)(const std::vector<float>&);
};
unit_without_avx of_unit_without_avx();

} // namespace evenly::detail
