// SPDX-License-Identifier: Apache-2.0
// Charts of a page. Bars are HTML, as only the browser knows the width of their labels; charts with axes are drawn by
// gnuplot as SVG that stands in the page itself.
//
// A chart of gnuplot is put into the page as text: a script between two characters that no page has. When the page is
// complete, with_charts() has all scripts drawn by one process, and puts the pictures in their places.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly::report {

/// gnuplot is not there, or has failed.
class plotter_error : public error {
 public:
  using error::error;
};

/// Throws plotter_error where gnuplot cannot be started. Call before anything is measured for a page.
void require_plotter();

/// Colours that can be seen on light and on dark grounds.
namespace colours {
inline constexpr std::uint32_t blue = 0x4878a8, orange = 0xd98c3f, green = 0x57a05c, violet = 0x9a79b5,
                               red = 0xc4463a, grey = 0x999999;
} // namespace colours

struct bar {
  std::string label;
  double value = 0;
  std::string text; ///< beside the bar: the value with its unit
  std::uint32_t colour = colours::blue;
  double min = 0; ///< a thin line goes from here
  double max = 0; ///< to here, unless both are 0
};

/// Horizontal bars, from top to bottom. Bars that are longer than `longest` times the median bar are cut and marked;
/// their text has the value. Empty for no bars.
std::string bar_chart(const std::vector<bar>& bars, double longest = 8);

struct series {
  std::string label;
  std::uint32_t colour = colours::blue;
  std::vector<std::pair<double, double>> points; ///< x, y; in the order of x
};

/// Lines over places that are equally far apart, one for each x, with a legend below them. Empty for no points.
std::string line_chart(const std::vector<series>& all, const std::string& x_title,
                       const std::string& y_title);

/// Columns of which each has a label below; values are not negative. `y_title`: what the values are.
std::string column_chart(const std::vector<std::pair<std::string, double>>& columns,
                         const std::string& x_title, const std::string& y_title);

/// A cell for each part, which is in [0, 1]; the darker, the greater; `columns` of them in a row.
std::string heat_chart(const std::vector<double>& parts, int columns);

/// The page with its charts in place. Throws plotter_error.
std::string with_charts(const std::string& page);

} // namespace evenly::report
