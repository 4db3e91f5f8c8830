// SPDX-License-Identifier: Apache-2.0
// Decompression of whole files: one stream, or several consecutive streams.
#pragma once

#include <string>

#include "io/byte_reader.hpp"
#include "io/coding.hpp"

namespace evenly::io {

/// The decompressed bytes of `from`, which begins with a stream of coding `how`. Needs the decompressor's window and
/// fixed buffers. `name` is the file in messages.
///
/// The streams are decompressed one after another. Zero bytes after a stream are padding. The reader throws file_error
/// for damage, for an end inside a stream, and for any other bytes after a stream.
byte_reader decompressed(peekable_bytes from, coding how, std::string name);

} // namespace evenly::io
