// SPDX-License-Identifier: Apache-2.0
// Groups of schedules that are identical on cpu. A block has one thread there, so schedules that differ only in the
// distribution of tiles within a block are equal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenly::detail {

/// The names in the order of the registry, in groups. The schedules of a group assign the same parts of any tiles, in
/// the same form and order, to the same blocks on cpu: a skeleton runs the same code on the same data.
std::vector<std::vector<std::string>> same_on_cpu();

/// Whether the schedule `name` cuts the atoms into equal parts on cpu, independent of the tiles.
bool cuts_evenly_on_cpu(std::string_view name);

} // namespace evenly::detail
