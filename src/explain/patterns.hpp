// SPDX-License-Identifier: Apache-2.0
// evenly explain --patterns: access patterns of a warp, with the sectors or the bank conflicts that they cause.
#pragma once

#include <string>

namespace evenly::explaining {

/// Prints the tables, and writes JSON to a file (`-`: standard output; empty: none). Throws host::output_error.
void explain_patterns(const std::string& json);

} // namespace evenly::explaining
