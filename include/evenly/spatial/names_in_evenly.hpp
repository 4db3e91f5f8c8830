// SPDX-License-Identifier: Apache-2.0
// Deprecated: the names of this folder in namespace evenly, as in earlier releases. For programs that still use them;
// evenly/evenly.hpp does not include this header.
#pragma once

#include "evenly/spatial/build_octree.hpp"
#include "evenly/spatial/neighbors_within.hpp"
#include "evenly/spatial/particles.hpp"

namespace evenly {

using spatial::cell_of_key, spatial::coordinate, spatial::default_octree_cut, spatial::fit_box,
    spatial::for_each_leaf, spatial::grid_cell, spatial::morton_key, spatial::octant_of_key,
    spatial::octree_box, spatial::octree_by_tasks, spatial::octree_cells, spatial::octree_levels,
    spatial::octree_node, spatial::octree_summary, spatial::particle_cells, spatial::summary_of,
    spatial::tube_particles, spatial::uniform_particles;

} // namespace evenly
