// SPDX-License-Identifier: Apache-2.0
// The lines of edge lists: most are plain numbers, which one pass reads; other lines are split into fields.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/parallel.hpp"
#include "io/edge_dialect.hpp"
#include "io/edge_file.hpp"

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

namespace {

constexpr double max_whole = 9007199254740992; // 2^53: integers up to here are doubles

bool is_comment(std::string_view line) { return line.empty() || line.front() == '#' || line.front() == '%'; }

/// Whether `text` is an integer other than `value`, to which it was rounded.
bool is_rounded(std::string_view text, double value) {
  if (std::abs(value) < max_whole) return false;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return fmt::format("{:.0f}", std::abs(value)) != text;
}

/// Skips fields of digits, signs, points and exponents. Returns false if there are others or more than `count`.
bool skip_numbers(const char* at, const char* end, std::size_t count) {
  for (std::size_t fields = 0; at != end; ++fields) {
    if (!is_blank(*at) || fields == count) return false;
    skip_blanks(at);
    for (; at != end && !is_blank(*at); ++at)
      if (*at == ',' || *at == '#' || *at == '%' || *at == '{') return false;
  }
  return true;
}

/// Reads lines that are not plain.
class line_fields {
 public:
  line_fields(const piece_reader& lines, const edge_file& file, edge_piece& out)
      : lines_(lines), file_(file), dialect_(file.dialect), out_(out), fields_(file.dialect.separator) {}

  void read_edge(std::string_view line) {
    double weight = 1;
    if (dialect_.has_attributes) weight = take_attributes(line);
    split(line);
    const auto& all = fields_.all();
    edge each{vertex(dialect_.source, "source"), 0, weight};
    each.to = vertex(dialect_.target, "target");
    if (dialect_.has_weights()) each.weight = weight_in(dialect_.weight);
    if (all.size() > dialect_.columns) refuse_more(all[dialect_.columns]);
    out_.edges.push_back(each);
  }

  void read_neighbours(std::string_view line) {
    split(line);
    const int from = vertex(0, "vertex");
    if (fields_.all().size() == 1 && !file_.collects_labels) out_.last_lone = std::max(out_.last_lone, from);
    for (std::size_t i = 1; i < fields_.all().size(); ++i)
      out_.edges.push_back({from, vertex(i, "neighbour"), 1});
  }

 private:
  void split(std::string_view line) {
    if (!fields_.split(line)) lines_.fail("a quote is not closed, or text follows it: \" must end a field");
  }

  /// The name of a column in errors.
  std::string column(std::size_t at, std::string_view role) const {
    if (dialect_.is_adjacency || (dialect_.are_roles_guessed && dialect_.columns <= 3))
      return std::string(role);
    return fmt::format("{} (column {})", role, at + 1);
  }

  std::string_view field(std::size_t at, std::string_view role) const {
    if (at >= fields_.all().size())
      lines_.fail(fmt::format("the line ends where the {} should be", column(at, role)));
    const std::string_view text = fields_.all()[at];
    if (text.empty()) lines_.fail(fmt::format("the {} is empty", column(at, role)));
    return text;
  }

  int vertex(std::size_t at, std::string_view role) {
    const std::string_view text = field(at, role);
    if (file_.collects_labels) return label(text, column(at, role));
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, status] = std::from_chars(digits.data(), end, number);
    if (status == std::errc{} && stop == end && number >= file_.first_vertex && number <= file_.last_vertex())
      return static_cast<int>(number - file_.first_vertex);
    constexpr std::string_view remedy = "--renumber accepts all integers and names";
    if (status == std::errc::invalid_argument || stop != end)
      lines_.fail(fmt::format("{} is not an integer: the {} must be one; {}", host::in_quotes(text),
                              column(at, role), remedy));
    lines_.fail(fmt::format("the {} is {}: it must be {} to {}; {}", column(at, role), host::in_quotes(text),
                            file_.first_vertex, file_.last_vertex(), remedy));
  }

