// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "host/interruption.hpp"
#include "io/coding.hpp"
#include "io/endings.hpp"

namespace evenly::io {

namespace fs = std::filesystem;
namespace {

/// An open file that compresses its contents.
class compressing_file {
 public:
  /// Writes one stream of coding `how`, which must not be `none`, to `to`, which must outlive the object and stays
  /// open. The result depends on the written bytes only: no time and no name is recorded.
  compressing_file(std::FILE* to, coding how) : to_(to) {
    try {
      stream_ = make_compressor(how);
      front_ = ::fopencookie(this, "w", {nullptr, write_front, nullptr, nullptr});
    } catch (const std::bad_alloc&) {
      errno = ENOMEM;
    }
  }
  compressing_file(const compressing_file&) = delete;
  compressing_file& operator=(const compressing_file&) = delete;
  ~compressing_file() {
    const int error = errno;
    if (front_ != nullptr) std::fclose(front_);
    errno = error;
  }

  /// The file to write to, without a descriptor and a position. Null if memory is short, with errno set by the
  /// constructor.
  std::FILE* file() { return front_; }

  /// Ends the stream and flushes both files. False, with errno set, if anything could not be written.
  bool finish() {
    const bool is_closed = std::fclose(std::exchange(front_, nullptr)) == 0;
    if (!is_closed && error_ == 0) error_ = errno;
    if (error_ == 0 && write({}, true) && std::fflush(to_) != 0) error_ = errno;
    errno = error_;
    return error_ == 0;
  }

 private:
  /// Compresses `in` and writes the result. False, with `error_` set, on failure.
  bool write(std::string_view in, bool is_last) noexcept {
    try {
      while (error_ == 0) {
        std::span<char> room(buffer_);
        const coding_progress progress = stream_->step(in, room, is_last);
        const std::size_t made = buffer_.size() - room.size();
        errno = EIO; // a file that sets no errno
        if (std::fwrite(buffer_.data(), 1, made, to_) < made) error_ = errno;
        const bool is_done = is_last ? progress == coding_progress::finished : in.empty() && !room.empty();
        if (is_done) break;
      }
    } catch (const std::bad_alloc&) {
      error_ = ENOMEM;
    }
    return error_ == 0;
  }

  /// The callback of `front_`. Returns 0 on failure.
  static ssize_t write_front(void* self, const char* bytes, std::size_t count) {
    auto& file = *static_cast<compressing_file*>(self);
    if (file.write({bytes, count}, false)) return static_cast<ssize_t>(count);
    errno = file.error_;
    return 0;
  }

  std::FILE* to_;
  std::unique_ptr<stream_coder> stream_;
  std::FILE* front_ = nullptr; ///< the file for writers; its bytes go to `write`
  int error_ = 0;              ///< errno of the first failure
  std::array<char, 1 << 16> buffer_{};
};

[[noreturn]] void fail(const fs::path& path, std::string_view what, const std::string& why) {
  const std::string shown = path.empty() ? "''" : host::printable(path.native());
  throw host::output_error(shown, 0, fmt::format("{}: {}", what, why));
}

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  fail(path, what, std::strerror(error));
}

/// Calls `write` with `file`, compressed if the requested path says so. Returns false on failure, with errno set.
bool write_coded(std::FILE* file, const output_writer& write, const fs::path& asked) {
  const coding how = coding_by_ending(asked.native());
  if (how == coding::none) return write(file);
  compressing_file compressing(file, how);
  return compressing.file() != nullptr && write(compressing.file()) && compressing.finish();
}

/// Calls `write` with `file`. `shown`: the requested path.
void write_to(std::FILE* file, const output_writer& write, const fs::path& shown) {
  if (!write_coded(file, write, shown)) fail(shown, "cannot write", errno);
}

/// A descriptor that is closed when it goes out of scope.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// A new file with a unique name. It is removed at the end of its scope and on interruption, unless it was renamed.
class temporary_file {
 public:
  /// Opens a file in `folder`, or leaves it closed with errno set.
  temporary_file(const fs::path& folder, mode_t permissions) {
    const host::uninterrupted here;
    static std::atomic<int> number = 0;
    do {
      path_ = folder / fmt::format(".evenly-{}-{}.tmp", ::getpid(), number++);
      const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
      if (opened < 0) continue;
      file_ = ::fdopen(opened, "w+");
      removal_.emplace([path = path_](std::string_view) { ::unlink(path.c_str()); });
    } while (file_ == nullptr && errno == EEXIST);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    if (removal_) ::unlink(path_.c_str());
  }

  bool is_open() const { return file_ != nullptr; }
  std::FILE* file() { return file_; }
  int number() { return ::fileno(file_); }

  /// Sets the owner and permissions of `owner`. Returns false on failure, with errno set.
  bool become_like(const struct stat& owner) {
    struct stat mine{};
    if (::fstat(number(), &mine) != 0) return false;
    const bool is_owned = mine.st_uid == owner.st_uid && mine.st_gid == owner.st_gid;
    return (is_owned || ::fchown(number(), owner.st_uid, owner.st_gid) == 0) &&
           ::fchmod(number(), owner.st_mode & 07777) == 0;
  }

