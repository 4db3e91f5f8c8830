// SPDX-License-Identifier: Apache-2.0
#include "io/coding.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "host/errors.hpp"

namespace evenly::io {

namespace {

/// zlib and bzip2 count bytes in unsigned int.
unsigned limited(std::size_t count) {
  return static_cast<unsigned>(std::min<std::size_t>(count, std::numeric_limits<int>::max()));
}

/// Calls `code` with the pointers and counts of a `stream` set to `in` and `out`, and shrinks both by what was used.
template <class Stream> int transfer(Stream& stream, std::string_view& in, std::span<char>& out, auto code) {
  const auto had_in = limited(in.size()), had_out = limited(out.size());
  // None of the libraries writes to its input.
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char*>(in.data()));
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_in = had_in;
  stream.avail_out = had_out;
  const int result = static_cast<int>(code());
  in.remove_prefix(had_in - static_cast<std::size_t>(stream.avail_in));
  out = out.subspan(had_out - static_cast<std::size_t>(stream.avail_out));
  return result;
}

constexpr int gzip_window = 15 + 16; // zlib's number for its largest window, in a gzip header

class gzip_compressor final : public stream_coder {
 public:
  gzip_compressor() {
    constexpr int memory = 8; // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::bad_alloc();
  }
  ~gzip_compressor() override { deflateEnd(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) override {
    const int flush = is_last && in.size() == limited(in.size()) ? Z_FINISH : Z_NO_FLUSH;
    const int result = transfer(stream_, in, out, [&] { return deflate(&stream_, flush); });
    return result == Z_STREAM_END ? coding_progress::finished : coding_progress::going;
  }

 private:
  z_stream stream_{};
};

class gzip_decompressor final : public stream_coder {
 public:
  gzip_decompressor() {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decompressor() override { inflateEnd(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool) override {
    switch (transfer(stream_, in, out, [&] { return inflate(&stream_, Z_NO_FLUSH); })) {
    case Z_OK:
    case Z_BUF_ERROR:
      return coding_progress::going;
    case Z_STREAM_END:
      return coding_progress::finished;
    case Z_MEM_ERROR:
      throw std::bad_alloc();
    default:
      return coding_progress::damaged;
    }
  }

 private:
  z_stream stream_{};
};

class bzip2_compressor final : public stream_coder {
 public:
  bzip2_compressor() {
    constexpr int largest_blocks = 9;
    if (BZ2_bzCompressInit(&stream_, largest_blocks, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~bzip2_compressor() override { BZ2_bzCompressEnd(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) override {
    if (!is_last && in.empty()) return coding_progress::going; // BZ_RUN without input is an error
    const int action = is_last && in.size() == limited(in.size()) ? BZ_FINISH : BZ_RUN;
    const int result = transfer(stream_, in, out, [&] { return BZ2_bzCompress(&stream_, action); });
    return result == BZ_STREAM_END ? coding_progress::finished : coding_progress::going;
  }

 private:
  bz_stream stream_{};
};

class bzip2_decompressor final : public stream_coder {
 public:
  bzip2_decompressor() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~bzip2_decompressor() override { BZ2_bzDecompressEnd(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool) override {
    switch (transfer(stream_, in, out, [&] { return BZ2_bzDecompress(&stream_); })) {
    case BZ_OK:
      return coding_progress::going;
    case BZ_STREAM_END:
      return coding_progress::finished;
    case BZ_MEM_ERROR:
      throw std::bad_alloc();
    default:
      return coding_progress::damaged;
    }
  }

 private:
  bz_stream stream_{};
};

class xz_coder : public stream_coder {
 public:
  ~xz_coder() override { lzma_end(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) override {
    const lzma_action action = is_last && in.size() == limited(in.size()) ? LZMA_FINISH : LZMA_RUN;
    switch (transfer(stream_, in, out, [&] { return lzma_code(&stream_, action); })) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
      return coding_progress::going;
    case LZMA_STREAM_END:
      return coding_progress::finished;
    case LZMA_MEM_ERROR:
      throw std::bad_alloc();
    case LZMA_MEMLIMIT_ERROR:
      return coding_progress::window_too_large;
    default:
      return coding_progress::damaged;
    }
  }

 protected:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class xz_compressor final : public xz_coder {
 public:
  xz_compressor() {
    if (lzma_easy_encoder(&stream_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
};

class xz_decompressor final : public xz_coder {
 public:
  xz_decompressor() {
    constexpr std::uint64_t beside_window = 1 << 20;
    if (lzma_stream_decoder(&stream_, max_window + beside_window, 0) != LZMA_OK) throw std::bad_alloc();
  }
};

class zstandard_compressor final : public stream_coder {
 public:
  zstandard_compressor() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~zstandard_compressor() override { ZSTD_freeCCtx(context_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left =
        ZSTD_compressStream2(context_, &to, &from, is_last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) throw std::bad_alloc(); // nothing else can go wrong
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    return is_last && left == 0 ? coding_progress::finished : coding_progress::going;
  }

 private:
  ZSTD_CCtx* context_;
};

class zstandard_decompressor final : public stream_coder {
 public:
  zstandard_decompressor() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    static_assert(max_window == std::size_t{1} << 27);
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, 27);
  }
  ~zstandard_decompressor() override { ZSTD_freeDCtx(context_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    if (left == 0) return coding_progress::finished;
    if (!ZSTD_isError(left)) return coding_progress::going;
    switch (ZSTD_getErrorCode(left)) {
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    case ZSTD_error_frameParameter_windowTooLarge:
      return coding_progress::window_too_large;
    default:
      return coding_progress::damaged;
    }
  }

 private:
  ZSTD_DCtx* context_;
};

} // namespace

coding coding_of(std::string_view first) {
  using namespace std::string_view_literals;
  if (first.starts_with("\x1f\x8b"sv)) return coding::gzip;
  if (first.starts_with("BZh"sv)) return coding::bzip2;
  if (first.starts_with("\xfd\x37zXZ\0"sv)) return coding::xz;
  if (first.starts_with("\x28\xb5\x2f\xfd"sv)) return coding::zstandard;
  const bool is_skippable =
      first.size() >= 4 && (first[0] & 0xf0) == 0x50 && first.substr(1, 3) == "\x2a\x4d\x18"sv;
  return is_skippable ? coding::zstandard : coding::none;
}

std::string_view name_of(coding how) {
  constexpr std::string_view names[] = {"plain", "gzip", "bzip2", "xz", "Zstandard"};
  return names[static_cast<int>(how)];
}

std::unique_ptr<stream_coder> make_compressor(coding how) {
  switch (how) {
  case coding::gzip:
    return std::make_unique<gzip_compressor>();
  case coding::bzip2:
    return std::make_unique<bzip2_compressor>();
  case coding::xz:
    return std::make_unique<xz_compressor>();
  default:
    return std::make_unique<zstandard_compressor>();
  }
}

std::unique_ptr<stream_coder> make_decompressor(coding how) {
  switch (how) {
  case coding::gzip:
    return std::make_unique<gzip_decompressor>();
  case coding::bzip2:
    return std::make_unique<bzip2_decompressor>();
  case coding::xz:
    return std::make_unique<xz_decompressor>();
  default:
    return std::make_unique<zstandard_decompressor>();
  }
}

namespace {

class decompressing_reader {
 public:
  decompressing_reader(peekable_bytes from, coding how, std::string name)
      : from_(std::move(from)), how_(how), name_(std::move(name)), buffer_(std::size_t{1} << 16) {}

  std::size_t read(char* to, std::size_t count) {
    try {
      std::span<char> out(to, count);
      while (out.size() == count)
        if (!advance(out)) return 0;
      return count - out.size();
    } catch (const std::bad_alloc&) {
      fail(fmt::format("not enough memory to decompress the {} data", name_of(how_)));
    }
  }

 private:
  /// Makes progress on the current stream, or begins the next. Returns false after the last stream.
  bool advance(std::span<char>& out) {
    if (!stream_) return begin_stream();
    if (in_.empty()) refill();
    const std::size_t had_in = in_.size(), had_out = out.size();
    switch (stream_->step(in_, out, is_last_)) {
    case coding_progress::going:
      if (is_last_ && in_.size() == had_in && out.size() == had_out) fail_as_damaged();
      break;
    case coding_progress::finished:
      stream_.reset();
      is_first_ = false;
      break;
    case coding_progress::damaged:
      fail_as_damaged();
    case coding_progress::window_too_large:
      fail(fmt::format(
          "the {} data need a window of more than {} MiB: compress the file with a smaller window",
          name_of(how_), max_window >> 20));
    }
    return true;
  }

  bool begin_stream() {
    if (!is_first_) skip_padding();
    while (in_.size() < coding_magic_size && !is_last_) refill();
    if (in_.empty() && !is_first_) return false;
    if (coding_of(in_) != how_)
      fail(fmt::format("the {} data are followed by other bytes: remove them, or create the file again",
                       name_of(how_)));
    stream_ = make_decompressor(how_);
    return true;
  }

  void skip_padding() {
    for (;;) {
      in_.remove_prefix(std::min(in_.find_first_not_of('\0'), in_.size()));
      if (!in_.empty() || is_last_) return;
      refill();
    }
  }

  /// Appends more bytes to the few that remain.
  void refill() {
    if (!in_.empty()) std::memmove(buffer_.data(), in_.data(), in_.size());
    const std::size_t got = is_last_ ? 0 : from_(buffer_.data() + in_.size(), buffer_.size() - in_.size());
    is_last_ = got == 0;
    in_ = std::string_view(buffer_.data(), in_.size() + got);
  }

  [[noreturn]] void fail_as_damaged() const {
    fail(fmt::format("the {} data are damaged or cut short", name_of(how_)));
  }
  [[noreturn]] void fail(std::string rule) const { throw file_error(name_, 0, std::move(rule)); }

  peekable_bytes from_;
  coding how_;
  std::string name_;
  std::vector<char> buffer_;
  std::string_view in_;  ///< the part of buffer_ that is still to be decompressed
  bool is_last_ = false; ///< nothing follows in_
  bool is_first_ = true; ///< no stream has ended
  std::unique_ptr<stream_coder> stream_;
};

} // namespace

byte_reader decompressed(peekable_bytes from, coding how, std::string name) {
  auto reader = std::make_shared<decompressing_reader>(std::move(from), how, std::move(name));
  return [reader](char* to, std::size_t count) { return reader->read(to, count); };
}

} // namespace evenly::io
