// SPDX-License-Identifier: Apache-2.0
#include "python/ranked.hpp"

#include <cstdint>

#include "python/matrix_views.hpp"

namespace evenly::python {

ranks::ranked_matrix distribute(const ranks::world& ranks, const matrix_arrays& a) {
  return {ranks, wide_matrix(a).view<double>()};
}

} // namespace evenly::python
