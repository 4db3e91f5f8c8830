// SPDX-License-Identifier: Apache-2.0
// The members of a zip archive, by libarchive. Only requested members are decompressed, block by block.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_reader.hpp"
#include "io/byte_source.hpp"
#include "io/npy.hpp"

struct archive; // libarchive's

namespace evenly::io {

/// Whether the bytes begin a zip archive, which may be empty.
bool starts_zip(std::string_view bytes);

/// The table of members of an archive, and their bytes.
class zip_file {
 public:
  struct member {
    std::string name;
    bool is_regular = false;
    bool is_encrypted = false;
  };

  /// An archive on disk. `shown` is its name in messages. Throws file_error if it is not a zip archive.
  zip_file(std::string shown, std::filesystem::path path);
  /// An archive in memory.
  zip_file(std::string shown, std::vector<char> bytes);

  const std::vector<member>& members() const { return members_; }
  /// The bytes of an archive in memory; empty for an archive on disk.
  const std::vector<char>& bytes() const { return bytes_; }

  /// The decompressed bytes of members()[index]. This object must outlive the reader. The reader compares the checksum
  /// at the end of the member. Throws file_error if the member is encrypted.
  byte_reader read(std::size_t index) const;

  /// Throws file_error `file: rule`.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  [[noreturn]] void fail_as_damaged(std::string_view how) const;
  /// Positioned before the first member.
  std::shared_ptr<::archive> open() const;
  /// libarchive finds no table at offset 0 of an archive.
  bool has_no_members() const;
  void list_members();

  std::string shown_;
  std::filesystem::path path_;
  std::vector<char> bytes_;
  std::vector<member> members_;
};

/// The archive in a source, for readers of .npz.
class zip_archive {
 public:
  /// Throws file_error unless the source is a zip archive.
  explicit zip_archive(byte_source source);

  /// Names; a name occurs once for each of its members.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;

  /// The bytes of a member, as zip_file::read returns them. Throws file_error unless exactly one member has the name.
  array_bytes member(const std::string& name) const;

  /// Throws file_error `file: rule`.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  std::string file_;
  std::shared_ptr<const zip_file> archive_;
};

} // namespace evenly::io
