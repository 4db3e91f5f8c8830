// SPDX-License-Identifier: Apache-2.0
#include "io/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <istream>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/executor.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/archives.hpp"
#include "io/byte_reader.hpp"
#include "io/coding.hpp"

namespace evenly::io {
namespace {

namespace fs = std::filesystem;

using open_file = std::shared_ptr<std::FILE>;

byte_reader read_from(const open_file& file, const std::string& name) {
  std::setvbuf(file.get(), nullptr, _IONBF, 0); // all reads are of whole blocks
  return [file, name](char* to, std::size_t count) {
    const std::size_t got = std::fread(to, 1, count, file.get());
    if (got < count && std::ferror(file.get()))
      throw file_error(name, 0, fmt::format("cannot read: {}", std::strerror(errno)));
    return got;
  };
}

open_file open(const fs::path& path, const std::string& name) {
  std::FILE* const opened = std::fopen(path.c_str(), "rb");
  if (opened == nullptr) throw file_error(name, 0, fmt::format("cannot open: {}", std::strerror(errno)));
  return {opened, &std::fclose};
}

byte_reader open_stream(std::istream& stream, const std::string& name) {
  return [&stream, name](char* to, std::size_t count) {
    stream.read(to, static_cast<std::streamsize>(count));
    if (stream.bad()) throw file_error(name, 0, "cannot read: the stream failed");
    return static_cast<std::size_t>(stream.gcount());
  };
}

/// `bytes` with a decompressor if they are compressed.
peekable_bytes decoded(peekable_bytes bytes, const std::string& name, coding& how) {
  how = coding_of(bytes.peek(coding_magic_size));
  if (how == coding::none) return bytes;
  return peekable_bytes(decompressed(std::move(bytes), how, name));
}

/// All bytes of an archive.
std::vector<char> read_all(peekable_bytes& from, const std::string& name) try {
  std::vector<char> all;
  std::size_t used = 0;
  for (std::size_t got = 1; got > 0; used += got) {
    if (used == all.size()) {
      const std::size_t room = std::max<std::size_t>(1 << 16, 2 * used);
      if (const auto shortage = host::memory_shortage(static_cast<std::int64_t>(room)))
        throw file_error(name, 0, fmt::format("{} bytes read: {}", used, *shortage));
      all.resize(room);
    }
    got = from(all.data() + used, all.size() - used);
  }
  all.resize(used);
  return all;
} catch (const std::bad_alloc&) {
  throw file_error(name, 0, "not enough memory for the archive");
}

byte_reader read_memory(std::shared_ptr<const zip_file> archive) {
  return [archive = std::move(archive), at = std::size_t{0}](char* to, std::size_t count) mutable {
    const std::size_t got = std::min(count, archive->bytes().size() - at);
    std::memcpy(to, archive->bytes().data() + at, got);
    at += got;
    return got;
  };
}

/// The member of a zip archive to read; none for an archive of arrays or an empty one, which is used as a whole.
std::optional<archive_member> open_zip(const std::shared_ptr<const zip_file>& archive) {
  std::vector<std::string> names;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < archive->members().size(); ++i) {
    const zip_file::member& each = archive->members()[i];
    if (each.name.ends_with(".npy")) return {};
    if (!each.is_regular || is_ignored_member(each.name)) continue;
    names.push_back(each.name);
    indices.push_back(i);
  }
  if (names.empty()) return {};
  const auto chosen = choose_member(names);
  if (!chosen)
    archive->fail(fmt::format("an archive of {}: unpack it and name one of them", list_of_members(names)));
  return archive_member{names[*chosen], [archive, read = archive->read(indices[*chosen])](
                                            char* to, std::size_t count) { return read(to, count); }};
}

} // namespace

struct byte_source::state {
  std::string name;
  std::string member_name;
  std::optional<fs::path> plain_file;
  std::shared_ptr<const zip_file> zip;
  peekable_bytes bytes;
  std::function<std::unique_ptr<state>()> restart;

