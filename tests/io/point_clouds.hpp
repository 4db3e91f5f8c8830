// SPDX-License-Identifier: Apache-2.0
// .pcd files as the Point Cloud Library writes them, made here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "arrays.hpp"

namespace evenly::io::testing {

enum class pcd_data { ascii, binary, compressed };

struct pcd_column {
  std::string name;
  char type = 'F';
  int bytes = 4;
  int count = 1;
  std::vector<double> values; ///< `count` of each point
};

/// LZF of literals, and of references to the byte before where a byte is repeated.
inline std::string lzf(std::string_view bytes) {
  std::string packed;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t equal = 0; // to the byte before
    if (at > 0) equal = std::min(bytes.find_first_not_of(bytes[at - 1], at), bytes.size()) - at;
    if (equal < 3) {
      packed += std::string("\0", 1) + bytes[at++];
      continue;
    }
    const std::size_t length = std::min<std::size_t>(equal, 264);
    if (length < 9) packed += static_cast<char>((length - 2) << 5);
    if (length >= 9) packed += std::string("\xe0") + static_cast<char>(length - 9);
    packed += '\0';
    at += length;
  }
  return packed;
}

inline std::string bytes_of_value(const pcd_column& column, double value) {
  if (column.type == 'F' && column.bytes == 4) return bytes_of<float>({static_cast<float>(value)});
  if (column.type == 'F') return bytes_of<double>({value});
  return little_endian(static_cast<std::uint64_t>(value), column.bytes);
}

inline std::string pcd(const std::vector<pcd_column>& columns, std::size_t points, pcd_data coding) {
  std::string names, sizes, types, counts;
  for (const pcd_column& each : columns) {
    names += ' ' + each.name;
    sizes += fmt::format(" {}", each.bytes);
    types += fmt::format(" {}", each.type);
    counts += fmt::format(" {}", each.count);
  }
  const std::string head =
      fmt::format("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\n"
                  "COUNT{}\nWIDTH {}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA ",
                  names, sizes, types, counts, points, points);
  std::string text, rows, fields;
  for (std::size_t i = 0; i < points; ++i) {
    for (const pcd_column& each : columns)
      for (std::size_t k = 0; k < static_cast<std::size_t>(each.count); ++k) {
        const double value = each.values[i * static_cast<std::size_t>(each.count) + k];
        text += fmt::format("{} ", value);
        rows += bytes_of_value(each, value);
      }
    text += '\n';
  }
  for (const pcd_column& each : columns)
    for (const double value : each.values) fields += bytes_of_value(each, value);
  if (coding == pcd_data::ascii) return head + "ascii\n" + text;
  if (coding == pcd_data::binary) return head + "binary\n" + rows;
  const std::string packed = lzf(fields);
  return head + "binary_compressed\n" + little_endian(packed.size(), 4) + little_endian(fields.size(), 4) +
         packed;
}

} // namespace evenly::io::testing
