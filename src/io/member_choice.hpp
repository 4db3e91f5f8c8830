// SPDX-License-Identifier: Apache-2.0
// Which member of an archive is meant, judged by names: `bcsstk13/bcsstk13.mtx`, `konect/out.konect`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::io {

/// Whether a regular file is left out of account: what macOS adds, `._NAME` and the folder `__MACOSX`.
bool is_ignored_member(std::string_view name);

/// Whether a file has its folder's name and the ending of a format, as SuiteSparse's collection has it.
bool is_named_after_folder(std::string_view name);

/// Whether a file is called `out.NAME`, as KONECT's collection has it.
bool is_named_out(std::string_view name);

/// The member that is meant, of all regular files that are not ignored: the only one; else the only one that is named
/// after its folder; else the only one that is named `out.NAME`; else the only one with the ending of a format.
std::optional<std::size_t> choose_member(const std::vector<std::string>& names);

/// `2 files, 'a/x.mtx', 'a/y.mtx'`: at most five names.
std::string list_of_members(const std::vector<std::string>& names);

} // namespace evenly::io
