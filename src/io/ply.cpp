// SPDX-License-Identifier: Apache-2.0
// PLY (Turk, "The PLY Polygon File Format", 1994): a header lists elements and their properties. The elements follow as
// text or as bytes in either byte order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/mixed_reader.hpp"
#include "io/point_list.hpp"

namespace evenly::io {
namespace {

constexpr std::array<std::pair<std::string_view, scalar_type>, 16> ply_types{
    {{"char", scalar_type::int8},
     {"int8", scalar_type::int8},
     {"uchar", scalar_type::uint8},
     {"uint8", scalar_type::uint8},
     {"short", scalar_type::int16},
     {"int16", scalar_type::int16},
     {"ushort", scalar_type::uint16},
     {"uint16", scalar_type::uint16},
     {"int", scalar_type::int32},
     {"int32", scalar_type::int32},
     {"uint", scalar_type::uint32},
     {"uint32", scalar_type::uint32},
     {"float", scalar_type::float32},
     {"float32", scalar_type::float32},
     {"double", scalar_type::float64},
     {"float64", scalar_type::float64}}};

struct ply_property {
  std::string name;
  scalar_type type{};
  bool is_list = false;
  scalar_type count_type{}; ///< of a list
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

enum class ply_coding { ascii, little, big };

struct ply_header {
  ply_coding coding = ply_coding::ascii;
  std::vector<ply_element> elements;
};

scalar_type type_called(const mixed_reader& lines, std::string_view word) {
  for (const auto& [name, type] : ply_types)
    if (word == name) return type;
  lines.fail(fmt::format("{} is not a type of properties, such as float or uchar", host::in_quotes(word)));
}

ply_coding read_coding(const mixed_reader& lines, field_reader& fields) {
  constexpr std::array<std::string_view, 3> names{"ascii", "binary_little_endian", "binary_big_endian"};
  const std::string_view word = fields.word(), version = fields.word();
  const auto found = std::ranges::find(names, word);
  if (found == names.end() || version != "1.0")
    lines.fail(
        fmt::format("the format is {} {}: it must be ascii, binary_little_endian or binary_big_endian, 1.0",
                    host::in_quotes(word), host::in_quotes(version)));
  return static_cast<ply_coding>(found - names.begin());
}

ply_property read_property(const mixed_reader& lines, field_reader& fields) {
  ply_property read;
  std::string_view word = fields.word();
  read.is_list = word == "list";
  if (read.is_list) {
    read.count_type = type_called(lines, fields.word());
    if (read.count_type >= scalar_type::float32) lines.fail("the count of a list must have an integer type");
    word = fields.word();
  }
  read.type = type_called(lines, word);
  read.name = host::printable(fields.word());
  return read;
}

ply_header read_ply_header(mixed_reader& lines) {
  constexpr std::size_t max_items = 1000; // elements, and properties per element
  ply_header header;
  bool has_format = false;
  std::string_view line;
  for (bool is_first = true; lines.next(line); is_first = false) {
    field_reader fields(lines, line);
    const std::string_view word = fields.word();
    if (is_first != (word == "ply")) lines.fail("`ply` must be on the first line and on no other");
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
      lines.fail(fmt::format("{} in the header: it must be format, comment, obj_info, element or property",
                             host::in_quotes(word)));
    }
    if (header.elements.size() > max_items ||
        (!header.elements.empty() && header.elements.back().properties.size() > max_items))
      lines.fail(fmt::format("more than {} elements or properties, the supported maximum", max_items));
  }
  lines.fail("the file ends before the line `end_header`");
}

/// The positions of x, y and z among the properties of an element.
std::array<std::size_t, 3> places_of_axes(const mixed_reader& lines, const ply_element& element) {
  std::array<std::size_t, 3> places{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto is_axis = [&](const ply_property& each) { return each.name == axes[i] && !each.is_list; };
    if (std::ranges::count_if(element.properties, is_axis) != 1)
      lines.fail(fmt::format("the element vertex must have exactly one property {}, not a list", axes[i]));
    places[i] = static_cast<std::size_t>(std::ranges::find_if(element.properties, is_axis) -
                                         element.properties.begin());
  }
  return places;
}

/// Calls take(property number, value) for each property of an element that is not a list.
template <class Take>
void read_binary(mixed_reader& from, const ply_element& element, bool swapped, const Take& take) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const ply_property& each = element.properties[i];
    if (!each.is_list) {
      take(i, load(each.type, from.bytes(bytes_of(each.type)), swapped));
      continue;
    }
    const double length = load(each.count_type, from.bytes(bytes_of(each.count_type)), swapped);
    if (length < 0)
      from.fail(fmt::format("the list {} has the length {}: it must not be negative",
                            host::in_quotes(each.name), length));
    from.skip(static_cast<std::uint64_t>(length) * bytes_of(each.type));
  }
}

