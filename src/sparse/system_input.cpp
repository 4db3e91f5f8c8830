// SPDX-License-Identifier: Apache-2.0
#include "sparse/system_input.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/io/file_error.hpp"
#include "evenly/io/read.hpp"
#include "evenly/sparse/transpose.hpp"
#include "host/errors.hpp"

namespace evenly::sparse {

namespace {

std::size_t place(int at) { return static_cast<std::size_t>(at); }

} // namespace

std::vector<double> load_right_side(const std::string& path, int rows, const std::string& name) {
  if (path.empty()) return std::vector<double>(place(rows), 1.0);
  std::vector<double> b = io::read_vector(path);
  if (b.size() != place(rows))
    throw io::file_error(
        host::printable(path), 0,
        fmt::format("b has {} values, but {} has {} rows: the numbers must be equal", b.size(), name, rows));
  return b;
}

void require_square_input(const csr_matrix<double>& a, const std::string& text) {
  if (a.rows != a.cols)
    throw io::file_error(
        host::printable(text), 0,
        fmt::format("the matrix has {} rows and {} columns: a system to solve is square", a.rows, a.cols));
}

csr_matrix<double> shifted_laplacian(const csr_matrix<double>& of) {
  const auto turned = to_host(cpu(1), transpose(cpu(1), of.view()));
  csr_matrix<double> made;
  made.rows = made.cols = of.rows;
  for (int r = 0; r < of.rows; ++r) {
    int one = of.offsets[place(r)], other = turned.offsets[place(r)];
    const int end = of.offsets[place(r) + 1], other_end = turned.offsets[place(r) + 1];
    std::size_t diagonal = made.columns.size();
    double degree = 0;
    bool has_diagonal = false;
    const auto add_diagonal = [&] {
      if (has_diagonal) return;
      has_diagonal = true;
      diagonal = made.columns.size();
      made.columns.push_back(r);
      made.values.push_back(0);
    };
    while (one < end || other < other_end) { // the merge of both rows
      const int left = one < end ? of.columns[place(one)] : of.rows;
      const int right = other < other_end ? turned.columns[place(other)] : of.rows;
      const int column = left < right ? left : right;
      if (left == column) ++one;
      if (right == column) ++other;
      if (column == r) continue;
      if (column > r) add_diagonal();
      made.columns.push_back(column);
      made.values.push_back(-1);
      ++degree;
    }
    add_diagonal();
    made.values[diagonal] = degree + 1;
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

template <class Value>
double relative_residual(const csr_matrix<Value>& a, const std::vector<Value>& b,
                         const std::vector<Value>& x) {
  double squared = 0, right = 0;
  for (int r = 0; r < a.rows; ++r) {
    double difference = b[place(r)];
    right += difference * difference;
    for (int e = a.offsets[place(r)]; e < a.offsets[place(r) + 1]; ++e)
      difference -=
          static_cast<double>(a.values[place(e)]) * static_cast<double>(x[place(a.columns[place(e)])]);
    squared += difference * difference;
  }
  return squared == 0 ? 0 : std::sqrt(squared / right);
}
template double relative_residual(const csr_matrix<float>&, const std::vector<float>&,
                                  const std::vector<float>&);
template double relative_residual(const csr_matrix<double>&, const std::vector<double>&,
                                  const std::vector<double>&);

} // namespace evenly::sparse
