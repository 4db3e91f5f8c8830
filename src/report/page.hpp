// SPDX-License-Identifier: Apache-2.0
// Pages of HTML that hold all they need: opened from disk, light or dark as the reader has it, narrow or wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenly::report {

/// A page of `body`, which is HTML, with its charts drawn (charts.hpp); `more_style` is CSS. Throws plotter_error.
std::string html_page(std::string_view title, const std::string& body, std::string_view more_style = {});

/// A table that scrolls by itself where the page is narrower. The first column is of words, the others of numbers, but
/// for those of `sentences`, whose cells are broken into lines.
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

/// HTML in a box that scrolls by itself.
std::string scrolling(const std::string& html);

/// `picture`: a chart, or SVG. Empty for none.
std::string html_figure(std::string_view caption, const std::string& picture);

/// Closed, until a reader opens it.
std::string html_details(std::string_view summary, const std::string& body);

/// What was measured where and when: names and values, plain text.
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);

} // namespace evenly::report
