// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in many formats, made on the host of a csr_matrix by loops that are slow and plain. Values are small
// whole numbers, so that every sum is exact; what is padding would be seen in a sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/ell.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

using matrix = csr_matrix<float>;

inline float small_value(std::uint64_t key) {
  return static_cast<float>(static_cast<int>(mixed(key) % 7) - 3);
}

/// Row t has sizes[t] entries, in distinct ascending columns.
inline matrix matrix_of(const std::vector<int>& sizes, int cols) {
  matrix a;
  a.rows = static_cast<int>(sizes.size());
  a.cols = cols;
  for (int row = 0; row < a.rows; ++row) {
    std::vector<int> columns;
    const int size = sizes[static_cast<std::size_t>(row)];
    for (int k = 0; k < size; ++k) columns.push_back((row * 7 + k * (cols / std::max(size, 1))) % cols);
    std::sort(columns.begin(), columns.end());
    for (const int column : columns) {
      a.columns.push_back(column);
      a.values.push_back(small_value(a.values.size()));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

struct named_matrix {
  std::string name;
  matrix a;
};

/// None, empty ones, rows of many sizes over several blocks of any executor, and a giant one; rows and columns are no
/// multiples of dense blocks.
inline std::vector<named_matrix> many_matrices() {
  std::vector<int> mixed_sizes;
  for (int row = 0; row < 2003; ++row) mixed_sizes.push_back(row == 1000 ? 300 : row % 5 == 0 ? 0 : row % 13);
  std::vector<int> giant(67, 0);
  giant[1] = 3;
  giant[30] = 1501;
  giant[66] = 1;
  return {{"no rows", matrix_of({}, 5)},
          {"no entries", matrix_of(std::vector<int>(41, 0), 5)},
          {"one entry", matrix_of({1}, 1)},
          {"rows of many sizes", matrix_of(mixed_sizes, 301)},
          {"one giant row", matrix_of(giant, 1501)}};
}

inline std::vector<int> rows_of_entries(const matrix& a) {
  std::vector<int> rows;
  for (int row = 0; row < a.rows; ++row)
    rows.insert(rows.end(), static_cast<std::size_t>(a.offsets[row + 1] - a.offsets[row]), row);
  return rows;
}

struct ell_matrix {
  ell_layout<> layout;
  std::vector<int> lengths;
  std::vector<int> columns;  ///< padding: -1
  std::vector<float> values; ///< padding: a number that would be seen in a sum
};

inline ell_matrix in_ell(const matrix& a, bool by_columns) {
  ell_matrix made;
  for (int row = 0; row < a.rows; ++row) made.lengths.push_back(a.offsets[row + 1] - a.offsets[row]);
  const int width = a.rows == 0 ? 3 : *std::max_element(made.lengths.begin(), made.lengths.end());
  made.layout =
      by_columns ? ell_by_columns(a.rows, width, a.rows + 5) : ell_by_rows(a.rows, width, width + 2);
  made.columns.assign(static_cast<std::size_t>(made.layout.slots()), -1);
  made.values.assign(made.columns.size(), 1e6f);
  for (int row = 0; row < a.rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const auto slot = static_cast<std::size_t>(made.layout.slot(row, k - a.offsets[row]));
      made.columns[slot] = a.columns[k];
      made.values[slot] = a.values[k];
    }
  return made;
}

template <int R, int C> struct bcsr_matrix {
  std::vector<int> offsets{0};
  std::vector<int> columns;  ///< block columns
  std::vector<float> values; ///< beyond the matrix: a number that would be seen in a sum
};

template <int R, int C> bcsr_matrix<R, C> in_bcsr(const matrix& a) {
  bcsr_matrix<R, C> made;
  for (int top = 0; top < a.rows; top += R) {
    std::set<int> block_columns;
    const int bottom = std::min(top + R, a.rows);
    for (int k = a.offsets[top]; k < a.offsets[bottom]; ++k) block_columns.insert(a.columns[k] / C);
    for (const int block_column : block_columns) {
      const std::size_t first = made.values.size();
      made.columns.push_back(block_column);
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < C; ++j)
          made.values.push_back(top + i < a.rows && block_column * C + j < a.cols ? 0.0f : 1e6f);
      for (int row = top; row < bottom; ++row)
        for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
          if (a.columns[k] / C == block_column)
            made.values[first + static_cast<std::size_t>((row - top) * C + a.columns[k] % C)] = a.values[k];
    }
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

/// A matrix of whole diagonals, and its values by diagonals.
struct dia_matrix {
  matrix a;
  std::vector<int> diagonals;
  std::vector<float> values; ///< beyond the matrix: a number that would be seen in a sum
};

inline dia_matrix in_dia(int rows, int cols, const std::vector<int>& diagonals) {
  dia_matrix made{{}, diagonals, std::vector<float>(diagonals.size() * static_cast<std::size_t>(rows), 1e6f)};
  made.a.rows = rows;
  made.a.cols = cols;
  for (int row = 0; row < rows; ++row) {
    for (std::size_t d = 0; d < diagonals.size(); ++d) {
      const int column = row + diagonals[d];
      if (column < 0 || column >= cols) continue;
      made.a.columns.push_back(column);
      made.a.values.push_back(small_value(made.a.values.size()));
      made.values[d * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)] = made.a.values.back();
    }
    made.a.offsets.push_back(static_cast<int>(made.a.columns.size()));
  }
  return made;
}

/// No diagonals, one, bands, lone ones far away, and rows that no diagonal, or never all of them, pass.
inline std::vector<dia_matrix> many_diagonals() {
  return {in_dia(0, 4, {}),
          in_dia(7, 4, {}),
          in_dia(1, 1, {0}),
          in_dia(2999, 3000, {-1500, -1, 0, 1, 2, 2000}),
          in_dia(150, 90, {-40, -3, 0, 1, 60}),
          in_dia(90, 1700, {-89, 0, 5, 1000, 1699}),
          in_dia(300, 20, {-299, -150, 19}),
          in_dia(60, 60, {-59, -58, 57, 59})};
}

inline std::vector<float> small_vector(int size) {
  std::vector<float> x;
  for (int i = 0; i < size; ++i) x.push_back(static_cast<float>((i * 5 + 2) % 9 - 4));
  return x;
}

inline std::vector<float> reference(const matrix& a, const std::vector<float>& x) {
  std::vector<float> y;
  for (int row = 0; row < a.rows; ++row) {
    float sum = 0;
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y.push_back(sum);
  }
  return y;
}

} // namespace evenly::laws
