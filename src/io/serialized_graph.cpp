// SPDX-License-Identifier: Apache-2.0
#include "io/serialized_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/memory_limits.hpp"
#include "io/npy.hpp"

namespace evenly::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they are in memory");

/// Reads `count` numbers in pieces, and calls visit for each.
template <class Number, class Visit>
void for_each_number(array_bytes& from, std::int64_t count, std::string_view what, const Visit& visit) {
  std::array<Number, 1 << 14> piece{};
  while (count > 0) {
    const auto here = static_cast<std::size_t>(std::min<std::int64_t>(count, piece.size()));
    from.read(reinterpret_cast<char*>(piece.data()), here * sizeof(Number), what);
    for (std::size_t i = 0; i < here; ++i) visit(piece[i]);
    count -= static_cast<std::int64_t>(here);
  }
}

class serialized_reader {
 public:
  serialized_reader(array_bytes& from, bool has_weights, const matrix_limits& limits)
      : from_(from), has_weights_(has_weights) {
    char directed = 0;
    from_.read(&directed, 1, "header");
    is_directed_ = directed == 1;
    if (directed != 0 && directed != 1)
      from_.fail(fmt::format("not a serialized graph of GAP: the first byte is {}, but must be 0 "
                             "(undirected) or 1 (directed)",
                             static_cast<unsigned char>(directed)));
    edges_ = size("edges", limits.entries);
    vertices_ = size("vertices", limits.rows);
  }

  csr_matrix<double> read() {
    const std::int64_t of_edge = is_directed_ ? 24 : 12, of_vertex = is_directed_ ? 8 : 4;
    if (const auto shortage = host::memory_shortage(of_edge * edges_ + of_vertex * (vertices_ + 1)))
      from_.fail(*shortage);
    csr_matrix<double> rows = read_edges();
    if (is_directed_) read_edges();
    if (!from_.at_end()) from_.fail("the file goes on after the last edge");
    sort_rows(rows);
    return rows;
  }

 private:
  std::int64_t size(std::string_view what, std::int64_t max) {
    std::int64_t number = 0;
    from_.read(reinterpret_cast<char*>(&number), sizeof(number), "header");
    if (number < 0 || number > max)
      from_.fail(fmt::format("{} {}: the number must be 0 to {}", number, what, max));
    return number;
  }

  csr_matrix<double> read_edges() {
    csr_matrix<double> made;
    made.rows = made.cols = static_cast<int>(vertices_);
    made.offsets.clear();
    made.offsets.reserve(static_cast<std::size_t>(vertices_) + 1);
    made.columns.reserve(static_cast<std::size_t>(edges_));
    made.values.reserve(static_cast<std::size_t>(edges_));
    for_each_number<std::int64_t>(from_, vertices_ + 1, "offsets", [&](std::int64_t offset) {
      const std::size_t v = made.offsets.size();
      const std::int64_t before = v == 0 ? 0 : made.offsets.back();
      if (offset < before || offset > edges_ || (v == 0 && offset != 0))
        from_.fail(
            fmt::format("offset {} is {}: offsets must begin with 0, not decrease and end with {}, the "
                        "number of edges",
                        v, offset, edges_));
      made.offsets.push_back(static_cast<int>(offset));
    });
    if (made.offsets.back() != edges_)
      from_.fail(fmt::format("the last offset is {}: it must be {}, the number of edges", made.offsets.back(),
                             edges_));
    if (has_weights_) {
      for_each_number<std::pair<std::int32_t, std::int32_t>>(from_, edges_, "edges", [&](const auto& edge) {
        add_end(made, edge.first);
        made.values.push_back(edge.second);
      });
    } else {
      for_each_number<std::int32_t>(from_, edges_, "edges", [&](std::int32_t end) { add_end(made, end); });
      made.values.assign(made.columns.size(), 1.0);
    }
    return made;
  }

  void add_end(csr_matrix<double>& made, std::int32_t end) const {
    if (end < 0 || end >= vertices_)
      from_.fail(fmt::format("edge {} ends at {}, which is not a vertex: vertices are numbered from 0 to {}",
                             made.columns.size(), end, vertices_ - 1));
    made.columns.push_back(end);
  }

  /// Sorts rows by column, then weight.
  static void sort_rows(csr_matrix<double>& rows) {
    std::vector<std::pair<int, double>> row;
    for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
      const auto begin = static_cast<std::size_t>(rows.offsets[v]),
                 end = static_cast<std::size_t>(rows.offsets[v + 1]);
      row.clear();
      for (std::size_t e = begin; e < end; ++e) row.emplace_back(rows.columns[e], rows.values[e]);
      if (std::ranges::is_sorted(row)) continue;
      std::ranges::sort(row);
      for (std::size_t e = begin; e < end; ++e) std::tie(rows.columns[e], rows.values[e]) = row[e - begin];
    }
  }

  array_bytes& from_;
  bool has_weights_;
  bool is_directed_ = false;
  std::int64_t edges_ = 0, vertices_ = 0;
};

} // namespace

edge_rows read_serialized_graph(byte_source source, file_format format, const matrix_limits& limits) {
  array_bytes from(std::move(source));
  const bool has_weights = format == file_format::gap_weighted;
  return {serialized_reader(from, has_weights, limits).read(), has_weights, 0, {}};
}

} // namespace evenly::io
