// SPDX-License-Identifier: Apache-2.0
#include "io/edge_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/parallel.hpp"
#include "io/byte_source.hpp"
#include "io/edge_dialect.hpp"
#include "io/edge_file.hpp"
#include "io/edge_sorting.hpp"
#include "io/field_reader.hpp"
#include "io/numbers.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

bool is_comment(std::string_view line, char mark) { return line.empty() || line.front() == mark; }

int read_vertex(field_reader& fields, const char* what, const edge_file& file) {
  return static_cast<int>(fields.integer(what, file.first_vertex, file.last_vertex()) - file.first_vertex);
}

/// Whether a line begins with the word of DIMACS edges and a blank, or needs no word.
bool has_line_word(std::string_view line, std::string_view word) {
  return word.empty() || (line.starts_with(word) && line.size() > word.size() && line[word.size()] == ' ');
}

void read_arcs(piece_reader& lines, const edge_file& file, edge_piece& out) {
  const std::size_t plain_from = file.line_word.empty() ? 0 : file.line_word.size() + 1;
  for (std::string_view line; lines.next(line);) {
    ++out.lines;
    if (is_comment(line, 'c')) continue;
    const char* at = line.data() + plain_from;
    if (edge plain; has_line_word(line, file.line_word) &&
                    take_plain_edge(at, line.data() + line.size(), file, plain) &&
                    at == line.data() + line.size()) {
      out.edges.push_back(plain);
      continue;
    }
    field_reader fields(lines, line);
    const std::string_view word = file.line_word.empty() ? std::string_view() : fields.word();
    if (word == "n") continue; // of a node
    if (word != file.line_word)
      lines.fail(
          fmt::format("the line begins with {}: lines after the header must be `{} from to{}` or c comments",
                      host::in_quotes(word), file.line_word, file.has_weights ? " weight" : ""));
    edge each{read_vertex(fields, "source", file), 0, 1};
    each.to = read_vertex(fields, "target", file);
    if (file.has_weights) each.weight = read_weight_field(fields, lines, out);
    fields.finish(file.has_weights ? "weight" : "target");
    out.edges.push_back(each);
  }
}

/// Reads the neighbours of the vertices from `vertex` on.
void read_neighbours(piece_reader& lines, const edge_file& file, std::int64_t vertex, edge_piece& out) {
  for (std::string_view line; lines.next(line);) {
    ++out.lines;
    if (!line.empty() && line.front() == '%') continue;
    if (vertex == file.vertices) {
      if (line.empty()) continue;
      lines.fail(fmt::format("{} after the lines of all {} vertices, the number on line {}",
                             host::in_quotes(line), file.vertices, file.header_line));
    }
    field_reader fields(lines, line);
    for (int i = 0; i < file.passed_over; ++i)
      fields.integer("size or weight of the vertex", 0, std::numeric_limits<std::int64_t>::max());
    const std::string_view rest =
        take_plain_neighbours(fields.rest(), file, static_cast<int>(vertex), out.edges);
    field_reader others(lines, rest);
    while (!others.at_end()) {
      edge each{static_cast<int>(vertex), read_vertex(others, "neighbour", file), 1};
      if (file.has_weights) each.weight = read_weight_field(others, lines, out);
      out.edges.push_back(each);
    }
    ++vertex;
  }
}

/// The problems of DIMACS files that are read as graphs.
struct dimacs_problem {
  std::string_view name;
  std::string_view line_word;
  bool has_weights;
};
constexpr std::array<dimacs_problem, 4> dimacs_problems{
    {{"sp", "a", true}, {"edge", "e", false}, {"col", "e", false}, {"tw", "", false}}};

edge_file read_dimacs_header(text_blocks& blocks, const matrix_limits& limits) {
  edge_file file{.limits = limits, .first_vertex = 1};
  for (std::string_view line; blocks.next_line(line);) {
    ++file.header_line;
    if (is_comment(line, 'c')) continue;
    field_reader fields(blocks, line);
    if (fields.word() != "p") blocks.fail("the first line after comments must be `p sp vertices edges`");
    const std::string_view kind = fields.word();
    const auto* const problem = std::ranges::find(dimacs_problems, kind, &dimacs_problem::name);
    if (problem == dimacs_problems.end())
      blocks.fail(fmt::format("the problem is {}: it must be `p sp`, `p edge`, `p col` or `p tw`",
                              host::in_quotes(kind)));
    file.line_word = problem->line_word;
    file.has_weights = problem->has_weights;
    file.may_have_half = problem->line_word == "e";
    file.vertices = fields.integer("number of vertices", 0, limits.rows);
    file.edges = fields.integer("number of edges", 0, limits.entries);
    fields.finish("number of edges");
    return file;
  }
  blocks.fail("the file ends before the line `p sp vertices edges`");
}

