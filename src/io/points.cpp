// SPDX-License-Identifier: Apache-2.0
#include "io/points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/chunked.hpp"
#include "io/errors.hpp"
#include "io/memory_limits.hpp"
#include "io/separators.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

constexpr std::array<const char*, 3> axes{"x", "y", "z"};

/// Points as they come.
class point_list {
 public:
  /// Fails at `place` where memory is short or a coordinate is not finite.
  void push_back(const line_place& place, const std::array<double, 3>& point) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!std::isfinite(point[i])) place.fail(fmt::format("{} is {}: it must be finite", axes[i], point[i]));
    if (kept_.is_full())
      if (const auto shortage = memory_shortage(kept_.growth() + 24 * kept_.next_capacity()))
        place.fail(fmt::format("{} points read: {}", kept_.size(), *shortage));
    kept_.push_back(point);
  }

  point_set take() {
    point_set points;
    for (auto* axis : {&points.x, &points.y, &points.z}) axis->reserve(kept_.size());
    kept_.for_each([&](const std::array<double, 3>& p) {
      points.x.push_back(p[0]);
      points.y.push_back(p[1]);
      points.z.push_back(p[2]);
    });
    return points;
  }

 private:
  chunked<std::array<double, 3>> kept_;
};

std::array<double, 3> read_coordinates(field_reader& fields) {
  std::array<double, 3> point{};
  for (std::size_t i = 0; i < 3; ++i) point[i] = fields.real(axes[i]);
  return point;
}

point_set read_obj(byte_source source) {
  text_blocks lines(std::move(source));
  point_list points;
  for (std::string_view line; lines.next_line(line);) {
    if (!line.starts_with("v ") && !line.starts_with("v\t")) continue;
    field_reader fields(lines, line.substr(2));
    points.push_back(lines, read_coordinates(fields));
  }
  return points.take();
}

/// Whether a line is one whole number.
bool is_count(std::string_view line) {
  return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Of chemistry: behind the line that says how many atoms there are.
void read_atoms(text_blocks& lines, std::string_view first, point_list& points) {
  const std::int64_t first_line = lines.line_number();
  const std::int64_t count = field_reader(lines, first).integer("number of atoms", 0, std::int64_t{1} << 62);
  std::string_view line;
  lines.next_line(line); // a remark
  for (std::int64_t i = 0; i < count; ++i) {
    if (!lines.next_line(line))
      lines.fail(fmt::format("the file ends after {} of {} atoms, the number that line {} announces", i,
                             count, first_line));
    field_reader fields(lines, line);
    fields.word();
    points.push_back(lines, read_coordinates(fields));
  }
  if (lines.next_record(line, {}))
    lines.fail(fmt::format("{} after the last of {} atoms, the number that line {} announces",
                           in_quotes(line), count, first_line));
}

point_set read_xyz(byte_source source) {
  text_blocks lines(std::move(source));
  point_list points;
  comma_free with_blanks;
  bool is_first = true;
  for (std::string_view line; lines.next_record(line, "#%/"); is_first = false) {
    if (is_first && is_count(line)) {
      read_atoms(lines, std::string(line), points);
      break;
    }
    field_reader fields(lines, with_blanks(line));
    points.push_back(lines, read_coordinates(fields));
  }
  return points.take();
}

enum class ply_type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::array<std::pair<std::string_view, ply_type>, 16> ply_types{{{"char", ply_type::int8},
                                                                           {"int8", ply_type::int8},
                                                                           {"uchar", ply_type::uint8},
                                                                           {"uint8", ply_type::uint8},
                                                                           {"short", ply_type::int16},
                                                                           {"int16", ply_type::int16},
                                                                           {"ushort", ply_type::uint16},
                                                                           {"uint16", ply_type::uint16},
                                                                           {"int", ply_type::int32},
                                                                           {"int32", ply_type::int32},
                                                                           {"uint", ply_type::uint32},
                                                                           {"uint32", ply_type::uint32},
                                                                           {"float", ply_type::float32},
                                                                           {"float32", ply_type::float32},
                                                                           {"double", ply_type::float64},
                                                                           {"float64", ply_type::float64}}};

std::size_t bytes_of(ply_type type) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

struct ply_property {
  std::string name;
  ply_type type{};
  bool is_list = false;
  ply_type count_type{}; ///< of a list
};

struct ply_element {
  std::string name;
  std::int64_t count = 0;
  std::vector<ply_property> properties;

  bool has_lists() const { return std::ranges::count(properties, true, &ply_property::is_list) > 0; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const ply_property& each : properties) sum += bytes_of(each.type);
    return sum;
  }
};

/// Lines, and bytes behind them.
class ply_reader final : public line_place {
 public:
  explicit ply_reader(byte_source source) : source_(std::move(source)), buffer_(1 << 18) {}

