// SPDX-License-Identifier: Apache-2.0
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/inputs.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

void cuda_segment_scan(cuda_rows& rows, const cuda& exec, const input& values, bool is_inclusive,
                       const output& out) {
  const std::int64_t end = rows.all().first_atom + rows.all().atoms;
  require(rows.all().first_atom == 0 && end == values.rows, [&] {
    return detail::concat("offsets go from ", rows.all().first_atom, " to ", end,
                          ": for a scan they go from 0 to ", values.rows, ", the number of values");
  });
  require(out.rows == values.rows, [&] {
    return detail::concat("out has ", out.rows, " elements: there are ", values.rows, " values");
  });
  with_element<float, double>("values", values.type, [&]<class T>(T) {
    const T* const from = values.as<T>().data();
    const detail::store_at<cuda, T> store{{out.as<T>().data(), out.as<T>().size()}};
    detail::require_apart("values", from, values.rows, "out", store.out.data(), out.rows, true);
    rows.run(exec, work_kind::prefixes, [&](auto& plan) {
      if (is_inclusive)
        scan_tiles(exec, plan, values_of{from}, plus<T>{}, store);
      else
        scan_tiles_exclusive(exec, plan, values_of{from}, plus<T>{}, store);
    });
  });
}

} // namespace evenly::python
