// SPDX-License-Identifier: Apache-2.0
// evenly study tasks: sections 5 and 6 of Cederman & Tsigas, "On dynamic load balancing on graphics processors" (2008),
// carried out again on our pools: octrees of particles by tasks.
#pragma once

#include "study/study.hpp"

namespace evenly::study {

/// As study_mapping. inputs: particles (spatial/octree.hpp) in place of half a million of each kind. Returns whether
/// all results were right.
bool study_tasks(const study_options& options);

} // namespace evenly::study
