// SPDX-License-Identifier: Apache-2.0
// read_matrix_market: a matrix of a file that each rank reads a part of.
//
//   auto A = evenly::distributed::read_matrix_market<double>(world, "matrix.mtx");
//
// Ranks read ranges of equally many bytes. A line belongs to the rank that has its first byte. No process has the whole
// matrix. The result is that of io::read_matrix and world.distribute, bit for bit.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "evenly/core/errors.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/entries.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/io/file_error.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------

namespace detail {

/// The head of a Matrix Market file.
struct market_head {
  bool is_pattern = false;
  bool is_symmetric = false, is_skew = false;
  std::int64_t rows = 0, cols = 0, entries = 0;
  std::int64_t begin = 0;        ///< the place of the first byte behind it
  const char* refusal = nullptr; ///< why ranks cannot read it; null: they can
};

inline market_head read_market_head(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  market_head head;
  std::string line, banner, object, layout, field, symmetry;
  if (!file) {
    head.refusal = "cannot be read";
    return head;
  }
  std::getline(file, line);
  std::ranges::transform(line, line.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream(line) >> banner >> object >> layout >> field >> symmetry;
  head.is_pattern = field == "pattern";
  head.is_skew = symmetry == "skew-symmetric";
  head.is_symmetric = symmetry == "symmetric";
  if (banner != "%%matrixmarket")
    head.refusal = "is no Matrix Market file in plain text, which ranks read in ranges";
  else if (object != "matrix" || layout != "coordinate" ||
           (!head.is_pattern && field != "real" && field != "double" && field != "integer") ||
           (!head.is_skew && !head.is_symmetric && symmetry != "general"))
    head.refusal =
        "ranks read coordinates of real numbers, integers or patterns: general, symmetric or skew-symmetric";
  if (head.refusal != nullptr) return head;
  while (std::getline(file, line))
    if (const auto at = line.find_first_not_of(" \t\r"); at != std::string::npos && line[at] != '%') break;
  std::istringstream sizes(line);
  constexpr std::int64_t max = std::numeric_limits<int>::max() - 1;
  if (!(sizes >> head.rows >> head.cols >> head.entries) || head.rows < 0 || head.cols < 0 ||
      head.entries < 0 || head.rows > max || head.cols > max)
    head.refusal = "has no line with the numbers of rows, columns and entries";
  head.begin = file ? static_cast<std::int64_t>(file.tellg()) : -1;
  return head;
}

/// Parses the numbers of one line.
class number_parser {
 public:
  explicit number_parser(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {
    skip_blanks();
  }

  bool is_at_end() const { return at_ == end_; }
  /// Reads a number. Values beyond the range are infinite or 0.
  template <class T> bool read(T& value) {
    if (at_ != end_ && *at_ == '+') ++at_;
    const auto read = std::from_chars(at_, end_, value);
    if (read.ec == std::errc::invalid_argument || read.ptr == at_) return false;
    if (read.ec == std::errc::result_out_of_range) {
      if constexpr (!std::numeric_limits<T>::has_infinity) return false;
      const std::string_view text(at_, static_cast<std::size_t>(read.ptr - at_));
      const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
      value = small ? T{0} : std::numeric_limits<T>::infinity();
      if (text.front() == '-') value = -value;
    }
    at_ = read.ptr;
    skip_blanks();
    return true;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  const char* at_;
  const char* end_;
};

/// Calls visit(line, place of its first byte) for each line that begins in part `part` of `parts` of the file.
template <class Visit>
void for_each_line_of_part(const std::filesystem::path& path, std::int64_t begin, int part, int parts,
                           const Visit& visit) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto cut = [&](int p) {
    return begin + static_cast<std::int64_t>(static_cast<double>(size - begin) * p / parts);
  };
  const std::int64_t first = cut(part), last = part + 1 == parts ? size : cut(part + 1);
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::int64_t at = first;
  if (part > 0) {
    file.seekg(first - 1);
    if (std::getline(file, line)) at = first + static_cast<std::int64_t>(line.size());
  } else {
    file.seekg(first);
  }
  while (at < last && std::getline(file, line)) {
    visit(std::string_view(line), at);
    at += static_cast<std::int64_t>(line.size()) + 1;
  }
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------

/// Whether read_matrix_market can read a file: coordinates of real numbers, integers or patterns in plain text.
inline bool is_readable_in_ranges(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) && detail::read_market_head(path).refusal == nullptr;
}

/// Reads a Matrix Market file, each rank a range of its bytes. Collective. All processes must see the same file.
///
/// - Symmetric storage is expanded. Entries at the same position are added in the order of the file.
/// - Cost: O(bytes / ranks) on each rank, then that of from_entries.
/// - Errors: io::file_error, on every rank for the head of the file; rank_failed, or the line under MPI, names the rank
///   that finds an error in its range, and the byte.
template <class Value, class Offset = int, executor Executor>
matrix<Value, Offset, Executor> read_matrix_market(const world<Executor>& ranks,
                                                   const std::filesystem::path& path,
                                                   const matrix_options& how = {}) {
  const detail::market_head head = detail::read_market_head(path);
  if (head.refusal != nullptr) throw io::file_error(path.string() + ": " + head.refusal);
  const auto fill = [&](communicator& here, const auto& add) {
    std::int64_t count = 0;
    const auto visit = [&](std::string_view line, std::int64_t place) {
      const auto fail = [&](const char* why) {
        throw io::file_error(evenly::detail::concat(path.string(), ", byte ", place, ": ", why));
      };
      detail::number_parser numbers(line);
      if (numbers.is_at_end() || line[line.find_first_not_of(" \t")] == '%') return;
      std::int64_t row = 0, column = 0;
      Value value{1};
      if (!numbers.read(row) || !numbers.read(column) || (!head.is_pattern && !numbers.read(value)) ||
          (!head.is_pattern && !numbers.is_at_end()))
        fail(head.is_pattern ? "expected a row and a column" : "expected a row, a column and a value");
      if (row < 1 || row > head.rows || column < 1 || column > head.cols)
        fail("the row or the column is outside of the matrix");
      add(row - 1, column - 1, value);
      if (row != column && head.is_symmetric) add(column - 1, row - 1, value);
      if (row != column && head.is_skew) add(column - 1, row - 1, -value);
      ++count;
    };
    if (head.begin >= 0) detail::for_each_line_of_part(path, head.begin, here.rank(), here.size(), visit);
    std::int64_t all = 0;
    for (const std::int64_t each : here.all_gather("entries of the file", count)) all += each;
    if (all != head.entries)
      throw io::file_error(evenly::detail::concat(path.string(), ": has ", all,
                                                  " entries, but its head announces ", head.entries));
  };
  return from_entries<Value, Offset>(ranks, static_cast<int>(head.rows), static_cast<int>(head.cols), fill,
                                     how);
}

} // namespace evenly::distributed
