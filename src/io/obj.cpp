// SPDX-License-Identifier: Apache-2.0
// OBJ of Wavefront: one statement a line. A vertex is `v x y z`; a weight or a colour may follow. A backslash at the
// end of a line continues the statement on the next line.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/point_list.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

constexpr std::size_t max_statement = 1 << 16; ///< bytes of a vertex and its continuation lines

/// Whether the statement is a vertex. Fails for `V` and `v1`, which look like one.
bool is_vertex(const line_place& place, std::string_view line) {
  const std::string_view word = field_reader(place, line).word();
  if (word == "v" || word == "v\\") return true;
  const bool has_number = word.size() > 1 && word[0] == 'v' &&
                          std::string_view("+-.,0123456789").find(word[1]) != std::string_view::npos;
  if (word == "V" || has_number)
    place.fail(fmt::format("{} is not a statement of .obj: a vertex is `v x y z`", host::in_quotes(word)));
  return false;
}

/// `line` and the lines that continue it, without comments. `joined` has them if there are several.
std::string_view whole_statement(text_blocks& lines, std::string_view line, std::string& joined) {
  joined.clear();
  while (true) {
    line = line.substr(0, line.find('#'));
    const bool continues = line.ends_with('\\');
    if (continues) line.remove_suffix(1);
    if (!continues && joined.empty()) return line;
    joined += line;
    if (!continues) return joined;
    joined += ' ';
    if (joined.size() > max_statement)
      lines.fail(fmt::format("a vertex of more than {} bytes, the supported maximum", max_statement));
    if (!lines.next_line(line)) lines.fail("the file ends where a backslash continues the line");
  }
}

} // namespace

point_set read_obj(byte_source source) {
  text_blocks lines(std::move(source));
  point_list points;
  std::string joined;
  for (std::string_view line; lines.next_line(line);) {
    if (!is_vertex(lines, line)) continue;
    field_reader fields(lines, whole_statement(lines, line, joined).substr(1));
    std::array<double, 3> point{};
    for (std::size_t i = 0; i < 3; ++i) point[i] = fields.real(axes[i]);
    while (!fields.at_end()) fields.real("weight or colour after z");
    points.push_back(lines, point);
  }
  return points.take();
}

} // namespace evenly::io
