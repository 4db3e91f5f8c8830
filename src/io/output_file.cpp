// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "io/errors.hpp"

namespace evenly::io {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, std::string_view what, const std::string& why) {
  throw output_error(fmt::format("{}: {}: {}", printable(path.native()), what, why));
}

/// Opens `path`, writes and closes it. `mode`: as for fopen. `shown`: the path that a message names.
void write_directly(const fs::path& path, const char* mode, const output_writer& write,
                    const fs::path& shown) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) fail(shown, "cannot create", std::strerror(errno));
  const bool written = write(file);
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) fail(shown, "cannot write", std::strerror(written ? errno : reason));
}

/// Removes a file when it goes out of scope, unless the file is gone by then.
struct temporary_file {
  fs::path path;
  explicit temporary_file(fs::path where) : path(std::move(where)) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

void write_by_renaming(const fs::path& path, const output_writer& write) {
  std::error_code status;
  const fs::path resolved = fs::canonical(path, status);
  if (status && status != std::errc::no_such_file_or_directory) fail(path, "cannot create", status.message());
  const fs::path& target = status ? path : resolved; // a link to nothing is replaced, another one kept
  fs::path beside = target;
  beside += fmt::format(".{}.tmp", ::getpid());
  const temporary_file temporary(beside);
  write_directly(temporary.path, "wx", write, path);
  fs::rename(temporary.path, target, status);
  if (status) fail(path, "cannot rename the finished file to this", status.message());
}

} // namespace

void write_output(const fs::path& path, const output_writer& write) {
  if (path == "-") {
    if (!write(stdout)) fail("standard output", "cannot write", std::strerror(errno));
    return;
  }
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there))
    write_directly(path, "w", write, path);
  else
    write_by_renaming(path, write);
}

void check_output(const fs::path& path) {
  if (path == "-") return;
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::is_directory(there)) fail(path, "cannot create", std::strerror(EISDIR));
  const bool in_place = fs::exists(there) && !fs::is_regular_file(there);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path& opened = in_place ? path : folder;
  if (::access(opened.c_str(), in_place ? W_OK : W_OK | X_OK) != 0)
    fail(path, "cannot create", std::strerror(errno));
}

bool overwrites(const fs::path& path) {
  if (path == "-") return false;
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  return !fs::exists(there) || fs::is_regular_file(there);
}

} // namespace evenly::io
