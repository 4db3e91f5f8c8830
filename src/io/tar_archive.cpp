// SPDX-License-Identifier: Apache-2.0
#include "io/tar_archive.hpp"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/archive_reading.hpp"
#include "io/member_choice.hpp"

namespace evenly::io {
namespace {

/// The members of an archive, one after another.
class tar_stream {
 public:
  tar_stream(byte_reader from, std::string file)
      : from_(std::move(from)), file_(std::move(file)), buffer_(std::size_t{1} << 16),
        archive_(archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    archive_read_support_format_tar(archive_.get());
    check(archive_read_open(archive_.get(), this, nullptr, read_block, nullptr));
  }
  tar_stream(const tar_stream&) = delete;
  tar_stream& operator=(const tar_stream&) = delete;

  /// The name of the next regular file; nothing at the end of the archive.
  std::optional<std::string> next_file() {
    const utf8_names here;
    for (archive_entry* member = nullptr;;) {
      const int result = archive_read_next_header(archive_.get(), &member);
      if (result == ARCHIVE_EOF) {
        rethrow();
        return {};
      }
      check(result);
      std::string name = name_of(member);
      if (is_regular(member) && !is_ignored_member(name)) return name;
    }
  }

  /// Reads the bytes of the current file.
  std::size_t read(char* to, std::size_t count) {
    const la_ssize_t got = archive_read_data(archive_.get(), to, count);
    if (got < 0) check(static_cast<int>(got), ARCHIVE_OK);
    return static_cast<std::size_t>(got);
  }

  /// Reads the bytes after the end of the archive.
  void drain() {
    while (from_(buffer_.data(), buffer_.size()) > 0) continue;
  }

 private:
  /// The callback of libarchive. No exception may leave it.
  static la_ssize_t read_block(archive*, void* self, const void** block) {
    tar_stream& stream = *static_cast<tar_stream*>(self);
    try {
      const std::size_t got = stream.from_(stream.buffer_.data(), stream.buffer_.size());
      *block = stream.buffer_.data();
      return static_cast<la_ssize_t>(got);
    } catch (...) {
      stream.failure_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
  }

  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  /// Warnings concern names in other alphabets and similar details.
  void check(int result, int worst = ARCHIVE_WARN) {
    rethrow();
    if (result < worst || result == ARCHIVE_RETRY)
      throw file_error(file_, 0,
                       fmt::format("the tar archive is damaged or cut short: {}", error_of(archive_.get())));
  }

  byte_reader from_;
  std::string file_;
  std::vector<char> buffer_;
  std::exception_ptr failure_; ///< the exception of from_
  archive_reader archive_;
};

/// The bytes of the stream's current file; the end is reported after the rest of the archive was checked. `is_meant`
/// selected the file: another such file is an error.
archive_member take(std::shared_ptr<tar_stream> stream, std::string name, bool (*is_meant)(std::string_view),
                    const std::string& file) {
  const auto read = [stream, first = name, is_meant, file, at_end = false](char* to,
                                                                           std::size_t count) mutable {
    if (at_end) return std::size_t{0};
    if (const std::size_t got = stream->read(to, count); got > 0) return got;
    at_end = true;
    while (const auto other = stream->next_file())
      if (is_meant != nullptr && is_meant(*other))
        throw file_error(file, 0,
                         fmt::format("the archive has {} and {}: unpack it and name one of them",
                                     host::in_quotes(first), host::in_quotes(*other)));
    stream->drain();
    return std::size_t{0};
  };
  return {std::move(name), read};
}

[[noreturn]] void refuse(const std::vector<std::string>& names, bool is_read_once, const std::string& file) {
  std::string rule;
  if (names.empty())
    rule = "the archive has no files";
  else if (is_read_once)
    rule = fmt::format("an archive of {}: from a pipe, only a file named like its folder or out.NAME can be "
                       "read; unpack the archive, or give its path",
                       list_of_members(names));
  else
    rule = fmt::format("an archive of {}: unpack it and name one of them", list_of_members(names));
  throw file_error(file, 0, std::move(rule));
}

} // namespace

bool starts_tar(std::string_view first) {
  return first.size() >= tar_magic_end && first.substr(257, 5) == "ustar";
}

archive_member open_tar(byte_reader from, const std::function<byte_reader()>& again,
                        const std::string& file) {
  constexpr std::size_t max_files = 1 << 16;
  std::vector<std::string> names;
  {
    const auto stream = std::make_shared<tar_stream>(std::move(from), file);
    while (auto name = stream->next_file()) {
      if (is_named_after_folder(*name)) return take(stream, *name, is_named_after_folder, file);
      if (!again && is_named_out(*name)) return take(stream, *name, is_named_out, file);
      if (names.size() == max_files)
        throw file_error(file, 0, fmt::format("an archive of more than {} files: unpack it", max_files));
      names.push_back(std::move(*name));
    }
    stream->drain();
  }
  const auto chosen = choose_member(names);
  if (!chosen || !again) refuse(names, !again, file);
  const auto stream = std::make_shared<tar_stream>(again(), file);
  for (std::size_t i = 0; i <= *chosen; ++i)
    if (!stream->next_file()) throw file_error(file, 0, "the archive changed while it was being read");
  return take(stream, names[*chosen], nullptr, file);
}

} // namespace evenly::io