/// The METIS format is three digits: whether vertices have sizes, vertices have weights, and edges have weights.
/// Leading zeros may be omitted.
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

edge_file read_metis_header(text_blocks& blocks, const matrix_limits& limits) {
  edge_file file{.limits = limits, .first_vertex = 1};
  for (std::string_view line; blocks.next_line(line);) {
    ++file.header_line;
    if (is_comment(line, '%')) continue;
    field_reader fields(blocks, line);
    file.vertices = fields.integer("number of vertices", 0, limits.rows);
    file.edges = 2 * fields.integer("number of edges", 0, limits.entries / 2);
    read_metis_format(fields, blocks, file);
    return file;
  }
  blocks.fail("the file ends before the line `vertices edges`");
}

/// Reads the names of columns from the first line that is not a comment.
void skip_names_of_columns(text_blocks& blocks) {
  for (std::string_view line; blocks.next_line(line);)
    if (!line.empty() && line.front() != '#' && line.front() != '%') return;
}

edge_file start_list(text_blocks& blocks, edge_dialect dialect, const read_options& how,
                     const edge_reading& more) {
  edge_file file{.limits = more.limits};
  file.has_weights = dialect.has_weights();
  file.first_vertex = dialect.first_vertex;
  file.collects_labels = how.renumber || dialect.has_names;
  if (dialect.is_bipartite && !more.takes_two_sets)
    blocks.fail("the graph is bipartite (`% bip`): sources and targets must be one set of vertices");
  if (dialect.is_bipartite && file.collects_labels)
    blocks.fail("the graph is bipartite (`% bip`): --renumber needs one set of vertices");
  if (dialect.has_header) skip_names_of_columns(blocks);
  file.dialect = std::move(dialect);
  return file;
}

/// Fails unless the edges and labels of the block's lines, and then the result, fit into memory.
void require_memory(const text_blocks& blocks, const edge_file& file) {
  const auto bytes = static_cast<std::int64_t>(blocks.text().size());
  const std::int64_t in_block = bytes / 2; // an edge has at least a digit and a blank
  const std::int64_t labels = file.collects_labels ? 5 * bytes : 0;
  const std::int64_t result = 12 * (file.found + in_block) + 8 * std::max<std::int64_t>(file.vertices, 0);
  if (const auto shortage =
          host::memory_shortage(static_cast<std::int64_t>(sizeof(edge)) * in_block + labels + result))
    blocks.fail(fmt::format("{} edges read: {}", file.found, *shortage));
}

void add_rounded(host::remark& all, const host::remark& in_piece, std::int64_t lines_before) {
  if (all.count == 0 && in_piece.count > 0) {
    all.line = lines_before + in_piece.line;
    all.text = in_piece.text;
  }
  all.count += in_piece.count;
}

void take_pieces(text_blocks& blocks, edge_file& file, std::vector<edge_piece>&& read) {
  for (edge_piece& each : read) {
    file.found += static_cast<std::int64_t>(each.edges.size());
    file.pieces.push_back(std::move(each));
  }
  if (file.found > file.limits.entries)
    blocks.fail(fmt::format("more than {} edges, the supported maximum", file.limits.entries));
}

class list_reader {
 public:
  list_reader(text_blocks& blocks, file_format format, edge_file& file)
      : blocks_(blocks), format_(format), file_(file) {}

  void read_all() {
    for (bool more = true; more; more = blocks_.next()) {
      require_memory(blocks_, file_);
      read_block();
    }
    check_counts();
  }
  const host::remark& rounded() const { return rounded_; }