  int label(std::string_view text, const std::string& role) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        lines_.fail(
            fmt::format("the {} is {}: names must not have control characters", role, host::in_quotes(text)));
    return out_.labels->number_of(text);
  }

  double weight_in(std::size_t at) {
    const std::string_view text = field(at, "weight");
    if (dialect_.separator == ';' && text.find(',') != std::string_view::npos)
      lines_.fail(fmt::format("the {} is {}, with a decimal comma: write a decimal point",
                              column(at, "weight"), host::in_quotes(text)));
    if (dialect_.are_roles_guessed && !is_number(text)) {
      std::string columns = "src,dst";
      for (std::size_t i = 2; i < dialect_.columns; ++i) columns += ",-";
      lines_.fail(fmt::format("{} is not a number: the weight must be one; --columns {} ignores it",
                              host::in_quotes(text), columns));
    }
    return weight_of(text);
  }

  double weight_of(std::string_view text) {
    field_reader fields(lines_, text);
    const double weight = read_weight_field(fields, lines_, out_);
    fields.finish("weight");
    return weight;
  }

  /// Removes the attributes at the end of a line. Returns the weight.
  double take_attributes(std::string_view& line) {
    const std::size_t at = line.find('{');
    if (at == std::string_view::npos) return 1;
    const auto found = parse_attributes(line.substr(at));
    if (!found)
      lines_.fail(fmt::format("{} is not a dictionary of attributes in the form that NetworkX writes",
                              host::in_quotes(line.substr(at))));
    line = trimmed(line.substr(0, at));
    if (!found->weight || !dialect_.are_roles_guessed) return 1;
    out_.has_weights = true;
    return weight_of(*found->weight);
  }

  [[noreturn]] void refuse_more(std::string_view text) const {
    std::string remedy;
    if (!dialect_.are_roles_guessed)
      remedy = fmt::format("there are {} columns", dialect_.columns);
    else if (dialect_.columns == 2)
      remedy = "the first edge has only these columns; --format adjlist reads neighbours";
    else
      remedy = "the first edge has only these columns";
    lines_.fail(fmt::format("{} after column {}, where the line must end: {}", host::in_quotes(text),
                            dialect_.columns, remedy));
  }

  const piece_reader& lines_;
  const edge_file& file_;
  const edge_dialect& dialect_;
  edge_piece& out_;
  edge_fields fields_;
};

} // namespace

bool take_plain_edge(const char*& at, const char* end, const edge_file& file, edge& out) {
  if (!take_vertex(at, file, out.from) || !is_blank(*at)) return false;
  skip_blanks(at);
  if (!take_vertex(at, file, out.to)) return false;
  out.weight = 1;
  if (!file.has_weights) return true;
  if (!is_blank(*at)) return false;
  skip_blanks(at);
  return take_real(at, end, out.weight) && std::abs(out.weight) < max_whole;
}

std::string_view take_plain_neighbours(std::string_view line, const edge_file& file, int vertex,
                                       std::vector<edge>& out) {
  if (file.has_weights) return line;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    const char* const field = at;
    skip_blanks(at);
    edge each{vertex, 0, 1};
    if (at >= end || !take_vertex(at, file, each.to) || (at != end && !is_blank(*at)))
      return {field, static_cast<std::size_t>(end - field)};
    out.push_back(each);
  }
  return {};
}

double read_weight_field(field_reader& fields, const piece_reader& lines, edge_piece& out) {
  const std::string_view before = fields.rest();
  const double weight = fields.real("weight");
  if (!std::isfinite(weight)) lines.fail(fmt::format("the weight is {}: it must be finite", weight));
  if (std::abs(weight) < max_whole) return weight;
  const std::string_view text = trimmed(before.substr(0, before.size() - fields.rest().size()));
  if (is_rounded(text, weight) && out.rounded.count++ == 0) {
    out.rounded.line = out.lines;
    out.rounded.text = text;
  }
  return weight;
}

void read_edge_lines(piece_reader& lines, const edge_file& file, edge_piece& out) {
  const bool is_plain = file.dialect.is_plain() && !file.collects_labels;
  const std::size_t ignored = file.dialect.columns - (file.has_weights ? 3 : 2);
  line_fields others(lines, file, out);
  for (std::string_view line; lines.next(line);) {
    ++out.lines;
    if (is_comment(line)) continue;
    const char* at = line.data();
    const char* const end = at + line.size();
    if (edge plain;
        is_plain && take_plain_edge(at, end, file, plain) && (at == end || skip_numbers(at, end, ignored)))
      out.edges.push_back(plain);
    else
      others.read_edge(line);
  }
}

void read_adjacency_lines(piece_reader& lines, const edge_file& file, edge_piece& out) {
  line_fields others(lines, file, out);
  for (std::string_view line; lines.next(line);) {
    ++out.lines;
    if (is_comment(line)) continue;
    const std::size_t before = out.edges.size();
    const char* at = line.data();
    int vertex = 0;
    const bool is_plain = !file.collects_labels && take_vertex(at, file, vertex);
    const auto taken = static_cast<std::size_t>(at - line.data());
    if (is_plain && taken < line.size() && is_blank(*at) &&
        take_plain_neighbours(line.substr(taken), file, vertex, out.edges).empty())
      continue;
    out.edges.resize(before);
    others.read_neighbours(line);
  }
}

} // namespace evenly::io
