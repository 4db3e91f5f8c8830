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
#include "sparse/write_coordinates.hpp"

namespace evenly::cli {
namespace {

/// For A^T and the buffers of transpose(). Throws memory_error.
template <class Value> void require_memory(const csr_matrix<Value>& a) {
  constexpr std::int64_t of_entry = sizeof(Value) + 7 * sizeof(int);
  if (const auto shortage =
          io::memory_shortage(of_entry * a.atoms() + std::int64_t{sizeof(int)} * (std::int64_t{a.cols} + 1)))
    throw io::memory_error(fmt::format("a transpose of {} entries: {}", a.atoms(), *shortage));
}

} // namespace

void transpose_file(const transpose_options& options) {
  io::check_output(options.output);
  const io::exact_input in = io::load_exact_input(options.input, options.reading);
  std::visit(
      [&]<class Value>(const csr_matrix<Value>& a) {
        require_memory(a);
        const bool is_pattern = in.matrix.is_pattern &&
                                std::ranges::all_of(a.values, [](const Value& v) { return v == Value(1); });
        io::progress shown("transposing", a.cols);
        const auto t = transpose(cpu(options.threads), a.view());
        io::write_output(options.output, [&](std::FILE* file) {
          coordinate_writer<Value> to(file, t.rows, t.cols, t.entries(), shown, is_pattern);
          to.add(0, std::span<const int>(t.offsets.span()), t.columns.span(), t.values.span());
          return to.finish();
        });
      },
      in.matrix.matrix);
}

} // namespace evenly::cli
