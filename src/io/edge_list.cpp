// SPDX-License-Identifier: Apache-2.0
#include "io/edge_list.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "io/byte_source.hpp"
#include "io/errors.hpp"
#include "io/field_reader.hpp"
#include "io/memory_limits.hpp"
#include "io/numbers.hpp"
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

/// Takes a vertex from `at` on, where a line of plain digits goes on. False, and `at` is anywhere, if it is none.
bool take_vertex(const char*& at, const edge_file& file, int& vertex) {
  std::uint64_t number = 0;
  if (!take_digits(at, number)) return false;
  const auto found = static_cast<std::int64_t>(number);
  vertex = static_cast<int>(found - file.first_vertex);
  return found >= file.first_vertex && found <= file.last_vertex();
}

/// Takes an edge whose line is as most are: numbers, blanks and nothing else. False if it is another, or breaks a
/// rule. A blank or the line's end follows [at, end).
bool take_plain_edge(const char* at, const char* end, const edge_file& file, edge& out) {
  if (!take_vertex(at, file, out.from) || !is_blank(*at)) return false;
  skip_blanks(at);
  if (!take_vertex(at, file, out.to)) return false;
  out.weight = 1;
  if (file.has_weights) {
    if (!is_blank(*at)) return false;
    skip_blanks(at);
    if (!take_real(at, end, out.weight) || !std::isfinite(out.weight)) return false;
  }
  return at == end;
}

int read_vertex(field_reader& fields, const char* what, const edge_file& file) {
  return static_cast<int>(fields.integer(what, file.first_vertex, file.last_vertex()) - file.first_vertex);
}

void read_pair(piece_reader& lines, const edge_file& file, std::vector<edge>& out) {
  comma_free with_blanks;
  for (std::string_view line; lines.next(line);) {
    if (is_comment(line, "#%")) continue;
    if (edge plain; take_plain_edge(line.data(), line.data() + line.size(), file, plain)) {
      out.push_back(plain);
      continue;
    }
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
    if (edge plain;
        line.starts_with("a ") && take_plain_edge(line.data() + 2, line.data() + line.size(), file, plain)) {
      out.push_back(plain);
      continue;
    }
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

/// Takes neighbours from the front of a line while they are plain numbers; returns what is left of it.
std::string_view take_plain_neighbours(std::string_view line, const edge_file& file, int vertex,
                                       std::vector<edge>& out) {
  if (file.has_weights) return line;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    const char* const field = at;
    skip_blanks(at);
    edge each{vertex, 0, 1};
    if (at >= end || !take_vertex(at, file, each.to) || (at != end && !is_blank(*at)))
      return {field, static_cast<std::size_t>(end - field)};
    out.push_back(each);
  }
  return {};
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
    const std::string_view rest = take_plain_neighbours(fields.rest(), file, static_cast<int>(vertex), out);
    field_reader others(lines, rest);
    while (!others.at_end()) {
      edge each{static_cast<int>(vertex), read_vertex(others, "neighbour", file), 1};
      if (file.has_weights) each.weight = read_weight(others, lines);
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
      static thread_local std::vector<edge> edges; // keeps what it has taken
      constexpr std::size_t most_kept = 1 << 18; // of a line that is longer than pieces are there may be 2^27
      if (edges.capacity() > most_kept) std::vector<edge>().swap(edges);
      edges.clear();
      if (format == file_format::metis)
        read_neighbours(lines, file, first_of_piece[i], edges);
      else if (format == file_format::dimacs)
        read_arcs(lines, file, edges);
      else
        read_pair(lines, file, edges);
      if (edges.capacity() > most_kept)
        read[i] = std::exchange(edges, {});
      else
        read[i] = edges;
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

/// Sorts the edges [begin, end) of a row by column, then value, in room[begin, end).
void sort_row(csr_matrix<double>& a, std::size_t begin, std::size_t end, edge* room) {
  const auto in_order = [&](std::size_t k) {
    return a.columns[k - 1] < a.columns[k] ||
           (a.columns[k - 1] == a.columns[k] && a.values[k - 1] <= a.values[k]);
  };
  std::size_t sorted = begin + 1;
  while (sorted < end && in_order(sorted)) ++sorted;
  if (sorted >= end) return;
  for (std::size_t k = begin; k < end; ++k) room[k] = {0, a.columns[k], a.values[k]};
  std::sort(room + begin, room + end, [](const edge& left, const edge& right) {
    return left.to != right.to ? left.to < right.to : std::is_lt(std::weak_order(left.weight, right.weight));
  });
  for (std::size_t k = begin; k < end; ++k) {
    a.columns[k] = room[k].to;
    a.values[k] = room[k].weight;
  }
}

/// Puts edges into rows, sorted by column, then value. visit_piece(i, visit) calls visit(edge) for the edges of piece
/// i, in the same order each time; pieces are visited side by side, twice. There are at most `most` edges in all.
///
/// Rows are dealt into buckets of neighbours. Each piece counts its edges of each bucket, then puts them there, behind
/// those of pieces before it; then each bucket is put into rows. So there are no atomic operations, and what is written
/// at random lies in a cache.
template <class VisitPiece>
csr_matrix<double> rows_of(std::int64_t vertices, std::size_t pieces, std::int64_t most,
                           const VisitPiece& visit_piece) {
  csr_matrix<double> a;
  a.rows = a.cols = static_cast<int>(vertices);
  a.offsets.resize(static_cast<std::size_t>(vertices) + 1);
  if (vertices == 0 || most == 0) return a;
  constexpr std::int64_t most_buckets = 1024, least_edges = 2048; // of a bucket: below, threads gain nothing
  const std::int64_t wanted = std::clamp<std::int64_t>(
      most / std::max(least_edges, 4 * static_cast<std::int64_t>(pieces)), 1, most_buckets);
  int shift = 0; // a bucket has 2^shift rows
  while (((vertices - 1) >> shift) >= wanted) ++shift;
  const std::size_t buckets = static_cast<std::size_t>((vertices - 1) >> shift) + 1;

  std::vector<std::int64_t> places(pieces * buckets); // how many; then where the next edge goes
  const auto for_each_piece = [&](const auto& body) {
    for_each_range(static_cast<std::int64_t>(pieces), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        body(i, places.data() + i * buckets);
    });
  };
  for_each_piece([&](std::size_t i, std::int64_t* mine) {
    visit_piece(i, [&](const edge& each) { ++mine[each.from >> shift]; });
  });
  std::vector<std::int64_t> begins(buckets + 1);
  std::int64_t next = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    for (std::size_t i = 0; i < pieces; ++i) next += std::exchange(places[i * buckets + b], next);
    begins[b + 1] = next;
  }
  const auto edges = static_cast<std::size_t>(next);
  const auto dealt = std::make_unique_for_overwrite<edge[]>(edges);
  for_each_piece([&](std::size_t i, std::int64_t* mine) {
    visit_piece(
        i, [&](const edge& each) { dealt[static_cast<std::size_t>(mine[each.from >> shift]++)] = each; });
  });

  a.columns.resize(edges);
  a.values.resize(edges);
  for_each_range(static_cast<std::int64_t>(buckets), [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const auto begin = static_cast<std::size_t>(begins[b]), end = static_cast<std::size_t>(begins[b + 1]);
      const auto row_from = static_cast<std::size_t>(b) << shift;
      const std::size_t row_to =
          std::min(row_from + (std::size_t{1} << shift), static_cast<std::size_t>(vertices));
      // While rows are filled, offsets[v + 1] is where the next edge of v goes: at last, where row v ends.
      for (std::size_t k = begin; k < end; ++k) ++a.offsets[static_cast<std::size_t>(dealt[k].from) + 1];
      int place = static_cast<int>(begin);
      for (std::size_t v = row_from; v < row_to; ++v) place += std::exchange(a.offsets[v + 1], place);
      for (std::size_t k = begin; k < end; ++k) {
        const auto to = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(dealt[k].from) + 1]++);
        a.columns[to] = dealt[k].to;
        a.values[to] = dealt[k].weight;
      }
      for (std::size_t v = row_from, from = begin; v < row_to; ++v) {
        const auto to = static_cast<std::size_t>(a.offsets[v + 1]);
        sort_row(a, from, to, dealt.get()); // whose bucket has been read
        from = to;
      }
    }
  });
  return a;
}

