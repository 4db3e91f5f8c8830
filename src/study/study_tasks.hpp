// SPDX-License-Identifier: Apache-2.0
// evenly study tasks: repeats sections 5 and 6 of Cederman & Tsigas, "On dynamic load balancing on graphics processors"
// (2008), with the pools of this library: octrees of particles by tasks.
#pragma once

#include "study/study.hpp"

namespace evenly::study {

/// Like study_mapping. inputs: particles (spatial/octree.hpp) that replace half a million of each kind. Returns whether
/// all results are correct.
bool study_tasks(const study_options& options);

} // namespace evenly::study
