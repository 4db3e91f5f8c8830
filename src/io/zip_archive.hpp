// SPDX-License-Identifier: Apache-2.0
// The members of a zip archive, by libzip. Only what is asked for is decompressed, a block at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/npy.hpp"

namespace evenly::io {

/// Whether bytes begin as a zip archive does, an empty one too.
bool starts_zip(std::string_view bytes);

class zip_archive {
 public:
  /// An archive's table is at its end: what is no plain file on disk is taken into memory as a whole. Throws file_error
  /// for what is no archive.
  explicit zip_archive(byte_source source);
  zip_archive(zip_archive&&) noexcept;
  ~zip_archive();

  /// As often as there are members of that name.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;

  /// A member's bytes, decompressed; the archive must outlive them. Damage is found at their end at last, by the check
  /// sum. Throws file_error unless there is one member of that name, in clear.
  array_bytes member(const std::string& name) const;

  /// Throws file_error `file: rule`.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
