// SPDX-License-Identifier: Apache-2.0
// PCD of the Point Cloud Library, versions .5 to .7: a header of lines lists the fields of each point. The points
// follow as text, as bytes, or compressed by LZF, field by field.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/mixed_reader.hpp"
#include "io/point_list.hpp"

namespace evenly::io {

// Decompression of LZF (Lehmann, LibLZF, 2000), which .pcd files use.
//
// A control byte c below 32 is followed by c + 1 literal bytes. Otherwise its upper three bits are a length, to which
// the next byte is added if they are 7, and its lower five bits and one more byte are a distance.

/// The maximum number of output bytes per byte of input: three bytes expand to 264.
inline constexpr std::size_t max_lzf_expansion = 88;

/// Fills `to` from `packed`. Returns false if `packed` is damaged or does not expand to exactly `to.size()` bytes.
inline bool expand_lzf(std::string_view packed, std::span<char> to) {
  std::size_t at = 0, done = 0;
  while (at < packed.size()) {
    const auto byte = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++])); };
    const std::size_t control = byte();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (packed.size() - at < count || to.size() - done < count) return false;
      packed.copy(to.data() + done, count, at);
      at += count;
      done += count;
      continue;
    }
    const bool is_long = control >> 5 == 7;
    if (packed.size() - at < (is_long ? 2U : 1U)) return false;
    const std::size_t count = 2 + (control >> 5) + (is_long ? byte() : 0);
    const std::size_t distance = 1 + ((control & 31) << 8) + byte();
    if (distance > done || to.size() - done < count) return false;
    for (const std::size_t end = done + count; done < end; ++done)
      to[done] = to[done - distance]; // may overlap
  }
  return done == to.size();
}

namespace {

constexpr std::size_t max_fields = 1000;
constexpr bool swapped = std::endian::native == std::endian::big;

enum class pcd_coding { ascii, binary, compressed };

struct pcd_field {
  std::string name;
  scalar_type type = scalar_type::float32;
  std::int64_t count = 1; ///< of values

