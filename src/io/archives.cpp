// SPDX-License-Identifier: Apache-2.0
#include "io/archives.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <locale.h>

#include "evenly/io/file_format.hpp"
#include "host/errors.hpp"
#include "io/endings.hpp"

namespace evenly::io {

namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The last folder of a path, empty if it has none.
std::string_view folder_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  return end == std::string_view::npos ? std::string_view() : last_part(path.substr(0, end));
}

bool has_known_ending(std::string_view name) { return format_by_ending(last_part(name)).has_value(); }

} // namespace

bool is_ignored_member(std::string_view name) {
  return last_part(name).starts_with("._") || name.starts_with("__MACOSX/");
}

bool is_named_after_folder(std::string_view name) {
  const std::string_view folder = folder_of(name), file = without_compression(last_part(name));
  return !folder.empty() && file.substr(0, file.rfind('.')) == folder && has_known_ending(name);
}

bool is_named_out(std::string_view name) { return last_part(name).starts_with("out."); }

std::optional<std::size_t> choose_member(const std::vector<std::string>& names) {
  if (names.size() == 1) return 0;
  for (bool (*const is_meant)(std::string_view) : {is_named_after_folder, is_named_out, has_known_ending})
    if (const auto first = std::ranges::find_if(names, is_meant); first != names.end()) {
      if (std::find_if(first + 1, names.end(), is_meant) != names.end()) return {};
      return static_cast<std::size_t>(first - names.begin());
    }
  return {};
}

std::string list_of_members(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 5;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < max_names) shown.push_back(host::in_quotes(name));
  return fmt::format("{} files, {}{}", names.size(), fmt::join(shown, ", "),
                     names.size() > max_names ? ", ..." : "");
}

// Shared parts of reading archives with libarchive: handles that close themselves, and names and errors as text.

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

bool starts_zip(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("PK\3\4"sv) || bytes.starts_with("PK\5\6"sv);
}

zip_file::zip_file(std::string shown, std::filesystem::path path)
    : shown_(std::move(shown)), path_(std::move(path)) {
  list_members();
}

zip_file::zip_file(std::string shown, std::vector<char> bytes)
    : shown_(std::move(shown)), bytes_(std::move(bytes)) {
  list_members();
}

std::shared_ptr<archive> zip_file::open() const {
  constexpr std::size_t block = 1 << 16;
  archive_reader opened(archive_read_new());
  if (!opened) throw std::bad_alloc();
  archive_read_support_format_zip_seekable(opened.get());
  const int result = path_.empty() ? archive_read_open_memory(opened.get(), bytes_.data(), bytes_.size())
                                   : archive_read_open_filename(opened.get(), path_.c_str(), block);
  if (result != ARCHIVE_OK) fail_as_damaged(error_of(opened.get()));
  return opened;
}

bool zip_file::has_no_members() const {
  constexpr std::size_t table_end = 22;
  std::string first(bytes_.begin(), bytes_.begin() + std::min<std::ptrdiff_t>(std::ssize(bytes_), table_end));
  if (!path_.empty()) {
    first.resize(table_end);
    std::ifstream file(path_, std::ios::binary);
    file.read(first.data(), table_end);
    first.resize(static_cast<std::size_t>(file.gcount()));
  }
  return first.size() == table_end && first.starts_with("PK\5\6") && first[10] == 0 && first[11] == 0;
}

void zip_file::list_members() {
  if (has_no_members()) return;
  const utf8_names here;
  const auto opened = open();
  archive_entry* entry = nullptr;
  int result = ARCHIVE_OK;
  while ((result = archive_read_next_header(opened.get(), &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN)
    members_.push_back({name_of(entry), is_regular(entry), archive_entry_is_encrypted(entry) != 0});
  if (result != ARCHIVE_EOF) fail_as_damaged(error_of(opened.get()));
}

byte_reader zip_file::read(std::size_t index) const {
  const std::string name = host::printable(members_[index].name);
  if (members_[index].is_encrypted)
    fail(fmt::format("{}: the member is encrypted: write the archive without a password", name));
  const auto opened = open();
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i <= index; ++i)
    if (const int result = archive_read_next_header(opened.get(), &entry);
        result != ARCHIVE_OK && result != ARCHIVE_WARN)
      fail(fmt::format("{}: cannot be read: {}", name, error_of(opened.get())));
  return [this, opened, name](char* to, std::size_t count) {
    const la_ssize_t got = archive_read_data(opened.get(), to, count);
    if (got < 0) fail(fmt::format("{}: the data are damaged or cut short: {}", name, error_of(opened.get())));
    return static_cast<std::size_t>(got);
  };
}

void zip_file::fail_as_damaged(std::string_view how) const {
  fail(fmt::format(
      "not a readable zip archive: the file is cut off or damaged ({}); copy or download it again", how));
}

void zip_file::fail(std::string_view rule) const { throw file_error(shown_, 0, std::string(rule)); }

zip_archive::zip_archive(byte_source source) : file_(source.name()), archive_(source.zip()) {
  if (!archive_) fail("not a zip archive: it has the wrong first bytes");
}

std::vector<std::string> zip_archive::names() const {
  std::vector<std::string> all;
  for (const zip_file::member& each : archive_->members()) all.push_back(each.name);
  return all;
}

bool zip_archive::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

array_bytes zip_archive::member(const std::string& name) const {
  const std::vector<zip_file::member>& all = archive_->members();
  const auto count = std::ranges::count(all, name, &zip_file::member::name);
  if (count != 1)
    fail(count == 0 ? fmt::format("the archive has no {}", host::printable(name))
                    : fmt::format("the archive has {} members {}: their names must differ", count,
                                  host::printable(name)));
  const auto at = std::ranges::find(all, name, &zip_file::member::name) - all.begin();
  return {file_, host::printable(name), archive_->read(static_cast<std::size_t>(at))};
}

void zip_archive::fail(std::string_view rule) const { throw file_error(file_, 0, std::string(rule)); }

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
