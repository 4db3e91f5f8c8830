// SPDX-License-Identifier: Apache-2.0
// Points from .ply, .obj and .xyz files.
//
// PLY is the format of Turk, "The PLY Polygon File Format" (1994): a header that says which elements of which
// properties follow. OBJ is Wavefront's; faces and all else are passed over. Lines of .xyz are either three numbers and
// whatever follows, or those of chemistry: the number of atoms, a remark, then a symbol and three numbers for each.
#pragma once

#include "evenly/io/read.hpp"
#include "io/byte_source.hpp"

namespace evenly::io {

/// `format`: ply, obj or xyz. Throws file_error: for text `path:line: ...`. Costs memory for the points that the file
/// has, never for those that it announces; what is not there (memory_shortage) is refused before it is taken.
point_set read_points(byte_source source, file_format format);

/// Whether files of this format have points.
constexpr bool has_points(file_format format) { return format >= file_format::ply; }

} // namespace evenly::io
