// SPDX-License-Identifier: Apache-2.0
// The labels that a file gives to the vertices of a graph: consecutive integers, any integers, or names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly::io {

/// Maps a vertex, numbered from 0, to its label in the file, and back.
class vertex_labels {
 public:
  /// Names in ascending byte order, one after the other in `text`; name i is [ends[i - 1], ends[i]).
  struct name_list {
    std::string text;
    std::vector<std::size_t> ends;

    void push_back(std::string_view name);
    std::size_t size() const { return ends.size(); }
    std::string_view operator[](std::size_t i) const;
  };

  /// Vertex v has the label first + v. O(1) memory.
  vertex_labels(int first = 0) : labels_(first) {}
  /// Vertex v has the label ids[v]. Requires strictly ascending ids.
  explicit vertex_labels(std::vector<std::uint64_t> ids) : labels_(std::move(ids)) {}
  /// Vertex v has the name names[v]. Requires strictly ascending names.
  explicit vertex_labels(name_list names) : labels_(std::move(names)) {}

  /// Returns whether labels are consecutive integers from first(), so that they need no list.
  bool are_consecutive() const { return std::holds_alternative<int>(labels_); }
  /// Returns the label of vertex 0 if labels are consecutive; 0 otherwise.
  int first() const { return are_consecutive() ? std::get<int>(labels_) : 0; }
  bool are_names() const { return std::holds_alternative<name_list>(labels_); }

  /// Returns the label of a vertex, for output. Requires a vertex of the graph.
  std::string of(std::int64_t vertex) const;
  /// Returns the integer label of a vertex. Requires labels that are not names.
  std::uint64_t number_of(std::int64_t vertex) const;
  /// Returns the vertex with a label; none if none of `vertices` vertices has it. O(log vertices).
  std::optional<int> find(std::string_view label, std::int64_t vertices) const;

 private:
  std::variant<int, std::vector<std::uint64_t>, name_list> labels_;
};

} // namespace evenly::io
