// SPDX-License-Identifier: Apache-2.0
// Options of the readers of evenly::io, for facts that cannot be derived from a file's content or ending.
#pragma once

#include <optional>
#include <vector>

#include "evenly/io/file_format.hpp"

namespace evenly::io {

/// The role of a column in a list of edges.
enum class edge_column { source, target, weight, ignored };

/// The options of a reader. The defaults are right for files that describe themselves.
struct read_options {
  /// The file's format; overrides content and ending. Default: content, then ending.
  std::optional<file_format> format = {};
  /// Lists of edges: the role of each column, from the left; one source, one target, at most one weight. Default: the
  /// header of a CSV file, or else source, target and, if there is a third number, weight.
  std::vector<edge_column> columns = {};
  /// Lists of edges: whether vertices are numbered from 0 in ascending order of their ids, skipping ids that do not
  /// occur. Then the required memory depends on the number of vertices that occur, not on the greatest id.
  bool renumber = false;
  /// .xyz trajectories: the frame to read, from 1. 0: the file has one frame.
  int frame = 0;
};

} // namespace evenly::io
