// SPDX-License-Identifier: Apache-2.0
// A table of words, for a terminal, for a page and for JSON.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "json/value.hpp"

namespace evenly::report {

class table {
 public:
  using cells = std::vector<std::string>; ///< plain text

  /// `widths`: of the columns on a terminal; a negative one is aligned to the left. Without them, a column is as wide
  /// as its longest cell, and aligned to the left.
  explicit table(cells heads, std::vector<int> widths = {});

  void row(cells words);       ///< may lack the last cells
  void note(std::string line); ///< below the last row, on a terminal only
  bool empty() const { return rows_.empty(); }
  table without(std::size_t column) const;

  /// Indented lines, the heads first, without blanks at the end.
  std::string text() const;
  /// Scrolls horizontally in a narrow page. The first column has words, the others numbers, except those of
  /// `sentences`, whose cells are wrapped.
  std::string html(const std::vector<bool>& sentences = {}) const;
  json::value json() const; ///< a list of objects with the heads as keys

 private:
  cells heads_;
  std::vector<int> widths_;
  std::vector<cells> rows_;
  std::vector<std::pair<std::size_t, std::string>> notes_; ///< with the number of rows above
};

} // namespace evenly::report
