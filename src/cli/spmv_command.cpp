// SPDX-License-Identifier: Apache-2.0
#include "cli/spmv_command.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/memory.hpp"
#include "evenly/io/read.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/sparse/spmv.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/memory_limits.hpp"
#include "io/output_file.hpp"

namespace evenly::cli {
namespace {

/// For x and y, here and where they are used. Throws memory_error.
void require_memory(const csr_matrix<double>& matrix) {
  if (const auto shortage = io::memory_shortage(16 * (std::int64_t{matrix.rows} + matrix.cols)))
    throw io::memory_error(
        fmt::format("vectors for {} rows and {} columns: {}", matrix.rows, matrix.cols, *shortage));
}

std::vector<double> load_x(const std::string& path, int cols) {
  if (path.empty()) return std::vector<double>(static_cast<std::size_t>(cols), 1.0);
  std::vector<double> x = io::read_vector(path);
  if (x.size() != static_cast<std::size_t>(cols))
    throw io::file_error(io::printable(path), 0,
                         fmt::format("x has {} numbers, but the matrix has {} columns", x.size(), cols));
  return x;
}

} // namespace

void multiply_files(const spmv_options& options) {
  io::check_output(options.output);
  const io::input in = io::load_input(options.input);
  require_memory(in.matrix);
  const any_executor exec = make_executor(name_of(options.executor), {.threads = options.threads});
  const auto& matrix = in.matrix;
  const std::vector<double> host_x = load_x(options.x, matrix.cols);
  const auto offsets = to_executor(exec, matrix.offsets);
  const auto columns = to_executor(exec, matrix.columns);
  const auto values = to_executor(exec, matrix.values);
  const auto x = to_executor(exec, host_x);
  const auto y = make_buffer<double>(exec, static_cast<std::size_t>(matrix.rows));
  const csr_view<double> a{matrix.rows, matrix.cols, offsets.data(), columns.data(), values.data()};
  any_plan plan(exec, options.schedule, rows_of(a));
  plan.spmv(a, x.span(), y.span());
  io::write_vector(options.output, to_host(exec, y));
}

} // namespace evenly::cli
