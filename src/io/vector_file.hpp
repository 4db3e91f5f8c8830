// SPDX-License-Identifier: Apache-2.0
// Vectors of real or complex values; those of real ones are in evenly/io/read.hpp.
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <variant>
#include <vector>

namespace evenly::io {

using any_vector = std::variant<std::vector<double>, std::vector<std::complex<double>>>;

/// As read_vector, but a Matrix Market file or an array of NumPy may have complex values.
any_vector read_any_vector(const std::filesystem::path& path);

/// As write_vector; as text, too, complex values are written as Matrix Market's `array complex general` of one column.
void write_complex_vector(const std::filesystem::path& path, std::span<const std::complex<double>> values);

} // namespace evenly::io
