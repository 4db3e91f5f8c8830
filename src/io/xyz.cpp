// SPDX-License-Identifier: Apache-2.0
// .xyz files of two kinds. Lists of points have three numbers per line, or columns that a header line names. Files of
// chemistry have frames: the number of atoms, a remark, then a symbol and three numbers per atom. In extended XYZ the
// remark's Properties name the columns of the position, and Lattice and pbc the periodic box.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/point_list.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

/// The next line that is not blank and does not start with one of `comment`. False at the end.
bool next_record(text_blocks& lines, std::string_view& line, std::string_view comment) {
  while (lines.next_line(line))
    if (!line.empty() && comment.find(line.front()) == std::string_view::npos) return true;
  return false;
}

bool is_number_of_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

// Lists of points.

/// The separator of fields: blanks, or a comma or semicolon with or without blanks.
enum class separator { none, blank, comma, semicolon };

struct field {
  std::string_view text;
  separator after = separator::none;
  bool is_tight = false; ///< the separator has no blanks
};

field take_field(std::string_view& line) {
  const auto is_mark = [](char c) { return c == ',' || c == ';'; };
  const auto* const end = std::ranges::find_if(line, [&](char c) { return is_blank(c) || is_mark(c); });
  field found{line.substr(0, static_cast<std::size_t>(end - line.begin()))};
  line.remove_prefix(found.text.size());
  if (line.empty()) return found;
  const auto skip_blanks = [&] {
    const std::size_t before = line.size();
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line.size() < before;
  };
  found.is_tight = !skip_blanks();
  found.after = separator::blank;
  if (line.empty() || !is_mark(line.front())) return found;
  found.after = line.front() == ',' ? separator::comma : separator::semicolon;
  line.remove_prefix(1);
  if (skip_blanks()) found.is_tight = false;
  return found;
}

/// The indices of the fields x, y and z.
using axis_columns = std::array<std::size_t, 3>;

/// The axis columns of a line of names; nothing if the line does not name each axis once.
std::optional<axis_columns> columns_named(std::string_view line) {
  axis_columns columns{};
  std::array<int, 3> times{};
  for (std::size_t i = 0; !line.empty(); ++i) {
    std::string name = lower_case(take_field(line).text);
    std::erase(name, '"');
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (name == axes[axis]) {
        columns[axis] = i;
        ++times[axis];
      }
  }
  return times == std::array{1, 1, 1} ? std::optional(columns) : std::nullopt;
}

/// Whether the comma between two fields may be part of a number, as in 1,5 or 1,234.5.
bool may_be_in_number(const field& left, const field& right) {
  if (left.after != separator::comma || !left.is_tight) return false;
  const bool has_sign = left.text.starts_with('-') || left.text.starts_with('+');
  return is_number_of_digits(left.text.substr(has_sign ? 1 : 0)) && !right.text.empty() &&
         right.text[0] >= '0' && right.text[0] <= '9';
}

/// Fails for commas in numbers: digits on both sides of a comma, on a line with another separator before the last
/// coordinate. `1,5 2,5 3,5` fails; `1,2,3` and `1.5,2.5,3.5 7` do not.
void refuse_commas_in_numbers(const line_place& place, const std::vector<field>& fields, std::size_t last) {
  const field* found = nullptr;
  bool has_other = false;
  for (std::size_t i = 0; i <= last && i + 1 < fields.size(); ++i) {
    if (may_be_in_number(fields[i], fields[i + 1]) && found == nullptr) found = &fields[i];
    has_other = has_other || (i < last && !(fields[i].after == separator::comma && fields[i].is_tight));
  }
  if (found != nullptr && has_other)
    place.fail(fmt::format("{} seems to have a comma in a number: write decimal points, as in 1.5, and no "
                           "commas between thousands",
                           host::in_quotes(fmt::format("{},{}", found->text, (found + 1)->text))));
}

