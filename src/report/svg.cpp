// SPDX-License-Identifier: Apache-2.0
#include "report/svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::report {

using measure::xml_escaped;

namespace {

/// With at most two decimals and without trailing zeros: 3, 0.5, -1.25.
std::string number(double value) {
  std::string digits = fmt::format("{:.2f}", value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

/// ` name="value"`, or nothing if the value is the default.
std::string unless(std::string_view assumed, std::string_view name, std::string_view value) {
  return value == assumed ? std::string() : fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}

} // namespace

double text_width(std::string_view words, double size, bool bold) {
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<double>(std::ranges::count_if(words, is_first_byte)) * size * (bold ? 0.64 : 0.6);
}

void svg::rect(double x, double y, double width, double height, std::string_view fill,
               std::string_view stroke, double radius) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{} fill=\"{}\"{}/>\n", number(x),
                       number(y), number(width), number(height), unless("0", "rx", number(radius)),
                       xml_escaped(fill), unless("", "stroke", stroke));
}

void svg::text(double x, double y, std::string_view words, double size, std::string_view anchor,
               std::string_view fill, std::string_view weight) {
  const double width = text_width(words, size, weight == "bold");
  const double from = anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x;
  constexpr double margin = 4;
  left_ = std::min(left_, from - margin);
  right_ = std::max(right_, from + width + margin);
  top_ = std::min(top_, y - size - margin);
  bottom_ = std::max(bottom_, y + 0.3 * size + margin);
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} fill=\"{}\"{}>{}</text>\n", number(x),
                       number(y), number(size), unless("start", "text-anchor", anchor), xml_escaped(fill),
                       unless("normal", "font-weight", weight), xml_escaped(words));
}

void svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               std::string_view dash) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\"{}{}/>\n", number(x1),
                       number(y1), number(x2), number(y2), xml_escaped(stroke),
                       unless("1", "stroke-width", number(width)), unless("", "stroke-dasharray", dash));
}

void svg::outline(double x, double y, double width, double height, std::string_view stroke) {
  rect(x, y, width, height, "none", stroke);
}

void svg::path(std::string_view d, std::string_view fill) {
  body_ += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", d, xml_escaped(fill));
}

void svg::circle(double x, double y, double radius, std::string_view fill) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(x), number(y),
                       number(radius), xml_escaped(fill));
}

void svg::begin_group(std::string_view title, attributes marks) {
  body_ += "<g";
  for (const auto& [name, value] : marks) body_ += fmt::format(" {}=\"{}\"", name, xml_escaped(value));
  body_ += '>';
  if (!title.empty()) body_ += fmt::format("<title>{}</title>", xml_escaped(title));
  body_ += '\n';
}

void svg::end_group() { body_ += "</g>\n"; }

std::string svg::str() const {
  const std::string x = number(left_), y = number(top_), width = number(right_ - left_),
                    height = number(bottom_ - top_);
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2}\" height=\"{3}\" "
                     "viewBox=\"{0} {1} {2} {3}\" style=\"max-width:100%;height:auto\" "
                     "font-family=\"Helvetica, Arial, sans-serif\">\n"
                     "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"#fff\"/>\n{4}</svg>\n",
                     x, y, width, height, body_);
}

} // namespace evenly::report
