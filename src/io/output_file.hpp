// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>

namespace evenly::io {

/// Writes everything to an open file and flushes it; false on failure, with errno set. The file may have no descriptor.
using output_writer = std::function<bool(std::FILE*)>;

/// Has `write` write the file `path`; `-` is standard output. Throws output_error.
///
/// What `write` writes is compressed if `path` ends in .gz, .bz2, .xz or .zst (io/endings.hpp), in upper or lower case.
/// Standard output is never compressed.
///
/// `path` never holds a part, and keeps what it held if writing fails or is interrupted; nothing else is left. The
/// output goes to a temporary file beside it, which is renamed when it is whole. A file that is there must be writable,
/// and keeps its owner, group and permissions (not its access control list). One of several hard links, and one whose
/// folder is not writable or whose owner cannot be kept, is written in place, so that links stay: when the output is
/// whole in the folder of temporary files and its space is reserved, it is copied over, and an interruption waits. Only
/// a device that fails meanwhile, one that fills up where no space can be reserved, or SIGKILL leaves a part then.
///
/// Of a symbolic link the target is written, or made. Devices and pipes are written to directly.
void write_output(const std::filesystem::path& path, const output_writer& write);

/// As above, of text that is there.
void write_output(const std::filesystem::path& path, std::string_view text);

/// Throws the output_error that write_output would throw before it writes: for whoever works long before he
/// writes.
void check_output(const std::filesystem::path& path);

/// Whether write_output leaves nothing of what was at `path` before: at a regular file or at none, not at a pipe.
bool overwrites(const std::filesystem::path& path);

} // namespace evenly::io
