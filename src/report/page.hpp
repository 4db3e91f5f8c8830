// SPDX-License-Identifier: Apache-2.0
// Self-contained HTML pages: for local files, light and dark mode, narrow and wide windows.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenly::report {

/// A page with the HTML `body` and its charts (charts.hpp); `more_style` is CSS. Throws plotter_error.
std::string html_page(std::string_view title, const std::string& body, std::string_view more_style = {});

/// HTML in a box that scrolls horizontally.
std::string scrolling(const std::string& html);

/// `picture`: a chart or SVG. Empty for an empty picture.
std::string html_figure(std::string_view caption, const std::string& picture);

/// Collapsed until a reader opens it.
std::string html_details(std::string_view summary, const std::string& body);

/// Facts about the measurement: names and values, plain text.
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);

} // namespace evenly::report
