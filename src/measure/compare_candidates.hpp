// SPDX-License-Identifier: Apache-2.0
// Measures the candidates of a comparison, and the noise of the run while it lasts.
#pragma once

#include <vector>

#include "measure/comparison.hpp"
#include "measure/measure.hpp"
#include "measure/reference.hpp"

namespace evenly::measure {

/// At least so many rows run the code of another row, so that the noise is known (noise.hpp).
inline constexpr int min_repeats = 6;

/// Fills in results, repeats, copies and the delay by other programs. All take turns (measure_in_turns); among them are
/// further preparations of schedules, if fewer than min_repeats candidates have `same_as`, and a computation of a few
/// milliseconds that needs no memory. These are left out if there are fewer rounds than min_rounds_to_compare and on
/// simt. The copies are timed before and after. `right`: null where candidates check themselves.
void compare_candidates(comparison& c, bench& on, std::vector<candidate> all, const reference* right,
                        const repetition& times);

} // namespace evenly::measure
