// SPDX-License-Identifier: Apache-2.0
// What reading archives by libarchive has in common: handles that close themselves, and names and errors as text.
#pragma once

#include <memory>
#include <string>

#include <archive.h>
#include <archive_entry.h>

#include "io/errors.hpp"

namespace evenly::io {

struct frees_archive_reader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using archive_reader = std::unique_ptr<archive, frees_archive_reader>;

/// Why the last call of libarchive failed, fit for a one-line message.
inline std::string error_of(archive* reader) {
  const char* const why = archive_error_string(reader);
  return why == nullptr ? "no reason is given" : printable(why);
}

/// A member's name: its bytes, or UTF-8 where libarchive converts it.
inline std::string name_of(archive_entry* member) {
  const char* name = archive_entry_pathname(member);
  if (name == nullptr) name = archive_entry_pathname_utf8(member);
  return name == nullptr ? "" : name;
}

/// Whether a member is a file of its own: no folder, no link, no device.
inline bool is_regular(archive_entry* member) {
  return archive_entry_filetype(member) == AE_IFREG && archive_entry_hardlink(member) == nullptr;
}

} // namespace evenly::io
