// SPDX-License-Identifier: Apache-2.0
// The counts of a traced run as JSON members, each with its name.
#pragma once

#include "evenly/trace/counts.hpp"
#include "json/value.hpp"

namespace evenly::measure {

inline json::value json_of_counts(const trace_counts& counts) {
  json::value all;
  trace_counts::members([&](const char* name, auto member) { all[name] = counts.*member; });
  return all;
}

} // namespace evenly::measure
