// SPDX-License-Identifier: Apache-2.0
#include "draw/svg.hpp"

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::cli {
namespace {

/// With at most two decimals, and none that say nothing: 3, 0.5, -1.25.
std::string number(double value) {
  std::string digits = fmt::format("{:.2f}", value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

/// ` name="value"`, or nothing where that is what a reader assumes.
std::string unless(std::string_view assumed, std::string_view name, std::string_view value) {
  return value == assumed ? std::string() : fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}

} // namespace

void svg::rect(double x, double y, double width, double height, std::string_view fill,
               std::string_view stroke, double radius) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{} fill=\"{}\"{}/>\n", number(x),
                       number(y), number(width), number(height), unless("0", "rx", number(radius)),
                       xml_escaped(fill), unless("", "stroke", stroke));
}

void svg::text(double x, double y, std::string_view words, double size, std::string_view anchor,
               std::string_view fill, std::string_view weight) {
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
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                     "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, sans-serif\">\n{2}</svg>\n",
                     number(width_), number(height_), body_);
}

} // namespace evenly::cli
