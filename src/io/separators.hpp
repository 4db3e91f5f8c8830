// SPDX-License-Identifier: Apache-2.0
// Commas between the numbers of a line, as spreadsheets have them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace evenly::io {

/// Lines with blanks in place of commas.
class comma_free {
 public:
  /// Valid until the next call, and as long as `line` is.
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