  state(std::string shown, byte_reader raw)
      : state(std::move(shown), std::move(raw), std::nullopt, nullptr) {}

  /// `path`: of a regular file. `listed`: the zip archive that an earlier state of this file read.
  state(const std::string& shown, const open_file& file, const fs::path& path,
        std::shared_ptr<const zip_file> listed = nullptr)
      : state(shown, read_from(file, shown), path, std::move(listed)) {
    restart = [shown, file, path, known = zip] {
      std::rewind(file.get());
      return std::make_unique<state>(shown, file, path, known);
    };
  }

 private:
  /// `on_disk`: the path of a regular file, whose bytes `raw` are.
  state(std::string shown, byte_reader raw, std::optional<fs::path> on_disk,
        std::shared_ptr<const zip_file> listed)
      : name(std::move(shown)), zip(std::move(listed)), bytes(std::move(raw)) {
    coding how = coding::none;
    bytes = decoded(std::move(bytes), name, how);
    if (starts_zip(bytes.peek(tar_magic_end)))
      unpack_zip(how == coding::none ? on_disk : std::nullopt);
    else if (starts_tar(bytes.peek(tar_magic_end)))
      unpack_tar(on_disk);
    if (on_disk && how == coding::none && member_name.empty()) plain_file = std::move(on_disk);
  }

  void unpack_zip(const std::optional<fs::path>& plain) {
    if (zip) return; // of arrays, on disk
    zip = plain ? std::make_shared<const zip_file>(name, *plain)
                : std::make_shared<const zip_file>(name, read_all(bytes, name));
    if (auto member = open_zip(zip)) {
      zip.reset();
      unpack(std::move(*member));
    } else if (!plain) {
      bytes = peekable_bytes(read_memory(zip));
    }
  }

  void unpack_tar(const std::optional<fs::path>& on_disk) {
    std::function<byte_reader()> again;
    if (on_disk)
      again = [this, on_disk]() -> byte_reader {
        coding how = coding::none;
        return decoded(peekable_bytes(read_from(open(*on_disk, name), name)), name, how);
      };
    unpack(open_tar(std::move(bytes), again, name));
  }

  void unpack(archive_member member) {
    member_name = std::move(member.name);
    name += fmt::format("({})", host::printable(member_name));
    coding how = coding::none;
    bytes = decoded(peekable_bytes(std::move(member.read)), name, how);
  }
};

byte_source::byte_source(const fs::path& path) {
  const bool standard = path == standard_input;
  const std::string name = standard ? "standard input" : host::printable(path.native());
  const open_file file = standard ? open_file(stdin, [](std::FILE*) {}) : open(path, name);
  std::error_code ignored;
  if (!standard && fs::is_regular_file(path, ignored))
    state_ = std::make_unique<state>(name, file, path);
  else
    state_ = std::make_unique<state>(name, read_from(file, name));
}

byte_source::byte_source(std::istream& stream, std::string name) {
  name = host::printable(name);
  byte_reader raw = open_stream(stream, name);
  state_ = std::make_unique<state>(std::move(name), std::move(raw));
}

byte_source::byte_source(std::unique_ptr<state> from) : state_(std::move(from)) {}
byte_source::byte_source(byte_source&&) noexcept = default;
byte_source& byte_source::operator=(byte_source&&) noexcept = default;
byte_source::~byte_source() = default;

std::size_t byte_source::read(char* to, std::size_t count) {
  detail::check_interrupt();
  return state_->bytes(to, count);
}

std::string_view byte_source::peek(std::size_t count) { return state_->bytes.peek(count); }

std::optional<fs::path> byte_source::plain_file() const { return state_->plain_file; }

std::function<byte_source()> byte_source::restart() const {
  if (!state_->restart) return {};
  return [again = state_->restart] { return byte_source(again()); };
}

const std::string& byte_source::name() const { return state_->name; }

const std::string& byte_source::member_name() const { return state_->member_name; }

std::shared_ptr<const zip_file> byte_source::zip() const { return state_->zip; }

} // namespace evenly::io
