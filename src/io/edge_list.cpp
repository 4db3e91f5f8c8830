// SPDX-License-Identifier: Apache-2.0
#include "io/edge_list.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "io/byte_source.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"
#include "io/memory_limits.hpp"
#include "io/parallel.hpp"
#include "io/separators.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

struct edge {
  int from; ///< from 0 on, like `to`
  int to;
  double weight;
};

/// What the first lines say, and what is read behind them.
struct edge_file {
  matrix_limits most = {};
  std::int64_t vertices = -1; ///< announced; below 0: nobody has said
  std::int64_t edges = -1;    ///< likewise; of METIS both directions
  std::int64_t header_line = 0;
  bool has_weights = false;
  int first_vertex = 0;
  int passed_over = 0; ///< numbers at the front of METIS' lines: sizes and weights of vertices
  std::vector<std::vector<edge>> pieces = {};
  std::int64_t found = 0;

  std::int64_t last_vertex() const {
    return vertices < 0 ? most.rows - 1 + first_vertex : vertices - 1 + first_vertex;
  }
};

bool is_comment(std::string_view line, std::string_view marks) {
  return line.empty() || marks.find(line.front()) != std::string_view::npos;
}

double read_weight(field_reader& fields, const line_place& place) {
  const double weight = fields.real("weight");
  if (!std::isfinite(weight)) place.fail(fmt::format("the weight is {}: it must be finite", weight));
  return weight;
}

int read_vertex(field_reader& fields, const char* what, const edge_file& file) {
  return static_cast<int>(fields.integer(what, file.first_vertex, file.last_vertex()) - file.first_vertex);
}

void read_pair(piece_reader& lines, const edge_file& file, std::vector<edge>& out) {
  comma_free with_blanks;
  for (std::string_view line; lines.next(line);) {
    if (is_comment(line, "#%")) continue;
    field_reader fields(lines, with_blanks(line));
    edge each{read_vertex(fields, "source", file), read_vertex(fields, "target", file), 1};
    if (file.has_weights) each.weight = read_weight(fields, lines);
    if (!file.has_weights && !fields.at_end())
      lines.fail(fmt::format("{} after the target, where the line must end: edges with weights are told by "
                             "the ending .wel, or --format wel",
                             in_quotes(fields.word())));
    fields.finish("weight");
    out.push_back(each);
  }
}

void read_arcs(piece_reader& lines, const edge_file& file, std::vector<edge>& out) {
  for (std::string_view line; lines.next(line);) {
    if (is_comment(line, "c")) continue;
    field_reader fields(lines, line);
    const std::string_view word = fields.word();
    if (word == "n") continue; // of a node
    if (word != "a")
      lines.fail(fmt::format(
          "the line begins with {}: behind the header lines are `a from to weight`, or c comments",
          in_quotes(word)));
    edge each{read_vertex(fields, "source", file), read_vertex(fields, "target", file), 1};
    each.weight = read_weight(fields, lines);
    fields.finish("weight");
    out.push_back(each);
  }
}

/// The neighbours of the vertices from `vertex` on.
void read_neighbours(piece_reader& lines, const edge_file& file, std::int64_t vertex,
                     std::vector<edge>& out) {
  for (std::string_view line; lines.next(line);) {
    if (!line.empty() && line.front() == '%') continue;
    if (vertex == file.vertices) {
      if (line.empty()) continue;
      lines.fail(fmt::format("{} after the lines of all {} vertices, the number that line {} announces",
                             in_quotes(line), file.vertices, file.header_line));
    }
    field_reader fields(lines, line);
    for (int i = 0; i < file.passed_over; ++i)
      fields.integer("size or weight of the vertex", 0, std::numeric_limits<std::int64_t>::max());
    while (!fields.at_end()) {
      edge each{static_cast<int>(vertex), read_vertex(fields, "neighbour", file), 1};
      if (file.has_weights) each.weight = read_weight(fields, lines);
      out.push_back(each);
    }
    ++vertex;
  }
}

edge_file read_dimacs_header(text_blocks& blocks, const matrix_limits& most) {
  edge_file file{.most = most, .has_weights = true, .first_vertex = 1};
  for (std::string_view line; blocks.next_line(line);) {
    ++file.header_line;
    if (is_comment(line, "c")) continue;
    field_reader fields(blocks, line);
    const std::string_view problem = fields.word(), kind = fields.word();
    if (problem != "p" || kind != "sp")
      blocks.fail("the first line but comments is not `p sp vertices edges`");
    file.vertices = fields.integer("number of vertices", 0, most.rows);
    file.edges = fields.integer("number of edges", 0, most.entries);
    fields.finish("number of edges");
    return file;
  }
  blocks.fail("the file ends before the line `p sp vertices edges`");
}

