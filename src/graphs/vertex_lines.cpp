// SPDX-License-Identifier: Apache-2.0
#include "graphs/vertex_lines.hpp"

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "io/dense_output.hpp"
#include "io/output_file.hpp"

namespace evenly::graphs {
void write_lines(const std::string& path, std::int64_t count, const line_writer& append) {
  io::write_output(path, [&](std::FILE* file) {
    constexpr std::size_t chunk = 1 << 16; // in bytes
    std::string text;
    const auto write = [&] {
      const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
      text.clear();
      return is_written;
    };
    for (std::int64_t v = 0; v < count; ++v) {
      append(text, v);
      text += '\n';
      if (text.size() >= chunk && !write()) return false;
    }
    return write() && std::fflush(file) == 0;
  });
}

namespace {

/// An unreached vertex has the maximum distance of its type, or the level -1.
template <class Value> bool is_unreached(Value value) {
  return std::is_same_v<Value, std::int64_t> && value == std::numeric_limits<Value>::max();
}

template <class Value> void append(std::string& line, Value value) {
  if (is_unreached(value))
    line += "inf";
  else
    fmt::format_to(std::back_inserter(line), "{}", value);
}

bool is_text(const std::string& path) {
  return io::output_format_of(path, io::vector_output) == io::output_format::text;
}

} // namespace

template <class Value>
void write_vertex_values(const std::string& path, const io::vertex_labels& labels,
                         const std::vector<Value>& values, std::int64_t cols) {
  const std::int64_t vertices = std::ssize(values) / cols;
  if (is_text(path))
    return write_vertex_lines(path, labels, vertices, [&](std::string& line, std::int64_t v) {
      for (std::int64_t i = 0; i < cols; ++i) {
        if (i > 0) line += ' ';
        append(line, values[static_cast<std::size_t>(v * cols + i)]);
      }
    });
  std::vector<Value> marked;
  std::span<const Value> written = values;
  if constexpr (std::is_same_v<Value, std::int64_t>) {
    for (const Value each : values) marked.push_back(is_unreached(each) ? -1 : each);
    written = marked;
  }
  io::write_dense<Value>(path, io::vector_output,
                         {.values = written, .rows = vertices, .cols = cols, .is_vector = cols == 1});
}
template void write_vertex_values(const std::string&, const io::vertex_labels&, const std::vector<int>&,
                                  std::int64_t);
template void write_vertex_values(const std::string&, const io::vertex_labels&,
                                  const std::vector<std::int64_t>&, std::int64_t);
template void write_vertex_values(const std::string&, const io::vertex_labels&, const std::vector<double>&,
                                  std::int64_t);

void write_parents(const std::string& path, const io::vertex_labels& labels,
                   const std::vector<int>& parents) {
  const std::int64_t vertices = std::ssize(parents);
  if (is_text(path))
    return write_vertex_lines(path, labels, vertices, [&](std::string& line, std::int64_t v) {
      const int parent = parents[static_cast<std::size_t>(v)];
      line += parent < 0 ? "-1" : labels.of(parent);
    });
  constexpr std::uint64_t max_label = std::numeric_limits<std::int64_t>::max();
  const bool as_labels =
      !labels.are_names() && (vertices == 0 || labels.number_of(vertices - 1) <= max_label);
  std::vector<std::int64_t> written;
  written.reserve(parents.size());
  for (const int parent : parents)
    written.push_back(parent < 0  ? -1
                      : as_labels ? static_cast<std::int64_t>(labels.number_of(parent))
                                  : parent);
  io::write_dense(path, io::vector_output, io::vector_of<std::int64_t>(written));
}

void write_vertex_lines(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices,
                        const line_writer& append) {
  const bool has_labels = !labels.are_consecutive();
  write_lines(path, vertices, [&](std::string& text, std::int64_t v) {
    if (has_labels) text += labels.of(v) + ' ';
    append(text, v);
  });
}

void write_labels(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices) {
  write_lines(path, vertices, [&](std::string& text, std::int64_t v) { text += labels.of(v); });
}

} // namespace evenly::graphs
