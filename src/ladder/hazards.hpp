// SPDX-License-Identifier: Apache-2.0
// evenly ladder --without: a version without one of its parts, and the report of the simulated GPU.
#pragma once

#include <string>
#include <vector>

#include "ladder/ladder_problem.hpp"

namespace evenly::ladder {

/// The parts that versions of a ladder can be run without: barrier, ping-pong, padding.
std::vector<std::string> parts_to_leave_out(ladder_kind kind);

/// What happens with and without a part. A hazard has `report`, bank conflicts have counts.
struct without_part {
  std::string what;      ///< what is run, in one line
  std::string report;    ///< the simulator's error without the part; empty: none
  std::string with_part; ///< the error with the part; empty: none, and the result is right
  std::int64_t conflicts = 0;
  std::int64_t conflicts_with_part = 0;
};

/// Runs both on simt. Requires a part of the ladder.
without_part run_without(ladder_kind kind, const std::string& part);

/// Prints the comparison, and writes JSON to a file (`-`: standard output; empty: none). Returns whether the missing
/// part was noticed, and the run with it was right.
bool show_without(ladder_kind kind, const std::string& part, const std::string& json);

} // namespace evenly::ladder