std::array<double, 3> read_three(field_reader& fields) {
  std::array<double, 3> point{};
  for (std::size_t axis = 0; axis < 3; ++axis) point[axis] = fields.real(axes[axis]);
  return point;
}

std::array<double, 3> read_point(const line_place& place, std::string_view line, const axis_columns& columns,
                                 std::vector<field>& fields) {
  line = line.substr(0, line.find('#'));
  constexpr std::string_view::size_type none = std::string_view::npos;
  if (columns == axis_columns{0, 1, 2} && line.find(',') == none && line.find(';') == none) { // most lines
    field_reader numbers(place, line);
    return read_three(numbers);
  }
  fields.clear();
  const std::size_t last = std::ranges::max(columns);
  while (!line.empty() && fields.size() < last + 2) fields.push_back(take_field(line));
  refuse_commas_in_numbers(place, fields, last);
  std::array<double, 3> point{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string_view text = columns[axis] < fields.size() ? fields[columns[axis]].text : "";
    if (text.empty() && columns[axis] + 1 < fields.size())
      place.fail(fmt::format("{} is missing: nothing stands before the separator", axes[axis]));
    point[axis] = field_reader(place, text).real(axes[axis]);
  }
  return point;
}

point_set read_list(text_blocks& lines, std::string_view line, std::string_view comment) {
  point_list points;
  axis_columns columns{0, 1, 2};
  std::vector<field> fields;
  bool has_line = true;
  if (const auto named = columns_named(line)) {
    columns = *named;
    has_line = next_record(lines, line, comment);
  }
  for (; has_line; has_line = next_record(lines, line, comment))
    points.push_back(lines, read_point(lines, line, columns, fields));
  return points.take();
}

// Frames of atoms.

/// The first line of a frame, and its position.
struct frame_head {
  std::int64_t atoms;
  std::int64_t line;
};

frame_head read_head(const text_blocks& lines, std::string_view line) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  return {field_reader(lines, line).integer("number of atoms", 0, max), lines.line_number()};
}

/// The value of `key`, such as `properties=`, in a remark, without quotes; empty if there is none.
std::string_view value_of(std::string_view remark, std::string_view key) {
  const std::string lower = lower_case(remark);
  std::size_t at = lower.find(key);
  while (at != std::string::npos && at > 0 && !is_blank(remark[at - 1])) at = lower.find(key, at + 1);
  if (at == std::string::npos) return {};
  std::string_view value = remark.substr(at + key.size());
  const bool is_quoted = value.starts_with('"');
  if (is_quoted) value.remove_prefix(1);
  return value.substr(0, is_quoted ? value.find('"') : value.find_first_of(" \t"));
}

/// The number of columns before the position: 1 for the symbol, unless Properties differ.
std::size_t columns_before_position(const line_place& place, std::string_view remark) {
  constexpr std::size_t max_columns = 1000;
  std::string_view rest = value_of(remark, "properties=");
  if (rest.empty()) return 1;
  const auto take = [&] {
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
  };
  for (std::size_t before = 0; !rest.empty();) {
    const std::string_view name = take(), type = take(), number = take();
    std::size_t count = 0;
    const auto [stop, status] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (name.empty() || type.size() != 1 || status != std::errc{} || stop != number.data() + number.size() ||
        count > max_columns)
      place.fail(fmt::format("{} in Properties: it must be name:type:columns, as in pos:R:3",
                             host::in_quotes(number)));
    if (name == "pos" && (type == "R" || type == "I") && count == 3) return before;
    before += count;
  }
  place.fail(fmt::format("Properties {} must have pos:R:3, the position",
                         host::in_quotes(value_of(remark, "properties="))));
}

