// SPDX-License-Identifier: Apache-2.0
#include "io/read_file.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/compressed_rows.hpp"
#include "io/edge_list.hpp"
#include "io/harwell_boeing.hpp"
#include "io/matrix_market.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/points.hpp"
#include "io/serialized_graph.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_points(const known_file& file) {
  throw file_error(file.source.name(), 0,
                   fmt::format("{}, but a matrix or a graph is needed", name_of(file.format)));
}

/// An array of two dimensions as a matrix in which all positions are entries.
template <class Value>
csr_matrix<Value> read_dense(array_bytes& from, const npy_header& header,
                             const host::remark_handler& say = host::print_remark) {
  constexpr matrix_limits max;
  if (header.shape.size() != 2)
    from.fail(fmt::format("an array of shape {}: a matrix has two dimensions", header.shape_text()));
  const std::int64_t rows = header.shape[0], cols = header.shape[1];
  if (rows > max.rows || cols > max.cols || header.count > max.entries)
    from.fail(fmt::format("{} rows and {} columns: at most {} and {} are supported, and {} entries", rows,
                          cols, max.rows, max.cols, max.entries));
  std::vector<Value> all = npy_elements<Value>(from, header, say);
  const std::int64_t copy = header.columns_first ? std::int64_t{sizeof(Value)} : 0;
  if (const auto shortage = host::memory_shortage((4 + copy) * header.count + 4 * (rows + 1)))
    from.fail(fmt::format("compressed rows: {}", *shortage));
  csr_matrix<Value> a;
  a.rows = static_cast<int>(rows);
  a.cols = static_cast<int>(cols);
  a.offsets.reserve(static_cast<std::size_t>(rows) + 1);
  for (int row = 0; row < a.rows; ++row) a.offsets.push_back(a.offsets.back() + a.cols);
  a.columns.resize(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    a.columns[k] = static_cast<int>(k % static_cast<std::size_t>(cols));
  if (!header.columns_first) {
    a.values = std::move(all);
    return a;
  }
  a.values.resize(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    a.values[k % static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) +
             k / static_cast<std::size_t>(rows)] = all[k];
  return a;
}

template <class Value, class Given> csr_matrix<Value> with_values(csr_matrix<Given> a) {
  if constexpr (std::is_same_v<Value, Given>)
    return a;
  else
    return {a.rows, a.cols, std::move(a.offsets), std::move(a.columns), {a.values.begin(), a.values.end()}};
}

template <class Value> csr_matrix<Value> read_as(known_file file) {
  switch (file.format) {
  case file_format::matrix_market:
    if constexpr (std::is_same_v<Value, double>)
      return read_matrix_file(std::move(file.source)).matrix;
    else
      return std::visit([](auto&& a) { return with_values<Value>(std::move(a)); },
                        read_any_matrix(std::move(file.source)));
  case file_format::npz: {
    const npz_matrix archive(std::move(file.source));
    if constexpr (std::is_same_v<Value, double>)
      return archive.read();
    else
      return archive.read_complex();
  }
  case file_format::npy: {
    array_bytes from(std::move(file.source));
    return read_dense<Value>(from, read_npy_header(from));
  }
  case file_format::harwell_boeing:
    return harwell_boeing_file(std::move(file.source)).read<Value>();
  case file_format::pairs:
  case file_format::weighted:
  case file_format::adjacency_list:
  case file_format::dimacs:
  case file_format::metis: {
    csr_matrix<double> edges =
        read_edges(std::move(file.source), file.format, file.how, {.takes_two_sets = true}).rows;
    sort_and_add(edges);
    return with_values<Value>(std::move(edges));
  }
  case file_format::gap:
  case file_format::gap_weighted: {
    csr_matrix<double> edges = read_serialized_graph(std::move(file.source), file.format).rows;
    sort_and_add(edges);
    return with_values<Value>(std::move(edges));
  }
  default:
    refuse_points(file);
  }
}

bool is_on_disk(const fs::path& path) {
  std::error_code ignored;
  return path != standard_input && fs::is_regular_file(path, ignored);
}

generate::row_profile profile_of(const auto& a) { return {a.rows, a.cols, generate::filled_rows(a.offsets)}; }

} // namespace