void pass_value(const mixed_reader& from, const ply_property& property, field_reader& fields) {
  if (fields.word().empty())
    from.fail(fmt::format("the line ends where the property {} should be", host::in_quotes(property.name)));
}

/// Calls take(property number, fields) for each property of an element that is not a list; take consumes the value.
template <class Take> void read_ascii(mixed_reader& from, const ply_element& element, const Take& take) {
  std::string_view line;
  if (!from.next_record(line)) from.fail_at_end();
  field_reader fields(from, line);
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const ply_property& each = element.properties[i];
    if (!each.is_list) {
      take(i, fields);
      continue;
    }
    const std::int64_t length = fields.integer("length of a list", 0, std::int64_t{1} << 32);
    for (std::int64_t k = 0; k < length; ++k) pass_value(from, each, fields);
  }
  fields.finish("last property");
}

void pass_over(mixed_reader& from, const ply_element& element, bool is_text, bool swapped) {
  const auto pass_number = [&](std::size_t i, field_reader& fields) {
    pass_value(from, element.properties[i], fields);
  };
  if (is_text && !element.properties.empty())
    for (std::int64_t i = 0; i < element.count; ++i) read_ascii(from, element, pass_number);
  else if (element.has_lists())
    for (std::int64_t i = 0; i < element.count; ++i)
      read_binary(from, element, swapped, [](std::size_t, double) {});
  else
    from.skip(static_cast<std::uint64_t>(element.count) * element.bytes());
}

void read_vertices(mixed_reader& from, const ply_element& vertex, bool is_text, bool swapped,
                   const std::array<std::size_t, 3>& places, point_list& points) {
  std::vector<int> axis_of(vertex.properties.size(), -1);
  for (std::size_t axis = 0; axis < 3; ++axis) axis_of[places[axis]] = static_cast<int>(axis);
  for (std::int64_t i = 0; i < vertex.count; ++i) {
    std::array<double, 3> point{};
    const auto keep = [&](std::size_t property, double value) {
      if (axis_of[property] >= 0) point[static_cast<std::size_t>(axis_of[property])] = value;
    };
    const auto parse = [&](std::size_t property, field_reader& fields) {
      if (axis_of[property] >= 0)
        keep(property, fields.real(vertex.properties[property].name));
      else
        pass_value(from, vertex.properties[property], fields);
    };
    if (is_text)
      read_ascii(from, vertex, parse);
    else
      read_binary(from, vertex, swapped, keep);
    points.push_back(from, point);
  }
}

} // namespace

point_set read_ply(byte_source source) {
  mixed_reader from(std::move(source));
  const ply_header header = read_ply_header(from);
  const bool is_text = header.coding == ply_coding::ascii;
  const bool swapped = (header.coding == ply_coding::big) == (std::endian::native == std::endian::little);
  const auto vertex = std::ranges::find(header.elements, "vertex", &ply_element::name);
  if (std::ranges::count(header.elements, "vertex", &ply_element::name) != 1)
    from.fail("the header must have exactly one element vertex");
  const auto places = places_of_axes(from, *vertex);
  if (!is_text) from.begin_binary();
  point_list points;
  for (const ply_element& element : header.elements) {
    from.expect(fmt::format("{} elements {}", element.count, host::in_quotes(element.name)));
    if (&element == &*vertex)
      read_vertices(from, element, is_text, swapped, places, points);
    else
      pass_over(from, element, is_text, swapped);
  }
  from.expect_end();
  return points.take();
}

} // namespace evenly::io
