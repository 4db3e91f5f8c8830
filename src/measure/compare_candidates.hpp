// SPDX-License-Identifier: Apache-2.0
// Measures the candidates of a comparison, and the noise during the run.
#pragma once

#include <vector>

#include "measure/comparison.hpp"
#include "measure/measure.hpp"
#include "measure/reference.hpp"

namespace evenly::measure {

/// Minimum number of rows with the code of another row, to measure the noise (noise.hpp).
inline constexpr int min_repeats = 6;

/// Sets results, repeats, copies and the delay by other programs. All run in turns (measure_in_turns). If fewer than
/// min_repeats candidates have `same_as`, additional preparations of schedules take part; so does a computation of a
/// few milliseconds without memory accesses. Both are omitted on simt and below min_rounds_to_compare rounds. Copies
/// are timed before and after. `right`: null if candidates check themselves.
void compare_candidates(comparison& c, bench& on, std::vector<candidate> all, const reference* right,
                        const repetition& times);

} // namespace evenly::measure
