// SPDX-License-Identifier: Apache-2.0
// Files of any format: opened, recognised, and given to their reader. Whoever has a file's path only calls what
// evenly/io/read.hpp declares.
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

/// A file whose format is known, unread.
struct known_file {
  byte_source source;
  file_format format;
  std::filesystem::path path;
  read_options how = {};
};

/// Opens a file; `how.format` says what it is, or else its content and its ending do. Throws file_error, which lists
/// the formats where they do not.
known_file open_known(const std::filesystem::path& path, const read_options& how = {});

/// These read `file` to its end, as the functions of evenly/io/read.hpp do.
csr_matrix<double> read_matrix(known_file file);
csr_matrix<std::complex<double>> read_complex_matrix(known_file file);
/// With complex values if the file has them: Matrix Market, Harwell-Boeing, .npz and .npy; other formats as
/// read_matrix.
any_matrix read_any_matrix(known_file file, const host::remark_handler& say = host::print_remark);
/// With integers as integers: Matrix Market, Harwell-Boeing, .npz and .npy; other formats as read_matrix.
exact_matrix read_exact_matrix(known_file file);
/// As read_matrix, but a complex value stands as 1: for whoever wants to know where entries are.
csr_matrix<double> read_structure(known_file file);
edge_rows read_graph(known_file file);
point_set read_points(known_file file);

/// The sizes of the rows that read_matrix would give; complex values do not matter. Of a Matrix Market file on disk it
/// needs no memory for its entries (read_row_profile).
generate::row_profile read_rows(known_file file);

/// A regular file that is open, and whose format is known.
struct checked_file {
  std::function<byte_source()> start; ///< its bytes
  file_format format;
  std::filesystem::path path;
  read_options how;

  /// To be called once.
  known_file from_start() const { return {start(), format, path, how}; }
};

/// Opens a file and throws what read_matrix would throw and what its head tells: banner and sizes, the list of an
/// archive. A pipe, which can be read only once, is not opened: then the result is empty.
std::optional<checked_file> open_checked(const std::filesystem::path& path, const read_options& how = {});

} // namespace evenly::io