/// METIS' format is three digits, whether vertices have sizes, vertices have weights, and edges have weights; zeros in
/// front may be left out.
void read_metis_format(field_reader& fields, const text_blocks& blocks, edge_file& file) {
  const std::int64_t digits = fields.at_end() ? 0 : fields.integer("format", 0, 111);
  if (digits % 10 > 1 || digits / 10 % 10 > 1)
    blocks.fail(fmt::format("the format is {}: it must be up to three digits, each 0 or 1", digits));
  file.has_weights = digits % 10 == 1;
  file.passed_over = digits / 100 == 1 ? 1 : 0;
  if (digits / 10 % 10 == 1)
    file.passed_over +=
        fields.at_end() ? 1 : static_cast<int>(fields.integer("number of weights", 1, 1 << 20));
  fields.finish("format");
}

edge_file read_metis_header(text_blocks& blocks, const matrix_limits& most) {
  edge_file file{.most = most, .first_vertex = 1};
  for (std::string_view line; blocks.next_line(line);) {
    ++file.header_line;
    if (is_comment(line, "%")) continue;
    field_reader fields(blocks, line);
    file.vertices = fields.integer("number of vertices", 0, most.rows);
    file.edges = 2 * fields.integer("number of edges", 0, most.entries / 2);
    read_metis_format(fields, blocks, file);
    return file;
  }
  blocks.fail("the file ends before the line `vertices edges`");
}

edge_file read_header(text_blocks& blocks, file_format format, const matrix_limits& most) {
  if (format == file_format::dimacs) return read_dimacs_header(blocks, most);
  if (format == file_format::metis) return read_metis_header(blocks, most);
  return {.most = most, .has_weights = format == file_format::weighted};
}

/// Fails unless what a block's lines may hold, and then the result, can be had.
void require_memory(const text_blocks& blocks, const edge_file& file) {
  const auto in_block = static_cast<std::int64_t>(blocks.text().size() / 2); // a digit and a blank
  const std::int64_t result = 12 * (file.found + in_block) + 8 * std::max<std::int64_t>(file.vertices, 0);
  if (const auto shortage = memory_shortage(static_cast<std::int64_t>(sizeof(edge)) * in_block + result))
    blocks.fail(fmt::format("{} edges read: {}", file.found, *shortage));
}

void take_pieces(text_blocks& blocks, edge_file& file, std::vector<std::vector<edge>>&& read) {
  for (std::vector<edge>& each : read) {
    file.found += static_cast<std::int64_t>(each.size());
    file.pieces.push_back(std::move(each));
  }
  if (file.found > file.most.entries)
    blocks.fail(fmt::format("more than {} edges: no more are supported", file.most.entries));
}

void read_all(text_blocks& blocks, file_format format, edge_file& file) {
  std::int64_t vertex = 0;                  // whose line is next, in METIS
  std::vector<std::int64_t> first_of_piece; // likewise
  for (bool more = true; more; more = blocks.next()) {
    require_memory(blocks, file);
    std::vector<std::vector<edge>> read;
    const auto cut = [&](const std::vector<std::string_view>& pieces) {
      read.resize(pieces.size());
      if (format != file_format::metis) return;
      first_of_piece.assign(pieces.size() + 1, 0);
      for_each_range(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          first_of_piece[i + 1] = piece_reader::count_records(pieces[i], '%');
      });
      for (std::int64_t& each : first_of_piece) each = vertex = std::min(vertex + each, file.vertices);
    };
    blocks.read_pieces(cut, [&](piece_reader& lines, std::size_t i) {
      if (format == file_format::metis)
        read_neighbours(lines, file, first_of_piece[i], read[i]);
      else if (format == file_format::dimacs)
        read_arcs(lines, file, read[i]);
      else
        read_pair(lines, file, read[i]);
    });
    take_pieces(blocks, file, std::move(read));
  }
  if (format == file_format::metis && vertex < file.vertices)
    blocks.fail(
        fmt::format("the file ends after the lines of {} of {} vertices, the number that line {} announces",
                    vertex, file.vertices, file.header_line));
  if (file.edges < 0 || file.found == file.edges) return;
  if (format == file_format::metis)
    blocks.fail(fmt::format(
        "the lines have {} neighbours, and line {} announces {} edges, which are there at both ends",
        file.found, file.header_line, file.edges / 2));
  blocks.fail(fmt::format("the file has {} edges, and line {} announces {}", file.found, file.header_line,
                          file.edges));
}

int fetch_add(int& counter) { return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed); }

/// Puts edges into rows, sorted by column, then value. for_all(visit): calls visit(from, to, weight) for each, several
/// at a time; it is called twice.
template <class ForAll> csr_matrix<double> rows_of(std::int64_t vertices, const ForAll& for_all) {
  csr_matrix<double> a;
  a.rows = a.cols = static_cast<int>(vertices);
  // While rows are filled, ends[v] is where the next edge of v goes: at last, where row v ends.
  std::vector<int> ends(static_cast<std::size_t>(vertices) + 1);
  for_all([&](int from, int, double) { fetch_add(ends[static_cast<std::size_t>(from)]); });
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0);
  a.offsets = ends;
  std::vector<std::pair<int, double>> placed(static_cast<std::size_t>(ends.back()));
  for_all([&](int from, int to, double weight) {
    placed[static_cast<std::size_t>(fetch_add(ends[static_cast<std::size_t>(from)]))] = {to, weight};
  });
  a.columns.resize(placed.size());
  a.values.resize(placed.size());
  for_each_range(vertices, [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
      std::sort(placed.begin() + a.offsets[v], placed.begin() + a.offsets[v + 1]);
      for (int k = a.offsets[v]; k < a.offsets[v + 1]; ++k)
        std::tie(a.columns[static_cast<std::size_t>(k)], a.values[static_cast<std::size_t>(k)]) =
            placed[static_cast<std::size_t>(k)];
    }
  });
  return a;
}

