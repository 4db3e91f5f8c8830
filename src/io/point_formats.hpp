// SPDX-License-Identifier: Apache-2.0
// A reader for each format of points. All throw file_error like read_points, and none skips a byte-order mark.
#pragma once

#include "evenly/io/read.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"

namespace evenly::io {

/// The element `vertex`. All elements are read, so that their counts are checked.
point_set read_ply(byte_source source);

/// The statements `v`; all others are ignored.
point_set read_obj(byte_source source);

/// Points or atoms, one per line. `frame`: as in read_options.
point_set read_xyz(byte_source source, int frame);

/// Fields x, y and z. Points with a NaN are missing: they are dropped, and `say` receives their number.
point_set read_pcd(byte_source source, const host::remark_handler& say);

/// A .npy array of shape (N, 3).
point_set read_point_array(byte_source source);

} // namespace evenly::io
