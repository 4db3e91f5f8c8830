// SPDX-License-Identifier: Apache-2.0
// evenly study choices: the time of every schedule on some three hundred tile sets of all shapes, and the features that
// a chooser can know (docs/choosing.md).
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace evenly::study {

/// The generated tile sets, from 10^2 to 10^8 atoms, in an order in which every part resembles the whole; a few small
/// ones if `quick`.
std::vector<std::string> choices_corpus(bool quick);

/// Measures `inputs`, or the corpus if it is empty, for spmv and expand. With `resume`, adds them to the results in the
/// file `json`. Returns whether all results are correct. Throws usage_error, inputs_failed, file_error, device_error.
bool study_choices(const study_options& options);

} // namespace evenly::study
