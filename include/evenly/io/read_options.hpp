// SPDX-License-Identifier: Apache-2.0
// What a reader of evenly::io is told about a file that neither its content nor its ending says.
#pragma once

#include <optional>
#include <vector>

#include "evenly/io/file_format.hpp"

namespace evenly::io {

/// The role of a column in a list of edges.
enum class edge_column { source, target, weight, ignored };

/// How a file is read. The defaults are right for files that say what they are.
struct read_options {
  /// The file's format, whatever its content and ending say. Default: content, then ending.
  std::optional<file_format> format = {};
  /// Lists of edges: the role of each column, from the left; one source, one target, at most one weight. Default:
  /// the header of a CSV file, or else source, target and, if there is a third number, weight.
  std::vector<edge_column> columns = {};
  /// Lists of edges: vertices are numbered from 0 on in ascending order of their ids, and isolated ids between them are
  /// left out, so that memory goes with the vertices that occur, not with the greatest id.
  bool renumber = false;
  /// .xyz trajectories: the frame that is read, from 1 on. 0: the file has one frame.
  int frame = 0;
};

} // namespace evenly::io
