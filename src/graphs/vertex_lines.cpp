// SPDX-License-Identifier: Apache-2.0
#include "graphs/vertex_lines.hpp"

#include <cstddef>
#include <cstdio>

#include "io/output_file.hpp"

namespace evenly::cli {
namespace {

void write_lines(const std::string& path, std::int64_t count, const line_writer& append) {
  io::write_output(path, [&](std::FILE* file) {
    constexpr std::size_t chunk = 1 << 16; // bytes
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

} // namespace

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

} // namespace evenly::cli