  std::int64_t bytes() const { return count * static_cast<std::int64_t>(bytes_of(type)); }
  bool is_padding() const { return name == "_"; }
};

struct pcd_header {
  pcd_coding coding = pcd_coding::ascii;
  std::vector<pcd_field> fields;
  std::int64_t points = 0;
  std::array<std::size_t, 3> places{}; ///< of x, y and z in fields
};

/// The lines of the header; missing lines are empty.
struct pcd_lines {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> types;
  std::vector<std::int64_t> counts;
  std::optional<std::int64_t> width, height, points;
};

std::vector<std::string> words(const line_place& place, field_reader& fields) {
  std::vector<std::string> all;
  while (!fields.at_end() && all.size() <= max_fields) all.emplace_back(fields.word());
  if (all.size() > max_fields) place.fail(fmt::format("more than {} fields", max_fields));
  return all;
}

std::vector<std::int64_t> integers(const line_place& place, field_reader& fields, std::string_view what,
                                   std::int64_t max) {
  std::vector<std::int64_t> all;
  while (!fields.at_end() && all.size() <= max_fields) all.push_back(fields.integer(what, 1, max));
  if (all.size() > max_fields) place.fail(fmt::format("more than {} fields", max_fields));
  return all;
}

pcd_coding read_coding(const line_place& place, field_reader& fields) {
  constexpr std::array<std::string_view, 3> names{"ascii", "binary", "binary_compressed"};
  const std::string_view word = fields.word();
  const auto found = std::ranges::find(names, word);
  if (found == names.end())
    place.fail(fmt::format("the data are {}: they must be ascii, binary or binary_compressed",
                           host::in_quotes(word)));
  return static_cast<pcd_coding>(found - names.begin());
}

void refuse_version(const line_place& place, std::string_view version) {
  constexpr std::array<std::string_view, 6> known{".5", "0.5", ".6", "0.6", ".7", "0.7"};
  if (std::ranges::find(known, version) == known.end())
    place.fail(fmt::format("version {} of .pcd: it must be .5, .6 or .7", host::in_quotes(version)));
}

/// Reads up to the line DATA, and returns its value.
pcd_coding read_lines(mixed_reader& from, pcd_lines& lines) {
  constexpr std::int64_t max_count = 1 << 20, max_size = std::int64_t{1} << 31,
                         max_points = std::int64_t{1} << 48;
  for (std::string_view line; from.next_record(line);) {
    field_reader fields(from, line);
    const std::string_view word = fields.word();
    if (word.starts_with('#') || word == "VIEWPOINT") continue;
    if (word == "DATA") return read_coding(from, fields);
    if (word == "VERSION")
      refuse_version(from, fields.word());
    else if (word == "FIELDS" || word == "COLUMNS")
      lines.names = words(from, fields);
    else if (word == "SIZE")
      lines.sizes = integers(from, fields, "size of a field", 8);
    else if (word == "TYPE")
      lines.types = words(from, fields);
    else if (word == "COUNT")
      lines.counts = integers(from, fields, "number of values of a field", max_count);
    else if (word == "WIDTH")
      lines.width = fields.integer("width", 0, max_size);
    else if (word == "HEIGHT")
      lines.height = fields.integer("height", 0, max_size);
    else if (word == "POINTS")
      lines.points = fields.integer("number of points", 0, max_points);
    else
      from.fail(fmt::format("{} in the header: it must be VERSION, FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, "
                            "VIEWPOINT, POINTS or DATA",
                            host::in_quotes(word)));
  }
  from.fail("the file ends before the line DATA");
}

scalar_type type_of(const line_place& place, std::string_view letter, std::int64_t bytes) {
  constexpr std::array<std::pair<std::string_view, scalar_type>, 10> known{{{"I1", scalar_type::int8},
                                                                            {"U1", scalar_type::uint8},
                                                                            {"I2", scalar_type::int16},
                                                                            {"U2", scalar_type::uint16},
                                                                            {"I4", scalar_type::int32},
                                                                            {"U4", scalar_type::uint32},
                                                                            {"I8", scalar_type::int64},
                                                                            {"U8", scalar_type::uint64},
                                                                            {"F4", scalar_type::float32},
                                                                            {"F8", scalar_type::float64}}};
  const std::string name = fmt::format("{}{}", letter, bytes);
  for (const auto& [text, type] : known)
    if (text == name) return type;
  place.fail(
      fmt::format("TYPE {} and SIZE {}: integers (I, U) must have 1, 2, 4 or 8 bytes, reals (F) 4 or 8",
                  host::in_quotes(letter), bytes));
}

std::vector<pcd_field> fields_of(const line_place& place, const pcd_lines& lines) {
  const auto check = [&](std::string_view line, std::size_t values) {
    if (values > 0 && values != lines.names.size())
      place.fail(fmt::format("{} values in the line {}, and {} in FIELDS", values, line, lines.names.size()));
  };
  check("SIZE", lines.sizes.size());
  check("TYPE", lines.types.size());
  check("COUNT", lines.counts.size());
  std::vector<pcd_field> fields;
  for (std::size_t i = 0; i < lines.names.size(); ++i)
    fields.push_back(
        {lines.names[i],
         type_of(place, lines.types.empty() ? "F" : lines.types[i], lines.sizes.empty() ? 4 : lines.sizes[i]),
         lines.counts.empty() ? 1 : lines.counts[i]});
  return fields;
}

std::int64_t points_of(const line_place& place, const pcd_lines& lines) {
  if (!lines.width) {
    if (!lines.points) place.fail("the header has neither POINTS nor WIDTH");
    return *lines.points;
  }
  const std::int64_t height = lines.height.value_or(1), all = *lines.width * height;
  if (lines.points && *lines.points != all)
    place.fail(fmt::format("WIDTH {} and HEIGHT {} make {} points, but POINTS is {}", *lines.width, height,
                           all, *lines.points));
  return all;
}

pcd_header read_pcd_header(mixed_reader& from) {
  pcd_lines lines;
  pcd_header header;
  header.coding = read_lines(from, lines);
  header.fields = fields_of(from, lines);
  header.points = points_of(from, lines);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto found = std::ranges::find(header.fields, axes[axis], &pcd_field::name);
    if (found == header.fields.end() || found->count != 1 ||
        std::ranges::count(header.fields, axes[axis], &pcd_field::name) != 1)
      from.fail(fmt::format("FIELDS must have {} once, and its COUNT must be 1", axes[axis]));
    header.places[axis] = static_cast<std::size_t>(found - header.fields.begin());
  }
  return header;
}

/// Collects points, and counts missing ones, which have a NaN.
class pcd_points {
 public:
  void push_back(const line_place& place, const std::array<double, 3>& point) {
    if (std::ranges::any_of(point, [](double each) { return std::isnan(each); }))
      ++missing_;
    else
      points_.push_back(place, point);
  }

  point_set finish(const mixed_reader& from, std::int64_t count, const host::remark_handler& say) {
    if (missing_ > 0)
      say(fmt::format("{}: ignored {} of {} points, which have NaN coordinates", from.name(), missing_,
                      count));
    return points_.take();
  }

 private:
  point_list points_;
  std::int64_t missing_ = 0;
};

/// A coordinate, which must be exact.
double load_exact(const line_place& place, const pcd_field& field, const char* from) {
  const double value = load(field.type, from, swapped);
  constexpr double largest = 9007199254740992.0; // 2^53
  const bool is_wide = field.type == scalar_type::int64 || field.type == scalar_type::uint64;
  if (is_wide && std::abs(value) >= largest)
    place.fail(
        fmt::format("{} is an integer of about {:.3g}: only those below 2^53 are exact", field.name, value));
  return value;
}

