// SPDX-License-Identifier: Apache-2.0
// Selection of an archive's member by name: `bcsstk13/bcsstk13.mtx`, `konect/out.konect`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::io {

/// Whether a regular file is ignored: `._NAME` and the folder `__MACOSX`, which macOS adds.
bool is_ignored_member(std::string_view name);

/// Whether a file has the name of its folder and the ending of a format, as in SuiteSparse's collection.
bool is_named_after_folder(std::string_view name);

/// Whether a file is called `out.NAME`, as in KONECT's collection.
bool is_named_out(std::string_view name);

/// The selected member of all regular files that are not ignored. The first rule with exactly one file decides:
/// - all files,
/// - files with the name of their folder,
/// - files called `out.NAME`,
/// - files with the ending of a format.
std::optional<std::size_t> choose_member(const std::vector<std::string>& names);

/// `2 files, 'a/x.mtx', 'a/y.mtx'`: at most five names.
std::string list_of_members(const std::vector<std::string>& names);

} // namespace evenly::io
