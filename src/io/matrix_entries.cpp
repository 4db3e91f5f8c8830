// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_entries.hpp"

namespace evenly::io {
namespace {

std::string_view records_of(const matrix_header& shape) { return shape.is_array ? "values" : "entries"; }

std::string who_announced(const matrix_header& shape) {
  return shape.is_array ? fmt::format("the number that the sizes on line {} make", shape.size_line)
                        : fmt::format("the number that line {} announces", shape.size_line);
}

void add(remark& all, const remark& found, std::int64_t lines_before) {
  if (found.count > 0 && all.count == 0) {
    all.line = lines_before + found.line;
    all.text = found.text;
  }
  all.count += found.count;
}

std::string and_more(std::int64_t count) { return count > 1 ? fmt::format(", and {} more", count - 1) : ""; }

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
    const bool all_quiet = each.records == 0;
    if (quiet_ + each.quiet_before > longest_matrix_comment)
      blocks.fail(
          fmt::format("more than {} bytes of comments and blank lines in a row", longest_matrix_comment));
    quiet_ = all_quiet ? quiet_ + each.quiet_before : each.quiet_behind;
    add(rounded_, each.rounded, blocks.line_number());
    add(ignored_, each.ignored, blocks.line_number());
    read_ += each.records;
    expanded_ += each.expanded;
    blocks.take(pieces[i].size(), each.lines);
    if (expanded_ > most_)
      blocks.fail(fmt::format("more than {} entries, counting both triangles: no more are supported", most_));
  }
}

void record_count::refuse_surplus(text_blocks& blocks, std::string_view piece, std::int64_t before) const {
  piece_reader lines(piece);
  for (std::string_view line; lines.next(line);) {
    const bool is_quiet = line.empty() || line.front() == '%';
    if (is_quiet || before-- > 0) continue;
    blocks.take(static_cast<std::size_t>(line.data() - piece.data()));
    blocks.next_line(line);
    blocks.fail(fmt::format("{} after the last of {} {}, {}", in_quotes(line), shape_.entries,
                            records_of(shape_), who_announced(shape_)));
  }
}

void record_count::finish(const text_blocks& blocks, const remark_handler& say) const {
  if (read_ < shape_.entries)
    blocks.fail(fmt::format("the file ends after {} of {} {}, {}", read_, shape_.entries, records_of(shape_),
                            who_announced(shape_)));
  if (rounded_.count > 0)
    say(fmt::format("{}:{}: the value is {}{}, beyond the range of a double: read as infinity or zero",
                    blocks.name(), rounded_.line, in_quotes(rounded_.text), and_more(rounded_.count)));
  if (ignored_.count > 0)
    say(fmt::format("{}:{}: the third number is {}{}: a pattern has no values, they are ignored",
                    blocks.name(), ignored_.line, in_quotes(ignored_.text), and_more(ignored_.count)));
}

} // namespace evenly::io
