// SPDX-License-Identifier: Apache-2.0
// The members of a zip archive, by libarchive. Only what is asked for is decompressed, a block at a time.
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

/// Whether bytes begin as a zip archive does, an empty one too.
bool starts_zip(std::string_view bytes);

/// The table of members of an archive, and their bytes.
class zip_file {
 public:
  struct member {
    std::string name;
    bool is_regular = false;
    bool is_encrypted = false;
  };

  /// An archive on disk. `shown` stands for it in messages. Throws file_error for anything but a zip archive.
  zip_file(std::string shown, std::filesystem::path path);
  /// An archive in memory.
  zip_file(std::string shown, std::vector<char> bytes);

  const std::vector<member>& members() const { return members_; }
  /// The bytes in memory; none of an archive on disk.
  const std::vector<char>& bytes() const { return bytes_; }

  /// The bytes of members()[index], decompressed; this must outlive the reader. Damage is found at their end at last,
  /// by the check sum. Throws file_error if the member is encrypted.
  byte_reader read(std::size_t index) const;

  /// Throws file_error `file: rule`.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  [[noreturn]] void fail_as_damaged(std::string_view how) const;
  /// In front of the first member.
  std::shared_ptr<::archive> open() const;
  /// libarchive finds no table at the very beginning of an archive.
  bool has_no_members() const;
  void list_members();

  std::string shown_;
  std::filesystem::path path_;
  std::vector<char> bytes_;
  std::vector<member> members_;
};

/// The archive that a source holds, for readers of .npz.
class zip_archive {
 public:
  /// Throws file_error unless the source is a zip archive.
  explicit zip_archive(byte_source source);

  /// A name is listed once for each member of that name.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;

  /// A member's bytes, as zip_file::read gives them. Throws file_error unless there is one member of that name.
  array_bytes member(const std::string& name) const;

  /// Throws file_error `file: rule`.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  std::string file_;
  std::shared_ptr<const zip_file> archive_;
};

} // namespace evenly::io
