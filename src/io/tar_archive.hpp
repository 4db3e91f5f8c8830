// SPDX-License-Identifier: Apache-2.0
// The file that is meant in a tar archive, read as the archive streams by (libarchive).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "io/byte_reader.hpp"

namespace evenly::io {

/// Whether bytes begin as a tar archive of POSIX or GNU does. Looks at `tar_magic_end` bytes.
bool starts_tar(std::string_view first);
inline constexpr std::size_t tar_magic_end = 262;

/// A member of an archive: its name there, and its bytes.
struct archive_member {
  std::string name;
  byte_reader read;
};

/// The member of the archive `from` that is meant (member_choice.hpp). `again` opens the same archive a second time, or
/// is empty where that is impossible; `file` stands for the archive in messages.
///
/// A file that is named after its folder is read in the first pass. Any other choice needs a second pass, except that
/// the first `out.NAME` is taken where there is none. At the member's end the archive is read to its own end, so that
/// all damage is found. Throws file_error for damage and if it is unclear which file is meant.
archive_member open_tar(byte_reader from, const std::function<byte_reader()>& again, const std::string& file);

} // namespace evenly::io