std::int64_t vertices_of(const edge_file& file) {
  if (file.vertices >= 0) return file.vertices;
  int last = -1;
  for (const auto& piece : file.pieces)
    for (const edge& each : piece) last = std::max({last, each.from, each.to});
  return std::int64_t{last} + 1;
}

edge_rows to_rows(const edge_file& file) {
  const auto for_all = [&](const auto& visit) {
    for_each_range(static_cast<std::int64_t>(file.pieces.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (const edge& each : file.pieces[static_cast<std::size_t>(i)])
          visit(each.from, each.to, each.weight);
    });
  };
  return {rows_of(vertices_of(file), for_all), file.has_weights, file.first_vertex};
}

/// Calls visit(from, to, weight) for all edges of rows, several at a time.
template <class Visit> void for_each_entry(const csr_matrix<double>& a, const Visit& visit) {
  for_each_range(a.rows, [&](std::int64_t begin, std::int64_t end) {
    for (int v = static_cast<int>(begin); v < static_cast<int>(end); ++v)
      for (int k = a.offsets[static_cast<std::size_t>(v)]; k < a.offsets[static_cast<std::size_t>(v) + 1];
           ++k)
        visit(v, a.columns[static_cast<std::size_t>(k)], a.values[static_cast<std::size_t>(k)]);
  });
}

/// Of edges from one vertex to another the first, which is the lightest.
void keep_lightest(csr_matrix<double>& a) {
  int kept = 0, begin = 0;
  for (std::size_t v = 0; v + 1 < a.offsets.size(); ++v) {
    const int end = a.offsets[v + 1], first = kept;
    for (int k = begin; k < end; ++k) {
      if (kept > first &&
          a.columns[static_cast<std::size_t>(kept) - 1] == a.columns[static_cast<std::size_t>(k)])
        continue;
      a.columns[static_cast<std::size_t>(kept)] = a.columns[static_cast<std::size_t>(k)];
      a.values[static_cast<std::size_t>(kept++)] = a.values[static_cast<std::size_t>(k)];
    }
    a.offsets[v + 1] = kept;
    begin = end;
  }
  a.columns.resize(static_cast<std::size_t>(kept));
  a.values.resize(static_cast<std::size_t>(kept));
}

} // namespace

edge_rows read_edges(byte_source source, file_format format, const matrix_limits& limits) {
  text_blocks blocks(std::move(source));
  try {
    edge_file file = read_header(blocks, format, limits);
    read_all(blocks, format, file);
    const std::int64_t vertices = vertices_of(file);
    if (const auto shortage = memory_shortage(8 * vertices + 28 * file.found))
      blocks.fail(fmt::format("{} vertices and {} edges: {}", vertices, file.found, *shortage));
    return to_rows(file);
  } catch (const std::bad_alloc&) {
    blocks.fail("not enough memory for the edges up to here");
  }
}

csr_matrix<double> both_directions(const csr_matrix<double>& edges) {
  const std::int64_t most = 2 * std::int64_t{edges.atoms()};
  if (most > matrix_limits{}.entries)
    throw memory_error(fmt::format("{} edges in both directions are more than {}: no more are supported",
                                   edges.atoms(), matrix_limits{}.entries));
  if (const auto shortage = memory_shortage(28 * most))
    throw memory_error(fmt::format("{} edges in both directions: {}", edges.atoms(), *shortage));
  csr_matrix<double> both = rows_of(edges.rows, [&](const auto& visit) {
    for_each_entry(edges, [&](int from, int to, double weight) {
      visit(from, to, weight);
      if (from != to) visit(to, from, weight);
    });
  });
  keep_lightest(both);
  return both;
}

bool is_symmetric(const csr_matrix<double>& edges) {
  std::atomic<bool> symmetric{true};
  const auto reverse = [&](int from, int to, double weight) {
    auto first = edges.columns.begin() + edges.offsets[static_cast<std::size_t>(to)];
    const auto last = edges.columns.begin() + edges.offsets[static_cast<std::size_t>(to) + 1];
    for (first = std::lower_bound(first, last, from); first != last && *first == from; ++first)
      if (edges.values[static_cast<std::size_t>(first - edges.columns.begin())] == weight) return true;
    return false;
  };
  for_each_entry(edges, [&](int from, int to, double weight) {
    if (symmetric.load(std::memory_order_relaxed) && !reverse(from, to, weight)) symmetric = false;
  });
  return symmetric;
}

} // namespace evenly::io
