// SPDX-License-Identifier: Apache-2.0
#include "io/remarks.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace evenly::io {

void print_remark(const std::string& remark) {
  std::fputs(fmt::format("evenly: {}\n", remark).c_str(), stderr);
}

} // namespace evenly::io
