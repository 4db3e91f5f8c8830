// SPDX-License-Identifier: Apache-2.0
#include "io/endings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace evenly::io {
namespace {

constexpr std::array<std::pair<std::string_view, coding>, 4> codings{
    {{".gz", coding::gzip}, {".bz2", coding::bzip2}, {".xz", coding::xz}, {".zst", coding::zstandard}}};
constexpr std::array<std::string_view, 6> archives{".tar", ".zip", ".tgz", ".tbz2", ".txz", ".tzst"};

} // namespace

bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::ranges::equal(name.substr(name.size() - ending.size()), ending, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
         });
}

coding coding_by_ending(std::string_view name) {
  for (const auto& [ending, how] : codings)
    if (has_ending(name, ending)) return how;
  return coding::none;
}

std::string_view without_compression(std::string_view name) {
  for (const auto& [ending, how] : codings)
    if (has_ending(name, ending) && name.size() > ending.size()) {
      name.remove_suffix(ending.size());
      break;
    }
  return name;
}

std::string_view without_packing(std::string_view name) {
  name = without_compression(name);
  for (const std::string_view ending : archives)
    if (has_ending(name, ending) && name.size() > ending.size()) {
      name.remove_suffix(ending.size());
      break;
    }
  return name;
}

} // namespace evenly::io
