// SPDX-License-Identifier: Apache-2.0
// Endings of file names. Upper and lower case are the same: `A.MTX.GZ` is a compressed `.mtx`.
#pragma once

#include <string_view>

#include "io/coding.hpp"

namespace evenly::io {

/// Whether `name` ends in `ending`, which is in lower case.
bool has_ending(std::string_view name, std::string_view ending);

/// The coding that an ending stands for: .gz, .bz2, .xz or .zst. `none` for any other ending.
coding coding_by_ending(std::string_view name);

/// `name` without the ending of a coding: `a.mtx` of `a.mtx.gz`. A name that is nothing but the ending stays.
std::string_view without_compression(std::string_view name);

/// `name` without the endings of a coding and of an archive: `a` of `a.tar.gz`, `a.tgz`, `a.tar` and `a.zip`.
std::string_view without_packing(std::string_view name);

} // namespace evenly::io