known_file open_known(const fs::path& path, const read_options& how) {
  byte_source source(path);
  std::optional<file_format> format = how.format;
  if (!format) format = format_by_content(source.peek(sniffed_bytes));
  if (!format) format = format_by_ending(source.member_name());
  if (!format) format = format_by_ending(path);
  if (format && how.frame > 0 && *format != file_format::xyz)
    throw file_error(source.name(), 0,
                     fmt::format("frame {} of {}: only .xyz files have frames", how.frame, name_of(*format)));
  if (format) refuse_edge_options(source.name(), *format, how);
  const bool is_binary =
      format == file_format::npy || format == file_format::npz || (format && is_serialized_graph(*format));
  if (is_binary && source.peek(1).empty()) throw file_error(source.name(), 0, "the file is empty");
  if (format) return {std::move(source), *format, path, how};
  if (begins_utf16(source.peek(sniffed_bytes))) throw file_error(source.name(), 1, std::string(utf16_rule));
  constexpr std::string_view unknown =
      "unknown format: Matrix Market, Harwell-Boeing, .npz, .npy, DIMACS, KONECT, .ply, .pcd and .obj are "
      "detected by content, other lists of edges and points by the endings .el, .edgelist, .edges, .txt, "
      ".csv, .tsv, .wel, .adjlist, .graph, .sg, .wsg and .xyz; name the format with --format FORMAT";
  throw file_error(source.name(), 0, source.peek(1).empty() ? "the file is empty" : std::string(unknown));
}

csr_matrix<double> read_matrix(known_file file) { return read_as<double>(std::move(file)); }
csr_matrix<std::complex<double>> read_complex_matrix(known_file file) {
  return read_as<std::complex<double>>(std::move(file));
}

any_matrix read_any_matrix(known_file file, const host::remark_handler& say) {
  if (file.format == file_format::matrix_market) return read_any_matrix(std::move(file.source), {}, say);
  if (file.format == file_format::npy) {
    array_bytes from(std::move(file.source));
    const npy_header header = read_npy_header(from);
    if (header.is_complex()) return read_dense<std::complex<double>>(from, header, say);
    return read_dense<double>(from, header, say);
  }
  if (file.format == file_format::harwell_boeing) {
    harwell_boeing_file from(std::move(file.source));
    if (from.values() == matrix_field::complex) return from.read<std::complex<double>>(say);
    return from.read<double>(say);
  }
  if (file.format != file_format::npz) return read_matrix(std::move(file));
  const npz_matrix archive(std::move(file.source));
  if (archive.is_complex()) return archive.read_complex(say);
  return archive.read(say);
}

exact_matrix read_exact_matrix(known_file file) {
  switch (file.format) {
  case file_format::matrix_market:
    return read_exact_matrix(std::move(file.source));
  case file_format::npz:
    return npz_matrix(std::move(file.source)).read_exact();
  case file_format::npy: {
    array_bytes from(std::move(file.source));
    const npy_header header = read_npy_header(from);
    if (header.is_complex()) return {read_dense<std::complex<double>>(from, header)};
    if (header.is_wide_unsigned()) return {read_dense<std::uint64_t>(from, header)};
    if (header.is_integer()) return {read_dense<std::int64_t>(from, header)};
    return {read_dense<double>(from, header)};
  }
  case file_format::harwell_boeing: {
    harwell_boeing_file from(std::move(file.source));
    const bool is_pattern = from.values() == matrix_field::pattern;
    if (is_pattern || from.values() == matrix_field::integer) return {from.read<std::int64_t>(), is_pattern};
    if (from.values() == matrix_field::complex) return {from.read<std::complex<double>>()};
    return {from.read<double>()};
  }
  default:
    return {read_matrix(std::move(file))};
  }
}

