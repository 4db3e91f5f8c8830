// SPDX-License-Identifier: Apache-2.0
// evenly study choices: how long every schedule takes on some three hundred tile sets of all shapes, and what a
// chooser can know of them (docs/choosing.md).
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace evenly::study {

/// The generated sets, from 10^2 to 10^8 atoms, in an order in which any part of them is like all; a few small ones if
/// it has to be quick.
std::vector<std::string> choices_corpus(bool quick);

/// Measures `inputs`, or the corpus where there are none, for spmv and expand, and adds them to the results in
/// the file `json` where `resume` says so. Returns whether all results were right. Throws usage_error,
/// inputs_failed, file_error, device_error.
bool study_choices(const study_options& options);

} // namespace evenly::study
