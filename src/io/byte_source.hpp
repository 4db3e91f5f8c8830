// SPDX-License-Identifier: Apache-2.0
// The bytes of a file or stream, decompressed on the way.
//
// The first bytes decide how (gzip, bzip2, xz, Zstandard or none), never the name, so renamed files and pipes
// work. Nothing is held but fixed buffers and the decompressor's window (at most 128 MiB), whatever the data
// claim.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evenly::io {

/// The path that stands for standard input; what it holds can be read once.
inline constexpr const char* standard_input = "-";

class byte_source {
 public:
  /// Opens a file, pipe or device, or takes standard input. Throws file_error with the system's words if that fails.
  explicit byte_source(const std::filesystem::path& path);
  /// Reads `stream`, which must outlive this. `name` stands for the path in messages.
  byte_source(std::istream& stream, std::string name);
  byte_source(byte_source&&) noexcept;
  ~byte_source();

  /// Reads up to `count` > 0 bytes to `to` and returns how many; 0 only at the end. Throws file_error when
  /// reading fails and when compressed data are damaged or end before their own end mark.
  std::size_t read(char* to, std::size_t count);

  /// The next bytes, `count` of them or as many as there are; they are still to be read. Valid until the next call of
  /// either. Throws as read does.
  std::string_view peek(std::size_t count);

  /// The path, if it is of a file on disk that is not compressed: what can be read as it is, anywhere.
  std::optional<std::filesystem::path> plain_file() const;

  /// The path or stream name, fit for a one-line message.
  const std::string& name() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
