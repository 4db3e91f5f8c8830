// SPDX-License-Identifier: Apache-2.0
// Which schedules are one and the same on cpu. A block has one thread there, so what tells schedules apart on a GPU,
// who in a block takes what, is gone; what is left is which tiles and atoms each block has, and in which form.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace evenly::cli {

/// The registry's names in its order, those together that hand the same parts of these tiles, in the same form and
/// order, to the same blocks of cpu(threads): under them a skeleton runs the same code on the same data. `offsets`:
/// tiles + 1 values. Prepares each schedule once and goes through its parts.
std::vector<std::vector<std::string>> same_on_cpu(std::span<const int> offsets, int threads);

} // namespace evenly::cli
