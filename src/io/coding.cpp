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

/// A coder of a library whose streams have pointers and counts. run(stream, is_last) returns a number of the library,
/// which `meaning` explains.
template <class Stream, auto Run, auto Meaning, auto End> class library_coder final : public stream_coder {
 public:
  /// start(stream) returns whether there was enough memory.
  explicit library_coder(auto start) {
    if (!start(&stream_)) throw std::bad_alloc();
  }
  ~library_coder() override { End(&stream_); }

  coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) override {
    const auto had_in = limited(in.size()), had_out = limited(out.size());
    // None of the libraries writes to its input.
    stream_.next_in = reinterpret_cast<decltype(stream_.next_in)>(const_cast<char*>(in.data()));
    stream_.next_out = reinterpret_cast<decltype(stream_.next_out)>(out.data());
    stream_.avail_in = had_in;
    stream_.avail_out = had_out;
    const int result = static_cast<int>(Run(&stream_, is_last && in.size() == had_in));
    in.remove_prefix(had_in - static_cast<std::size_t>(stream_.avail_in));
    out = out.subspan(had_out - static_cast<std::size_t>(stream_.avail_out));
    return Meaning(result);
  }

 private:
  Stream stream_{}; // LZMA_STREAM_INIT is zeros, too
};

constexpr int gzip_window = 15 + 16; // zlib's number for its largest window, in a gzip header

coding_progress meaning_for_zlib(int result) {
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result == Z_STREAM_END) return coding_progress::finished;
  return result == Z_OK || result == Z_BUF_ERROR ? coding_progress::going : coding_progress::damaged;
}
coding_progress meaning_for_bzip2(int result) {
  if (result == BZ_MEM_ERROR) throw std::bad_alloc();
  if (result == BZ_STREAM_END) return coding_progress::finished;
  return result >= BZ_OK ? coding_progress::going : coding_progress::damaged;
}
coding_progress meaning_for_lzma(int result) {
  if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
  if (result == LZMA_MEMLIMIT_ERROR) return coding_progress::window_too_large;
  if (result == LZMA_STREAM_END) return coding_progress::finished;
  return result == LZMA_OK || result == LZMA_BUF_ERROR ? coding_progress::going : coding_progress::damaged;
}

int compress_gzip(z_stream* s, bool is_last) { return deflate(s, is_last ? Z_FINISH : Z_NO_FLUSH); }
int decompress_gzip(z_stream* s, bool) { return inflate(s, Z_NO_FLUSH); }
int compress_bzip2(bz_stream* s, bool is_last) {
  if (!is_last && s->avail_in == 0) return BZ_RUN_OK; // BZ_RUN without input is an error
  return BZ2_bzCompress(s, is_last ? BZ_FINISH : BZ_RUN);
}
int decompress_bzip2(bz_stream* s, bool) { return BZ2_bzDecompress(s); }
int code_xz(lzma_stream* s, bool is_last) { return lzma_code(s, is_last ? LZMA_FINISH : LZMA_RUN); }

template <auto Run, auto End> using gzip_coder = library_coder<z_stream, Run, meaning_for_zlib, End>;
template <auto Run, auto End> using bzip2_coder = library_coder<bz_stream, Run, meaning_for_bzip2, End>;
using xz_coder = library_coder<lzma_stream, code_xz, meaning_for_lzma, lzma_end>;

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
    return std::make_unique<gzip_coder<compress_gzip, deflateEnd>>([](z_stream* s) {
      constexpr int memory = 8; // zlib's default
      return deflateInit2(s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) ==
             Z_OK;
    });
  case coding::bzip2:
    return std::make_unique<bzip2_coder<compress_bzip2, BZ2_bzCompressEnd>>([](bz_stream* s) {
      constexpr int largest_blocks = 9;
      return BZ2_bzCompressInit(s, largest_blocks, 0, 0) == BZ_OK;
    });
  case coding::xz:
    return std::make_unique<xz_coder>([](lzma_stream* s) {
      return lzma_easy_encoder(s, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK;
    });
  default:
    return std::make_unique<zstandard_compressor>();
  }
}

std::unique_ptr<stream_coder> make_decompressor(coding how) {
  switch (how) {
  case coding::gzip:
    return std::make_unique<gzip_coder<decompress_gzip, inflateEnd>>(
        [](z_stream* s) { return inflateInit2(s, gzip_window) == Z_OK; });
  case coding::bzip2:
    return std::make_unique<bzip2_coder<decompress_bzip2, BZ2_bzDecompressEnd>>(
        [](bz_stream* s) { return BZ2_bzDecompressInit(s, 0, 0) == BZ_OK; });
  case coding::xz:
    return std::make_unique<xz_coder>([](lzma_stream* s) {
      constexpr std::uint64_t beside_window = 1 << 20;
      return lzma_stream_decoder(s, max_window + beside_window, 0) == LZMA_OK;
    });
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
