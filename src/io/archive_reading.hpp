// SPDX-License-Identifier: Apache-2.0
// Shared parts of reading archives with libarchive: handles that close themselves, and names and errors as text.
#pragma once

#include <memory>
#include <string>

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include "host/errors.hpp"

namespace evenly::io {

struct frees_archive_reader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using archive_reader = std::unique_ptr<archive, frees_archive_reader>;

/// The reason why the last call of libarchive failed, as one line.
inline std::string error_of(archive* reader) {
  const char* const why = archive_error_string(reader);
  return why == nullptr ? "no reason given" : host::printable(why);
}

/// Sets this thread's encoding to UTF-8 for its lifetime, so that libarchive keeps names in other alphabets.
class utf8_names {
 public:
  utf8_names() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{})) {
    if (utf8_ != locale_t{}) before_ = ::uselocale(utf8_);
  }
  utf8_names(const utf8_names&) = delete;
  utf8_names& operator=(const utf8_names&) = delete;
  ~utf8_names() {
    if (utf8_ == locale_t{}) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }

 private:
  locale_t utf8_;
  locale_t before_{};
};

/// The name of a member; `?` if libarchive cannot decode it.
inline std::string name_of(archive_entry* member) {
  const char* const name = archive_entry_pathname(member);
  return name == nullptr ? "?" : name;
}

/// Whether a member is a regular file, not a folder, link or device.
inline bool is_regular(archive_entry* member) {
  return archive_entry_filetype(member) == AE_IFREG && archive_entry_hardlink(member) == nullptr;
}

} // namespace evenly::io
