// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/page.hpp"

namespace evenly::report {

table::table(cells heads, std::vector<int> widths) : heads_(std::move(heads)), widths_(std::move(widths)) {}

void table::row(cells words) { rows_.push_back(std::move(words)); }

void table::note(std::string line) { notes_.emplace_back(rows_.size(), std::move(line)); }

table table::without(std::size_t column) const {
  table made(*this);
  const auto at = static_cast<std::ptrdiff_t>(column);
  made.heads_.erase(made.heads_.begin() + at);
  if (!widths_.empty()) made.widths_.erase(made.widths_.begin() + at);
  for (cells& row : made.rows_) row.erase(row.begin() + at);
  return made;
}

std::string table::text() const {
  std::vector<int> widths = widths_;
  for (std::size_t i = widths.size(); i < heads_.size(); ++i) {
    std::size_t longest = heads_[i].size();
    for (const cells& row : rows_)
      if (i < row.size()) longest = std::max(longest, row[i].size());
    widths.push_back(-static_cast<int>(longest) - 1);
  }
  std::string lines;
  const auto add = [&](const cells& row) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format(fmt::runtime(widths[i] < 0 ? "{:<{}}" : "{:>{}}"), measure::one_line(row[i]),
                          std::abs(widths[i]));
    lines += measure::trimmed(std::move(line)) + '\n';
  };
  add(heads_);
  auto note = notes_.begin();
  for (std::size_t i = 0; i <= rows_.size(); ++i) {
    for (; note != notes_.end() && note->first == i; ++note) lines += "  " + note->second + '\n';
    if (i < rows_.size()) add(rows_[i]);
  }
  return lines;
}

std::string table::html(const std::vector<bool>& sentences) const {
  const auto line = [&](const char* tag, const cells& row) {
    std::string made = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      made += fmt::format("<{0}{1}>{2}</{0}>", tag,
                          i < sentences.size() && sentences[i] ? " class=\"words\"" : "",
                          measure::xml_escaped(row[i]));
    return made + "</tr>\n";
  };
  std::string made = "<table>" + line("th", heads_);
  for (const cells& row : rows_) made += line("td", row);
  return scrolling(made + "</table>");
}

json::value table::json() const {
  json::value list = json::array();
  for (const cells& row : rows_) {
    json::value made;
    for (std::size_t i = 0; i < row.size(); ++i) made[heads_[i]] = row[i];
    list.push_back(std::move(made));
  }
  return list;
}

} // namespace evenly::report
