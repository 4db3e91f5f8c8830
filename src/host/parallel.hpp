// SPDX-License-Identifier: Apache-2.0
// Loops of the readers and generators on all cores.
#pragma once

#include <cstdint>
#include <functional>

namespace evenly::host {

/// Calls body(begin, end) for consecutive ranges that make up [0, count): at most 256, in parallel and in any order, on
/// the cpu executor. Rethrows what a call threw. The result does not depend on the ranges if the body treats each index
/// alike.
void for_each_range(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body);

} // namespace evenly::host
