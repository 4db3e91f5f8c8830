// SPDX-License-Identifier: Apache-2.0
#include "host/remarks.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace evenly::host {

void print_remark(const std::string& remark) {
  std::fputs(fmt::format("evenly: {}\n", remark).c_str(), stderr);
}

std::string and_more(const remark& kind) {
  return kind.count > 1 ? fmt::format(", and {} more", kind.count - 1) : "";
}

std::string value_remark(const remark& kind, std::string_view rule) {
  return fmt::format("the value is {}{}, {}", in_quotes(kind.text), and_more(kind), rule);
}

} // namespace evenly::host
