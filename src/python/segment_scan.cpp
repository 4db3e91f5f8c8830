// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "evenly/algorithms/segments.hpp"
#include "python/on_cpu.hpp"
#include "python/segments.hpp"

namespace evenly::python {

namespace {

template <template <class> class Op, class T, class Out = T>
void scan_by(kept_plan& plan, const input& values, bool is_inclusive, const output& out) {
  on_cpu(plan, [&](auto offsets, auto& each) {
    if (is_inclusive)
      evenly::segmented_inclusive_scan(values.as<T>(), offsets, out.as<Out>(), Op<Out>{}, each);
    else
      evenly::segmented_exclusive_scan(values.as<T>(), offsets, out.as<Out>(), Op<Out>{}, each);
  });
}

} // namespace

void scan_segments(kept_plan& plan, const input& values, combine op, bool is_inclusive, const output& out) {
  if (plan.is_simulated()) return scan_segments_on_simt(plan, values, op, is_inclusive, out);
  with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
    switch (op) {
    case combine::sum:
      return scan_by<plus, T, total<T>>(plan, values, is_inclusive, out);
    case combine::min:
      return scan_by<minimum, T>(plan, values, is_inclusive, out);
    case combine::max:
      return scan_by<maximum, T>(plan, values, is_inclusive, out);
    case combine::prod:
      return scan_by<multiplies, T, total<T>>(plan, values, is_inclusive, out);
    }
  });
}

void expand_segments(kept_plan& plan, const output& out) {
  plan.visit([&](auto& each) { each.expand(out.as<int>()); });
}

} // namespace evenly::python
