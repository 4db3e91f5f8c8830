// SPDX-License-Identifier: Apache-2.0
// Step 1: y = A x as a loop over rows, with nothing but C++.
#include <cstdio>
#include <vector>

int main() {
  // A has 5 rows. The nonzeros of row r are those from offsets[r] up to, and without, offsets[r + 1].
  const std::vector<int> offsets{0, 2, 3, 3, 9, 10};
  const std::vector<int> columns{0, 4, 1, 0, 1, 2, 3, 4, 0, 2};
  const std::vector<float> values{1, 1, 2, 1, 1, 1, 1, 1, 1, 3};
  const std::vector<float> x{1, 2, 3, 4, 5};
  std::vector<float> y(5);

  for (int row = 0; row < 5; ++row) {
    float sum = 0;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }

  for (int row = 0; row < 5; ++row)
    std::printf("row %d: %d nonzeros, y = %g\n", row, offsets[row + 1] - offsets[row], y[row]);
  return y == std::vector<float>{6, 4, 0, 16, 9} ? 0 : 1;
}
