// SPDX-License-Identifier: Apache-2.0
// Operations on segments.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/monoid.hpp"
#include "python/kept_plan.hpp"

namespace evenly::python {

/// The type of sums and products: int64 for int32, otherwise the type of the values.
template <class T> using total = std::conditional_t<std::is_same_v<T, int>, std::int64_t, T>;

/// Calls body(monoid) with the monoid of `op` for values of T.
template <class T, class Body> void with_monoid(combine op, const Body& body) {
  switch (op) {
  case combine::sum:
    return body(plus<total<T>>{});
  case combine::min:
    return body(minimum<T>{});
  case combine::max:
    return body(maximum<T>{});
  case combine::prod:
    return body(multiplies<total<T>>{});
  }
}

/// out[s] = the values of segment s combined; for an empty segment the identity: of integers under min and max the
/// greatest or the least number. float32, float64, int32, int64; minima and maxima of uint8; on cpu also sums of
/// complex64 and complex128.
void reduce_segments(kept_plan& plan, const input& values, combine op, const output& out);
/// out[i] = the values of i's segment before it, and i's own where `is_inclusive`, combined; values in no
/// segment have no result. float32, float64, int32, int64.
void scan_segments(kept_plan& plan, const input& values, combine op, bool is_inclusive, const output& out);
/// out[i] = the segment of element i. On cpu and simt.
void expand_segments(kept_plan& plan, const output& out);

/// The same on simt, for a plan on simt. Complex values throw invalid_argument.
void reduce_segments_on_simt(kept_plan& plan, const input& values, combine op, const output& out);
void scan_segments_on_simt(kept_plan& plan, const input& values, combine op, bool is_inclusive,
                           const output& out);

} // namespace evenly::python
