// SPDX-License-Identifier: Apache-2.0
#include "io/graph_input.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "io/errors.hpp"
#include "io/generators.hpp"
#include "io/input.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {
namespace {

std::optional<edge_format> format_of(const std::string& text, const graph_reading& how) {
  return how.by_ending ? format_by_ending(text) : how.format;
}

graph_input read_graph(const std::string& text, const graph_reading& how) {
  if (const auto format = format_of(text, how)) {
    edge_rows read = read_edges(text, *format);
    return {input_name(text), std::move(read.rows), read.has_weights, read.first_vertex};
  }
  if (!names_file(text)) {
    input made = load_input(text);
    if (made.matrix.rows != made.matrix.cols)
      throw spec_error(fmt::format("{}: {} rows and {} columns: a graph has as many of both", in_quotes(text),
                                   made.matrix.rows, made.matrix.cols));
    return {made.name, std::move(made.matrix)};
  }
  matrix_file read = read_matrix_file(text);
  if (read.matrix.rows != read.matrix.cols)
    throw file_error(fmt::format("{}: {} rows and {} columns: a graph has as many of both", printable(text),
                                 read.matrix.rows, read.matrix.cols));
  return {input_name(text), std::move(read.matrix), read.has_values, 1};
}

} // namespace

graph_input load_graph(const std::string& file_or_generator, const graph_reading& how) {
  graph_input read = read_graph(file_or_generator, how);
  if (how.undirected) read.edges = both_directions(read.edges);
  return read;
}

void check_graph(const std::string& file_or_generator, const graph_reading& how) {
  if (!format_of(file_or_generator, how)) check_input(file_or_generator);
}

} // namespace evenly::io
