// SPDX-License-Identifier: Apache-2.0
// Files of any format: opens them, detects the format and calls its reader. Code that has only a path needs
// evenly/io/read.hpp instead.
#pragma once

#include <complex>
#include <filesystem>
#include <functional>
#include <optional>

#include "evenly/io/read.hpp"
#include "generate/row_profile.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

struct point_box; // points.hpp

/// A file of known format that is not read yet.
struct known_file {
  byte_source source;
  file_format format;
  std::filesystem::path path;
  read_options how = {};
};

/// Opens a file. `how.format` is its format; by default, the content and the ending determine it. Throws file_error
/// with a list of the formats if they do not.
known_file open_known(const std::filesystem::path& path, const read_options& how = {});

/// These read `file` to its end, as the functions of evenly/io/read.hpp do.
csr_matrix<double> read_matrix(known_file file);
csr_matrix<std::complex<double>> read_complex_matrix(known_file file);
/// With complex values if the file has them: Matrix Market, Harwell-Boeing, .npz and .npy; other formats as
/// read_matrix.
any_matrix read_any_matrix(known_file file, const host::remark_handler& say = host::print_remark);
/// With integers as integers: Matrix Market, Harwell-Boeing, .npz and .npy; other formats as read_matrix.
exact_matrix read_exact_matrix(known_file file);
/// Like read_matrix, but a complex value counts as 1: for the positions of entries only.
csr_matrix<double> read_structure(known_file file);
edge_rows read_graph(known_file file);
point_set read_points(known_file file, point_box* box = nullptr);

/// The row sizes of read_matrix; complex values are allowed. A Matrix Market file on disk needs no memory for its
/// entries (read_row_profile).
generate::row_profile read_rows(known_file file);

/// An open regular file of known format.
struct checked_file {
  std::function<byte_source()> start; ///< returns its bytes from the start
  file_format format;
  std::filesystem::path path;
  read_options how;

  /// Call it once.
  known_file from_start() const { return {start(), format, path, how}; }
};

/// Opens a file and throws the exceptions of read_matrix that depend on its head: banner and sizes, or the list of an
/// archive. A pipe can be read only once and is not opened: the result is then empty.
std::optional<checked_file> open_checked(const std::filesystem::path& path, const read_options& how = {});

} // namespace evenly::io
