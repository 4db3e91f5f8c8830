// SPDX-License-Identifier: Apache-2.0
// Remarks of readers about content that is read differently from how it is written: rounded numbers, ignored columns. A
// reader makes one remark of each kind per file, with the first place and the number of places.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace evenly::host {

/// Receives `path:line: text`, without a line end.
using remark_handler = std::function<void(const std::string&)>;

/// Writes `evenly: REMARK` to standard error.
void print_remark(const std::string& remark);

/// Ignores the remark.
inline void ignore_remark(const std::string&) {}

/// One kind of remark: the first place and the number of places.
struct remark {
  std::int64_t count = 0;
  std::int64_t line = 0;
  std::string text = {}; ///< the text in the file
};

/// `, and 2 more`; empty for one place.
std::string and_more(const remark& kind);

inline constexpr std::string_view beyond_range = "outside the range of a double: read as infinity or zero";
inline constexpr std::string_view beyond_exact_integers = "above 2^53: rounded to a double";

/// `the value is '1e400', and 2 more, RULE`.
std::string value_remark(const remark& kind, std::string_view rule);

} // namespace evenly::host
