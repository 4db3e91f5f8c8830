// SPDX-License-Identifier: Apache-2.0
// The members of a zip archive, by libarchive. Only requested members are decompressed, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_reader.hpp"
#include "io/byte_source.hpp"
#include "io/npy.hpp"

struct archive; // libarchive's

namespace evenly::io {

// Selection of an archive's member by name: `bcsstk13/bcsstk13.mtx`, `konect/out.konect`.

/// Whether a regular file is ignored: `._NAME` and the folder `__MACOSX`, which macOS adds.
bool is_ignored_member(std::string_view name);

/// Whether a file has the name of its folder and the ending of a format, as in SuiteSparse's collection.
bool is_named_after_folder(std::string_view name);

/// Whether a file is called `out.NAME`, as in KONECT's collection.
bool is_named_out(std::string_view name);

/// The selected member of all regular files that are not ignored. The first rule with exactly one file decides:
/// - all files,
/// - files with the name of their folder,
/// - files called `out.NAME`,
/// - files with the ending of a format.
std::optional<std::size_t> choose_member(const std::vector<std::string>& names);

/// `2 files, 'a/x.mtx', 'a/y.mtx'`: at most five names.
std::string list_of_members(const std::vector<std::string>& names);

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

// Reads the selected file of a tar archive as a stream (libarchive).

/// Whether the bytes begin a POSIX or GNU tar archive. Reads `tar_magic_end` bytes.
bool starts_tar(std::string_view first);
inline constexpr std::size_t tar_magic_end = 262;

/// A member of an archive: its name and its bytes.
struct archive_member {
  std::string name;
  byte_reader read;
};

/// The selected member of the archive `from`. `again` opens the same archive a second time, or is
/// empty if that is impossible; `file` is the archive in messages.
///
/// - A file with the name of its folder is read in the first pass. Any other choice needs a second pass; if that is
///   impossible, the first `out.NAME` is read.
/// - After the member, the archive is read to its end, so that all damage is found. Throws file_error for damage, and
///   if the choice is ambiguous.
archive_member open_tar(byte_reader from, const std::function<byte_reader()>& again, const std::string& file);

// Writes zip archives (.npz among them) by libarchive: members are deflated, and zip64 is used where sizes need it.

/// The bytes of the archive depend on names and contents only: all members are dated 1980-01-01 00:00. After a failure
/// all calls fail with the errno of that failure.
class zip_writer {
 public:
  /// Writes to `to`, which must outlive this object, stays open, and need not be seekable.
  explicit zip_writer(std::FILE* to);
  zip_writer(const zip_writer&) = delete;
  zip_writer& operator=(const zip_writer&) = delete;
  ~zip_writer();

  /// Begins a member of exactly `size` bytes, to be passed to `write`. `name` is ASCII. Returns false on failure, with
  /// errno set; EINVAL if the previous member has fewer bytes than announced.
  bool begin(const std::string& name, std::uint64_t size);

  /// The next bytes of the member. Returns false on failure, with errno set; EINVAL if there are more than announced.
  bool write(std::string_view bytes);

  /// Writes the table of the archive and flushes the file. Returns false on failure, with errno set, like `begin`.
  bool finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
