// SPDX-License-Identifier: Apache-2.0
// What a traced run counted, as the JSON of results has it: each count by its name.
#pragma once

#include <nlohmann/json.hpp>

#include "evenly/trace/counts.hpp"

namespace evenly::cli {

inline nlohmann::ordered_json json_of_counts(const trace_counts& counts) {
  nlohmann::ordered_json all;
  trace_counts::members([&](const char* name, auto member) { all[name] = counts.*member; });
  return all;
}

} // namespace evenly::cli
