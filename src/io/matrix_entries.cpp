// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_entries.hpp"

namespace evenly::io {
namespace {

std::string_view records_of(const matrix_header& shape) { return shape.is_array ? "values" : "entries"; }

std::string announcement(const matrix_header& shape) {
  return shape.is_array ? fmt::format("the product of the sizes on line {}", shape.size_line)
                        : fmt::format("the number on line {}", shape.size_line);
}

void add(host::remark& all, const host::remark& found, std::int64_t lines_before) {
  if (found.count > 0 && all.count == 0) {
    all.line = lines_before + found.line;
    all.text = found.text;
  }
  all.count += found.count;
}

} // namespace

std::string record_count::so_far() const {
  return fmt::format("{} of {} {} read", read_, shape_.entries, records_of(shape_));
}

void record_count::take(text_blocks& blocks, const std::vector<std::string_view>& pieces,
                        const std::vector<piece_remarks>& found,
                        const std::vector<std::exception_ptr>& thrown) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const piece_remarks& each = found[i];
    if (read_ + each.records + (thrown[i] ? 1 : 0) > shape_.entries)
      refuse_surplus(blocks, pieces[i], shape_.entries - read_);
    if (thrown[i]) blocks.rethrow(thrown[i], pieces[i]);
    add(rounded_, each.rounded, blocks.line_number());
    add(inexact_, each.inexact, blocks.line_number());
    add(ignored_, each.ignored, blocks.line_number());
    read_ += each.records;
    expanded_ += each.expanded;
    blocks.take(pieces[i].size(), each.lines);
    if (expanded_ > max_)
      blocks.fail(fmt::format("more than {} entries, the supported maximum, counting both triangles", max_));
  }
}

void record_count::refuse_surplus(text_blocks& blocks, std::string_view piece, std::int64_t before) const {
  piece_reader lines(piece);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.starts_with(matrix_comment) || before-- > 0) continue;
    blocks.take(static_cast<std::size_t>(line.data() - piece.data()));
    blocks.next_line(line);
    blocks.fail(fmt::format("{} after the last of {} {}, {}", host::in_quotes(line), shape_.entries,
                            records_of(shape_), announcement(shape_)));
  }
}

void record_count::finish(const text_blocks& blocks, const host::remark_handler& say) const {
  if (read_ < shape_.entries)
    blocks.fail(fmt::format("the file ends after {} of {} {}, {}", read_, shape_.entries, records_of(shape_),
                            announcement(shape_)));
  const auto say_of = [&](const host::remark& kind, std::string_view rule) {
    if (kind.count > 0)
      say(fmt::format("{}:{}: {}", blocks.name(), kind.line, host::value_remark(kind, rule)));
  };
  say_of(rounded_, host::beyond_range);
  say_of(inexact_, host::beyond_exact_integers);
  if (ignored_.count > 0)
    say(fmt::format("{}:{}: the third number is {}{}: a pattern has no values, so they are ignored",
                    blocks.name(), ignored_.line, host::in_quotes(ignored_.text), host::and_more(ignored_)));
}

} // namespace evenly::io
