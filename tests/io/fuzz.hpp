// SPDX-License-Identifier: Apache-2.0
// Gives arbitrary bytes to each reader. The reader returns a value that keeps the rules, or throws file_error of one
// line. The fuzz targets call this, and a test that replays the corpus. It does not use GoogleTest, which the targets
// do not have.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "invariants.hpp"
#include "io/edge_list.hpp"
#include "io/harwell_boeing.hpp"
#include "io/matrix_market.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/points.hpp"
#include "io/serialized_graph.hpp"

namespace evenly::io::testing {

inline constexpr matrix_limits small_limits{.rows = 1 << 16, .cols = 1 << 16, .entries = 1 << 20};

/// Calls read(byte_source) on the bytes. Ends the program if a message has several lines.
template <class Read> void read_any(const std::string& bytes, const Read& read) {
  std::istringstream stream(bytes);
  try {
    read(byte_source(stream, "fuzz"));
  } catch (const file_error& error) {
    const std::string what = error.what();
    if (what != host::printable(what) || !what.starts_with("fuzz:")) std::abort();
  }
}

inline void require_rule(bool holds) {
  if (!holds) std::abort();
}

inline void fuzz_matrix_market(const std::string& bytes) {
  read_any(bytes, [](byte_source source) {
    const auto read = read_any_matrix(std::move(source), small_limits, host::ignore_remark);
    std::visit([](const auto& a) { require_rule(broken_rule(a).empty()); }, read);
  });
  read_any(bytes, [](byte_source source) {
    const auto read = read_exact_matrix(std::move(source), small_limits, host::ignore_remark);
    std::visit([](const auto& a) { require_rule(broken_rule(a).empty()); }, read.matrix);
  });
  read_any(bytes, [](byte_source source) {
    require_rule(broken_rule(read_structure(std::move(source), small_limits, host::ignore_remark)).empty());
  });
}

inline void fuzz_npy(const std::string& bytes) {
  read_any(bytes, [](byte_source source) { read_npy_vector(std::move(source), host::ignore_remark); });
  read_any(bytes, [](byte_source source) {
    array_bytes from(std::move(source));
    const npy_header header = read_npy_header(from);
    require_rule(std::ssize(npy_elements<std::complex<double>>(from, header, host::ignore_remark)) ==
                 header.count);
  });
  read_any(bytes, [](byte_source source) {
    array_bytes from(std::move(source));
    const npy_header header = read_npy_header(from);
    for (const int each : npy_integers(from, header, -5, 100)) require_rule(each >= -5 && each <= 100);
  });
}

/// Bytes that are no archive are made one: parts, of a byte that says which member, two that say how long, and its
/// bytes.
inline std::string archive_of(std::string_view bytes) {
  constexpr std::array<const char*, 9> names{"format.npy",  "shape.npy",  "indptr.npy",
                                             "indices.npy", "data.npy",   "row.npy",
                                             "col.npy",     "coords.npy", "offsets.npy"};
  members all;
  while (bytes.size() > 2) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
    };
    const char* const name = names[byte(0) % names.size()];
    const std::size_t length = byte(1) | byte(2) << 8;
    bytes.remove_prefix(3);
    all.emplace_back(name, bytes.substr(0, length));
    bytes.remove_prefix(std::min(length, bytes.size()));
  }
  return zip(all);
}

inline void fuzz_npz(const std::string& bytes) {
  read_any(starts_zip(bytes) ? bytes : archive_of(bytes), [](byte_source source) {
    const npz_matrix archive(std::move(source), small_limits);
    require_rule(broken_rule(archive.read(host::ignore_remark)).empty());
    std::visit([](const auto& a) { require_rule(broken_rule(a).empty()); }, archive.read_exact().matrix);
  });
}

inline void fuzz_harwell_boeing(const std::string& bytes) {
  read_any(bytes, [](byte_source source) {
    harwell_boeing_file file(std::move(source), small_limits);
    if (file.values() == matrix_field::integer || file.values() == matrix_field::pattern)
      require_rule(broken_rule(file.read<std::int64_t>(host::ignore_remark)).empty());
    else
      require_rule(broken_rule(file.read<std::complex<double>>(host::ignore_remark)).empty());
  });
  read_any(bytes, [](byte_source source) {
    require_rule(
        broken_rule(harwell_boeing_file(std::move(source), small_limits).read<double>(host::ignore_remark))
            .empty());
  });
}

inline void fuzz_points(const std::string& bytes) {
  const auto found_format = format_by_content(bytes);
  for (const file_format format :
       {file_format::ply, file_format::obj, file_format::xyz, file_format::pcd, file_format::npy})
    for (const int frame : {0, 2})
      if ((!found_format || *found_format == format) && (frame == 0 || format == file_format::xyz))
        read_any(bytes, [&](byte_source source) {
          const point_set points = read_points(std::move(source), format, frame, host::ignore_remark);
          require_rule(points.y.size() == points.size() && points.z.size() == points.size());
          for (const auto* axis : {&points.x, &points.y, &points.z})
            require_rule(std::ranges::all_of(*axis, [](double each) { return std::isfinite(each); }));
        });
}

/// As a list in every format, as the first byte's way of reading has it.
inline void fuzz_edges(const std::string& bytes) {
  using c = edge_column;
  const auto first = static_cast<unsigned char>(bytes.empty() ? 0 : bytes.front());
  const std::array<std::vector<c>, 3> columns{
      {{}, {c::source, c::ignored, c::target}, {c::weight, c::target, c::source}}};
  for (const file_format format : {file_format::pairs, file_format::weighted, file_format::adjacency_list,
                                   file_format::dimacs, file_format::metis})
    for (const bool renumber : {false, true})
      read_any(bytes, [&](byte_source source) {
        const read_options how{.columns = columns[first % columns.size()], .renumber = renumber};
        edge_rows read =
            read_edges(std::move(source), format, how,
                       {.limits = small_limits, .say = host::ignore_remark, .takes_two_sets = true});
        require_rule(read.rows.rows <= small_limits.rows && read.rows.cols <= small_limits.rows);
        for (int v = 0; v < read.rows.rows; ++v)
          require_rule(read.labels.find(read.labels.of(v), read.rows.rows) == v);
        if (read.rows.rows != read.rows.cols) return; // two sets of vertices
        read.rows = both_directions(read.rows);
        require_rule(broken_rule(read.rows).empty() && is_symmetric(read.rows));
      });
  for (const file_format format : {file_format::gap, file_format::gap_weighted})
    read_any(bytes, [&](byte_source source) {
      const edge_rows read = read_serialized_graph(std::move(source), format, small_limits);
      require_rule(broken_rule(both_directions(read.rows)).empty());
    });
}

} // namespace evenly::io::testing
