// SPDX-License-Identifier: Apache-2.0
#include "evenly/io/vertex_labels.hpp"

#include <charconv>
#include <system_error>

namespace evenly::io {
namespace {

std::optional<std::uint64_t> integer_in(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end) return {};
  return value;
}

/// The index of the first element of a sorted list that is not less than `wanted`.
template <class List, class Value> std::size_t lower_index(const List& list, const Value& wanted) {
  std::size_t first = 0;
  for (std::size_t count = list.size(); count > 0;) {
    const std::size_t half = count / 2;
    const bool is_less = list[first + half] < wanted;
    first += is_less ? half + 1 : 0;
    count = is_less ? count - half - 1 : half;
  }
  return first;
}

template <class List, class Value> std::optional<int> index_of(const List& list, const Value& wanted) {
  const std::size_t at = lower_index(list, wanted);
  if (at == list.size() || list[at] != wanted) return {};
  return static_cast<int>(at);
}

} // namespace

void vertex_labels::name_list::push_back(std::string_view name) {
  text += name;
  ends.push_back(text.size());
}

std::string_view vertex_labels::name_list::operator[](std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends[i - 1];
  return std::string_view(text).substr(begin, ends[i] - begin);
}

std::string vertex_labels::of(std::int64_t vertex) const {
  if (const auto* const names = std::get_if<name_list>(&labels_))
    return std::string((*names)[static_cast<std::size_t>(vertex)]);
  return std::to_string(number_of(vertex));
}

std::uint64_t vertex_labels::number_of(std::int64_t vertex) const {
  if (const auto* const ids = std::get_if<std::vector<std::uint64_t>>(&labels_))
    return (*ids)[static_cast<std::size_t>(vertex)];
  return static_cast<std::uint64_t>(vertex + std::get<int>(labels_));
}

std::optional<int> vertex_labels::find(std::string_view label, std::int64_t vertices) const {
  if (const auto* const names = std::get_if<name_list>(&labels_)) return index_of(*names, label);
  const auto id = integer_in(label);
  if (!id) return {};
  if (const auto* const ids = std::get_if<std::vector<std::uint64_t>>(&labels_)) return index_of(*ids, *id);
  const auto first = static_cast<std::uint64_t>(std::get<int>(labels_));
  if (*id < first || *id - first >= static_cast<std::uint64_t>(vertices)) return {};
  return static_cast<int>(*id - first);
}

} // namespace evenly::io
