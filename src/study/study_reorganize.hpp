// SPDX-License-Identifier: Apache-2.0
// evenly study reorganize: sections 4 and 5 of Wu, Zhao, Zhang, Jiang & Shen, "Complexity analysis and algorithm design
// for reorganizing data to minimize non-coalesced memory accesses on GPU" (PPoPP 2013), carried out again on our
// layouts, and what the paper leaves to the future: lists that change more or less often.
#pragma once

#include "study/study.hpp"

namespace evenly::study {

/// As study_mapping. inputs: workloads of evenly reorganize in place of the paper's eight and a random graph. Returns
/// whether all results were right.
bool study_reorganize(const study_options& options);

} // namespace evenly::study
