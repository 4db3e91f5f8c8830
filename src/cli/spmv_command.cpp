// SPDX-License-Identifier: Apache-2.0
#include "cli/spmv_command.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
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
#include "io/vector_file.hpp"

namespace evenly::cli {
namespace {

using complex = std::complex<double>;

/// For x and y, here and where they are used. Throws memory_error.
template <class Value> void require_memory(const csr_matrix<Value>& matrix) {
  if (const auto shortage = io::memory_shortage(2 * static_cast<std::int64_t>(sizeof(Value)) *
                                                (std::int64_t{matrix.rows} + matrix.cols)))
    throw io::memory_error(
        fmt::format("vectors for {} rows and {} columns: {}", matrix.rows, matrix.cols, *shortage));
}

void write(const std::string& path, const std::vector<double>& y) { io::write_vector(path, y); }
void write(const std::string& path, std::vector<complex> y) { io::write_complex_vector(path, std::move(y)); }

template <class Value>
void multiply(const spmv_options& options, const csr_matrix<Value>& matrix,
              const std::vector<Value>& host_x) {
  const any_executor exec = make_executor(name_of(options.executor), {.threads = options.threads});
  const auto offsets = to_executor(exec, matrix.offsets);
  const auto columns = to_executor(exec, matrix.columns);
  const auto values = to_executor(exec, matrix.values);
  const auto x = to_executor(exec, host_x);
  const auto y = make_buffer<Value>(exec, static_cast<std::size_t>(matrix.rows));
  const csr_view<Value> a{matrix.rows, matrix.cols, offsets.data(), columns.data(), values.data()};
  any_plan plan(exec, options.schedule, rows_of(a));
  plan.spmv(a, x.span(), y.span());
  write(options.output, to_host(exec, y));
}

template <class Value>
void check_size(const spmv_options& options, const csr_matrix<Value>& matrix, std::size_t size) {
  if (size != static_cast<std::size_t>(matrix.cols))
    throw io::file_error(io::printable(options.x), 0,
                         fmt::format("x has {} numbers, but the matrix has {} columns", size, matrix.cols));
}

csr_matrix<complex> with_complex_values(const csr_matrix<double>& a) {
  return {a.rows, a.cols, a.offsets, a.columns, {a.values.begin(), a.values.end()}};
}

void multiply_by(const spmv_options& options, const csr_matrix<double>& matrix,
                 const std::vector<double>& x) {
  multiply(options, matrix, x);
}
void multiply_by(const spmv_options& options, const csr_matrix<double>& matrix,
                 const std::vector<complex>& x) {
  multiply(options, with_complex_values(matrix), x);
}
void multiply_by(const spmv_options& options, const csr_matrix<complex>& matrix,
                 const std::vector<double>& x) {
  multiply(options, matrix, {x.begin(), x.end()});
}
void multiply_by(const spmv_options& options, const csr_matrix<complex>& matrix,
                 const std::vector<complex>& x) {
  multiply(options, matrix, x);
}

} // namespace

void multiply_files(const spmv_options& options) {
  io::check_output(options.output);
  const io::any_input in = io::load_any_input(options.input, options.reading);
  std::visit(
      [&](const auto& matrix) {
        require_memory(matrix);
        io::any_vector x;
        if (options.x.empty())
          x = std::vector<double>(static_cast<std::size_t>(matrix.cols), 1.0);
        else
          x = io::read_any_vector(options.x);
        std::visit(
            [&](const auto& read) {
              check_size(options, matrix, read.size());
              multiply_by(options, matrix, read);
            },
            x);
      },
      in.matrix);
}

} // namespace evenly::cli
