// SPDX-License-Identifier: Apache-2.0
// Makes a matrix from row sizes. All generators use it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/random.hpp"
#include "generate/spec.hpp"
#include "host/parallel.hpp"

namespace evenly::io {

/// A matrix whose row r has sizes[r] entries. Columns and values are zero, or empty if only sizes are requested.
/// Refuses sums beyond int and insufficient memory.
inline csr_matrix<double> allocate_rows(const generate::parameters& p, std::int64_t cols,
                                        const std::vector<int>& sizes) {
  csr_matrix<double> a;
  a.rows = static_cast<int>(sizes.size());
  a.cols = static_cast<int>(cols);
  a.offsets.reserve(sizes.size() + 1);
  std::int64_t atoms = 0;
  for (const int size : sizes) {
    atoms += size;
    p.check_entries(atoms);
    a.offsets.push_back(static_cast<int>(atoms));
  }
  if (!p.wants_entries()) return a;
  p.require_memory(12 * atoms);
  a.columns.resize(static_cast<std::size_t>(atoms));
  a.values.resize(static_cast<std::size_t>(atoms));
  return a;
}

/// Sets the values of the entries. They depend on the seed and the number of the entry only.
inline void fill_values(csr_matrix<double>& a, std::uint64_t seed) {
  host::for_each_range(a.atoms(), [&](std::int64_t begin, std::int64_t end) {
    generate::random_sequence random(seed, generate::stream::values);
    random.skip(static_cast<std::uint64_t>(begin));
    for (std::int64_t k = begin; k < end; ++k) a.values[static_cast<std::size_t>(k)] = random.signed_unit();
  });
}

/// The matrix with rows of these sizes; columns and values are empty if only sizes are requested. fill(row, columns)
/// writes the columns of one row, sorted and distinct. It is called once for every row that is not empty, concurrently.
template <class Fill>
csr_matrix<double> make_rows(const generate::parameters& p, std::int64_t cols, const std::vector<int>& sizes,
                             const Fill& fill) {
  csr_matrix<double> a = allocate_rows(p, cols, sizes);
  if (!p.wants_entries()) return a;
  host::for_each_range(a.rows, [&](std::int64_t begin, std::int64_t end) {
    for (int row = static_cast<int>(begin); row < end; ++row)
      if (const int size = sizes[static_cast<std::size_t>(row)]; size > 0)
        fill(row,
             std::span(a.columns).subspan(static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]),
                                          static_cast<std::size_t>(size)));
  });
  fill_values(a, p.seed());
  return a;
}

} // namespace evenly::io
