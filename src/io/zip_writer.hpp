// SPDX-License-Identifier: Apache-2.0
// Writes zip archives (.npz among them) by libarchive: members are deflated, and zip64 is used where sizes need it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace evenly::io {

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
