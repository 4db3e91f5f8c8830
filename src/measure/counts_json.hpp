// SPDX-License-Identifier: Apache-2.0
// What a traced run counted, as the JSON of results has it: each count by its name.
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
