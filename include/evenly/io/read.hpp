// SPDX-License-Identifier: Apache-2.0
// Reading matrices, graphs, vectors and points from files: the compiled library evenly::io.
//
//   const evenly::csr_matrix<double> a = evenly::io::read_matrix("a.mtx.gz");
//   const std::vector<double> x = evenly::io::read_vector("x.npy");
//
// What a file is, its content says where it can, whatever the file is called; else its ending does (file_format.hpp).
// `-` is standard input, and what is compressed is decompressed on the way. Every function may be called by several
// threads at a time, on different files. All throw file_error, with file, line and rule, and hold no more than a fixed
// amount of memory for what a file announces and does not hold; what there is too little memory for is refused before
// it is taken.
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

/// A matrix of any format but those of points: up to 2^31 - 2 rows, and 2^31 - 1 columns and entries. Columns are
/// sorted and distinct in each row: entries at the same place are added, in the file's order. Explicit zeros are kept,
/// and so are all places of arrays. Symmetric storage is expanded; values of patterns and of edges without weights are
/// 1. Rows of a list of edges are sources and its columns targets. Complex values are refused. Integers that a double
/// does not hold are rounded, and standard error gets one line that says so. Booleans at the same place are or-ed.
///
/// O(entries + rows), and a sort of rows that come unsorted.
csr_matrix<double> read_matrix(const std::filesystem::path& path, const read_options& how = {});

/// The same, of complex values; real ones have imaginary parts of 0.
csr_matrix<std::complex<double>> read_complex_matrix(const std::filesystem::path& path,
                                                     const read_options& how = {});

/// The same with values of another type: float, double or std::complex of one. Values are rounded; those beyond the
/// range of float become infinite.
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

/// A graph's edges in compressed rows.
struct edge_rows {
  csr_matrix<double> rows; ///< square: row = from, column = to, value = weight, 1 where there is none
  bool has_weights = false;
  int first_vertex = 0;      ///< the label of row 0 if labels are consecutive; else 0
  vertex_labels labels = {}; ///< how the file calls each row
};

/// Reads a graph: a list of edges, or a square matrix.
///
/// Lists of edges are read in the forms that SNAP, KONECT, NetworkX and CSV files have. The first 64 KiB decide on
/// separators, a header and the roles of columns; `how.columns` overrides them. What is ambiguous is read, and one line
/// on standard error says how. Names of vertices are numbered in ascending byte order, as `how.renumber` numbers ids.
///
/// Edges that a list has several times stay so; in a row they are sorted by column, then weight. Weights are finite in
/// lists. Without a header and without `how.renumber` there are as many vertices as the greatest number says.
///
/// Throws file_error for vertices out of range, for counts that are not those announced, and for a matrix or a list of
/// two vertex sets (KONECT's `% bip`), which is no graph.
edge_rows read_graph(const std::filesystem::path& path, const read_options& how = {});

/// A vector: one number a line, `%` and `#` begin comments; .npy, of one dimension or of others that are 1; or a Matrix
/// Market file of one row or column. Comments may also stand behind a number. Integers that a double does not hold are
/// rounded, and standard error gets one line that says so. A file of no bytes is an error.
std::vector<double> read_vector(const std::filesystem::path& path);

/// Writes a vector: as .npy (`<f8`) or Matrix Market (.mtx) where the path ends so, else one number a line, each with
/// the fewest digits from which read_vector gives the same bits back (of a NaN as text: some NaN). A further ending
/// (.gz, .bz2, .xz or .zst) compresses. The file is there whole or not at all; `-` is standard output. Throws
/// file_error, also for the ending of another format.
void write_vector(const std::filesystem::path& path, std::span<const double> values);

/// Points in space, in the file's order.
struct point_set {
  std::vector<double> x, y, z; ///< of equal length

  std::size_t size() const { return x.size(); }
};

/// Points of a file: .ply (the element `vertex`; ascii, or binary of either order of bytes), .obj (statements `v`),
/// .xyz (three numbers a line, or atoms in frames, of which `how.frame` chooses one), .pcd (fields x, y and z) or .npy
/// (shape (N, 3)). Coordinates are finite. Points of .pcd with a NaN are missing ones: they are left out, and a remark
/// on standard error says how many. Throws file_error also for counts that are not those announced.
point_set read_points(const std::filesystem::path& path, const read_options& how = {});

/// The least and the greatest coordinates; of no points zeros.
struct bounding_box {
  std::array<double, 3> min{};
  std::array<double, 3> max{};
};
bounding_box box_of(const point_set& points);

} // namespace evenly::io