void read_ascii(mixed_reader& from, const pcd_header& header, pcd_points& points) {
  std::string_view line;
  for (std::int64_t i = 0; i < header.points; ++i) {
    if (!from.next_record(line)) from.fail_at_end();
    field_reader values(from, line);
    std::array<double, 3> point{};
    for (std::size_t k = 0; k < header.fields.size(); ++k) {
      const auto axis = std::ranges::find(header.places, k);
      if (axis != header.places.end()) {
        point[static_cast<std::size_t>(axis - header.places.begin())] = values.real(header.fields[k].name);
        continue;
      }
      for (std::int64_t value = 0; value < header.fields[k].count; ++value)
        if (values.word().empty())
          from.fail(fmt::format("the line ends where the field {} should be",
                                host::in_quotes(header.fields[k].name)));
    }
    values.finish("last field");
    points.push_back(from, point);
  }
}

void read_binary(mixed_reader& from, const pcd_header& header, pcd_points& points) {
  for (std::int64_t i = 0; i < header.points; ++i) {
    std::array<double, 3> point{};
    for (std::size_t k = 0; k < header.fields.size(); ++k) {
      const pcd_field& field = header.fields[k];
      const auto axis = std::ranges::find(header.places, k);
      if (axis == header.places.end())
        from.skip(static_cast<std::uint64_t>(field.bytes()));
      else
        point[static_cast<std::size_t>(axis - header.places.begin())] =
            load_exact(from, field, from.bytes(bytes_of(field.type)));
    }
    points.push_back(from, point);
  }
}

/// The next `count` bytes. Memory grows as they are read.
std::vector<char> read_packed(mixed_reader& from, std::size_t count) {
  std::vector<char> packed;
  while (packed.size() < count) {
    const std::size_t now = std::min(count - packed.size(), mixed_reader::max_bytes);
    if (packed.capacity() - packed.size() < now) {
      const std::size_t room = std::min(count, std::max(2 * packed.capacity(), packed.size() + now));
      if (const auto shortage = host::memory_shortage(static_cast<std::int64_t>(room)))
        from.fail(fmt::format("read {} of {} compressed bytes: {}", packed.size(), count, *shortage));
      packed.reserve(room);
    }
    const char* const bytes = from.bytes(now);
    packed.insert(packed.end(), bytes, bytes + now);
  }
  return packed;
}

/// The compressed data: field by field, without padding.
std::vector<char> read_expanded(mixed_reader& from, const pcd_header& header, std::int64_t point_bytes) {
  const auto packed_size = load<std::uint32_t>(from.bytes(4), swapped);
  const auto size = load<std::uint32_t>(from.bytes(4), swapped);
  if (size % header.points != 0 || size / header.points != point_bytes)
    from.fail(fmt::format("the compressed data have {} bytes, but the header announces {} points of {} bytes",
                          size, header.points, point_bytes));
  std::vector<char> packed = read_packed(from, packed_size);
  const auto damaged = [&] { from.fail("the compressed data are damaged"); };
  if (size > max_lzf_expansion * packed.size()) damaged();
  if (const auto shortage = host::memory_shortage(std::int64_t{size} + 24 * header.points))
    from.fail(fmt::format("{} points: {}", header.points, *shortage));
  std::vector<char> expanded(size);
  if (expand_lzf({packed.data(), packed.size()}, expanded)) return expanded;
  if (packed.size() != size) damaged();
  return packed; // some programs store incompressible data as it is
}

void read_compressed(mixed_reader& from, const pcd_header& header, pcd_points& points) {
  if (header.points == 0) return;
  std::vector<std::int64_t> before; // bytes of a point before each field
  std::int64_t point_bytes = 0;
  for (const pcd_field& each : header.fields) {
    before.push_back(point_bytes);
    point_bytes += each.is_padding() ? 0 : each.bytes();
  }
  const std::vector<char> data = read_expanded(from, header, point_bytes);
  for (std::int64_t i = 0; i < header.points; ++i) {
    std::array<double, 3> point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t place = header.places[axis];
      const pcd_field& field = header.fields[place];
      point[axis] = load_exact(from, field, data.data() + before[place] * header.points + i * field.bytes());
    }
    points.push_back(from, point);
  }
}

} // namespace

point_set read_pcd(byte_source source, const host::remark_handler& say) {
  mixed_reader from(std::move(source));
  const pcd_header header = read_pcd_header(from);
  from.expect(fmt::format("{} points", header.points));
  pcd_points points;
  if (header.coding != pcd_coding::ascii) from.begin_binary();
  if (header.coding == pcd_coding::ascii) read_ascii(from, header, points);
  if (header.coding == pcd_coding::binary) read_binary(from, header, points);
  if (header.coding == pcd_coding::compressed) read_compressed(from, header, points);
  from.expect_end();
  return points.finish(from, header.points, say);
}

} // namespace evenly::io
