// SPDX-License-Identifier: Apache-2.0
#include "io/label_pieces.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "host/parallel.hpp"

namespace evenly::io {
namespace {

/// A label as an integer, with a plus or leading zeros if it has them.
std::optional<std::uint64_t> integer_in(std::string_view label) {
  if (label.starts_with('+')) label.remove_prefix(1);
  std::uint64_t value = 0;
  const char* const end = label.data() + label.size();
  const auto [stop, status] = std::from_chars(label.data(), end, value);
  if (status != std::errc{} || stop != end) return {};
  return value;
}

/// The same without plus and leading zeros: equal integers have equal labels.
std::optional<std::uint64_t> plain_integer_in(std::string_view label) {
  if (label.starts_with('+') || (label.size() > 1 && label.starts_with('0'))) return {};
  return integer_in(label);
}

template <class Body> void for_each_piece(const std::vector<piece_labels>& pieces, const Body& body) {
  host::for_each_range(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) body(i);
  });
}

/// The labels of a piece as integers; nothing if one of them is not an integer.
std::optional<std::vector<std::uint64_t>> ids_of(const vertex_labels::name_list& names) {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto id = integer_in(names[i]);
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

vertex_labels::name_list names_of(const std::vector<std::uint64_t>& ids) {
  vertex_labels::name_list names;
  for (const std::uint64_t id : ids) names.push_back(std::to_string(id));
  return names;
}

/// Converts the labels of all pieces to integers. Returns false, without changes, if one is not an integer.
bool make_integers(std::vector<piece_labels>& pieces) {
  std::vector<std::vector<std::uint64_t>> found(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].names.size() == 0) continue;
    auto ids = ids_of(pieces[i].names);
    if (!ids) return false;
    found[i] = std::move(*ids);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].names.size() > 0) pieces[i] = {.ids = std::move(found[i])};
  return true;
}

/// Sorts and numbers all labels; label(piece, i) returns one of them.
template <class Label, class GetLabel>
std::vector<Label> number_sorted(const std::vector<piece_labels>& pieces, const GetLabel& label,
                                 std::vector<std::vector<int>>& vertex_of) {
  std::vector<Label> all;
  std::size_t count = 0;
  for (const piece_labels& each : pieces) count += each.size();
  all.reserve(count);
  for (const piece_labels& each : pieces)
    for (std::size_t i = 0; i < each.size(); ++i) all.push_back(label(each, i));
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  vertex_of.resize(pieces.size());
  for_each_piece(pieces, [&](std::size_t p) {
    for (std::size_t i = 0; i < pieces[p].size(); ++i)
      vertex_of[p].push_back(
          static_cast<int>(std::ranges::lower_bound(all, label(pieces[p], i)) - all.begin()));
  });
  return all;
}

} // namespace

int label_collector::number_of(std::string_view label) {
  if (const auto known = numbers_.find(label); known != numbers_.end()) return known->second;
  const auto [added, is_new] = numbers_.emplace(label, static_cast<int>(labels_.size()));
  labels_.push_back(&added->first);
  return added->second;
}

piece_labels label_collector::finish() const {
  piece_labels found;
  for (const std::string* const each : labels_) {
    const auto id = plain_integer_in(*each);
    if (!id) break;
    found.ids.push_back(*id);
  }
  if (found.ids.size() == labels_.size()) return found;
  found.ids.clear();
  for (const std::string* const each : labels_) found.names.push_back(*each);
  return found;
}

std::int64_t bytes_to_number(const std::vector<piece_labels>& pieces) {
  std::size_t labels = 0, text = 0;
  bool has_names = false;
  for (const piece_labels& each : pieces) {
    labels += each.size();
    text += each.names.text.size();
    has_names |= each.names.size() > 0;
  }
  const std::size_t list = has_names ? 48 * labels + text : 8 * labels;
  return static_cast<std::int64_t>(list + 4 * labels);
}

numbered_labels number_labels(std::vector<piece_labels> pieces) {
  numbered_labels numbered;
  if (make_integers(pieces)) {
    std::vector<std::uint64_t> ids = number_sorted<std::uint64_t>(
        pieces, [](const piece_labels& from, std::size_t i) { return from.ids[i]; }, numbered.vertex_of);
    numbered.vertices = static_cast<std::int64_t>(ids.size());
    numbered.labels = vertex_labels(std::move(ids));
    return numbered;
  }
  for (piece_labels& each : pieces)
    if (!each.ids.empty()) each = {.names = names_of(each.ids)};
  const auto sorted = number_sorted<std::string_view>(
      pieces, [](const piece_labels& from, std::size_t i) { return from.names[i]; }, numbered.vertex_of);
  vertex_labels::name_list names;
  for (const std::string_view each : sorted) names.push_back(each);
  numbered.vertices = static_cast<std::int64_t>(sorted.size());
  numbered.labels = vertex_labels(std::move(names));
  return numbered;
}

} // namespace evenly::io
