// SPDX-License-Identifier: Apache-2.0
#include "io/edge_fields.hpp"

#include <cstddef>
#include <system_error>

#include "io/field_reader.hpp"
#include "io/numbers.hpp"

namespace evenly::io {
namespace {

constexpr std::string_view brackets_open = "([{", brackets_close = ")]}";

bool is_quote(char c) { return c == '\'' || c == '"'; }

/// The end of a string literal of Python that begins at `begin`; npos if it is not closed.
std::size_t literal_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[begin])
      return i + 1;
  return std::string_view::npos;
}

/// The end of a value of a dictionary that begins at `begin`: the comma or closing brace after it; npos if there is
/// none. Strings and brackets inside are skipped.
std::size_t value_end(std::string_view text, std::size_t begin) {
  std::string expected; // closing brackets, the innermost last
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (is_quote(text[i])) {
      i = literal_end(text, i);
      if (i == std::string_view::npos) return i;
      --i;
    } else if (const std::size_t kind = brackets_open.find(text[i]); kind != std::string_view::npos) {
      expected += brackets_close[kind];
    } else if (expected.empty() && (text[i] == ',' || text[i] == '}')) {
      return i;
    } else if (brackets_close.find(text[i]) != std::string_view::npos) {
      if (expected.empty() || expected.back() != text[i]) return std::string_view::npos;
      expected.pop_back();
    }
  }
  return std::string_view::npos;
}

} // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find_first_of("#%"); at != std::string_view::npos;
       at = line.find_first_of("#%", at + 1))
    if (at == 0 || is_blank(line[at - 1]) || line[at - 1] == ',') return trimmed(line.substr(0, at));
  return line;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = parse_real(text.data(), end, value);
  return status != std::errc::invalid_argument && stop == end;
}

bool edge_fields::split(std::string_view line) {
  fields_.clear();
  unescaped_.clear();
  if (separator_ != 0) return split_quoted(line);
  line = without_comment(line);
  if (line.find(',') == std::string_view::npos)
    split_at_blanks(line);
  else
    split_at(line, ',');
  return true;
}

void edge_fields::split_at_blanks(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > begin) fields_.push_back(line.substr(begin, at - begin));
    while (at < line.size() && is_blank(line[at])) ++at;
  }
}

/// A separator at the end of a line is not followed by a field.
void edge_fields::split_at(std::string_view line, char separator) {
  while (!line.empty()) {
    const std::size_t end = line.find(separator);
    fields_.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
}

bool edge_fields::split_quoted(std::string_view line) {
  if (line.find('"') == std::string_view::npos) {
    split_at(line, separator_);
    return true;
  }
  while (!line.empty()) {
    const std::string_view field = trimmed(line.substr(0, line.find(separator_)));
    if (field.empty() || field.front() != '"') {
      fields_.push_back(field);
      const std::size_t end = line.find(separator_);
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
      continue;
    }
    line.remove_prefix(line.find('"') + 1);
    std::string& text = unescaped_.emplace_back();
    while (true) {
      const std::size_t quote = line.find('"');
      if (quote == std::string_view::npos) return false;
      text += line.substr(0, quote);
      line.remove_prefix(quote + 1);
      if (line.empty() || line.front() != '"') break;
      text += '"';
      line.remove_prefix(1);
    }
    fields_.push_back(trimmed(text));
    const std::size_t end = line.find(separator_);
    if (!trimmed(line.substr(0, end)).empty()) return false;
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return true;
}

std::optional<edge_attributes> parse_attributes(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.front() != '{') return {};
  edge_attributes found;
  std::size_t at = 1;
  const auto skip = [&] {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at < text.size() ? text[at] : '\0';
  };
  while (skip() != '}') {
    const std::size_t key = at, key_end = is_quote(skip()) ? literal_end(text, at) : text.find(':', at);
    if (key_end == std::string_view::npos) return {};
    const std::string_view name = trimmed(text.substr(key, key_end - key));
    at = key_end;
    if (skip() != ':') return {};
    const std::size_t value = ++at;
    at = value_end(text, value);
    if (at == std::string_view::npos) return {};
    if (name == "'weight'" || name == "\"weight\"")
      found.weight = trimmed(text.substr(value, at - value));
    else
      found.has_others = true;
    if (text[at] == ',') ++at;
  }
  if (!without_comment(trimmed(text.substr(at + 1))).empty()) return {};
  return found;
}

} // namespace evenly::io
