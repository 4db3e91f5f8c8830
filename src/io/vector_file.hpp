// SPDX-License-Identifier: Apache-2.0
// Dense vectors as text: one number a line.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace evenly::io {

/// Reads one number a line; blank lines and lines that start with % or # are passed over. Compression, forms
/// of numbers and errors are those of read_matrix_market; `-` is standard input. A file of no bytes is an error,
/// one of comments is not.
std::vector<double> read_vector(const std::filesystem::path& path);

/// Writes one number a line with 17 significant digits, so that read_vector gives the same bits back (of a
/// NaN: some NaN). `path`: as for write_output. Throws output_error.
void write_vector(const std::filesystem::path& path, std::span<const double> values);

} // namespace evenly::io
