// SPDX-License-Identifier: Apache-2.0
#include "evenly/io/file_format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "io/archives.hpp"
#include "io/byte_source.hpp"
#include "io/endings.hpp"
#include "io/field_reader.hpp"
#include "io/harwell_boeing.hpp"
#include "io/npy.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

/// Removes a word from the front of a line.
std::string_view take_word(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  const auto end = std::ranges::find_if(line, is_blank);
  const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(word.size());
  return word;
}

/// The format that a line of text shows; `is_comment` if the line shows none but a later line may.
std::optional<file_format> format_by_line(std::string_view line, bool& is_comment) {
  is_comment = true;
  const std::string_view whole = line;
  const std::string_view word = take_word(line), next = take_word(line);
  constexpr std::array<std::string_view, 3> konect{"sym", "asym", "bip"};
  if (word == "%" && std::ranges::count(konect, next) > 0) return file_format::pairs;
  if (word.empty() || word.front() == '%' || word == "c") return {};
  if (word.front() == '#') {
    if (next == ".PCD") return file_format::pcd;
    const bool of_snap = whole.find("FromNodeId") != std::string_view::npos || next == "Nodes:";
    return of_snap ? std::optional(file_format::pairs) : std::nullopt;
  }
  is_comment = false;
  constexpr std::array<std::string_view, 9> dimacs{"sp",  "edge", "col", "tw", "max",
                                                   "min", "asn",  "cnf", "aux"};
  if (word == "p" && std::ranges::count(dimacs, next) > 0) return file_format::dimacs;
  if (word == "ply" && next.empty()) return file_format::ply;
  if (word == "VERSION" && (next.starts_with('.') || next.starts_with("0."))) return file_format::pcd;
  constexpr std::array<std::string_view, 8> of_obj{"v", "vn", "vt", "vp", "o", "g", "mtllib", "usemtl"};
  if (std::ranges::count(of_obj, word) > 0) return file_format::obj;
  return {};
}

} // namespace

std::optional<file_format> format_by_content(std::string_view first) {
  first = first.substr(0, sniffed_bytes);
  if (first.starts_with(npy_magic)) return file_format::npy;
  if (starts_zip(first)) return file_format::npz;
  first = without_byte_order_mark(first);
  const std::string_view banner = first.substr(std::min(first.find_first_not_of(" \t"), first.size()));
  for (const std::string_view word : {"%%MatrixMarket", "%MatrixMarket"}) // some programs write one %
    if (starts_with_word(banner, word)) return file_format::matrix_market;
  if (begins_harwell_boeing(first)) return file_format::harwell_boeing;
  for (bool is_comment = true; is_comment && !first.empty();) {
    const std::size_t end = first.find_first_of("\n\r");
    const auto found = format_by_line(first.substr(0, end), is_comment);
    if (found) return found;
    first.remove_prefix(end == std::string_view::npos ? first.size() : end + 1);
  }
  return {};
}

std::optional<file_format> format_by_ending(const std::filesystem::path& path) {
  const std::string_view name = without_packing(path.native());
  constexpr std::array<std::pair<std::string_view, file_format>, 39> known{
      {{".mtx", file_format::matrix_market},
       {".npz", file_format::npz},
       {".npy", file_format::npy},
       {".hb", file_format::harwell_boeing},
       {".rb", file_format::harwell_boeing},
       {".rua", file_format::harwell_boeing},
       {".rsa", file_format::harwell_boeing},
       {".rra", file_format::harwell_boeing},
       {".rza", file_format::harwell_boeing},
       {".cua", file_format::harwell_boeing},
       {".csa", file_format::harwell_boeing},
       {".cra", file_format::harwell_boeing},
       {".cza", file_format::harwell_boeing},
       {".cha", file_format::harwell_boeing},
       {".pua", file_format::harwell_boeing},
       {".psa", file_format::harwell_boeing},
       {".pra", file_format::harwell_boeing},
       {".iua", file_format::harwell_boeing},
       {".isa", file_format::harwell_boeing},
       {".ira", file_format::harwell_boeing},
       {".iza", file_format::harwell_boeing},
       {".rse", file_format::harwell_boeing},
       {".pse", file_format::harwell_boeing},
       {".txt", file_format::pairs},
       {".el", file_format::pairs},
       {".edgelist", file_format::pairs},
       {".edges", file_format::pairs},
       {".csv", file_format::pairs},
       {".tsv", file_format::pairs},
       {".adjlist", file_format::adjacency_list},
       {".wel", file_format::weighted},
       {".gr", file_format::dimacs},
       {".graph", file_format::metis},
       {".sg", file_format::gap},
       {".wsg", file_format::gap_weighted},
       {".ply", file_format::ply},
       {".obj", file_format::obj},
       {".xyz", file_format::xyz},
       {".pcd", file_format::pcd}}};
  for (const auto& [ending, format] : known)
    if (has_ending(name, ending)) return format;
  return {};
}

std::optional<file_format> format_of(const std::filesystem::path& path) {
  byte_source source(path);
  auto found = format_by_content(source.peek(sniffed_bytes));
  if (!found) found = format_by_ending(source.member_name());
  return found ? found : format_by_ending(path);
}

std::string_view name_of(file_format format) {
  constexpr std::array<std::string_view, 15> names{
      "Matrix Market",     ".npz of SciPy",   ".npy of NumPy",
      "Harwell-Boeing",    "a list of edges", "a list of edges with weights",
      "an adjacency list", "DIMACS .gr",      "METIS .graph",
      "GAP .sg",           "GAP .wsg",        ".ply points",
      ".obj points",       ".xyz points",     ".pcd points"};
  return names[static_cast<std::size_t>(format)];
}

} // namespace evenly::io
