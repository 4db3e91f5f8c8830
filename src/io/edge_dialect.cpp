// SPDX-License-Identifier: Apache-2.0
#include "io/edge_dialect.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/errors.hpp"
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

namespace {

struct record {
  std::int64_t line;
  std::string_view text;
};

/// The first bytes of a file: the first comment, and the lines that are not comments.
struct sample {
  std::string_view comment = {};
  std::vector<record> records = {};
};

sample sample_of(std::string_view first) {
  constexpr std::string_view ends = "\n\r";
  if (first.size() >= sniffed_bytes) // the last line is cut off
    if (const std::size_t end = first.find_last_of(ends); end != std::string_view::npos)
      first = first.substr(0, end + 1);
  sample found;
  for (std::int64_t line = 1; !first.empty(); ++line) {
    const std::size_t end = std::min(first.find_first_of(ends), first.size());
    const std::string_view text = trimmed(first.substr(0, end));
    const std::size_t next = end + (first.substr(end).starts_with("\r\n") ? 2 : 1);
    first.remove_prefix(std::min(next, first.size()));
    if (text.empty()) continue;
    if (text.front() == '#' || text.front() == '%')
      found.comment = found.comment.empty() ? text : found.comment;
    else
      found.records.push_back({line, text});
  }
  return found;
}

bool is_integer(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view line) {
  edge_fields fields('\0');
  fields.split(line);
  return fields.all();
}

/// KONECT's first line is `% sym weighted`, `% asym positive`, `% bip unweighted`, ...
std::string_view konect_kind(std::string_view comment) {
  if (!comment.starts_with('%')) return {};
  const std::vector<std::string_view> words = words_of(trimmed(comment.substr(1)));
  constexpr std::array<std::string_view, 3> kinds{"sym", "asym", "bip"};
  return words.size() >= 2 && std::ranges::count(kinds, words[0]) > 0 ? words[0] : std::string_view();
}

/// The role of a name in a header; nothing for any other name.
std::optional<edge_column> role_of(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 5> sources{"source", "src", "from", "fromnodeid", "u"};
  constexpr std::array<std::string_view, 6> targets{"target", "dst", "to", "tonodeid", "v", "destination"};
  constexpr std::array<std::string_view, 4> weights{"weight", "w", "value", "rating"};
  if (std::ranges::count(sources, lower) > 0) return edge_column::source;
  if (std::ranges::count(targets, lower) > 0) return edge_column::target;
  if (std::ranges::count(weights, lower) > 0) return edge_column::weight;
  return {};
}

/// Detects the parts of the dialect from a sample.
class detector {
 public:
  detector(const sample& from, file_format format, const read_options& how, const std::string& name)
      : from_(from), format_(format), how_(how), name_(name) {}

  edge_dialect find() {
    set_roles(how_.columns);
    if (format_ == file_format::weighted && how_.columns.empty()) set_weight_in_third(3);
    dialect_.is_adjacency = format_ == file_format::adjacency_list;
    if (!from_.records.empty()) find_from(from_.records.front());
    dialect_.remark = fmt::format("{}", fmt::join(remarks_, "; "));
    return dialect_;
  }

 private:
  void find_from(const record& first) {
    dialect_.line = first.line;
    if (dialect_.is_adjacency) {
      for (const std::string_view each : words_of(first.text)) dialect_.has_names |= !is_number(each);
      say_names();
      return;
    }
    const std::string_view kind = konect_kind(from_.comment);
    dialect_.first_vertex = kind.empty() ? 0 : 1;
    dialect_.is_bipartite = kind == "bip";
    dialect_.has_attributes = without_comment(first.text).find('{') != std::string_view::npos &&
                              parse_attributes(first.text.substr(first.text.find('{'))).has_value();
    if (dialect_.has_attributes) {
      find_attributes(first);
      return;
    }
    dialect_.separator = separator_of(first.text);
    find_header(first);
    if (!dialect_.are_roles_guessed) return;
    if (kind.empty() && format_ == file_format::pairs && is_adjacency()) return;
    guess_roles(fields_of(first));
  }

  /// Blanks or commas between numbers need no dialect; words may have blanks or commas inside.
  static char separator_of(std::string_view line) {
    const bool has_quotes = line.find('"') != std::string_view::npos;
    if (line.find(';') != std::string_view::npos) return ';';
    if (!has_quotes && std::ranges::all_of(words_of(line), is_number)) return '\0';
    const bool has_tab = line.find('\t') != std::string_view::npos;
    if (has_tab && line.find(",\t") == std::string_view::npos) return '\t';
    return line.find(',') != std::string_view::npos ? ',' : '\0';
  }

  std::vector<std::string> fields_of(const record& from) const {
    edge_fields fields(dialect_.separator);
    fields.split(from.text);
    return {fields.all().begin(), fields.all().end()};
  }

  void find_attributes(const record& first) {
    const std::vector<std::string_view> head = words_of(first.text.substr(0, first.text.find('{')));
    for (const std::string_view each : head) dialect_.has_names |= !is_number(each);
    const bool has_others = std::ranges::any_of(from_.records, [](const record& each) {
      const std::size_t at = each.text.find('{');
      const auto found = parse_attributes(each.text.substr(std::min(at, each.text.size())));
      return found && found->has_others;
    });
    if (has_others) remarks_.emplace_back("attributes other than 'weight' are ignored");
    say_names();
  }

  bool has_numbers(const record& from) const {
    const std::vector<std::string> fields = fields_of(from);
    const std::size_t last = std::max(dialect_.source, dialect_.target);
    return fields.size() > last && is_number(fields[dialect_.source]) && is_number(fields[dialect_.target]);
  }

