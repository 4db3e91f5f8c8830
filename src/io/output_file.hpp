// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>

namespace evenly::io {

/// Writes everything to an open file and flushes it; false on failure, with errno set.
using output_writer = std::function<bool(std::FILE*)>;

/// Has `write` write the file `path`; `-` is standard output. A file is written under another name beside
/// `path` and renamed when it is whole, so `path` never holds a part and keeps what it held if writing fails;
/// devices and pipes are written to directly. Throws output_error.
void write_output(const std::filesystem::path& path, const output_writer& write);

/// Throws the output_error that write_output would throw before it writes: for whoever works long before he
/// writes.
void check_output(const std::filesystem::path& path);

/// Whether write_output leaves nothing of what was at `path` before: at a regular file or at none, not at a pipe.
bool overwrites(const std::filesystem::path& path);

} // namespace evenly::io
