// SPDX-License-Identifier: Apache-2.0
#include "io/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <istream>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <fmt/format.h>

#include "io/errors.hpp"
#include "io/zstd_frames.hpp"

namespace evenly::io {
namespace {

namespace bio = boost::iostreams;

/// Reads up to `count` raw bytes to `to`; 0 at the end.
using raw_reader = std::function<std::size_t(char* to, std::size_t count)>;

raw_reader read_file(const std::shared_ptr<std::FILE>& file, const std::string& name) {
  std::setvbuf(file.get(), nullptr, _IONBF, 0); // all reads are of whole blocks
  return [file, name](char* to, std::size_t count) {
    const std::size_t got = std::fread(to, 1, count, file.get());
    if (got < count && std::ferror(file.get()))
      throw file_error(name, 0, fmt::format("cannot read: {}", std::strerror(errno)));
    return got;
  };
}

raw_reader open_file(const std::filesystem::path& path, const std::string& name) {
  std::FILE* const opened = std::fopen(path.c_str(), "rb");
  if (opened == nullptr) throw file_error(name, 0, fmt::format("cannot open: {}", std::strerror(errno)));
  return read_file({opened, &std::fclose}, name);
}

raw_reader open_stream(std::istream& stream, const std::string& name) {
  return [&stream, name](char* to, std::size_t count) {
    stream.read(to, static_cast<std::streamsize>(count));
    if (stream.bad()) throw file_error(name, 0, "cannot read: the stream failed");
    return static_cast<std::size_t>(stream.gcount());
  };
}

enum class coding { none, gzip, bzip2, xz, zstandard };

coding coding_of(std::string_view first) {
  using namespace std::string_view_literals;
  if (first.starts_with("\x1f\x8b"sv)) return coding::gzip;
  if (first.starts_with("BZh"sv)) return coding::bzip2;
  if (first.starts_with("\xfd"
                        "7zXZ\0"sv))
    return coding::xz;
  if (zstd_frames::starts_frame(first)) return coding::zstandard;
  return coding::none;
}

std::string_view name_of(coding how) {
  constexpr std::string_view names[] = {"plain", "gzip", "bzip2", "xz", "Zstandard"};
  return names[static_cast<int>(how)];
}

} // namespace

struct byte_source::state {
  std::string name;
  raw_reader raw;
  std::optional<std::filesystem::path> plain_file;
  std::string prefix; ///< first bytes, read to tell the coding, not yet handed on
  coding how = coding::none;
  std::optional<zstd_frames> frames;
  std::string ahead;          ///< decoded bytes that were looked at
  std::size_t ahead_read = 0; ///< how many of them have been read since
  bio::filtering_istreambuf decoder;

  state(std::string shown, raw_reader reader) : name(std::move(shown)), raw(std::move(reader)) {
    prefix.resize(8);
    prefix.resize(raw(prefix.data(), prefix.size()));
    how = coding_of(prefix);
    push_decoder();
  }

  void push_decoder();
  std::size_t read_raw(char* to, std::size_t count);
  std::size_t read_decoded(char* to, std::size_t count);
  std::size_t read_on(char* to, std::size_t count) {
    return how == coding::none ? read_raw(to, count) : read_decoded(to, count);
  }
};

namespace {

/// The raw bytes as Boost.Iostreams wants them.
template <class State> struct raw_device {
  using char_type = char;
  using category = bio::source_tag;
  State* from;

  std::streamsize read(char* to, std::streamsize count) {
    const std::size_t got = from->read_raw(to, static_cast<std::size_t>(count));
    return got > 0 ? static_cast<std::streamsize>(got) : -1;
  }
};

} // namespace

void byte_source::state::push_decoder() {
  constexpr int buffer = 1 << 16;
  switch (how) {
  case coding::none:
    return;
  case coding::gzip:
    decoder.push(bio::gzip_decompressor(bio::gzip::default_window_bits, buffer), buffer);
    break;
  case coding::bzip2:
    decoder.push(bio::bzip2_decompressor(false, buffer), buffer);
    break;
  case coding::xz:
    decoder.push(bio::lzma_decompressor(buffer), buffer);
    break;
  case coding::zstandard:
    decoder.push(bio::zstd_decompressor(buffer), buffer);
    frames.emplace();
    break;
  }
  decoder.push(raw_device<state>{this}, buffer);
}

std::size_t byte_source::state::read_raw(char* to, std::size_t count) {
  std::size_t got = std::min(prefix.size(), count);
  if (got > 0) {
    std::memcpy(to, prefix.data(), got);
    prefix.erase(0, got);
  } else {
    got = raw(to, count);
  }
  if (frames) frames->feed({to, got});
  return got;
}

std::size_t byte_source::state::read_decoded(char* to, std::size_t count) {
  const file_error damaged(name, 0, fmt::format("the {} data are damaged or cut short", name_of(how)));
  std::size_t got = 0;
  try {
    got = static_cast<std::size_t>(
        std::max<std::streamsize>(0, decoder.sgetn(to, static_cast<std::streamsize>(count))));
  } catch (const std::bad_alloc&) {
    throw file_error(name, 0, fmt::format("not enough memory to decompress the {} data", name_of(how)));
  } catch (const std::ios_base::failure&) {
    throw damaged;
  }
  if (got == 0 && frames && !frames->complete()) throw damaged;
  return got;
}

byte_source::byte_source(const std::filesystem::path& path) {
  const bool standard = path == standard_input;
  std::string name = standard ? "standard input" : printable(path.native());
  raw_reader reader = standard ? read_file({stdin, [](std::FILE*) {}}, name) : open_file(path, name);
  state_ = std::make_unique<state>(std::move(name), std::move(reader));
  std::error_code ignored;
  if (!standard && state_->how == coding::none && std::filesystem::is_regular_file(path, ignored))
    state_->plain_file = path;
}

byte_source::byte_source(std::istream& stream, std::string name) {
  name = printable(name);
  raw_reader reader = open_stream(stream, name);
  state_ = std::make_unique<state>(std::move(name), std::move(reader));
}

byte_source::byte_source(byte_source&&) noexcept = default;
byte_source::~byte_source() = default;

std::size_t byte_source::read(char* to, std::size_t count) {
  state& s = *state_;
  const std::size_t got = std::min(s.ahead.size() - s.ahead_read, count);
  if (got == 0) return s.read_on(to, count);
  std::memcpy(to, s.ahead.data() + s.ahead_read, got);
  s.ahead_read += got;
  return got;
}

std::string_view byte_source::peek(std::size_t count) {
  state& s = *state_;
  s.ahead.erase(0, std::exchange(s.ahead_read, 0));
  for (std::size_t got = 1; got > 0 && s.ahead.size() < count;) {
    const std::size_t had = s.ahead.size();
    s.ahead.resize(count);
    got = s.read_on(s.ahead.data() + had, count - had);
    s.ahead.resize(had + got);
  }
  return std::string_view(s.ahead).substr(0, count);
}

std::optional<std::filesystem::path> byte_source::plain_file() const { return state_->plain_file; }

const std::string& byte_source::name() const { return state_->name; }

} // namespace evenly::io
