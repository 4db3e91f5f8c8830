// SPDX-License-Identifier: Apache-2.0
// Writes zip archives (.npz among them) by libarchive: members are deflated, and zip64 is used where sizes need it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace evenly::io {

/// The archive's bytes depend on names and contents only: all members are dated 1980-01-01 00:00. After a failure all
/// calls fail, and errno is that of the failure.
class zip_writer {
 public:
  /// Writes to `to`, which must outlive this and stays open. It need not be able to seek.
  explicit zip_writer(std::FILE* to);
  zip_writer(const zip_writer&) = delete;
  zip_writer& operator=(const zip_writer&) = delete;
  ~zip_writer();

  /// Begins a member of exactly `size` bytes, which calls of `write` pass. `name` is in ASCII. False, with errno set,
  /// on failure; EINVAL if the previous member has fewer bytes than it announced.
  bool begin(const std::string& name, std::uint64_t size);

  /// The next bytes of the member. False, with errno set, on failure; EINVAL if there are more than it announced.
  bool write(std::string_view bytes);

  /// Writes the archive's table and flushes the file. False, with errno set, on failure, as `begin`.
  bool finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
