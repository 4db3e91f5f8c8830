// SPDX-License-Identifier: Apache-2.0
#include "io/output_format.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/errors.hpp"
#include "io/endings.hpp"
#include "io/output_file.hpp"

namespace evenly::io {
namespace {

constexpr std::array<std::pair<std::string_view, output_format>, 11> known{
    {{".txt", output_format::text},
     {".npy", output_format::npy},
     {".npz", output_format::npz},
     {".mtx", output_format::mtx},
     {".json", output_format::json},
     {".csv", output_format::csv},
     {".html", output_format::html},
     {".htm", output_format::html},
     {".svg", output_format::svg},
     {".wel", output_format::edge_list},
     {".el", output_format::edge_list}}};

/// Endings of formats that are never written.
constexpr std::array<std::string_view, 35> foreign{
    ".tsv",     ".xls", ".xlsx",    ".mat", ".h5",  ".hdf5", ".parquet", ".feather", ".arrow",
    ".pickle",  ".pkl", ".rb",      ".rua", ".hb",  ".gr",   ".graph",   ".sg",      ".wsg",
    ".adjlist", ".gml", ".graphml", ".ply", ".obj", ".xyz",  ".pcd",     ".png",     ".jpg",
    ".jpeg",    ".pdf", ".eps",     ".ps",  ".zip", ".tar",  ".tgz",     ".7z"};

std::string name_of(output_format format) {
  if (format == output_format::text) return "text";
  return std::string(std::ranges::find(known, format, [](const auto& each) { return each.second; })->first);
}

std::string in_words(const output_formats& formats) {
  std::vector<std::string> names;
  for (const output_format each : formats.possible) names.push_back(name_of(each));
  if (names.size() == 1) return names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const output_formats& formats) {
  throw host::output_error(
      host::printable(path.native()), 0,
      fmt::format("{} written as {}; a further ending .gz, .bz2, .xz or .zst compresses the file",
                  formats.what, in_words(formats)));
}

} // namespace

output_format output_format_of(const std::filesystem::path& path, const output_formats& formats) {
  const output_format standard = *formats.possible.begin();
  if (path == "-") return standard;
  const std::string whole = path.filename().native();
  const std::string_view name = without_compression(whole);
  std::optional<output_format> named;
  for (const auto& [ending, format] : known)
    if (has_ending(name, ending)) named = format;
  if (named == output_format::npz && name.size() < whole.size())
    throw host::output_error(host::printable(path.native()), 0,
                             "the members of an .npz are compressed already: remove the second ending");
  if (!named) {
    if (std::ranges::any_of(foreign, [&](std::string_view ending) { return has_ending(name, ending); }))
      refuse(path, formats);
    return standard;
  }
  if (named == output_format::text && std::ranges::count(formats.possible, output_format::text) == 0)
    return standard;
  if (std::ranges::count(formats.possible, *named) == 0) refuse(path, formats);
  return *named;
}

} // namespace evenly::io