  /// The next line, without its end. False at the end. Valid until the next call of anything.
  bool next(std::string_view& line) {
    std::string_view rest = unread();
    std::size_t end = rest.find('\n');
    while (end == std::string_view::npos && rest.size() <= longest_line && refill()) {
      const std::size_t looked = rest.size();
      rest = unread();
      end = rest.find('\n', looked);
    }
    if (rest.empty()) return false;
    ++lines_;
    line = rest.substr(0, end);
    if (line.size() > longest_line) fail(fmt::format("the line is longer than {} bytes", longest_line));
    at_ += std::min(line.size() + 1, rest.size());
    return true;
  }

  /// The next `count` bytes; count <= longest_line. Valid until the next call of anything.
  const char* bytes(std::size_t count) {
    while (used_ - at_ < count)
      if (!refill()) fail("the data end before the last vertex that the header announces");
    at_ += count;
    return buffer_.data() + at_ - count;
  }

  void skip(std::uint64_t count) {
    while (count > 0) {
      const std::size_t now = std::min<std::uint64_t>(count, longest_line);
      bytes(now);
      count -= now;
    }
  }

  /// From here on places have no line.
  void begin_binary() { is_binary_ = true; }

 private:
  static constexpr std::size_t longest_line = 1 << 16;

  void complain(std::string_view what) const override {
    throw file_error(source_.name(), is_binary_ ? 0 : lines_, std::string(what));
  }

  std::string_view unread() const { return {buffer_.data() + at_, used_ - at_}; }

  /// Moves what is unread to the front and reads on behind it. False at the end.
  bool refill() {
    if (at_end_) return false;
    std::memmove(buffer_.data(), buffer_.data() + at_, used_ - at_);
    used_ -= std::exchange(at_, 0);
    const std::size_t got = source_.read(buffer_.data() + used_, buffer_.size() - used_);
    used_ += got;
    at_end_ = got == 0;
    return !at_end_;
  }

  byte_source source_;
  std::vector<char> buffer_; ///< more than longest_line
  std::size_t at_ = 0;
  std::size_t used_ = 0;
  bool at_end_ = false;
  bool is_binary_ = false;
  std::int64_t lines_ = 0;
};

enum class ply_coding { ascii, little, big };

struct ply_header {
  ply_coding coding = ply_coding::ascii;
  std::vector<ply_element> elements;
};

ply_type type_called(const ply_reader& lines, std::string_view word) {
  for (const auto& [name, type] : ply_types)
    if (word == name) return type;
  lines.fail(fmt::format("{} is no type of a property, such as float or uchar", in_quotes(word)));
}

ply_coding read_coding(const ply_reader& lines, field_reader& fields) {
  constexpr std::array<std::string_view, 3> names{"ascii", "binary_little_endian", "binary_big_endian"};
  const std::string_view word = fields.word(), version = fields.word();
  const auto found = std::ranges::find(names, word);
  if (found == names.end() || version != "1.0")
    lines.fail(
        fmt::format("the format is {} {}: it must be ascii, binary_little_endian or binary_big_endian, 1.0",
                    in_quotes(word), in_quotes(version)));
  return static_cast<ply_coding>(found - names.begin());
}

ply_property read_property(const ply_reader& lines, field_reader& fields) {
  ply_property read;
  std::string_view word = fields.word();
  read.is_list = word == "list";
  if (read.is_list) {
    read.count_type = type_called(lines, fields.word());
    if (read.count_type >= ply_type::float32) lines.fail("a list is counted by integers");
    word = fields.word();
  }
  read.type = type_called(lines, word);
  read.name = printable(fields.word());
  return read;
}

ply_header read_header(ply_reader& lines) {
  constexpr std::size_t most = 1000; // elements, and properties of each
  ply_header header;
  bool has_format = false;
  std::string_view line;
  for (bool is_first = true; lines.next(line); is_first = false) {
    field_reader fields(lines, line);
    const std::string_view word = fields.word();
    if (is_first != (word == "ply")) lines.fail("a .ply file has `ply` on its first line, and there only");
    if (is_first || word == "comment" || word == "obj_info" || word.empty()) continue;
    if (word == "end_header") {
      if (!has_format) lines.fail("the header ends before the line `format`");
      return header;
    }
    if (word == "format") {
      header.coding = read_coding(lines, fields);
      has_format = true;
    } else if (word == "element") {
      ply_element element{std::string(fields.word()), 0, {}};
      element.count = fields.integer("number of elements", 0, std::int64_t{1} << 48);
      header.elements.push_back(std::move(element));
    } else if (word == "property" && !header.elements.empty()) {
      header.elements.back().properties.push_back(read_property(lines, fields));
    } else {
      lines.fail(
          fmt::format("{} in the header: there are format, comment, obj_info, element and its property",
                      in_quotes(word)));
    }
    if (header.elements.size() > most ||
        (!header.elements.empty() && header.elements.back().properties.size() > most))
      lines.fail(fmt::format("more than {} elements or properties", most));
  }
  lines.fail("the file ends before the line `end_header`");
}

