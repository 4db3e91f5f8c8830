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

#include "generate/generators.hpp"
#include "host/errors.hpp"
#include "io/byte_source.hpp"
#include "io/endings.hpp"
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

enum class input_kind { file, generator, neither };

input_kind kind_of(const std::string& text) {
  if (text == standard_input) return input_kind::file;
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  const bool is_generator = std::ranges::any_of(
      generate::generators(), [&](const generate::generator_info& known) { return known.name == name; });
  std::error_code ignored;
  const fs::file_status there = fs::status(text, ignored);
  if (fs::exists(there) && !(fs::is_directory(there) && is_generator)) return input_kind::file;
  if (text.find('/') != std::string::npos) return input_kind::file;
  if (is_generator) return input_kind::generator;
  const bool has_file_ending = format_by_ending(text) || without_packing(text).size() < text.size();
  return has_file_ending ? input_kind::file : input_kind::neither;
}

/// Whether the text is a file and not a generator. Throws spec_error if it is neither.
bool is_file(const std::string& text) {
  const input_kind kind = kind_of(text);
  if (kind != input_kind::neither) return kind == input_kind::file;
  std::vector<std::string> names;
  for (const generate::generator_info& each : generate::generators()) names.emplace_back(each.name);
  throw host::spec_error(
      fmt::format("{} is neither a file nor a generator{}; the generators are {}", host::in_quotes(text),
                  host::did_you_mean(text.substr(0, text.find(':')), names), generate::generator_names()));
}

} // namespace

bool names_file(const std::string& text) { return kind_of(text) == input_kind::file; }

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
  if (!is_file(file_or_generator)) return {file_or_generator, generate::generate(file_or_generator)};
  return {input_name(file_or_generator), read_matrix(open_known(file_or_generator, how))};
}

input load_structure(const std::string& file_or_generator, const read_options& how) {
  if (!is_file(file_or_generator)) return {file_or_generator, generate::generate(file_or_generator)};
  return {input_name(file_or_generator), read_structure(open_known(file_or_generator, how))};
}

any_input load_any_input(const std::string& file_or_generator, const read_options& how) {
  if (!is_file(file_or_generator)) return {file_or_generator, generate::generate(file_or_generator)};
  return {input_name(file_or_generator), read_any_matrix(open_known(file_or_generator, how))};
}

exact_input load_exact_input(const std::string& file_or_generator, const read_options& how) {
  if (!is_file(file_or_generator)) return {file_or_generator, {generate::generate(file_or_generator)}};
  return {input_name(file_or_generator), read_exact_matrix(open_known(file_or_generator, how))};
}

input_profile load_profile(const std::string& file_or_generator, const read_options& how) {
  if (!is_file(file_or_generator)) return {file_or_generator, generate::generate_profile(file_or_generator)};
  known_file file = open_known(file_or_generator, how);
  if (has_points(file.format)) return {input_name(file_or_generator), {}, read_points(std::move(file))};
  return {input_name(file_or_generator), read_rows(std::move(file))};
}

input_source::input_source(std::string file_or_generator, const read_options& how)
    : text_(std::move(file_or_generator)), how_(how) {
  if (text_ == standard_input) return;
  if (!is_file(text_))
    generate::check_generator(text_);
  else if (std::optional<checked_file> file = open_checked(text_, how_))
    file_ = std::make_unique<checked_file>(std::move(*file));
}
input_source::input_source(input_source&&) noexcept = default;
input_source::~input_source() = default;

input input_source::load() const {
  return file_ ? input{name(), read_matrix(file_->from_start())} : load_input(text_, how_);
}
input input_source::load_structure() const {
  return file_ ? input{name(), read_structure(file_->from_start())} : io::load_structure(text_, how_);
}

} // namespace evenly::io
