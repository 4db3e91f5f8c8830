// SPDX-License-Identifier: Apache-2.0
// The format in which a result is written: the ending of its file decides, and an ending that promises another format
// is refused.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace evenly::io {

enum class output_format {
  text, ///< lines; also for endings that name no format, and for standard output
  npy,  ///< an array of NumPy
  npz,  ///< a sparse matrix of SciPy
  mtx,  ///< Matrix Market
  json,
  html,
  svg
};

/// What one kind of result can be written as.
struct output_formats {
  std::string_view what; ///< the result, with its verb: `levels are`
  std::initializer_list<output_format>
      possible; ///< the first is for endings that name no format, and for `-`
};

inline constexpr output_formats vector_output{"vectors are",
                                              {output_format::text, output_format::npy, output_format::mtx}};
inline constexpr output_formats dense_matrix_output{"dense matrices are",
                                                    {output_format::mtx, output_format::npy}};
inline constexpr output_formats sparse_matrix_output{"sparse matrices are",
                                                     {output_format::mtx, output_format::npz}};
inline constexpr output_formats table_output{"tables are", {output_format::text, output_format::npy}};
inline constexpr output_formats text_output{"it is", {output_format::text}};
inline constexpr output_formats json_output{"results are", {output_format::json}};
inline constexpr output_formats page_output{"pages are", {output_format::html}};
inline constexpr output_formats picture_output{"pictures are", {output_format::svg}};

/// The format that the ending of `path` names; an ending of compression (.gz, .bz2, .xz, .zst) is passed over. Throws
/// output_error, `PATH: vectors are written as text, .npy or .mtx; ...`, if the ending names a format that is not
/// possible: one of the above, or one of a kind that is not written (.png, .mat, .csv, ...). Other endings name none.
output_format output_format_of(const std::filesystem::path& path, const output_formats& formats);

} // namespace evenly::io
