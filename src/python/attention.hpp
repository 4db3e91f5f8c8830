// SPDX-License-Identifier: Apache-2.0
// Graph attention over the pattern of a matrix, on cpu.
#pragma once

#include <memory>

#include "python/arrays.hpp"
#include "python/products.hpp"

namespace evenly::python {

/// What scores are made of (sparse/attention.hpp): products of two arrays of features, or sums of two numbers.
struct score_operands {
  input of_rows, of_columns;
  bool are_dots = true;
  double factor = 1;
};

/// The pattern of a matrix, whose arrays outlive it. Columns of int64 and offsets of int32 are copied. Calls of several
/// threads wait for each other.
class pattern_attention {
 public:
  explicit pattern_attention(const matrix_arrays& a);
  ~pattern_attention();

  /// float32 or float64, one type for all. log_sums: rows x heads.
  void forward(const score_operands& scores, const input& v, int heads, const output& out,
               const output& log_sums);
  void backward(const score_operands& scores, const input& v, int heads, const input& out,
                const input& log_sums, const input& grad, const output& grad_rows, const output& grad_columns,
                const output& grad_v);

 private:
  struct body;
  std::unique_ptr<body> body_;
};

} // namespace evenly::python
