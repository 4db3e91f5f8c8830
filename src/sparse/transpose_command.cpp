// SPDX-License-Identifier: Apache-2.0
#include "sparse/transpose_command.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/transpose.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/memory_limits.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/sparse_output.hpp"

namespace evenly::cli {
namespace {

/// For A^T and the buffers of transpose(). Throws memory_error.
template <class Value> void require_memory(const csr_matrix<Value>& a) {
  constexpr std::int64_t of_entry = sizeof(Value) + 7 * sizeof(int);
  if (const auto shortage =
          io::memory_shortage(of_entry * a.atoms() + std::int64_t{sizeof(int)} * (std::int64_t{a.cols} + 1)))
    throw io::memory_error(fmt::format("a transpose of {} entries: {}", a.atoms(), *shortage));
}

template <class Value, class Offset>
void write_rows(const std::string& path, const io::sparse_sizes& sizes, std::span<const Offset> offsets,
                std::span<const int> columns, std::span<const Value> values) {
  io::progress shown("writing " + (path == "-" ? "standard output" : path), sizes.rows);
  io::write_sparse<Value, Offset>(path, sizes, shown, [&](const auto& write) {
    write(io::output_rows<Value, Offset>{0, offsets, columns, values});
  });
}

/// Writes a matrix; of a pattern no values, unless entries at one place have been added.
template <class Value, class Offset>
void write_matrix(const std::string& path, const io::sparse_sizes& sizes, std::span<const Offset> offsets,
                  std::span<const int> columns, std::span<const Value> values, bool is_pattern) {
  if (is_pattern && std::ranges::all_of(values, [](const Value& v) { return v == Value(1); }))
    write_rows<io::pattern_value, Offset>(path, sizes, offsets, columns, {});
  else
    write_rows<Value, Offset>(path, sizes, offsets, columns, values);
}

} // namespace

void transpose_file(const transpose_options& options) {
  io::check_output(options.output);
  const io::exact_input in = io::load_exact_input(options.input, options.reading);
  std::visit(
      [&]<class Value>(const csr_matrix<Value>& a) {
        require_memory(a);
        const auto t = transpose(cpu(options.threads), a.view());
        write_matrix<Value>(options.output, {t.rows, t.cols, t.entries()},
                            std::span<const int>(t.offsets.span()), t.columns.span(), t.values.span(),
                            in.matrix.is_pattern);
      },
      in.matrix.matrix);
}

void convert_file(const transpose_options& options) {
  io::check_output(options.output);
  const io::exact_input in = io::load_exact_input(options.input, options.reading);
  std::visit(
      [&]<class Value>(const csr_matrix<Value>& a) {
        write_matrix<Value>(options.output, {a.rows, a.cols, a.atoms()}, std::span<const int>(a.offsets),
                            a.columns, a.values, in.matrix.is_pattern);
      },
      in.matrix.matrix);
}

} // namespace evenly::cli