  /// Detects whether the first line has column names, and whether vertices have names.
  void find_header(const record& first) {
    const std::vector<std::string> fields = fields_of(first);
    const auto has_role = [&](edge_column wanted) {
      return std::ranges::any_of(fields, [&](const std::string& each) { return role_of(each) == wanted; });
    };
    const bool is_known = has_role(edge_column::source) && has_role(edge_column::target);
    const bool is_other =
        !has_numbers(first) && fields.size() > 1 && from_.records.size() > 1 && has_numbers(from_.records[1]);
    dialect_.has_header = is_known || (is_other && !how_.columns.empty());
    if (is_known && how_.columns.empty()) roles_by_header(fields);
    if (is_other && !dialect_.has_header && !how_.renumber) refuse_header(first.line, fields);
    if (dialect_.has_header && from_.records.size() < 2) return;
    const record& edge = from_.records[dialect_.has_header ? 1 : 0];
    dialect_.line = edge.line;
    const std::vector<std::string> of_edge = fields_of(edge);
    dialect_.has_names = of_edge.size() > std::max(dialect_.source, dialect_.target) && !has_numbers(edge);
    say_names();
  }

  void roles_by_header(const std::vector<std::string>& fields) {
    std::vector<edge_column> roles;
    std::vector<std::string> ignored;
    for (const std::string& each : fields) {
      auto role = role_of(each).value_or(edge_column::ignored);
      if (role != edge_column::ignored && std::ranges::count(roles, role) > 0) role = edge_column::ignored;
      if (role == edge_column::ignored) ignored.push_back(host::in_quotes(each));
      roles.push_back(role);
    }
    set_roles(roles);
    if (!ignored.empty()) remarks_.push_back(fmt::format("ignored columns: {}", fmt::join(ignored, ", ")));
  }

  [[noreturn]] void refuse_header(std::int64_t line, const std::vector<std::string>& fields) const {
    std::string columns = "src,dst";
    for (std::size_t i = 2; i < fields.size(); ++i) columns += ",-";
    throw file_error(name_, line,
                     fmt::format("{} and {} are not integers, but the vertices on the next line are: add "
                                 "--columns {} if they name columns, --renumber if they name vertices",
                                 host::in_quotes(fields[0]), host::in_quotes(fields[1]), columns));
  }

  void set_roles(const std::vector<edge_column>& roles) {
    if (roles.empty()) return;
    const auto place = [&](edge_column role) {
      const auto at = std::ranges::find(roles, role);
      return at == roles.end() ? edge_dialect::absent : static_cast<std::size_t>(at - roles.begin());
    };
    dialect_.source = place(edge_column::source);
    dialect_.target = place(edge_column::target);
    dialect_.weight = place(edge_column::weight);
    dialect_.columns = roles.size();
    dialect_.are_roles_guessed = false;
  }

  void set_weight_in_third(std::size_t columns) {
    dialect_.weight = 2;
    dialect_.columns = columns;
  }

  /// Detects lines of integers with different lengths, some of them longer than an edge with a weight.
  bool is_adjacency() {
    if (dialect_.separator != 0 || dialect_.has_names) return false;
    constexpr std::size_t many = 16; // more columns than any list of edges has
    std::size_t min = edge_dialect::absent, max = 0;
    for (const record& each : from_.records) {
      if (each.text.find_first_of(",\t") != std::string_view::npos)
        return false; // columns, some of them empty
      const std::vector<std::string_view> words = words_of(each.text);
      if (!std::ranges::all_of(words, is_integer)) return false;
      min = std::min(min, words.size());
      max = std::max(max, words.size());
    }
    dialect_.is_adjacency = max > many || (max > 2 && min < max);
    if (dialect_.is_adjacency)
      remarks_.push_back(fmt::format(
          "lines have {} to {} numbers: each line is read as a vertex and its neighbours", min, max));
    return dialect_.is_adjacency;
  }

  void guess_roles(const std::vector<std::string>& fields) {
    const std::size_t count = fields.size();
    if (count < 3 || (count == 3 && format_ == file_format::weighted)) return;
    set_weight_in_third(count);
    const std::string ignore_all = "--columns src,dst" + repeated(",-", count - 2);
    std::string remark = fmt::format("{} columns: the third is read as the weight", count);
    if (count > 3) remark += count > 4 ? ", the others are ignored" : ", the fourth is ignored";
    remark += fmt::format(" ({} {}", ignore_all, count == 3 ? "ignores it" : "ignores weights");
    if (dialect_.separator == 0 && std::ranges::all_of(fields, is_integer))
      remark += "; --format adjlist reads neighbours";
    remarks_.push_back(remark + ")");
  }

  static std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
  }

  void say_names() {
    if (dialect_.has_names && !how_.renumber)
      remarks_.emplace_back(
          "the vertices have names: they are numbered in ascending byte order of the names");
  }

  const sample& from_;
  file_format format_;
  const read_options& how_;
  const std::string& name_;
  edge_dialect dialect_;
  std::vector<std::string> remarks_;
};

} // namespace

bool edge_dialect::is_plain() const {
  const bool in_order = source == 0 && target == 1 && (weight == absent || weight == 2);
  return in_order && separator == 0 && !is_adjacency && !has_attributes && !has_names;
}

edge_dialect find_dialect(std::string_view first, file_format format, const read_options& how,
                          const std::string& name) {
  const sample from = sample_of(first.substr(0, sniffed_bytes));
  return detector(from, format, how, name).find();
}

} // namespace evenly::io
