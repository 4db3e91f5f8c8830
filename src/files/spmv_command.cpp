// SPDX-License-Identifier: Apache-2.0
// evenly spmv: y = A x with files, in double precision, so that other tools can check the result.

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "evenly/distributed/read.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/io/read.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/sparse/spmv.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "io/vector_file.hpp"
#include "measure/usage_error.hpp"
#include "ranks/ranked_matrix.hpp"
#include "ranks/worlds.hpp"

namespace evenly::files {

using cli::add_block, cli::add_executor, cli::add_input, cli::add_output, cli::add_reading, cli::add_schedule,
    cli::add_threads, cli::command, cli::default_schedule, cli::help_on_generators, cli::help_on_schedules,
    cli::refuse_outputs_over, cli::refuse_second_standard_input, cli::refuse_without_effect, cli::registered,
    cli::require_files, cli::with_block_size;
using measure::executor_kind, measure::name_of;

namespace {

using complex = std::complex<double>;

/// For x and y, here and where they are used. Throws memory_error.
template <class Value> void require_memory(const csr_matrix<Value>& matrix) {
  if (const auto shortage = host::memory_shortage(2 * static_cast<std::int64_t>(sizeof(Value)) *
                                                  (std::int64_t{matrix.rows} + matrix.cols)))
    throw host::memory_error(
        fmt::format("vectors for {} rows and {} columns: {}", matrix.rows, matrix.cols, *shortage));
}

void write(const std::string& path, const std::vector<double>& y) { io::write_vector(path, y); }
void write(const std::string& path, std::vector<complex> y) { io::write_complex_vector(path, std::move(y)); }

/// The numbers as type Value, without a copy if they already have it.
template <class Value, class Given> decltype(auto) as_values(const std::vector<Given>& given) {
  if constexpr (std::same_as<Value, Given>)
    return (given);
  else
    return std::vector<Value>(given.begin(), given.end());
}

class spmv_command : public command {
 public:
  spmv_command() : command("spmv") {
    add_input(*this, "input FILE|GENERATOR", input_,
              "the matrix: a file, - for standard input, or a generator")
        .required();
    add_reading(*this, reading_);
    add("--x FILE", x_,
        "file of the vector: one number per line, or .npy; - for standard input (default: all ones)");
    add_output(
        *this, output_, io::vector_output,
        "output file of the product, complete or absent: .npy, .mtx or text (default: standard output)");
    add_executor(*this, executor_, "executor: cpu, simt or cuda (default: cpu)");
    add_schedule(*this, schedule_);
    add_threads(*this, threads_);
    add_block(*this, block_size_);
    cli::add_ranks(*this, ranks_, "matrix", "product");
    add_example("evenly spmv matrix.mtx", "print the sums of the rows: x is all ones");
    add_example("evenly spmv matrix.mtx --x x.txt -o y.txt --schedule merge_path",
                "multiply by the vector of a file");
    add_example("evenly spmv matrix.mtx --ranks 4", "multiply on four ranks");
    add_to_footer(help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, {input_});
    refuse_second_standard_input({input_, x_});
    refuse_outputs_over(*this, {input_, x_});
    refuse_without_effect(*this, "spmv", std::vector{executor()});
    if (ranks_ != ranks::without_ranks)
      for (const char* const option : {"--schedule", "--block"})
        if (is_given(option))
          throw measure::usage_error(
              fmt::format("{} has no effect with --ranks: ranks are cut by the merge path", option));
    io::check_output(output_);
    // Threads share the reader of whole files, which is parallel too.
    if (ranks_ == ranks::under_mpi && !reading_.format && distributed::is_readable_in_ranges(input_)) {
      on_ranks([&](const auto& world) {
        ranks::ranked_matrix all(world, input_);
        return all.multiply(real_x(all.cols()));
      });
      return true;
    }
    const io::any_input in = io::load_any_input(input_, reading_);
    std::visit([&](const auto& a) { require_memory(a); }, in.matrix);
    if (ranks_ == ranks::without_ranks)
      std::visit([&](const auto& a, const auto& x) { multiply(a, x); }, in.matrix, read_x(in.matrix));
    else
      multiply_on_ranks(in.matrix);
    return true;
  }

