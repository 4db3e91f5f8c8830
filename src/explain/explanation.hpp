// SPDX-License-Identifier: Apache-2.0
// An explanation (trace/explain.hpp) as JSON and as an HTML page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evenly/trace/explain.hpp"
#include "json/value.hpp"

namespace evenly::explaining {

/// One element per launch: its shape, counts, findings, sites, and the work of its warps, blocks and slots.
json::value json_of(const explanation& all);

/// A self-contained file.
std::string html_of(const explanation& all);

} // namespace evenly::explaining
