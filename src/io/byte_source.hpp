// SPDX-License-Identifier: Apache-2.0
// The decompressed and unpacked bytes of a file or stream.
//
// The first bytes determine the format, not the name, so renamed files and pipes work: gzip, bzip2, xz or Zstandard,
// and within it a tar or zip archive, of which one file is read (archives.hpp). Memory is limited to fixed buffers
// and the decompressor's window (at most 128 MiB), whatever the data claim. Only a zip archive that is not a plain file
// on disk is read into memory completely, because its table is at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evenly::io {

class zip_file;

/// The path that stands for standard input, whose bytes can be read once.
inline constexpr const char* standard_input = "-";

class byte_source {
 public:
  /// Opens a file, pipe or device, or standard input. Throws file_error with the message of the system if that fails;
  /// for an archive also if it is damaged, or if the choice of its file is ambiguous.
  explicit byte_source(const std::filesystem::path& path);
  /// Reads `stream`, which must outlive the source. `name` replaces the path in messages.
  byte_source(std::istream& stream, std::string name);
  byte_source(byte_source&&) noexcept;
  byte_source& operator=(byte_source&&) noexcept;
  ~byte_source();

  /// Reads up to `count` > 0 bytes to `to` and returns their number; 0 only at the end. Throws file_error if reading
  /// fails, and if compressed data or an archive are damaged or end before their end mark.
  std::size_t read(char* to, std::size_t count);

  /// The next bytes, at most `count`, without reading them. Valid until the next call of either function. Throws like
  /// read.
  std::string_view peek(std::size_t count);

  /// The path if the bytes are those of a file on disk, neither compressed nor in an archive, so that they can be read
  /// from any position.
  std::optional<std::filesystem::path> plain_file() const;

  /// Makes a source of the same bytes from their start, with the open file; earlier sources must not be read
  /// afterwards. Null unless this source was opened as a regular file.
  std::function<byte_source()> restart() const;

  /// The path or stream name as one line; `a.tar.gz(a/a.mtx)` for a member of an archive.
  const std::string& name() const;

  /// The name of the archive's member; empty if the bytes are not from an archive.
  const std::string& member_name() const;

  /// The archive if the bytes are a zip archive with NumPy arrays (.npz), or an empty one.
  std::shared_ptr<const zip_file> zip() const;

 private:
  struct state;
  explicit byte_source(std::unique_ptr<state> from);
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