csr_matrix<double> read_structure(known_file file) {
  if (file.format == file_format::matrix_market) return read_structure(std::move(file.source));
  any_matrix read = read_any_matrix(std::move(file));
  if (auto* const real = std::get_if<csr_matrix<double>>(&read)) return std::move(*real);
  auto& a = std::get<csr_matrix<std::complex<double>>>(read);
  const std::size_t entries = a.columns.size();
  return {a.rows, a.cols, std::move(a.offsets), std::move(a.columns), std::vector<double>(entries, 1.0)};
}

edge_rows read_graph(known_file file) {
  const std::string name = file.source.name();
  const auto squared = [&](edge_rows read) {
    if (read.rows.rows != read.rows.cols)
      throw file_error(name, 0,
                       fmt::format("{} rows and {} columns: a graph needs a square matrix", read.rows.rows,
                                   read.rows.cols));
    return read;
  };
  switch (file.format) {
  case file_format::matrix_market: {
    matrix_file read = read_matrix_file(std::move(file.source));
    return squared({std::move(read.matrix), read.has_values, 1, vertex_labels(1)});
  }
  case file_format::harwell_boeing: {
    harwell_boeing_file from(std::move(file.source));
    return squared({from.read<double>(), from.values() != matrix_field::pattern, 1, vertex_labels(1)});
  }
  case file_format::npz:
  case file_format::npy:
    return squared({read_matrix(std::move(file)), true, 0, {}});
  case file_format::pairs:
  case file_format::weighted:
  case file_format::adjacency_list:
  case file_format::dimacs:
  case file_format::metis:
    return read_edges(std::move(file.source), file.format, file.how);
  case file_format::gap:
  case file_format::gap_weighted:
    return read_serialized_graph(std::move(file.source), file.format);
  default:
    refuse_points(file);
  }
}

point_set read_points(known_file file, point_box* box) {
  if (!may_have_points(file.format))
    throw file_error(file.source.name(), 0, fmt::format("{}, but points are needed", name_of(file.format)));
  return read_points(std::move(file.source), file.format, file.how.frame, host::print_remark, box);
}

generate::row_profile read_rows(known_file file) {
  if (file.format == file_format::matrix_market) return read_row_profile(std::move(file.source));
  return std::visit([](const auto& a) { return profile_of(a); },
                    read_any_matrix(std::move(file), host::ignore_remark));
}

std::optional<checked_file> open_checked(const fs::path& path, const read_options& how) {
  std::error_code ignored;
  const bool is_refused = fs::is_directory(path, ignored) || ::access(path.c_str(), R_OK) != 0;
  if (!is_on_disk(path) && !is_refused) return {};
  known_file file = open_known(path, how);
  if (has_points(file.format)) refuse_points(file);
  checked_file checked{file.source.restart(), file.format, path, how};
  if (file.format == file_format::matrix_market) check_matrix_market(std::move(file.source));
  if (file.format == file_format::npz) npz_matrix(std::move(file.source));
  if (file.format == file_format::harwell_boeing) harwell_boeing_file(std::move(file.source));
  if (file.format == file_format::npy) {
    array_bytes from{std::move(file.source)};
    read_npy_header(from);
  }
  return checked;
}

csr_matrix<double> read_matrix(const fs::path& path, const read_options& how) {
  return read_matrix(open_known(path, how));
}

csr_matrix<std::complex<double>> read_complex_matrix(const fs::path& path, const read_options& how) {
  return read_complex_matrix(open_known(path, how));
}

edge_rows read_graph(const fs::path& path, const read_options& how) {
  return read_graph(open_known(path, how));
}

point_set read_points(const fs::path& path, const read_options& how) {
  return read_points(open_known(path, how));
}
point_set read_points_in_box(const fs::path& path, const read_options& how, point_box& box) {
  return read_points(open_known(path, how), &box);
}

} // namespace evenly::io
