// SPDX-License-Identifier: Apache-2.0
// The bytes of a file or stream, decompressed and unpacked on the way.
//
// The first bytes decide how, never the name, so renamed files and pipes work: gzip, bzip2, xz or Zstandard, and within
// it a tar or zip archive, of which one file is read (member_choice.hpp). Memory is fixed buffers and the
// decompressor's window (at most 128 MiB), whatever the data claim; only a zip archive that is not a plain file on disk
// is taken into memory as a whole, since its table is at its end.
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
  /// Opens a file, pipe or device, or takes standard input. Throws file_error with the system's words if that fails;
  /// for an archive also if it is damaged, or if it is unclear which of its files is meant.
  explicit byte_source(const std::filesystem::path& path);
  /// Reads `stream`, which must outlive this. `name` stands for the path in messages.
  byte_source(std::istream& stream, std::string name);
  byte_source(byte_source&&) noexcept;
  byte_source& operator=(byte_source&&) noexcept;
  ~byte_source();

  /// Reads up to `count` > 0 bytes to `to` and returns how many; 0 only at the end. Throws file_error when reading
  /// fails, and when compressed data or an archive are damaged or end before their own end mark.
  std::size_t read(char* to, std::size_t count);

  /// The next bytes, `count` of them or as many as there are; they are still to be read. Valid until the next call of
  /// either. Throws as read does.
  std::string_view peek(std::size_t count);

  /// The path, if it is of a file on disk whose bytes are these, neither compressed nor in an archive: they can be read
  /// from any position.
  std::optional<std::filesystem::path> plain_file() const;

  /// Makes a source of the same bytes from their start, by the file that is open already; earlier sources must not be
  /// read afterwards. Null unless this was opened as a regular file.
  std::function<byte_source()> restart() const;

  /// The path or stream name, fit for a one-line message; of an archive's member `a.tar.gz(a/a.mtx)`.
  const std::string& name() const;

  /// The name of the archive's member whose bytes these are; empty if they are of no archive.
  const std::string& member_name() const;

  /// The archive, if the bytes are those of a zip archive with arrays of NumPy (.npz), or of an empty one.
  std::shared_ptr<const zip_file> zip() const;

 private:
  struct state;
  explicit byte_source(std::unique_ptr<state> from);
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
