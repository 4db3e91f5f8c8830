// SPDX-License-Identifier: Apache-2.0
// Points of any format: .ply, .obj, .xyz, .pcd and .npy. Each has a reader of its own (point_list.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "evenly/io/read.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"

namespace evenly::io {

/// The periodic box of an extended .xyz file.
struct point_box {
  std::vector<double> lattice = {}; ///< nine numbers, the edges one after another; empty without a box
  std::array<bool, 3> periodic{true, true, true}; ///< along which edges
};

/// `format`: ply, obj, xyz, pcd or npy. `frame`: of .xyz, as in read_options. A byte-order mark is skipped. Memory
/// depends on the points in the file, not on those that its header announces. Throws file_error, for text `path:line:
/// ...`; before allocation if memory is insufficient (memory_shortage). If `box` is not
/// null, it receives the box.
point_set read_points(byte_source source, file_format format, int frame = 0,
                      const host::remark_handler& say = host::print_remark, point_box* box = nullptr);

/// Reads points like evenly::io::read_points, and their box.
point_set read_points_in_box(const std::filesystem::path& path, const read_options& how, point_box& box);

/// Whether files of this format contain points only.
constexpr bool has_points(file_format format) { return format >= file_format::ply; }
/// Whether read_points accepts the format: NumPy arrays may be points, too.
constexpr bool may_have_points(file_format format) {
  return has_points(format) || format == file_format::npy;
}

} // namespace evenly::io
