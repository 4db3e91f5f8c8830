// SPDX-License-Identifier: Apache-2.0
// evenly draw padding, layouts, sharing: the worked example of docs/reorganize.md, drawn from the plans of the layouts.
// They are figures 3, 4 and 5 of Wu et al. (PPoPP 2013): 22 threads, warps of 4, windows of 4, blocks of 4 warps.
#pragma once

#include <string>
#include <vector>

namespace evenly::draw {

/// padding, layouts and sharing.
const std::vector<std::string>& layout_pictures();
/// Returns an SVG. Throws usage_error for any other name.
std::string layout_picture(const std::string& name);

} // namespace evenly::draw