 private:
  executor_kind executor() const { return executor_.value_or(executor_kind::cpu); }

  io::any_vector read_x(const io::any_matrix& matrix) const {
    return read_x(std::visit([](const auto& a) { return std::int64_t{a.cols}; }, matrix));
  }
  io::any_vector read_x(std::int64_t cols) const {
    const auto size = static_cast<std::size_t>(cols);
    if (x_.empty()) return std::vector<double>(size, 1.0);
    io::any_vector x = io::read_any_vector(x_);
    const std::size_t found = std::visit([](const auto& read) { return read.size(); }, x);
    if (found != size)
      throw io::file_error(host::printable(x_), 0,
                           fmt::format("x has {} numbers, but the matrix has {} columns", found, size));
    return x;
  }

  /// x for a matrix of real numbers on ranks.
  std::vector<double> real_x(std::int64_t cols) const {
    const io::any_vector x = read_x(cols);
    if (!std::holds_alternative<std::vector<double>>(x)) throw only_real();
    return std::get<std::vector<double>>(x);
  }
  static measure::usage_error only_real() {
    return measure::usage_error("--ranks: ranks multiply real numbers, not complex ones");
  }
  /// Writes product(world), on one process.
  template <class Product> void on_ranks(const Product& product) const {
    const ranks::world world = ranks::named_world(ranks_, threads_);
    const std::vector<double> y = product(world);
    if (world.has_root()) write(output_, y);
  }
  void multiply_on_ranks(const io::any_matrix& matrix) const {
    const auto* const a = std::get_if<csr_matrix<double>>(&matrix);
    if (a == nullptr) throw only_real();
    const std::vector<double> x = real_x(a->cols);
    on_ranks([&](const auto& world) {
      const std::vector<std::int64_t> offsets(a->offsets.begin(), a->offsets.end());
      return ranks::ranked_matrix(world,
                                  {a->rows, a->cols, offsets.data(), a->columns.data(), a->values.data()})
          .multiply(x);
    });
  }

  /// The product is complex if the matrix or the vector is.
  template <class OfMatrix, class OfX>
  void multiply(const csr_matrix<OfMatrix>& matrix, const std::vector<OfX>& vector) const {
    using value = decltype(OfMatrix() * OfX());
    const auto& matrix_values = as_values<value>(matrix.values);
    const auto& vector_values = as_values<value>(vector);
    const any_executor exec = make_executor(name_of(executor()), {.threads = threads_});
    const auto offsets = to_executor(exec, matrix.offsets);
    const auto columns = to_executor(exec, matrix.columns);
    const auto values = to_executor(exec, matrix_values);
    const auto x = to_executor(exec, vector_values);
    const auto y = make_buffer<value>(exec, static_cast<std::size_t>(matrix.rows));
    const csr_view<value> a{matrix.rows, matrix.cols, offsets.data(), columns.data(), values.data()};
    any_plan plan(exec, with_block_size(schedule_, block_size_), rows_of(a));
    plan.spmv(a, x.span(), y.span());
    write(output_, to_host(exec, y));
  }

  std::string input_;
  io::read_options reading_;
  std::string x_;            ///< a file (io::read_vector); empty: all ones
  std::string output_ = "-"; ///< path for io::write_vector
  std::optional<executor_kind> executor_;
  any_schedule schedule_ = default_schedule();
  int threads_ = 0;    ///< 0: all cores
  int block_size_ = 0; ///< 0: the default of the schedule
  int ranks_ = ranks::without_ranks;
};
const registered<spmv_command> spmv_registered;

} // namespace
} // namespace evenly::files