  /// Replaces `target`. Returns false on failure, with errno set.
  bool rename(const fs::path& target) {
    const host::uninterrupted here;
    if (::close(::dup(number())) != 0) return false; // network file systems report write errors on close
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    removal_.reset();
    return true;
  }

 private:
  fs::path path_;
  std::FILE* file_ = nullptr;
  std::optional<host::at_interruption> removal_;
};

/// The end of a chain of symbolic links, which need not exist. For a cycle of links, opening the result reports the
/// error.
fs::path end_of_links(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, error)); ++links)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Copies the first `count` bytes to the start of `to`. Returns false on failure, with errno set.
bool copy(int from, int to, off_t count) {
  std::array<char, 1 << 16> buffer;
  for (off_t at = 0; at < count;) {
    const ssize_t got = ::pread(from, buffer.data(), buffer.size(), at);
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    for (ssize_t written = 0; written < got;) {
      const ssize_t more =
          ::pwrite(to, buffer.data() + written, static_cast<std::size_t>(got - written), at + written);
      if (more < 0) return false;
      written += more;
    }
    at += got;
  }
  return true;
}

/// Reserves `bytes` for `file`, or returns errno. File systems without reservations are assumed to have the space.
int reserve(int file, off_t bytes) {
  if (::fallocate(file, 0, 0, bytes) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

/// Copies the contents of `whole` to `old`. Changes nothing if there is too little space.
void copy_over(temporary_file& whole, const descriptor& old, const fs::path& shown) {
  const host::uninterrupted here;
  struct stat before{};
  struct stat now{};
  if (::fstat(old.number(), &before) != 0 || ::fstat(whole.number(), &now) != 0)
    fail(shown, "cannot write", errno);
  if (now.st_size > before.st_size)
    if (const int error = reserve(old.number(), now.st_size); error != 0) {
      const bool restored = ::ftruncate(old.number(), before.st_size) == 0;
      fail(shown, restored ? "cannot write" : "cannot write; the file has additional zeros at its end",
           error);
    }
  if (!copy(whole.number(), old.number(), now.st_size) || ::ftruncate(old.number(), now.st_size) != 0)
    fail(shown, "cannot write; the file is incomplete", errno);
}

void write_new(const fs::path& path, const output_writer& write) {
  const fs::path target = end_of_links(path);
  temporary_file whole(folder_of(target), 0666);
  if (!whole.is_open()) fail(path, "cannot create", errno);
  write_to(whole.file(), write, path);
  if (!whole.rename(target)) fail(path, "cannot rename the finished temporary file to this name", errno);
}

/// `target`: the regular file to which `shown` leads.
void write_existing(const fs::path& target, const output_writer& write, const fs::path& shown) {
  const descriptor old(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  struct stat owner{};
  if (!old.is_open() || ::fstat(old.number(), &owner) != 0) fail(shown, "cannot write", errno);
  if (owner.st_nlink == 1) {
    temporary_file beside(folder_of(target), 0600);
    if (beside.is_open() && beside.become_like(owner)) {
      write_to(beside.file(), write, shown);
      if (!beside.rename(target)) copy_over(beside, old, shown); // e.g. a mount point
      return;
    }
  }
  std::error_code status;
  temporary_file elsewhere(fs::temp_directory_path(status), 0600);
  if (status || !elsewhere.is_open())
    fail(shown, "cannot be replaced, and the temporary file is missing",
         status ? status.message() : std::strerror(errno));
  write_to(elsewhere.file(), write, shown);
  copy_over(elsewhere, old, shown);
}

void write_directly(const fs::path& path, const output_writer& write) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) fail(path, "cannot create", errno);
  const bool written = write_coded(file, write, path);
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) fail(path, "cannot write", written ? errno : reason);
}

} // namespace

void write_output(const fs::path& path, const output_writer& write) {
  if (path == "-") {
    if (write(stdout)) return;
    if (errno == EPIPE) throw host::broken_pipe();
    fail("standard output", "cannot write", errno);
  }
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (there.type() == fs::file_type::not_found && error != std::errc::not_a_directory)
    return write_new(path, write);
  if (!fs::exists(there)) fail(path, "cannot create", error.message());
  const fs::path target = fs::canonical(path, error);
  if (fs::is_regular_file(there) && !error)
    write_existing(target, write, path);
  else
    write_directly(path, write); // also a deleted file, as /dev/stdout may be
}

void write_output(const fs::path& path, std::string_view text) {
  write_output(path, [&](std::FILE* file) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  });
}

void check_output(const fs::path& path) {
  if (path == "-") return;
  if (path.empty()) fail(path, "cannot create", ENOENT);
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::is_directory(there)) fail(path, "cannot create", EISDIR);
  if (fs::is_regular_file(there)) {
    if (!descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC)).is_open()) fail(path, "cannot write", errno);
  } else if (fs::exists(there)) {
    if (::access(path.c_str(), W_OK) != 0) fail(path, "cannot write", errno);
  } else if (::access(folder_of(end_of_links(path)).c_str(), W_OK | X_OK) != 0) {
    fail(path, "cannot create", errno);
  }
}

bool overwrites(const fs::path& path) {
  if (path == "-") return false;
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  return !fs::exists(there) || fs::is_regular_file(there);
}

} // namespace evenly::io
