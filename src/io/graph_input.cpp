// SPDX-License-Identifier: Apache-2.0
#include "io/graph_input.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "generate/generators.hpp"
#include "host/errors.hpp"
#include "io/byte_source.hpp"
#include "io/input.hpp"
#include "io/read_file.hpp"

namespace evenly::io {
namespace {

bool is_file(const std::string& text, const graph_reading& how) { return how.format || names_file(text); }

graph_input read_graph(const std::string& text, known_file file) {
  const bool is_list = is_edge_list(file.format);
  edge_rows read = io::read_graph(std::move(file));
  return {input_name(text), std::move(read.rows), read.has_weights, std::move(read.labels), is_list};
}

graph_input make_graph(const std::string& text, const graph_reading& how) {
  if (how.renumber || !how.columns.empty())
    throw host::spec_error(fmt::format("{} is a generator: --renumber and --columns apply to edge lists only",
                                       host::in_quotes(text)));
  input made = load_input(text);
  if (made.matrix.rows != made.matrix.cols)
    throw host::spec_error(fmt::format("{}: {} rows and {} columns: a graph needs a square matrix",
                                       host::in_quotes(text), made.matrix.rows, made.matrix.cols));
  return {.name = made.name, .edges = std::move(made.matrix), .has_weights = generate::has_weights(text)};
}

/// The graph with its name in messages, and with both directions of each edge if requested.
graph_input completed(graph_input read, const std::string& text, const graph_reading& how) {
  read.source = text == standard_input ? read.name : host::printable(text);
  if (!how.undirected) return read;
  try {
    read.edges = both_directions(read.edges);
  } catch (const host::memory_error& e) {
    throw host::memory_error(read.source + ": " + e.what() + read.memory_remedy());
  }
  return read;
}

} // namespace

std::string graph_input::memory_remedy() const {
  const bool is_sparse = edges.rows > 4 * std::int64_t{edges.atoms()};
  return is_list && labels.are_consecutive() && is_sparse ? "; --renumber drops vertices without edges" : "";
}

graph_input load_graph(const std::string& file_or_generator, const graph_reading& how) {
  return completed(is_file(file_or_generator, how)
                       ? read_graph(file_or_generator, open_known(file_or_generator, how))
                       : make_graph(file_or_generator, how),
                   file_or_generator, how);
}

graph_source::graph_source(std::string file_or_generator, const graph_reading& how)
    : text_(std::move(file_or_generator)), how_(how) {
  if (text_ == standard_input) return;
  if (!is_file(text_, how_))
    input_source{text_};
  else if (std::optional<checked_file> file = open_checked(text_, how_))
    file_ = std::make_unique<checked_file>(std::move(*file));
}
graph_source::~graph_source() = default;

graph_input graph_source::load() {
  if (!file_) return load_graph(text_, how_);
  return completed(read_graph(text_, file_->from_start()), text_, how_);
}

} // namespace evenly::io
