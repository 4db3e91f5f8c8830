// SPDX-License-Identifier: Apache-2.0
// Operations on segments.
#pragma once

#include <cstdint>
#include <type_traits>

#include "python/kept_plan.hpp"

namespace evenly::python {

/// The type of sums and products: int64 of int32, else that of the values.
template <class T> using total = std::conditional_t<std::is_same_v<T, int>, std::int64_t, T>;

/// out[s] = the values of segment s combined; for an empty segment the identity: of integers under min and max the
/// greatest or the least number. On cpu. float32, float64, int32, int64; sums of complex64 and complex128; minima and
/// maxima of uint8.
void reduce_segments(kept_plan& plan, const input& values, combine op, const output& out);
/// out[i] = the values of i's segment before it, and i's own where `is_inclusive`, combined; values in no
/// segment have no result. float32, float64, int32, int64.
void scan_segments(kept_plan& plan, const input& values, combine op, bool is_inclusive, const output& out);
/// out[i] = the segment of element i. On cpu and simt.
void expand_segments(kept_plan& plan, const output& out);

} // namespace evenly::python
