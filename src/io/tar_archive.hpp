// SPDX-License-Identifier: Apache-2.0
// Reads the selected file of a tar archive as a stream (libarchive).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "io/byte_reader.hpp"

namespace evenly::io {

/// Whether the bytes begin a POSIX or GNU tar archive. Reads `tar_magic_end` bytes.
bool starts_tar(std::string_view first);
inline constexpr std::size_t tar_magic_end = 262;

/// A member of an archive: its name and its bytes.
struct archive_member {
  std::string name;
  byte_reader read;
};

/// The selected member of the archive `from` (member_choice.hpp). `again` opens the same archive a second time, or is
/// empty if that is impossible; `file` is the archive in messages.
///
/// - A file with the name of its folder is read in the first pass. Any other choice needs a second pass; if that is
///   impossible, the first `out.NAME` is read.
/// - After the member, the archive is read to its end, so that all damage is found. Throws file_error for damage, and
///   if the choice is ambiguous.
archive_member open_tar(byte_reader from, const std::function<byte_reader()>& again, const std::string& file);

} // namespace evenly::io
