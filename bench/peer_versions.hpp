// SPDX-License-Identifier: Apache-2.0
// Versions of the libraries that a benchmark compares with. They are the member `peers` of its report.
#pragma once

#include <string>

namespace evenly::bench {

/// Returns "3.4.0" for 3, 4, 0.
inline std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

} // namespace evenly::bench
