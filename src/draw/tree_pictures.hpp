// SPDX-License-Identifier: Apache-2.0
// evenly draw interleaved, sequential, naive, work_efficient, ...: the versions of evenly ladder, drawn from a run of
// their kernels on a few elements.
#pragma once

#include <string>
#include <vector>

namespace evenly::draw {

inline constexpr int max_drawn_elements = 128;

/// The versions of reductions and scans that have pictures: all except `fast`.
const std::vector<std::string>& tree_pictures();

/// Returns an SVG of the version `name` on `elements` elements (2 to max_drawn_elements), in blocks of `block_size`
/// threads (a power of two) and warps of `warp_size`. A row of cells is an array after one step; a step ends with a
/// barrier or a launch. Lines lead to a cell from the elements that its value was combined from.
///
/// Groups have data-launch, data-step (from 1), data-thread, data-array and data-index for each stored element, and
/// data-conflict where lanes of the step need different words of its bank. Throws usage_error for other elements.
std::string tree_picture(const std::string& name, int elements, int block_size, int warp_size);

} // namespace evenly::draw
