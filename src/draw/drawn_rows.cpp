// SPDX-License-Identifier: Apache-2.0
#include "draw/drawn_rows.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::draw {

using measure::grouped, measure::joined, measure::usage_error;

namespace {

/// -1 if the text is not a count.
std::int64_t count_of(std::string_view digits) {
  std::int64_t value = -1;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return status == std::errc{} && end == digits.data() + digits.size() ? value : -1;
}

/// The sizes of `rows` rows in evenly spaced chunks.
std::vector<std::int64_t> spaced_sizes(std::span<const int> offsets, row_range of, std::int64_t rows,
                                       std::int64_t chunk) {
  const std::int64_t all = of.end - of.first, chunks = (all + chunk - 1) / chunk,
                     kept = std::min(chunks, (rows + chunk - 1) / chunk);
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < kept; ++i) {
    const std::int64_t begin = of.first + i * chunks / kept * chunk;
    for (std::int64_t row = begin; row < std::min(begin + chunk, of.end); ++row) {
      const auto at = static_cast<std::size_t>(row);
      sizes.push_back(offsets[at + 1] - offsets[at]);
    }
  }
  return sizes;
}

std::int64_t divided(std::int64_t size, std::int64_t by) {
  return size == 0 ? 0 : std::max<std::int64_t>(1, size / by);
}

std::int64_t atoms_of(const std::vector<std::int64_t>& sizes, std::int64_t divisor = 1) {
  std::int64_t all = 0;
  for (const std::int64_t size : sizes) all += divided(size, divisor);
  return all;
}

/// The smallest divisor of the sizes that reduces the number of atoms to `max_atoms`. A size is at least 1 after the
/// division.
std::int64_t divisor_for(const std::vector<std::int64_t>& sizes, std::int64_t max_atoms) {
  std::int64_t low = 1, high = 1;
  for (const std::int64_t size : sizes) high = std::max(high, size);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (atoms_of(sizes, middle) <= max_atoms)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

} // namespace

row_range parse_row_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view all = text;
  const std::int64_t first = count_of(all.substr(0, colon)),
                     end = colon == std::string::npos ? -1 : count_of(all.substr(colon + 1));
  if (first < 0 || end <= first)
    throw usage_error(fmt::format("--rows {}: must be FIRST:END, for rows FIRST to END - 1, counted from 0",
                                  host::in_quotes(text)));
  return {first, end};
}

row_range checked_range(std::int64_t rows, const std::optional<row_range>& range, const std::string& input) {
  if (!range) return {0, rows};
  require(range->end <= rows, [&] {
    return fmt::format("--rows {}:{}: {} has {} rows, so END must be at most {}", range->first, range->end,
                       host::printable(input), rows, rows);
  });
  return *range;
}

drawn_rows choose_rows(std::span<const int> offsets, const std::optional<row_range>& range,
                       const picture_limits& limits, const std::string& input) {
  const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
  const row_range of = checked_range(rows, range, input);
  const std::int64_t all = of.end - of.first;
  std::int64_t kept = std::min(all, limits.max_rows);
  std::vector<std::int64_t> sizes = spaced_sizes(offsets, of, kept, limits.chunk);
  while (atoms_of(sizes) > limits.max_atoms && kept / 2 >= limits.min_rows) {
    kept /= 2;
    sizes = spaced_sizes(offsets, of, kept, limits.chunk);
  }
  const std::int64_t divisor = divisor_for(sizes, limits.max_atoms);
  drawn_rows drawn{{0}, ""};
  for (const std::int64_t size : sizes)
    drawn.offsets.push_back(drawn.offsets.back() + static_cast<int>(divided(size, divisor)));
  std::vector<std::string> notes;
  if (range) notes.push_back(fmt::format("rows {} to {}", grouped(of.first), grouped(of.end - 1)));
  if (std::ssize(sizes) < all)
    notes.push_back(fmt::format("a sample of {} of {} rows", grouped(std::ssize(sizes)), grouped(all)));
  if (divisor > 1) notes.push_back(fmt::format("sizes divided by {}", grouped(divisor)));
  drawn.note = joined(notes);
  return drawn;
}

} // namespace evenly::draw
