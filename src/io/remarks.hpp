// SPDX-License-Identifier: Apache-2.0
// What a reader says of what it has read otherwise than it is written: numbers that were rounded, columns that were
// ignored. Each kind is said once for a file, with the first place and how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace evenly::io {

/// Gets `path:line: what was read, and as what`, without a line end.
using remark_handler = std::function<void(const std::string&)>;

/// Writes `evenly: REMARK` to standard error.
void print_remark(const std::string& remark);

/// Drops it.
inline void ignore_remark(const std::string&) {}

/// One kind of remark: where it was first found, and how often.
struct remark {
  std::int64_t count = 0;
  std::int64_t line = 0;
  std::string text = {}; ///< as it was found
};

} // namespace evenly::io
