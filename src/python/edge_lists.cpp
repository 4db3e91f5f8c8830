// SPDX-License-Identifier: Apache-2.0
#include "python/edge_lists.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly::python {

namespace {

/// What str.split of Python takes for white space, among ASCII.
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

std::string_view trimmed(std::string_view word) {
  while (!word.empty() && is_space(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
  return word;
}

template <class Number> bool parse(std::string_view word, Number& number) {
  word = trimmed(word);
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

void split(std::string_view line, std::optional<char> delimiter, std::vector<std::string_view>& words) {
  words.clear();
  if (delimiter) {
    while (true) {
      const std::size_t end = line.find(*delimiter);
      words.push_back(line.substr(0, end));
      if (end == std::string_view::npos) return;
      line.remove_prefix(end + 1);
    }
  }
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    while (end < line.size() && !is_space(line[end])) ++end;
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

} // namespace

edge_list read_edge_list(std::string_view text, const edge_list_options& options) {
  using data_kind = edge_list_options::data_kind;
  edge_list found;
  std::unordered_map<std::int64_t, int> integers;
  std::unordered_map<std::string_view, int> texts;
  std::vector<std::string_view> words;
  std::int64_t line_number = 0;
  const auto fail = [&](const char* rule) {
    throw invalid_argument(detail::concat("line ", line_number, ": ", rule));
  };
  const auto number_of = [&](std::string_view word) {
    if (!options.integer_names) {
      const auto [place, is_new] = texts.try_emplace(word, static_cast<int>(texts.size()));
      if (is_new) found.texts.push_back(word);
      return place->second;
    }
    std::int64_t name = 0;
    if (!parse(word, name)) fail("a name is not an integer of 64 bits");
    const auto [place, is_new] = integers.try_emplace(name, static_cast<int>(integers.size()));
    if (is_new) found.integers.push_back(name);
    return place->second;
  };
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    for (const char c : line)
      if (static_cast<unsigned char>(c) >= 0x80) fail("a character is not ASCII");
    if (!options.comments.empty()) line = line.substr(0, line.find(options.comments));
    split(line, options.delimiter, words);
    if (words.size() < 2) continue;
    const int source = number_of(words[0]);
    found.sources.push_back(source);
    found.targets.push_back(number_of(words[1]));
    if (options.data == data_kind::none && words.size() > 2 &&
        !(words.size() == 3 && trimmed(words[2]) == "{}"))
      fail("an edge has data");
    if (options.data != data_kind::number) continue;
    double value = 0;
    if (words.size() != 3 || !parse(words[2], value)) fail("the data of an edge is not one number");
    found.values.push_back(value);
  }
  return found;
}

} // namespace evenly::python
