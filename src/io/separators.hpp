// SPDX-License-Identifier: Apache-2.0
// Lines of numbers that are separated by commas, as spreadsheets write them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace evenly::io {

/// Replaces commas by blanks.
class comma_free {
 public:
  /// The result is valid until the next call, as long as `line` is.
  std::string_view operator()(std::string_view line) {
    if (line.find(',') == std::string_view::npos) return line;
    copy_ = line;
    std::ranges::replace(copy_, ',', ' ');
    return copy_;
  }

 private:
  std::string copy_;
};

} // namespace evenly::io
