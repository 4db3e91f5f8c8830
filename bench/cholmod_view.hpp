// SPDX-License-Identifier: Apache-2.0
// Compressed rows as SuiteSparse's CHOLMOD sees them.
#pragma once

#include <cstddef>

#include <cholmod.h>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::bench {

/// CHOLMOD's matrices have compressed columns: of A's arrays it sees the transpose. It reads them only.
inline cholmod_sparse cholmod_transpose_of(csr_matrix<double>& a) {
  cholmod_sparse seen{};
  seen.nrow = static_cast<std::size_t>(a.cols);
  seen.ncol = static_cast<std::size_t>(a.rows);
  seen.nzmax = a.values.size();
  seen.p = a.offsets.data();
  seen.i = a.columns.data();
  seen.x = a.values.data();
  seen.itype = CHOLMOD_INT;
  seen.xtype = CHOLMOD_REAL;
  seen.dtype = CHOLMOD_DOUBLE;
  seen.sorted = 1;
  seen.packed = 1;
  return seen;
}

} // namespace evenly::bench
