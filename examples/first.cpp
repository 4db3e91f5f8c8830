// SPDX-License-Identifier: Apache-2.0
// y = A x for a matrix whose rows have 2, 0, 1 and 4 nonzeros.
#include <cstdio>
#include <vector>

#include "evenly/sparse/multiply.hpp"

int main() {
  const evenly::csr_matrix<float> a{4, 4, {0, 2, 2, 3, 7}, {0, 3, 1, 0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}};
  const std::vector<float> x{1, 10, 100, 1000};
  const std::vector<float> y = a * x;
  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
