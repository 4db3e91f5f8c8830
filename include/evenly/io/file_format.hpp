// SPDX-License-Identifier: Apache-2.0
// The file formats that evenly::io reads, and the functions that determine the format of a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "evenly/core/annotations.hpp"

namespace evenly::io {

/// The formats. Each file may be compressed by gzip, bzip2, xz or Zstandard.
enum class file_format {
  matrix_market,  ///< .mtx: sparse matrices, NISTIR 5935
  npz,            ///< sparse matrices of SciPy, written by scipy.sparse.save_npz
  npy,            ///< arrays of NumPy, versions 1 to 3: vectors, dense matrices, points (N x 3)
  harwell_boeing, ///< .hb, .rb and the old endings (.rua, .psa, ...): Harwell-Boeing and Rutherford-Boeing
  pairs,          ///< .el, .edgelist, .edges, and .txt of SNAP: edges, `from to` on each line, from 0
  weighted,       ///< .wel: `from to weight` on each line, from 0
  adjacency_list, ///< .adjlist: `from to to ...`, written by NetworkX
  dimacs,         ///< .gr: `p sp vertices edges`, then `a from to weight`, from 1
  metis,          ///< .graph: `vertices edges [format [weights]]`, then the neighbours of each vertex, from 1
  gap,            ///< .sg: serialized graphs of the GAP benchmark suite
  gap_weighted,   ///< .wsg: the same with weights
  ply,            ///< points with properties, as text or binary
  obj,            ///< points: lines `v x y z`
  xyz,            ///< points: lines `x y z`, or atoms as in chemistry, in one or several frames
  pcd             ///< points of the Point Cloud Library
};

/// Returns the format for the ending of a path, such as `road.gr.xz`; none for other endings than those above. Endings
/// of compression are skipped.
std::optional<file_format> format_by_ending(const std::filesystem::path& path);

/// Returns the format for the first bytes of a decompressed file; none if these are only numbers. Recognises the banner
/// of Matrix Market, the magic strings of .npy and .npz, the first line of .ply and .pcd, the first line after comments
/// of DIMACS and .obj, and SNAP's comments. Examines at most sniffed_bytes bytes.
std::optional<file_format> format_by_content(std::string_view first);
inline constexpr int sniffed_bytes = 1 << 16;

/// Returns the format of a file: by its content, for any name, otherwise by its ending; none if both fail. `-` is
/// standard input, whose content is then consumed. Throws file_error if the file cannot be read.
std::optional<file_format> format_of(const std::filesystem::path& path);

/// Returns the name of a format in messages: `Matrix Market`, `.npz of SciPy`, ...
std::string_view name_of(file_format format);

} // namespace evenly::io
