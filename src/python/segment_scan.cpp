// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "evenly/algorithms/segments.hpp"
#include "python/on_cpu.hpp"
#include "python/segments.hpp"

namespace evenly::python {

namespace {

/// Stores what is before an element in its segment, combined with the element itself if `is_inclusive`: one kernel for
/// both scans.
template <class T, class Op> struct store_prefix {
  using result = typename Op::value_type;
  const T* values;
  result* out;
  Op op;
  bool is_inclusive;
  void operator()(std::int64_t i, result before) const {
    out[i] = is_inclusive ? op(before, static_cast<result>(values[i])) : before;
  }
};

} // namespace

void scan_segments(kept_plan& plan, const input& values, combine op, bool is_inclusive, const output& out) {
  if (plan.is_simulated()) return scan_segments_on_simt(plan, values, op, is_inclusive, out);
  with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
      using result = typename Op::value_type;
      const auto from = values.as<T>();
      const auto to = out.as<result>();
      detail::require_output<result>(from, to, from.size(), "values", true);
      on_cpu<std::int64_t>(plan, [&](auto offsets, auto& each) {
        detail::with_segments(from, offsets, each, work_kind::prefixes, [&](const cpu& exec, auto& planned) {
          scan_tiles_exclusive(exec, planned, values_of<T>{from.data()}, monoid,
                               store_prefix<T, Op>{from.data(), to.data(), monoid, is_inclusive});
        });
      });
    });
  });
}

void expand_segments(kept_plan& plan, const output& out) {
  plan.visit([&](auto& each) { each.expand(out.as<int>()); });
}

} // namespace evenly::python
