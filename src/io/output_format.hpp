// SPDX-License-Identifier: Apache-2.0
// The format of a written result. The ending of the file selects it; an ending of another format is refused.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace evenly::io {

enum class output_format {
  text, ///< lines; also for standard output and unknown endings
  npy,  ///< an array of NumPy
  npz,  ///< a sparse matrix of SciPy
  mtx,  ///< Matrix Market
  json,
  csv,
  html,
  svg,
  edge_list ///< an edge per line
};

/// The formats in which one kind of result can be written.
struct output_formats {
  std::string_view what;                         ///< the result, with its verb: `levels are`
  std::initializer_list<output_format> possible; ///< the first is for unknown endings and `-`
};

inline constexpr output_formats vector_output{"vectors are",
                                              {output_format::text, output_format::npy, output_format::mtx}};
inline constexpr output_formats dense_matrix_output{"dense matrices are",
                                                    {output_format::mtx, output_format::npy}};
inline constexpr output_formats sparse_matrix_output{"sparse matrices are",
                                                     {output_format::mtx, output_format::npz}};
inline constexpr output_formats table_output{"tables are", {output_format::text, output_format::npy}};
inline constexpr output_formats edge_list_output{"edge lists are",
                                                 {output_format::edge_list, output_format::text}};
inline constexpr output_formats text_output{"it is", {output_format::text}};
inline constexpr output_formats json_output{"results are", {output_format::json}};
inline constexpr output_formats times_output{"times are", {output_format::csv}};
inline constexpr output_formats page_output{"pages are", {output_format::html}};
inline constexpr output_formats picture_output{"pictures are", {output_format::svg}};

/// The format that the ending of `path` names; an ending of compression (.gz, .bz2, .xz, .zst) is ignored. Throws
/// output_error, `PATH: vectors are written as text, .npy or .mtx; ...`, if the ending names a format that is not
/// possible: one of the above, or a format that is never written (.png, .mat, .pdf, ...). Other endings name no format.
output_format output_format_of(const std::filesystem::path& path, const output_formats& formats);

} // namespace evenly::io