std::int64_t vertices_of(const edge_file& file) {
  if (file.vertices >= 0) return file.vertices;
  std::vector<int> last(file.pieces.size(), -1);
  for_each_range(static_cast<std::int64_t>(file.pieces.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      for (const edge& each : file.pieces[i]) last[i] = std::max({last[i], each.from, each.to});
  });
  return std::int64_t{last.empty() ? -1 : *std::ranges::max_element(last)} + 1;
}

edge_rows to_rows(const edge_file& file, std::int64_t vertices) {
  return {rows_of(vertices, file.pieces.size(), file.found,
                  [&](std::size_t i, const auto& visit) {
                    for (const edge& each : file.pieces[i]) visit(each);
                  }),
          file.has_weights, file.first_vertex};
}

/// Calls visit(from, to, weight) for the edges of rows [begin, end).
template <class Visit>
void for_each_entry(const csr_matrix<double>& a, std::int64_t begin, std::int64_t end, const Visit& visit) {
  for (int v = static_cast<int>(begin); v < static_cast<int>(end); ++v)
    for (int k = a.offsets[static_cast<std::size_t>(v)]; k < a.offsets[static_cast<std::size_t>(v) + 1]; ++k)
      visit(v, a.columns[static_cast<std::size_t>(k)], a.values[static_cast<std::size_t>(k)]);
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
    if (const auto shortage = memory_shortage(8 * vertices + 30 * file.found))
      blocks.fail(fmt::format("{} vertices and {} edges: {}", vertices, file.found, *shortage));
    return to_rows(file, vertices);
  } catch (const std::bad_alloc&) {
    blocks.fail("not enough memory for the edges up to here");
  }
}

csr_matrix<double> both_directions(const csr_matrix<double>& edges) {
  const std::int64_t most = 2 * std::int64_t{edges.atoms()};
  if (most > matrix_limits{}.entries)
    throw memory_error(fmt::format("{} edges in both directions are more than {}: no more are supported",
                                   edges.atoms(), matrix_limits{}.entries));
  if (const auto shortage = memory_shortage(30 * most))
    throw memory_error(fmt::format("{} edges in both directions: {}", edges.atoms(), *shortage));
  constexpr std::int64_t pieces = 256; // of rows
  csr_matrix<double> both =
      rows_of(edges.rows, static_cast<std::size_t>(pieces), most, [&](std::size_t i, const auto& visit) {
        const auto piece = static_cast<std::int64_t>(i);
        for_each_entry(edges, edges.rows * piece / pieces, edges.rows * (piece + 1) / pieces,
                       [&](int from, int to, double weight) {
                         visit({from, to, weight});
                         if (from != to) visit({to, from, weight});
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
  for_each_range(edges.rows, [&](std::int64_t begin, std::int64_t end) {
    for_each_entry(edges, begin, end, [&](int from, int to, double weight) {
      if (symmetric.load(std::memory_order_relaxed) && !reverse(from, to, weight)) symmetric = false;
    });
  });
  return symmetric;
}

} // namespace evenly::io
