// SPDX-License-Identifier: Apache-2.0
// Compression and decompression of streams: gzip, bzip2, xz and Zstandard, each by its own library.
//
// A compressed file is a sequence of streams (gzip calls them members, Zstandard frames). The objects here handle one
// stream; decompressed() reads the whole file. The filters of libarchive do not compare the checksums of gzip, read
// a file that is truncated in its first block as empty, and ignore bytes after the last stream.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/byte_reader.hpp"

namespace evenly::io {

enum class coding { none, gzip, bzip2, xz, zstandard };

/// The coding of a stream that begins with these bytes. Reads at most `coding_magic_size` bytes.
coding coding_of(std::string_view first);
inline constexpr std::size_t coding_magic_size = 6;

/// `gzip`, `bzip2`, `xz`, `Zstandard`, for messages.
std::string_view name_of(coding how);

/// Maximum window of a decompressor, whatever the data claim.
inline constexpr std::size_t max_window = std::size_t{128} << 20;

enum class coding_progress {
  going,
  finished,        ///< the stream ended, its checksums are correct, and all output was delivered
  damaged,         ///< decompression only
  window_too_large ///< decompression only: larger than max_window
};

/// Compresses or decompresses one stream.
class stream_coder {
 public:
  stream_coder() = default;
  stream_coder(const stream_coder&) = delete;
  stream_coder& operator=(const stream_coder&) = delete;
  virtual ~stream_coder() = default;

  /// Moves bytes from the front of `in` to the front of `out`; both shrink by the number of bytes used. `is_last`: no
  /// input follows `in`. Without space in `out` or bytes in `in` there may be no progress. Throws std::bad_alloc.
  virtual coding_progress step(std::string_view& in, std::span<char>& out, bool is_last) = 0;
};

/// `how` must not be `none`. Throws std::bad_alloc.
std::unique_ptr<stream_coder> make_compressor(coding how);
std::unique_ptr<stream_coder> make_decompressor(coding how);

// Decompression of whole files: one stream, or several consecutive streams.

/// The decompressed bytes of `from`, which begins with a stream of coding `how`. Needs the decompressor's window and
/// fixed buffers. `name` is the file in messages.
///
/// The streams are decompressed one after another. Zero bytes after a stream are padding. The reader throws file_error
/// for damage, for an end inside a stream, and for any other bytes after a stream.
byte_reader decompressed(peekable_bytes from, coding how, std::string name);

} // namespace evenly::io
