// SPDX-License-Identifier: Apache-2.0
// Self-contained HTML pages: for local files, light and dark mode, narrow and wide windows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenly::report {

/// A page with the HTML `body` and its charts (charts.hpp); `more_style` is CSS. Throws plotter_error.
std::string html_page(std::string_view title, const std::string& body, std::string_view more_style = {});

/// A table that scrolls horizontally in a narrow page. The first column has words, the others numbers, except those of
/// `sentences`, whose cells are wrapped.
class html_table {
 public:
  explicit html_table(const std::vector<std::string>& heads, const std::vector<bool>& sentences = {});
  void row(const std::vector<std::string>& cells); ///< plain text
  std::string str() const;

 private:
  std::string cell(const char* tag, std::size_t column, const std::string& words) const;

  std::vector<bool> sentences_;
  std::string text_;
};

/// HTML in a box that scrolls horizontally.
std::string scrolling(const std::string& html);

/// `picture`: a chart or SVG. Empty for an empty picture.
std::string html_figure(std::string_view caption, const std::string& picture);

/// Collapsed until a reader opens it.
std::string html_details(std::string_view summary, const std::string& body);

/// Facts about the measurement: names and values, plain text.
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);

} // namespace evenly::report
