// SPDX-License-Identifier: Apache-2.0
// Vertex labels, collected piece by piece on several threads, then numbered in ascending order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evenly/io/vertex_labels.hpp"

namespace evenly::io {

/// The distinct labels of a piece, by their numbers in the piece: integers if all labels are integers without signs and
/// leading zeros, otherwise texts.
struct piece_labels {
  std::vector<std::uint64_t> ids = {};
  vertex_labels::name_list names = {};

  std::size_t size() const { return ids.size() + names.size(); }
};

/// Numbers the labels of a piece in the order in which they occur.
class label_collector {
 public:
  /// The number of a label.
  int number_of(std::string_view label);
  piece_labels finish() const;

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int, hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> labels_; ///< keys, which have stable addresses
};

/// All pieces' labels as vertices.
struct numbered_labels {
  vertex_labels labels;
  std::int64_t vertices = 0;
  std::vector<std::vector<int>> vertex_of = {}; ///< of each piece: the vertex of each of its labels
};

/// The maximum memory of number_labels, including the result.
std::int64_t bytes_to_number(const std::vector<piece_labels>& pieces);

/// Numbers vertices in ascending order of their labels: as integers if all labels are integers from 0 to 2^64 - 1, in
/// any spelling, otherwise as names in byte order.
numbered_labels number_labels(std::vector<piece_labels> pieces);

} // namespace evenly::io
