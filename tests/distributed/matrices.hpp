// SPDX-License-Identifier: Apache-2.0
// Matrices whose rows are hard to distribute, with values whose sums depend on the order of the terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly {

struct named_matrix {
  std::string name;
  csr_matrix<double> a;
};

/// A matrix with rows of the given sizes; columns may repeat.
inline csr_matrix<double> matrix_of(const std::vector<int>& sizes, int cols, unsigned seed) {
  std::mt19937 random(seed);
  csr_matrix<double> a;
  a.rows = static_cast<int>(sizes.size());
  a.cols = cols;
  for (const int size : sizes) {
    for (int k = 0; k < size; ++k) {
      a.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(cols)));
      a.values.push_back((static_cast<double>(random() % 2001) - 1000) / 7 * (random() % 5 == 0 ? 1e6 : 1));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

inline std::vector<named_matrix> hard_matrices() {
  std::vector<named_matrix> all;
  const auto add = [&](const char* name, const std::vector<int>& sizes, int cols) {
    all.push_back({name, matrix_of(sizes, cols, static_cast<unsigned>(all.size()) + 1)});
  };
  add("nothing", {}, 0);
  add("one entry", {1}, 1);
  add("no entries", std::vector<int>(500, 0), 500);
  add("one tile over all ranks", {9000}, 300);
  std::vector<int> sizes(2000, 1);
  sizes[700] = 6000;
  add("one dense row", sizes, 2000);
  sizes.assign(600, 3);
  for (std::size_t i = 0; i < 6; ++i) sizes[i] = 1500;
  add("hubs first", sizes, 600);
  sizes.clear();
  for (int i = 0; i < 1500; ++i) sizes.push_back(i % 7 == 3 ? 0 : i * 37 % 11);
  add("mixed, more columns than rows", sizes, 4000);
  sizes.assign(40, 0); // rows that begin and end exactly where blocks and groups of 96 and 192 steps do
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i % 3 == 0 ? 95 : i % 3 == 1 ? 191 : 383;
  add("rows of whole blocks", sizes, 200);
  return all;
}

/// A vector whose sums depend on the order of the terms.
inline std::vector<double> uneven_vector(int size) {
  std::vector<double> x;
  for (int i = 0; i < size; ++i) x.push_back((i % 3 == 0 ? 1e5 : 1.0) / (i + 3) * (i % 2 == 0 ? 1 : -1));
  return x;
}

} // namespace evenly
