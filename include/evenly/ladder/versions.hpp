// SPDX-License-Identifier: Apache-2.0
// All versions of the three ladders, from naive to fast. The program times and counts them, the tests run each, and
// docs/ladder.md explains them. A new version is one line here.
#pragma once

#include "evenly/ladder/reduce.hpp"
#include "evenly/ladder/reduce_chunks.hpp"
#include "evenly/ladder/rotate.hpp"
#include "evenly/ladder/scan.hpp"

namespace evenly::ladder {

/// Call visit(version) for each version.
template <class Visit> void for_each_reduction(Visit&& visit) {
  visit(reduce_interleaved{});
  visit(reduce_sequential{});
  visit(reduce_decomposed_divergent{});
  visit(reduce_decomposed_conflicting{});
  visit(reduce_decomposed{});
  visit(reduce_decomposed_unrolled{});
  visit(reduce_fast{});
}

template <class Visit> void for_each_scan(Visit&& visit) {
  visit(scan_naive{});
  visit(scan_work_efficient{});
  visit(scan_work_efficient_padded{});
  visit(scan_fast{});
}

template <class Visit> void for_each_rotation(Visit&& visit) {
  visit(rotate_direct{});
  visit(rotate_plain{});
  visit(rotate_padded{});
}

} // namespace evenly::ladder
