// SPDX-License-Identifier: Apache-2.0
// The formats of files that evenly::io reads, and how a file's format is told.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "evenly/core/annotations.hpp"

namespace evenly::io {

/// Any of them may be compressed by gzip, bzip2, xz or Zstandard.
enum class file_format {
  matrix_market,  ///< .mtx: sparse matrices, NISTIR 5935
  npz,            ///< sparse matrices of SciPy: what scipy.sparse.save_npz writes
  npy,            ///< arrays of NumPy, versions 1 to 3: vectors, dense matrices, points (N x 3)
  harwell_boeing, ///< .hb, .rb and the old endings (.rua, .psa, ...): Harwell-Boeing and Rutherford-Boeing
  pairs,    ///< .el, .edgelist, .edges, and .txt as SNAP has it: edges, `from to` on each line, from 0 on
  weighted, ///< .wel: `from to weight`, likewise
  adjacency_list, ///< .adjlist: `from to to ...`, as NetworkX writes it
  dimacs,         ///< .gr: `p sp vertices edges`, then `a from to weight`, from 1 on
  metis, ///< .graph: `vertices edges [format [weights]]`, then the neighbours of each vertex, from 1 on
  ply,   ///< points with properties, as text or binary
  obj,   ///< points: lines `v x y z`
  xyz,   ///< points: lines `x y z`, or atoms as chemistry has them, in one or several frames
  pcd    ///< points of the Point Cloud Library
};

/// What an ending says, as in `road.gr.xz`; nothing for others than the above. Endings of compression are passed over.
std::optional<file_format> format_by_ending(const std::filesystem::path& path);

/// What the first bytes of a file say, decompressed: the banner of Matrix Market, the magic strings of .npy and .npz,
/// the first line of .ply and .pcd, the first line but comments of DIMACS and .obj, SNAP's comments. Nothing where
/// numbers are all there is. So many bytes are looked at, at most.
std::optional<file_format> format_by_content(std::string_view first);
inline constexpr int sniffed_bytes = 1 << 16;

/// The format of a file: what its content says, whatever its name, else what its ending says; nothing if neither does.
/// `-` is standard input, of which the content is gone then. Throws file_error if the file cannot be read.
std::optional<file_format> format_of(const std::filesystem::path& path);

/// `Matrix Market`, `.npz of SciPy`, ...: in the words of messages.
std::string_view name_of(file_format format);

} // namespace evenly::io
