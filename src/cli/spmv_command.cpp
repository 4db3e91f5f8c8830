// SPDX-License-Identifier: Apache-2.0
#include "cli/spmv_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/memory_limits.hpp"
#include "io/output_file.hpp"
#include "io/vector_file.hpp"
#include "measure/problem.hpp"

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
    throw io::file_error(fmt::format("{}: x has {} numbers, but the matrix has {} columns",
                                     io::printable(path), x.size(), cols));
  return x;
}

} // namespace

void multiply_files(const spmv_options& options) {
  io::check_output(options.output);
  const io::input in = io::load_input(options.input);
  require_memory(in.matrix);
  const problem p = make_spmv_problem(in.matrix, load_x(options.x, in.matrix.cols));
  const std::unique_ptr<bench> on = make_bench(options.executor, p, options.bench);
  const std::vector<candidate> all = on->candidates(options.block_size);
  const auto chosen = std::ranges::find(all, options.schedule, &candidate::name);
  chosen->prepare().run();
  io::write_vector(options.output, std::get<std::vector<double>>(on->result()));
}

} // namespace evenly::cli
