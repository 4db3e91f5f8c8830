// SPDX-License-Identifier: Apache-2.0
// Serialized graphs of the GAP benchmark suite (S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", 2015):
// .sg, and .wsg with weights.
//
// All numbers are little-endian. 1 byte: 1 if the graph is directed, else 0. 8 bytes each: the number of edges that
// leave vertices, the number of vertices n, and n + 1 offsets. 4 bytes each: the ends of the edges; in .wsg an end,
// then a weight. A directed graph then has offsets and ends of the incoming edges, which are read but not kept.
#pragma once

#include "evenly/io/read.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

/// Whether a format is .sg or .wsg.
constexpr bool is_serialized_graph(file_format format) {
  return format == file_format::gap || format == file_format::gap_weighted;
}

/// Reads a serialized graph. `format` says whether it has weights.
///
/// Throws file_error for numbers out of range, offsets that decrease or do not match, missing or further bytes, and
/// insufficient memory.
edge_rows read_serialized_graph(byte_source source, file_format format, const matrix_limits& limits = {});

} // namespace evenly::io