/// The box of a frame: Lattice and pbc of its remark.
void read_box(const line_place& place, std::string_view remark, point_box& box) {
  const std::string_view lattice = value_of(remark, "lattice=");
  if (lattice.empty()) return;
  field_reader numbers(place, lattice);
  constexpr int edges = 9;
  for (int i = 0; i < edges; ++i) {
    if (numbers.at_end()) place.fail(fmt::format("Lattice has {} numbers: it must have 9", i));
    box.lattice.push_back(numbers.real("Lattice"));
    if (!std::isfinite(box.lattice.back())) place.fail("Lattice must have finite numbers");
  }
  if (!numbers.at_end()) place.fail("Lattice has more than 9 numbers");
  const std::string_view periodic = value_of(remark, "pbc=");
  if (periodic.empty()) return;
  field_reader flags(place, periodic);
  for (bool& flag : box.periodic) {
    const std::string word = lower_case(flags.word());
    const bool is_true = word == "t" || word == "true" || word == "1";
    if (!is_true && word != "f" && word != "false" && word != "0")
      place.fail(fmt::format("{} in pbc: it must be three of T and F", host::in_quotes(word)));
    flag = is_true;
  }
}

/// Reads the rest of a frame after its first line.
point_set read_frame(text_blocks& lines, const frame_head& head, point_box& box) {
  point_list points;
  std::string_view line;
  std::size_t before = 1;
  if (lines.next_line(line)) {
    before = columns_before_position(lines, line);
    read_box(lines, line, box);
  }
  for (std::int64_t i = 0; i < head.atoms; ++i) {
    if (!lines.next_line(line))
      lines.fail(
          fmt::format("the file ends after {} of {} atoms, the number on line {}", i, head.atoms, head.line));
    field_reader fields(lines, line);
    for (std::size_t column = 0; column < before; ++column) fields.word();
    points.push_back(lines, read_three(fields));
  }
  return points.take();
}

void pass_frame(text_blocks& lines, const frame_head& head) {
  std::string_view line;
  bool has_line = lines.next_line(line); // a remark
  for (std::int64_t i = 0; i < head.atoms && has_line; ++i) has_line = lines.next_line(line);
}

/// Finds the frame after frame `number`. Blank lines, comments and the separators of ORCA (`>`) may precede it. Returns
/// false at the end of the file; fails for any other line.
bool next_frame(text_blocks& lines, frame_head& head, std::int64_t number) {
  std::string_view line;
  if (!next_record(lines, line, "#>")) return false;
  if (!is_number_of_digits(line))
    lines.fail(
        fmt::format("{} after the last of {} atoms, the number on line {}: --frame {} reads only this frame",
                    host::in_quotes(line), head.atoms, head.line, number));
  head = read_head(lines, line);
  return true;
}

[[noreturn]] void refuse_frames(const text_blocks& lines, const std::string& rule) {
  throw file_error(lines.name(), 0, rule);
}

/// Reads frame `wanted` of the frames from `head` on; 0: the only one.
point_set read_frames(text_blocks& lines, frame_head head, int wanted, point_box& box) {
  for (int number = 1; number < wanted; ++number) {
    pass_frame(lines, head);
    if (!next_frame(lines, head, number))
      refuse_frames(lines, fmt::format("there is no frame {}: the file has {}", wanted, number));
  }
  point_set points = read_frame(lines, head, box);
  if (wanted > 0) return points;
  std::int64_t frames = 1;
  for (; next_frame(lines, head, frames); ++frames) pass_frame(lines, head);
  if (frames > 1)
    refuse_frames(lines, fmt::format("{} frames: choose one by --frame N, from 1 to {}", frames, frames));
  return points;
}

} // namespace

point_set read_xyz(byte_source source, int frame, point_box& box) {
  constexpr std::string_view comment = "#%/";
  text_blocks lines(std::move(source));
  std::string_view line;
  const bool has_line = next_record(lines, line, comment);
  if (has_line && is_number_of_digits(line)) return read_frames(lines, read_head(lines, line), frame, box);
  if (frame > 1) refuse_frames(lines, fmt::format("there is no frame {}: the file has 1", frame));
  return has_line ? read_list(lines, line, comment) : point_set{};
}

} // namespace evenly::io
