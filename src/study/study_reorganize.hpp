// SPDX-License-Identifier: Apache-2.0
// evenly study reorganize: repeats sections 4 and 5 of Wu, Zhao, Zhang, Jiang & Shen, "Complexity analysis and
// algorithm design for reorganizing data to minimize non-coalesced memory accesses on GPU" (PPoPP 2013), with the
// layouts of this library, and adds what the paper leaves to future work: lists that change more or less often.
#pragma once

#include "study/study.hpp"

namespace evenly::study {

/// Like study_mapping. inputs: workloads of evenly reorganize that replace the eight of the paper and a random graph.
/// Returns whether all results are correct.
bool study_reorganize(const study_options& options);

} // namespace evenly::study
