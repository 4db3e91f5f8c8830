// SPDX-License-Identifier: Apache-2.0
// SVG pictures, shape by shape, on a white background. Equal drawings have equal bytes in every locale. Text is
// never clipped: the picture grows with its texts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace evenly::report {

/// Upper estimate of the width of a text in pixels: 0.6 of the size per character, 0.64 in bold.
double text_width(std::string_view words, double size, bool bold = false);

/// Lengths and positions are in pixels from the upper left corner, rounded to hundredths. Later shapes cover earlier
/// ones. Texts may contain any character.
class svg {
 public:
  using attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// The minimum size: texts beyond it enlarge the picture.
  svg(double width, double height) : right_(width), bottom_(height) {}

  /// No `stroke`: no outline. `radius`: of the corners.
  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view stroke = "", double radius = 0);
  /// `x`, `y`: the anchor (start, middle or end of the text) on the baseline. `weight`: normal or bold.
  void text(double x, double y, std::string_view words, double size = 12, std::string_view anchor = "start",
            std::string_view fill = "#222", std::string_view weight = "normal");
  /// `dash`: lengths of strokes and gaps, "4 2".
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            std::string_view dash = "");
  void outline(double x, double y, double width, double height, std::string_view stroke);
  /// `d`: the commands of an SVG path.
  void path(std::string_view d, std::string_view fill);
  void circle(double x, double y, double radius, std::string_view fill);

  /// Begins a group, which lasts until end_group(). `title` is the tooltip; attributes, such as {"data-atom", "7"},
  /// identify the group for programs. Groups may be nested.
  void begin_group(std::string_view title, attributes marks = {});
  void end_group();

  /// The complete picture, as a file or as inline SVG. Call it after all groups have ended. A narrower window shows it
  /// smaller.
  std::string str() const;

 private:
  double left_ = 0;
  double top_ = 0;
  double right_;
  double bottom_;
  std::string body_;
};

} // namespace evenly::report
