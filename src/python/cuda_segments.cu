// SPDX-License-Identifier: Apache-2.0
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/inputs.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

void cuda_segment_reduce(cuda_rows& rows, const cuda& exec, const input& values, combine op,
                         const output& out) {
  const std::int64_t end = rows.all().first_atom + rows.all().atoms;
  require(end <= values.rows, [&] {
    return detail::concat("the last segment ends at ", end, ", but there are ", values.rows, " values");
  });
  require(out.rows == rows.tiles().tiles(), [&] {
    return detail::concat("out has ", out.rows, " elements: there are ", rows.tiles().tiles(), " segments");
  });
  with_element<float, double>("values", values.type, [&]<class T>(T) {
    const T* const from = values.as<T>().data();
    const detail::store_at<cuda, T> store{{out.as<T>().data(), out.as<T>().size()}};
    detail::require_apart("values", from, values.rows, "out", store.out.data(), out.rows, false);
    with_monoid<T>(op, [&](const auto& monoid) {
      rows.run(exec, work_kind::sums,
               [&](auto& plan) { reduce_tiles(exec, plan, values_of{from}, monoid, store); });
    });
  });
}

} // namespace evenly::python