/// Where in an element x, y and z are.
std::array<std::size_t, 3> places_of_axes(const ply_reader& lines, const ply_element& element) {
  std::array<std::size_t, 3> places{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto is_axis = [&](const ply_property& each) { return each.name == axes[i] && !each.is_list; };
    if (std::ranges::count_if(element.properties, is_axis) != 1)
      lines.fail(fmt::format("the element vertex must have one property {}, which is no list", axes[i]));
    places[i] = static_cast<std::size_t>(std::ranges::find_if(element.properties, is_axis) -
                                         element.properties.begin());
  }
  return places;
}

template <class T> double load(const char* from, bool swapped) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swapped) std::ranges::reverse(bytes);
  return static_cast<double>(std::bit_cast<T>(bytes));
}

double load(ply_type type, const char* from, bool swapped) {
  switch (type) {
  case ply_type::int8:
    return load<std::int8_t>(from, swapped);
  case ply_type::uint8:
    return load<std::uint8_t>(from, swapped);
  case ply_type::int16:
    return load<std::int16_t>(from, swapped);
  case ply_type::uint16:
    return load<std::uint16_t>(from, swapped);
  case ply_type::int32:
    return load<std::int32_t>(from, swapped);
  case ply_type::uint32:
    return load<std::uint32_t>(from, swapped);
  case ply_type::float32:
    return load<float>(from, swapped);
  default:
    return load<double>(from, swapped);
  }
}

/// Calls take(number of the property, value) for the values of an element that are no lists.
template <class Take>
void read_binary(ply_reader& from, const ply_element& element, bool swapped, const Take& take) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const ply_property& each = element.properties[i];
    if (!each.is_list) {
      take(i, load(each.type, from.bytes(bytes_of(each.type)), swapped));
      continue;
    }
    const double length = load(each.count_type, from.bytes(bytes_of(each.count_type)), swapped);
    if (length < 0) from.fail(fmt::format("a list {} of {} values", in_quotes(each.name), length));
    from.skip(static_cast<std::uint64_t>(length) * bytes_of(each.type));
  }
}

template <class Take> void read_ascii(ply_reader& from, const ply_element& element, const Take& take) {
  std::string_view line;
  do // blank lines are none
    if (!from.next(line)) from.fail("the file ends before the last element that the header announces");
  while (line.find_first_not_of(" \t\r") == std::string_view::npos);
  field_reader fields(from, line);
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const ply_property& each = element.properties[i];
    if (!each.is_list) {
      take(i, fields.real("property"));
      continue;
    }
    const std::int64_t length = fields.integer("length of a list", 0, std::int64_t{1} << 32);
    for (std::int64_t k = 0; k < length; ++k) fields.real("property");
  }
  fields.finish("last property");
}

point_set read_ply(byte_source source) {
  ply_reader from(std::move(source));
  const ply_header header = read_header(from);
  const bool is_text = header.coding == ply_coding::ascii;
  const bool swapped = (header.coding == ply_coding::big) == (std::endian::native == std::endian::little);
  const auto vertex = std::ranges::find(header.elements, "vertex", &ply_element::name);
  if (vertex == header.elements.end()) from.fail("the header has no element vertex");
  const auto places = places_of_axes(from, *vertex);
  if (!is_text) from.begin_binary();
  for (auto element = header.elements.begin(); element != vertex; ++element) {
    const auto nothing = [](std::size_t, double) {};
    if (is_text && !element->properties.empty())
      for (std::int64_t i = 0; i < element->count; ++i) read_ascii(from, *element, nothing);
    else if (element->has_lists())
      for (std::int64_t i = 0; i < element->count; ++i) read_binary(from, *element, swapped, nothing);
    else
      from.skip(static_cast<std::uint64_t>(element->count) * element->bytes());
  }
  point_list points;
  for (std::int64_t i = 0; i < vertex->count; ++i) {
    std::array<double, 3> point{};
    const auto take = [&](std::size_t property, double value) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (places[axis] == property) point[axis] = value;
    };
    if (is_text)
      read_ascii(from, *vertex, take);
    else
      read_binary(from, *vertex, swapped, take);
    points.push_back(from, point);
  }
  return points.take();
}

} // namespace

point_set read_points(byte_source source, file_format format) {
  const std::string name = source.name();
  try {
    if (format == file_format::ply) return read_ply(std::move(source));
    return format == file_format::obj ? read_obj(std::move(source)) : read_xyz(std::move(source));
  } catch (const std::bad_alloc&) {
    throw file_error(name, 0, "not enough memory for the points");
  }
}

bounding_box box_of(const point_set& points) {
  bounding_box box;
  const std::array<const std::vector<double>*, 3> all{&points.x, &points.y, &points.z};
  for (std::size_t i = 0; i < 3 && points.size() > 0; ++i) {
    const auto [least, greatest] = std::ranges::minmax(*all[i]);
    box.least[i] = least;
    box.greatest[i] = greatest;
  }
  return box;
}

} // namespace evenly::io
