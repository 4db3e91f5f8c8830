// SPDX-License-Identifier: Apache-2.0
// Readers of matrices, graphs, vectors and points from files: the compiled library evenly::io.
//
//   const evenly::csr_matrix<double> a = evenly::io::read_matrix("a.mtx.gz");
//   const std::vector<double> x = evenly::io::read_vector("x.npy");
//
// * Format: determined by the file's content if possible, for any name, otherwise by its ending (file_format.hpp).
// * Path: `-` is standard input. Compressed files are decompressed on the fly.
// * Threads: several threads may call these functions at a time, on different files.
// * Errors: all functions throw file_error, with file, line and rule; also if memory would not suffice, before it is
//   taken.
// * Memory: a fixed amount in addition to the actual contents, for any sizes that a file declares.
// * Complexity: O(bytes), and a sort of each row whose entries are not in order.
#pragma once

#include <array>
#include <complex>
#include <filesystem>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/io/file_error.hpp"
#include "evenly/io/file_format.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/io/vertex_labels.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::io {

/// Reads a matrix of any format except those of points.
///
/// * Size: at most 2^31 - 2 rows, 2^31 - 1 columns and 2^31 - 1 entries.
/// * Columns are sorted and distinct in each row. Entries at the same place are added, in the file's order; booleans
///   are or-ed. Explicit zeros are kept, and so are all places of arrays.
/// * Symmetric storage is expanded. Values of patterns and of edges without weights are 1.
/// * In a list of edges, rows are sources and columns are targets.
/// * Integers that a double cannot represent are rounded, and standard error gets one line about it.
/// * Throws file_error, also for complex values.
///
/// O(entries + rows), plus a sort of rows that are unsorted.
csr_matrix<double> read_matrix(const std::filesystem::path& path, const read_options& how = {});

/// Reads a matrix of complex values, as read_matrix does. Real values get imaginary parts of 0.
csr_matrix<std::complex<double>> read_complex_matrix(const std::filesystem::path& path,
                                                     const read_options& how = {});

/// Reads a matrix with values of type float, double or std::complex of one, as read_matrix does. Values are rounded;
/// those beyond the range of float become infinite.
///
///   const auto a = evenly::io::read<float>("matrix.mtx");
template <class Value>
csr_matrix<Value> read(const std::filesystem::path& path, const read_options& how = {}) {
  auto all = [&] {
    if constexpr (requires { typename Value::value_type; })
      return read_complex_matrix(path, how);
    else
      return read_matrix(path, how);
  }();
  if constexpr (std::is_same_v<decltype(all), csr_matrix<Value>>) {
    return all;
  } else {
    static_assert(
        std::is_same_v<Value, float> || std::is_same_v<Value, std::complex<float>>,
        "the values of a matrix must be float, double, std::complex<float> or std::complex<double>");
    std::vector<Value> values;
    values.reserve(all.values.size());
    for (const auto& value : all.values) values.push_back(static_cast<Value>(value));
    return {all.rows, all.cols, std::move(all.offsets), std::move(all.columns), std::move(values)};
  }
}

/// The edges of a graph in compressed rows.
struct edge_rows {
  csr_matrix<double> rows; ///< square: row = source, column = target, value = weight, or 1 without weights
  bool has_weights = false;
  int first_vertex = 0;      ///< the label of row 0 if labels are consecutive; else 0
  vertex_labels labels = {}; ///< the label of each row in the file
};

/// Reads a graph: a list of edges, or a square matrix.
///
/// * Lists of edges may have the forms of SNAP, KONECT, NetworkX and CSV files. The first 64 KiB determine separators,
///   a header and the roles of columns; `how.columns` overrides them. Ambiguous lists are read, and one line on
///   standard error states the interpretation.
/// * Names of vertices are numbered in ascending byte order, as `how.renumber` numbers ids.
/// * Edges that a list contains several times are kept. In a row they are sorted by column, then weight.
/// * Weights in lists must be finite.
/// * Without a header and without `how.renumber` the greatest number determines the number of vertices.
/// * Throws file_error for vertices out of range, for counts that differ from those announced, and for a matrix or a
///   list of two vertex sets (KONECT's `% bip`), which is not a graph.
edge_rows read_graph(const std::filesystem::path& path, const read_options& how = {});

/// Reads a vector from one of these files:
/// * text: one number per line; `%` and `#` begin comments, also after a number
/// * .npy with one dimension, or with others that are 1
/// * a Matrix Market file with one row or column
///
/// Integers that a double cannot represent are rounded, and standard error gets one line about it. Throws file_error,
/// also for an empty file.
std::vector<double> read_vector(const std::filesystem::path& path);

/// Writes a vector: as .npy (`<f8`) or Matrix Market (.mtx) if the path has this ending, else as text with one number
/// per line. Numbers have the fewest digits from which read_vector restores the same bits (of a NaN as text: some NaN).
/// A further ending (.gz, .bz2, .xz or .zst) compresses. The file is written as a whole or not at all; `-` is standard
/// output. Throws file_error, also for the ending of another format.
void write_vector(const std::filesystem::path& path, std::span<const double> values);

/// Points in space, in the file's order.
struct point_set {
  std::vector<double> x, y, z; ///< of equal length

  std::size_t size() const { return x.size(); }
};

/// Reads points from one of these files:
/// * .ply: the element `vertex`; ascii, or binary of either byte order
/// * .obj: statements `v`
/// * .xyz: three numbers per line, or atoms in frames, of which `how.frame` selects one
/// * .pcd: fields x, y and z. Points with a NaN are missing ones: they are omitted, and a line on standard error gives
///   their number
/// * .npy: shape (N, 3)
///
/// Coordinates must be finite. Throws file_error, also for counts that differ from those announced.
point_set read_points(const std::filesystem::path& path, const read_options& how = {});

/// The minimum and maximum coordinates; zeros if there are no points.
struct bounding_box {
  std::array<double, 3> min{};
  std::array<double, 3> max{};
};
bounding_box box_of(const point_set& points);

} // namespace evenly::io