 private:
  void read_block() {
    std::vector<edge_piece> read;
    const auto cut = [&](const std::vector<std::string_view>& pieces) {
      read.resize(pieces.size());
      if (format_ == file_format::metis) count_vertices(pieces);
    };
    const std::int64_t lines_before = blocks_.line_number();
    blocks_.read_pieces(cut, [&](piece_reader& lines, std::size_t i) { read_piece(lines, i, read[i]); });
    std::int64_t lines = lines_before;
    for (const edge_piece& each : read) {
      add_rounded(rounded_, each.rounded, lines);
      lines += each.lines;
    }
    take_pieces(blocks_, file_, std::move(read));
  }

  /// The first vertex of each piece's lines, in METIS.
  void count_vertices(const std::vector<std::string_view>& pieces) {
    first_of_piece_.assign(pieces.size() + 1, 0);
    host::for_each_range(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        first_of_piece_[i + 1] = piece_reader::count_records(pieces[i], '%');
    });
    for (std::int64_t& each : first_of_piece_) each = vertex_ = std::min(vertex_ + each, file_.vertices);
  }

  void read_piece(piece_reader& lines, std::size_t i, edge_piece& into) const {
    static thread_local std::vector<edge> edges; // keeps its capacity
    constexpr std::size_t max_kept = 1 << 18;    // a line may have 2^27 edges
    if (edges.capacity() > max_kept) std::vector<edge>().swap(edges);
    edges.clear();
    label_collector labels;
    edge_piece piece{.labels = &labels};
    piece.edges = std::move(edges);
    if (format_ == file_format::metis)
      read_neighbours(lines, file_, first_of_piece_[i], piece);
    else if (format_ == file_format::dimacs)
      read_arcs(lines, file_, piece);
    else if (file_.dialect.is_adjacency)
      read_adjacency_lines(lines, file_, piece);
    else
      read_edge_lines(lines, file_, piece);
    edges = std::exchange(piece.edges, {});
    into = {.edges = edges.capacity() > max_kept ? std::exchange(edges, {}) : edges,
            .last_lone = piece.last_lone,
            .has_weights = piece.has_weights,
            .lines = piece.lines,
            .rounded = std::move(piece.rounded),
            .found_labels = labels.finish()};
  }

  void check_counts() const {
    const bool is_metis = format_ == file_format::metis;
    if (is_metis && vertex_ < file_.vertices)
      blocks_.fail(fmt::format("the file ends after the lines of {} of {} vertices, the number on line {}",
                               vertex_, file_.vertices, file_.header_line));
    if (file_.edges < 0 || file_.found == file_.edges) return;
    if (file_.may_have_half && 2 * file_.found == file_.edges) return;
    if (is_metis)
      blocks_.fail(
          fmt::format("the lines have {} neighbours, but line {} announces {} edges of two neighbours each",
                      file_.found, file_.header_line, file_.edges / 2));
    blocks_.fail(fmt::format("the file has {} edges, but line {} announces {}", file_.found,
                             file_.header_line, file_.edges));
  }

  text_blocks& blocks_;
  file_format format_;
  edge_file& file_;
  host::remark rounded_;
  std::int64_t vertex_ = 0; ///< METIS: the vertex of the next line
  std::vector<std::int64_t> first_of_piece_;
};

/// The numbers of rows and columns of the edges.
struct extent {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

extent extent_of(const edge_file& file) {
  if (file.vertices >= 0) return {file.vertices, file.vertices};
  std::vector<edge> last(file.pieces.size(), {-1, -1, 0});
  host::for_each_range(
      static_cast<std::int64_t>(file.pieces.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          last[i].from = file.pieces[i].last_lone;
          for (const edge& each : file.pieces[i].edges) {
            last[i].from = std::max(last[i].from, each.from);
            last[i].to = std::max(last[i].to, each.to);
          }
        }
      });
  extent found;
  for (const edge& each : last) {
    found.rows = std::max(found.rows, std::int64_t{each.from} + 1);
    found.cols = std::max(found.cols, std::int64_t{each.to} + 1);
  }
  if (!file.dialect.is_bipartite) found.rows = found.cols = std::max(found.rows, found.cols);
  return found;
}

