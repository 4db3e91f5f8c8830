// SPDX-License-Identifier: Apache-2.0
#include "io/input.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/byte_source.hpp"
#include "io/endings.hpp"
#include "io/errors.hpp"
#include "io/generators.hpp"
#include "io/points.hpp"
#include "io/read_file.hpp"

namespace evenly::io {
namespace {

namespace fs = std::filesystem;

/// Removes `.gz`, `.tar` and the like, then the ending of a format.
void remove_endings(std::string& name) {
  const bool is_known = format_by_ending(name).has_value();
  name.resize(without_packing(name).size());
  if (const std::size_t dot = name.rfind('.'); is_known && dot > 0) name.resize(dot);
}

bool names_generator(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  return std::ranges::any_of(generators(), [&](const generator_info& known) { return known.name == name; });
}

[[noreturn]] void refuse(const std::string& text) {
  std::vector<std::string> names;
  for (const generator_info& each : generators()) names.emplace_back(each.name);
  throw spec_error(fmt::format("{} is neither a file nor a generator{}; the generators are {}",
                               in_quotes(text), did_you_mean(text.substr(0, text.find(':')), names),
                               generator_names()));
}

} // namespace

bool names_file(const std::string& text) {
  if (text == standard_input) return true;
  std::error_code ignored;
  const fs::file_status there = fs::status(text, ignored);
  if (fs::exists(there) && !(fs::is_directory(there) && names_generator(text))) return true;
  const bool has_file_ending = format_by_ending(text) || without_packing(text).size() < text.size();
  return text.find('/') != std::string::npos || (has_file_ending && !names_generator(text));
}

std::string input_name(const std::string& file_or_generator) {
  if (file_or_generator == standard_input) return "standard input";
  return file_or_generator;
}

std::string short_name(const std::string& file_or_generator) {
  if (file_or_generator == standard_input || !names_file(file_or_generator))
    return input_name(file_or_generator);
  std::string name = fs::path(file_or_generator).filename().string();
  remove_endings(name);
  return name;
}

input load_input(const std::string& file_or_generator, const read_options& how) {
  if (names_file(file_or_generator))
    return {input_name(file_or_generator), read_matrix(open_known(file_or_generator, how))};
  if (!names_generator(file_or_generator)) refuse(file_or_generator);
  return {file_or_generator, generate(file_or_generator)};
}

input load_structure(const std::string& file_or_generator, const read_options& how) {
  if (!names_file(file_or_generator)) return load_input(file_or_generator, how);
  return {input_name(file_or_generator), read_structure(open_known(file_or_generator, how))};
}

any_input load_any_input(const std::string& file_or_generator, const read_options& how) {
  if (names_file(file_or_generator))
    return {input_name(file_or_generator), read_any_matrix(open_known(file_or_generator, how))};
  input made = load_input(file_or_generator, how);
  return {std::move(made.name), std::move(made.matrix)};
}

exact_input load_exact_input(const std::string& file_or_generator, const read_options& how) {
  if (names_file(file_or_generator))
    return {input_name(file_or_generator), read_exact_matrix(open_known(file_or_generator, how))};
  input made = load_input(file_or_generator, how);
  return {std::move(made.name), {std::move(made.matrix)}};
}

input_profile load_profile(const std::string& file_or_generator, const read_options& how) {
  if (names_file(file_or_generator)) {
    known_file file = open_known(file_or_generator, how);
    if (has_points(file.format)) return {input_name(file_or_generator), {}, read_points(std::move(file))};
    return {input_name(file_or_generator), read_rows(std::move(file))};
  }
  if (!names_generator(file_or_generator)) refuse(file_or_generator);
  return {file_or_generator, generate_profile(file_or_generator)};
}

void check_input(const std::string& file_or_generator, const read_options& how) {
  if (file_or_generator == standard_input) return;
  if (names_file(file_or_generator))
    check_matrix(file_or_generator, how);
  else if (names_generator(file_or_generator))
    check_generator(file_or_generator);
  else
    refuse(file_or_generator);
}

} // namespace evenly::io
