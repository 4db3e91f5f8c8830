// SPDX-License-Identifier: Apache-2.0
#include "python/segments.hpp"

#include <complex>
#include <cstdint>

#include "evenly/algorithms/segments.hpp"
#include "evenly/sparse/spmv.hpp"
#include "python/on_cpu.hpp"

namespace evenly::python {

namespace {

/// Values as kernels compute with them.
template <class T> auto values_as(const input& values) {
  const auto all = values.as<T>();
  return std::span(reinterpret_cast<const kernel_value<T>*>(all.data()), all.size());
}
template <class T> auto written_as(const output& out) {
  const auto all = out.as<T>();
  return std::span(reinterpret_cast<kernel_value<T>*>(all.data()), all.size());
}

/// T: of values; Out: of what they combine to.
template <template <class> class Op, class T, class Out = T>
void reduce_by(kept_plan& plan, const input& values, const output& out) {
  on_cpu<std::int64_t>(plan, [&](auto offsets, auto& each) {
    evenly::segmented_reduce(values_as<T>(values), offsets, written_as<Out>(out), Op<kernel_value<Out>>{},
                             each);
  });
}
} // namespace

void reduce_segments(kept_plan& plan, const input& values, combine op, const output& out) {
  if (plan.is_simulated()) return reduce_segments_on_simt(plan, values, op, out);
  switch (op) {
  case combine::sum:
    return with_element<float, double, int, std::int64_t, std::complex<float>, std::complex<double>>(
        values.name, values.type, [&]<class T>(T) { reduce_by<plus, T, total<T>>(plan, values, out); });
  case combine::prod:
    return with_element<float, double, int, std::int64_t>(
        values.name, values.type, [&]<class T>(T) { reduce_by<multiplies, T, total<T>>(plan, values, out); });
  case combine::min:
    return with_element<float, double, int, std::int64_t, std::uint8_t>(
        values.name, values.type, [&]<class T>(T) { reduce_by<minimum, T>(plan, values, out); });
  case combine::max:
    return with_element<float, double, int, std::int64_t, std::uint8_t>(
        values.name, values.type, [&]<class T>(T) { reduce_by<maximum, T>(plan, values, out); });
  }
}

} // namespace evenly::python
