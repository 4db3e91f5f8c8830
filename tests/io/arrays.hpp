// SPDX-License-Identifier: Apache-2.0
// Arrays and archives as NumPy writes them, made here: right ones, and any that lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/crc.hpp>

namespace evenly::io::testing {

/// `value` in so many bytes, the least first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> (8 * i) & 0xff) : '\0';
  return text;
}

/// The elements' bytes, as they lie here.
template <class T> std::string bytes_of(const std::vector<T>& elements) {
  std::string bytes(elements.size() * sizeof(T), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// The same, the greatest byte first.
template <class T> std::string big_endian(const std::vector<T>& elements) {
  std::string bytes = bytes_of(elements);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    for (std::size_t k = 0; 2 * k + 1 < sizeof(T); ++k) std::swap(bytes[i + k], bytes[i + sizeof(T) - 1 - k]);
  return bytes;
}

/// A .npy file of any header.
inline std::string npy_with(const std::string& dictionary, std::string_view data, int version = 1) {
  std::string file("\x93NUMPY");
  file += static_cast<char>(version);
  file += '\0';
  return file + little_endian(dictionary.size() + 1, version == 1 ? 2 : 4) + dictionary + '\n' +
         std::string(data);
}

inline std::string npy(const std::string& type, const std::string& shape, std::string_view data,
                       bool columns_first = false) {
  return npy_with("{'descr': '" + type + "', 'fortran_order': " + (columns_first ? "True" : "False") +
                      ", 'shape': " + shape + ", }",
                  data);
}

template <class T> std::string npy_line(const std::string& type, const std::vector<T>& elements) {
  return npy(type, "(" + std::to_string(elements.size()) + ",)", bytes_of(elements));
}

/// A zip archive of members that are stored as they are.
using members = std::vector<std::pair<std::string, std::string>>;
inline std::string zip(const members& all) {
  std::string file, table;
  for (const auto& [name, content] : all) {
    boost::crc_32_type sum;
    sum.process_bytes(content.data(), content.size());
    const std::string sizes = little_endian(sum.checksum(), 4) + little_endian(content.size(), 4) +
                              little_endian(content.size(), 4) + little_endian(name.size(), 2) +
                              little_endian(0, 2);
    const std::string start =
        little_endian(20, 2) + little_endian(0, 4) + little_endian(0x21 << 16, 4) + sizes;
    table +=
        "PK\1\2" + little_endian(20, 2) + start + little_endian(0, 10) + little_endian(file.size(), 4) + name;
    file += "PK\3\4" + start + name + content;
  }
  return file + table + "PK\5\6" + little_endian(0, 4) + little_endian(all.size(), 2) +
         little_endian(all.size(), 2) + little_endian(table.size(), 4) + little_endian(file.size(), 4) +
         little_endian(0, 2);
}

/// What save_npz writes of
///     0  1.5  0   -2
///     0  0    0    0
///     3  0    0.25 0
inline members sparse_members(const std::string& format) {
  members all{{"format.npy", npy("|S3", "()", format)}, {"shape.npy", npy_line<std::int64_t>("<i8", {3, 4})}};
  if (format == "csr") {
    all.emplace_back("indptr.npy", npy_line<std::int32_t>("<i4", {0, 2, 2, 4}));
    all.emplace_back("indices.npy", npy_line<std::int32_t>("<i4", {1, 3, 0, 2}));
    all.emplace_back("data.npy", npy_line<double>("<f8", {1.5, -2, 3, 0.25}));
  } else if (format == "csc") {
    all.emplace_back("indptr.npy", npy_line<std::int32_t>("<i4", {0, 1, 2, 3, 4}));
    all.emplace_back("indices.npy", npy_line<std::int32_t>("<i4", {2, 0, 2, 0}));
    all.emplace_back("data.npy", npy_line<double>("<f8", {3, 1.5, 0.25, -2}));
  } else {
    all.emplace_back("row.npy", npy_line<std::int32_t>("<i4", {2, 0, 2, 0}));
    all.emplace_back("col.npy", npy_line<std::int32_t>("<i4", {2, 3, 0, 1}));
    all.emplace_back("data.npy", npy_line<double>("<f8", {0.25, -2, 3, 1.5}));
  }
  return all;
}

/// The same with another member in place of one, or without it.
inline members with(members all, const std::string& name, const std::string& content) {
  for (auto& [known, old] : all)
    if (known == name) old = content;
  return all;
}
inline members without(members all, const std::string& name) {
  std::erase_if(all, [&](const auto& each) { return each.first == name; });
  return all;
}

} // namespace evenly::io::testing
