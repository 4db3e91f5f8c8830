// SPDX-License-Identifier: Apache-2.0
// Atomic output: a file is complete or absent.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>

namespace evenly::io {

/// Writes all output to an open file and flushes it; returns false on failure, with errno set. The file may have no
/// descriptor.
using output_writer = std::function<bool(std::FILE*)>;

/// Calls `write` to write the file `path`; `-` is standard output. Throws output_error.
///
/// - Compression: if `path` ends in .gz, .bz2, .xz or .zst (io/endings.hpp), in upper or lower case. Standard output is
///   never compressed.
/// - `path` is never incomplete. It keeps its contents if writing fails or is interrupted, and no other files remain:
///   output goes to a temporary file in the same folder, which is renamed when it is complete.
/// - An existing file must be writable. It keeps its owner, group and permissions, but not its access control list.
/// - Some files cannot be replaced: those with several hard links, in a read-only folder, or with an owner that cannot
///   be preserved. They are overwritten in place. The output is first completed in the folder of temporary files. Then
///   its space is reserved, and it is copied without interruption. Only a failing device, a full device without
///   reservations, or SIGKILL can leave an incomplete file.
/// - The target of a symbolic link is written or created. Devices and pipes are written directly.
void write_output(const std::filesystem::path& path, const output_writer& write);

/// The same for an existing text.
void write_output(const std::filesystem::path& path, std::string_view text);

/// Throws the output_error that write_output would throw before it writes. Call it before long work.
void check_output(const std::filesystem::path& path);

/// Whether write_output replaces the contents of `path`: for a regular file or a new one, not for a pipe.
bool overwrites(const std::filesystem::path& path);

} // namespace evenly::io
