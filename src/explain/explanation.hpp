// SPDX-License-Identifier: Apache-2.0
// An explanation (trace/explain.hpp) as JSON and as a page of HTML.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evenly/trace/explain.hpp"
#include "json/value.hpp"

namespace evenly::explaining {

/// An element for each launch: its shape, counts, findings, sites, and what its warps, blocks and slots of a
/// multiprocessor had to do.
json::value json_of(const explanation& all);

/// A whole file, which needs no other.
std::string html_of(const explanation& all);

} // namespace evenly::explaining
