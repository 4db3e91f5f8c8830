// SPDX-License-Identifier: Apache-2.0
// Parallel loops of the readers and generators.
#pragma once

#include <cstdint>
#include <functional>

namespace evenly::host {

/// Calls body(begin, end) for consecutive ranges that cover [0, count): at most 256, in parallel and in any order, on
/// the cpu executor. Rethrows exceptions of the body. The result does not depend on the ranges if the body treats all
/// indices alike.
void for_each_range(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body);

} // namespace evenly::host
