// SPDX-License-Identifier: Apache-2.0
#include "io/graph_input.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "io/byte_source.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/read_file.hpp"

namespace evenly::io {
namespace {

graph_input read_graph(const std::string& text, const graph_reading& how) {
  if (how.format || names_file(text)) {
    known_file file = open_known(text, how);
    const bool is_list = is_edge_list(file.format);
    edge_rows read = io::read_graph(std::move(file));
    return {input_name(text), std::move(read.rows), read.has_weights, std::move(read.labels), is_list};
  }
  if (how.renumber || !how.columns.empty())
    throw spec_error(
        fmt::format("{} is a generator: --renumber and --columns are for lists of edges", in_quotes(text)));
  input made = load_input(text);
  if (made.matrix.rows != made.matrix.cols)
    throw spec_error(fmt::format("{}: {} rows and {} columns: a graph has as many of both", in_quotes(text),
                                 made.matrix.rows, made.matrix.cols));
  return {.name = made.name, .edges = std::move(made.matrix)};
}

} // namespace

std::string graph_input::memory_remedy() const {
  const bool is_sparse = edges.rows > 4 * std::int64_t{edges.atoms()};
  return is_list && labels.are_consecutive() && is_sparse ? "; --renumber leaves out vertices without edges"
                                                          : "";
}

graph_input load_graph(const std::string& file_or_generator, const graph_reading& how) {
  graph_input read = read_graph(file_or_generator, how);
  read.source = file_or_generator == standard_input ? read.name : printable(file_or_generator);
  if (!how.undirected) return read;
  try {
    read.edges = both_directions(read.edges);
  } catch (const memory_error& e) {
    throw memory_error(read.source + ": " + e.what() + read.memory_remedy());
  }
  return read;
}

void check_graph(const std::string& file_or_generator, const graph_reading& how) {
  if (how.format && file_or_generator != standard_input)
    check_matrix(file_or_generator, how);
  else
    check_input(file_or_generator, how);
}

} // namespace evenly::io
