// SPDX-License-Identifier: Apache-2.0
// Text with an edge on each line, as NetworkX reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::python {

struct edge_list_options {
  std::string comments;          ///< begins a comment; empty: there are none
  std::optional<char> delimiter; ///< by default any white space
  bool integer_names = false;    ///< else names are texts
  enum class data_kind { ignored, none, number } data = data_kind::ignored; ///< what follows the two names
};

/// Nodes are numbered in the order in which they occur.
struct edge_list {
  std::vector<std::int64_t> integers;  ///< names of nodes
  std::vector<std::string_view> texts; ///< names of nodes: parts of the text
  std::vector<int> sources, targets;
  std::vector<double> values; ///< one for each edge if data is number
};

/// Lines with fewer than two words are skipped. Throws invalid_argument with the line for: characters that are not
/// ASCII, a name that is no integer where names are, data of another kind.
edge_list read_edge_list(std::string_view text, const edge_list_options& options);

} // namespace evenly::python
