// SPDX-License-Identifier: Apache-2.0
#include "io/member_choice.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evenly/io/file_format.hpp"
#include "host/errors.hpp"
#include "io/endings.hpp"

namespace evenly::io {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The last folder of a path, empty if it has none.
std::string_view folder_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  return end == std::string_view::npos ? std::string_view() : last_part(path.substr(0, end));
}

bool has_known_ending(std::string_view name) { return format_by_ending(last_part(name)).has_value(); }

} // namespace

bool is_ignored_member(std::string_view name) {
  return last_part(name).starts_with("._") || name.starts_with("__MACOSX/");
}

bool is_named_after_folder(std::string_view name) {
  const std::string_view folder = folder_of(name), file = without_compression(last_part(name));
  return !folder.empty() && file.substr(0, file.rfind('.')) == folder && has_known_ending(name);
}

bool is_named_out(std::string_view name) { return last_part(name).starts_with("out."); }

std::optional<std::size_t> choose_member(const std::vector<std::string>& names) {
  if (names.size() == 1) return 0;
  for (bool (*const is_meant)(std::string_view) : {is_named_after_folder, is_named_out, has_known_ending})
    if (const auto first = std::ranges::find_if(names, is_meant); first != names.end()) {
      if (std::find_if(first + 1, names.end(), is_meant) != names.end()) return {};
      return static_cast<std::size_t>(first - names.begin());
    }
  return {};
}

std::string list_of_members(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 5;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < max_names) shown.push_back(host::in_quotes(name));
  return fmt::format("{} files, {}{}", names.size(), fmt::join(shown, ", "),
                     names.size() > max_names ? ", ..." : "");
}

} // namespace evenly::io
