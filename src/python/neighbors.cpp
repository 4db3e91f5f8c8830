// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/neighbor_list.hpp"
#include "python/studies.hpp"

namespace evenly::python {

namespace {

template <class T> made_array array_of(std::span<const T> values) {
  auto copy = make_buffer<T>(executor(), values.size());
  tabulate(executor(), static_cast<std::int64_t>(values.size()), detail::element_at<T>{values.data()},
           copy.data());
  return made_of(std::move(copy));
}

/// Element i of an array with three numbers per shift.
struct number_of_shift {
  const spatial::image_shift* shifts;
  int operator()(std::int64_t i) const { return shifts[i / 3][static_cast<int>(i % 3)]; }
};

} // namespace

made_neighbors find_neighbors(const input& x, const input& y, const input& z, double cutoff,
                              const std::vector<double>& box, const std::array<bool, 3>& periodic,
                              const neighbor_request& request) {
  spatial::neighbor_options options{
      .half = request.half, .distances = request.distances, .vectors = request.vectors};
  if (request.nearest > 0) options.nearest = request.nearest;
  if (!box.empty()) {
    options.box.emplace();
    for (std::size_t k = 0; k < 3; ++k) {
      options.box->periodic[k] = periodic[k];
      for (std::size_t d = 0; d < 3; ++d) options.box->edges[k][d] = box.at(3 * k + d);
    }
  }
  made_neighbors made;
  made.type = x.type;
  with_element<float, double>("points", x.type, [&]<class T>(T) {
    const auto list =
        spatial::neighbor_list(executor(), points_of(x.as<T>(), y.as<T>(), z.as<T>()), cutoff, options);
    made.offsets = array_of(list.offsets());
    made.indices = array_of(list.indices());
    made.distances = array_of(list.distances());
    made.vectors = array_of(list.vectors());
    const std::span<const spatial::image_shift> shifts = list.shifts();
    auto numbers = make_buffer<int>(executor(), 3 * shifts.size());
    tabulate(executor(), static_cast<std::int64_t>(numbers.size()), number_of_shift{shifts.data()},
             numbers.data());
    made.shifts = made_of(std::move(numbers));
  });
  return made;
}

} // namespace evenly::python
