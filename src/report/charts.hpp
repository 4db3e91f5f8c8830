// SPDX-License-Identifier: Apache-2.0
// Charts of a page. Bars are HTML, because only the browser knows the width of their labels. gnuplot draws charts with
// axes as inline SVG.
//
// A chart of gnuplot enters the page as text: a script between two characters that no page contains. with_charts() runs
// all scripts of a complete page in one process and inserts the pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly::report {

/// gnuplot is missing or has failed.
class plotter_error : public error {
 public:
  using error::error;
};

/// Throws plotter_error if gnuplot cannot be started. Call this before measuring.
void require_plotter();

/// Colours that are visible on light and dark backgrounds.
namespace colours {
inline constexpr std::uint32_t blue = 0x4878a8, orange = 0xd98c3f, green = 0x57a05c, violet = 0x9a79b5,
                               red = 0xc4463a, grey = 0x999999;
/// The colour of the i-th of several series.
std::uint32_t of_series(std::size_t i);
} // namespace colours

struct bar {
  std::string label;
  double value = 0;
  std::string text; ///< next to the bar: the value with its unit
  std::uint32_t colour = colours::blue;
  double min = 0; ///< start of a thin line
  double max = 0; ///< end of the line; none if both are 0
};

/// Horizontal bars, from top to bottom. Bars longer than `longest` times the median bar are cut and marked; their text
/// has the value. Empty without bars.
std::string bar_chart(const std::vector<bar>& bars, double longest = 8);

struct series {
  std::string label;
  std::uint32_t colour = colours::blue;
  std::vector<std::pair<double, double>> points; ///< x, y; in ascending order of x
};

/// Lines over equidistant positions, one per x, with a legend below. Empty without points.
std::string line_chart(const std::vector<series>& all, const std::string& x_title,
                       const std::string& y_title);

/// Columns with labels below; values must not be negative. `y_title`: the meaning of the values.
std::string column_chart(const std::vector<std::pair<std::string, double>>& columns,
                         const std::string& x_title, const std::string& y_title);

/// One cell per part, which is in [0, 1]; darker cells are greater. `columns` cells per row.
std::string heat_chart(const std::vector<double>& parts, int columns);

inline constexpr std::string_view caption_of_timelines =
    "busy workers over time; a row is a group of workers, darker cells are busier";
/// Rows of cells over time: percent, darker for more. Empty without cells.
std::string timeline_chart(const std::vector<std::vector<int>>& rows, double ms_of_cell);

/// The page with its charts. Throws plotter_error.
std::string with_charts(const std::string& page);

} // namespace evenly::report
