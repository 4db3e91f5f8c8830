// SPDX-License-Identifier: Apache-2.0
#include "io/zip_writer.hpp"

#include <cerrno>

#include <archive.h>
#include <archive_entry.h>

namespace evenly::io {
namespace {

struct frees_writer {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct frees_entry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

} // namespace

struct zip_writer::state {
  std::FILE* to = nullptr;
  std::unique_ptr<archive, frees_writer> writer;
  std::uint64_t left = 0; ///< bytes that the current member still needs
  int error = 0;          ///< errno of the first failure

  /// The callback of libarchive.
  static la_ssize_t write_block(archive*, void* self, const void* bytes, std::size_t count) {
    state& s = *static_cast<state*>(self);
    errno = EIO; // a file that sets no errno
    if (s.error == 0 && std::fwrite(bytes, 1, count, s.to) == count) return static_cast<la_ssize_t>(count);
    if (s.error == 0) s.error = errno;
    return ARCHIVE_FATAL;
  }

  /// Records the failure of a call of libarchive.
  void check(bool is_right) {
    if (is_right || error != 0) return;
    const int reason = archive_errno(writer.get());
    error = reason > 0 ? reason : EIO;
  }
  void require(bool is_right) {
    if (!is_right && error == 0) error = EINVAL;
  }
  bool report() const {
    errno = error;
    return error == 0;
  }
};

zip_writer::zip_writer(std::FILE* to) : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.to = to;
  s.writer.reset(archive_write_new());
  if (!s.writer) {
    s.error = ENOMEM;
    return;
  }
  s.check(archive_write_set_format_zip(s.writer.get()) == ARCHIVE_OK);
  s.check(archive_write_zip_set_compression_deflate(s.writer.get()) == ARCHIVE_OK);
  s.check(archive_write_set_bytes_in_last_block(s.writer.get(), 1) == ARCHIVE_OK); // no padding
  s.check(archive_write_open(s.writer.get(), &s, nullptr, state::write_block, nullptr) == ARCHIVE_OK);
}

zip_writer::~zip_writer() {
  if (state_->error == 0)
    state_->error = ECANCELED; // libarchive would still write the table of an unfinished archive
}

bool zip_writer::begin(const std::string& name, std::uint64_t size) {
  state& s = *state_;
  s.require(s.left == 0);
  const std::unique_ptr<archive_entry, frees_entry> entry(archive_entry_new());
  if (!entry && s.error == 0) s.error = ENOMEM;
  if (s.error != 0) return s.report();
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  s.check(archive_write_header(s.writer.get(), entry.get()) == ARCHIVE_OK);
  s.left = size;
  return s.report();
}

bool zip_writer::write(std::string_view bytes) {
  state& s = *state_;
  s.require(bytes.size() <= s.left);
  if (s.error != 0) return s.report();
  const la_ssize_t written = archive_write_data(s.writer.get(), bytes.data(), bytes.size());
  s.check(written == static_cast<la_ssize_t>(bytes.size()));
  s.left -= bytes.size();
  return s.report();
}

bool zip_writer::finish() {
  state& s = *state_;
  s.require(s.left == 0);
  if (s.error == 0) s.check(archive_write_close(s.writer.get()) == ARCHIVE_OK);
  errno = EIO;
  if (s.error == 0 && std::fflush(s.to) != 0) s.error = errno;
  return s.report();
}

} // namespace evenly::io
