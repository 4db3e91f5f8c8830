// SPDX-License-Identifier: Apache-2.0
// Vectors of real or complex values. evenly/io/read.hpp has those of real values.
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <variant>
#include <vector>

namespace evenly::io {

using any_vector = std::variant<std::vector<double>, std::vector<std::complex<double>>>;

/// Like read_vector, but a Matrix Market file or a NumPy array may have complex values.
any_vector read_any_vector(const std::filesystem::path& path);

/// Like write_vector. As text, complex values are also written as Matrix Market `array complex general` of one column.
void write_complex_vector(const std::filesystem::path& path, std::span<const std::complex<double>> values);

} // namespace evenly::io
