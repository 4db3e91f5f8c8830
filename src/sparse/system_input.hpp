// SPDX-License-Identifier: Apache-2.0
// The systems of `evenly solve` and `evenly trsv`: a matrix and a right-hand side, and the check of a solution.
#pragma once

#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/input.hpp"
#include "measure/problem.hpp"

namespace evenly::sparse {

/// The right-hand side: of a file, or all ones without a path. Throws file_error if it does not fit `rows` rows of the
/// matrix `name`.
std::vector<double> load_right_side(const std::string& path, int rows, const std::string& name);

/// Throws file_error unless the matrix of the input `text` is square.
void require_square_input(const csr_matrix<double>& a, const std::string& text);

/// I + L of the undirected graph with an edge for each entry off the diagonal: symmetric and positive definite.
csr_matrix<double> shifted_laplacian(const csr_matrix<double>& of);

template <class Value> std::vector<Value> with_type(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
template <class Value> csr_matrix<Value> with_type(const csr_matrix<double>& a) {
  return {a.rows, a.cols, a.offsets, a.columns, with_type<Value>(a.values)};
}

/// Loads A and b, and returns call(a, b) with values of the type. `b`: as for load_right_side.
template <class Call>
bool with_system(const io::input_source& source, const std::string& b, measure::number_type type,
                 bool laplacian, const Call& call) {
  csr_matrix<double> a = source.load().matrix;
  require_square_input(a, source.text());
  const std::vector<double> right = load_right_side(b, a.rows, source.name());
  if (laplacian) a = shifted_laplacian(a);
  if (type == measure::number_type::single_precision)
    return call(with_type<float>(a), with_type<float>(right));
  return call(with_type<double>(a), with_type<double>(right));
}

/// |b - A x| / |b| in double; 0 if both norms are 0.
template <class Value>
double relative_residual(const csr_matrix<Value>& a, const std::vector<Value>& b,
                         const std::vector<Value>& x);

} // namespace evenly::sparse
