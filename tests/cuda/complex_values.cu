// SPDX-License-Identifier: Apache-2.0
// spmv of complex values on a GPU.

#include <complex>

#include <gtest/gtest.h>

#include "algorithms/complex_products.hpp"
#include "cuda/one_size.hpp"

namespace evenly {
namespace {

TEST(ReducedComplexOnCuda, IsExactForWholeNumbers) {
  expect_exact<std::complex<float>>(cuda_of_any_size());
  expect_exact<std::complex<double>>(cuda_of_any_size());
}

} // namespace
} // namespace evenly
