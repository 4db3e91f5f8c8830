// SPDX-License-Identifier: Apache-2.0
// Matrices of whole numbers, whose sums are exact in any order, and their elements.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::whole_matrices {

/// Some rows are empty, one is long; columns may repeat.
template <class Offset = int> csr_matrix<float, Offset> random_matrix(int rows, int cols, unsigned seed) {
  std::mt19937 random(seed);
  csr_matrix<float, Offset> a;
  a.rows = rows;
  a.cols = cols;
  for (int r = 0; r < rows; ++r) {
    const int size = cols == 0 ? 0 : r == rows / 2 ? 900 : static_cast<int>(random() % 4);
    for (int k = 0; k < size; ++k) {
      a.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(cols)));
      a.values.push_back(static_cast<float>(static_cast<int>(random() % 9) - 4));
    }
    a.offsets.push_back(static_cast<Offset>(a.columns.size()));
  }
  return a;
}

/// As rows of all elements.
template <class A> std::vector<std::vector<float>> dense(const A& a) {
  std::vector<std::vector<float>> all(static_cast<std::size_t>(a.rows),
                                      std::vector<float>(static_cast<std::size_t>(a.cols)));
  for (std::size_t r = 0; r < all.size(); ++r)
    for (auto k = static_cast<std::size_t>(a.offsets[r]); k < static_cast<std::size_t>(a.offsets[r + 1]); ++k)
      all[r][static_cast<std::size_t>(a.columns[k])] += a.values[k];
  return all;
}

inline csr_matrix<float> small() { return {3, 4, {0, 2, 2, 5}, {0, 3, 0, 1, 2}, {1, 2, 3, 4, 5}}; }

} // namespace evenly::whole_matrices
