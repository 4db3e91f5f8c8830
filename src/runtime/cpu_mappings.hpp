// SPDX-License-Identifier: Apache-2.0
// Which schedules are one and the same on cpu. A block has one thread there, so schedules that differ only in how the
// threads of a block share tiles do not differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenly::detail {

/// The registry's names in its order, in groups. The schedules of a group hand the same parts of any tiles, in the same
/// form and order, to the same blocks of cpu: a skeleton runs the same code on the same data.
std::vector<std::vector<std::string>> same_on_cpu();

/// Whether the schedule called `name` cuts the atoms into equal parts on cpu, wherever tiles end.
bool cuts_evenly_on_cpu(std::string_view name);

} // namespace evenly::detail