/// Replaces label numbers in the edges by vertices.
numbered_labels number_vertices(const text_blocks& blocks, edge_file& file) {
  std::vector<piece_labels> found;
  found.reserve(file.pieces.size());
  for (edge_piece& each : file.pieces) found.push_back(std::move(each.found_labels));
  if (const auto shortage = host::memory_shortage(bytes_to_number(found)))
    blocks.fail(fmt::format("the labels of {} edges: {}", file.found, *shortage));
  numbered_labels numbered = number_labels(std::move(found));
  if (numbered.vertices > file.limits.rows)
    blocks.fail(fmt::format("{} vertices: at most {} are supported", numbered.vertices, file.limits.rows));
  host::for_each_range(
      static_cast<std::int64_t>(file.pieces.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          for (edge& each : file.pieces[i].edges) {
            each.from = numbered.vertex_of[i][static_cast<std::size_t>(each.from)];
            each.to = numbered.vertex_of[i][static_cast<std::size_t>(each.to)];
          }
      });
  file.vertices = numbered.vertices;
  return numbered;
}

edge_rows to_rows(const text_blocks& blocks, edge_file& file) {
  vertex_labels labels(file.first_vertex);
  if (file.collects_labels) labels = number_vertices(blocks, file).labels;
  const extent all = extent_of(file);
  const bool is_announced = file.vertices >= 0;
  if (const auto shortage = host::memory_shortage(bytes_of_rows(all.rows, file.found)))
    blocks.fail(fmt::format(
        "{} vertices and {} edges: {}{}", all.rows, file.found, *shortage,
        is_announced || all.rows < 4 * file.found ? "" : "; --renumber drops vertices without edges"));
  edge_rows read;
  read.rows = rows_of(all.rows, file.pieces.size(), file.found, [&](std::size_t i, const auto& visit) {
    for (const edge& each : file.pieces[i].edges) visit(each);
  });
  read.rows.cols = static_cast<int>(all.cols);
  read.has_weights = file.has_weights || std::ranges::any_of(file.pieces, &edge_piece::has_weights);
  read.first_vertex = labels.first();
  read.labels = std::move(labels);
  return read;
}

void say_remarks(const text_blocks& blocks, const edge_dialect& dialect, const host::remark& rounded,
                 const host::remark_handler& say) {
  if (!dialect.remark.empty()) say(fmt::format("{}:{}: {}", blocks.name(), dialect.line, dialect.remark));
  if (rounded.count > 0)
    say(fmt::format(
        "{}:{}: the weight is {}: integers above 2^53 are rounded to the nearest double ({} in this file)",
        blocks.name(), rounded.line, host::in_quotes(rounded.text), rounded.count));
}

} // namespace

bool is_edge_list(file_format format) {
  return format == file_format::pairs || format == file_format::weighted ||
         format == file_format::adjacency_list;
}

void refuse_edge_options(const std::string& name, file_format format, const read_options& how) {
  if (how.renumber && !is_edge_list(format))
    throw file_error(name, 0, fmt::format("{}: --renumber applies to edge lists only", name_of(format)));
  if (!how.columns.empty() && (!is_edge_list(format) || format == file_format::adjacency_list))
    throw file_error(name, 0, fmt::format("{}: --columns applies to edge lists only", name_of(format)));
}

edge_rows read_edges(byte_source source, file_format format, const read_options& how,
                     const edge_reading& more) {
  refuse_edge_options(source.name(), format, how);
  edge_dialect dialect;
  if (is_edge_list(format))
    dialect = find_dialect(without_byte_order_mark(source.peek(sniffed_bytes)), format, how, source.name());
  text_blocks blocks(std::move(source));
  try {
    edge_file file = format == file_format::dimacs  ? read_dimacs_header(blocks, more.limits)
                     : format == file_format::metis ? read_metis_header(blocks, more.limits)
                                                    : start_list(blocks, std::move(dialect), how, more);
    list_reader reader(blocks, format, file);
    reader.read_all();
    edge_rows read = to_rows(blocks, file);
    if (const auto edge = format == file_format::metis ? find_one_way_edge(read.rows) : std::nullopt)
      more.say(fmt::format("{}: vertex {} has the neighbour {}, but {} does not have {}{}: METIS files list "
                           "each edge at both ends; edges are read as written",
                           blocks.name(), edge->from + 1, edge->to + 1, edge->to + 1, edge->from + 1,
                           file.has_weights ? fmt::format(" with weight {}", edge->weight) : ""));
    say_remarks(blocks, file.dialect, reader.rounded(), more.say);
    return read;
  } catch (const std::bad_alloc&) {
    blocks.fail("not enough memory for the edges up to here");
  }
}

} // namespace evenly::io
