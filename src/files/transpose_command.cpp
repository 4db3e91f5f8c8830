// SPDX-License-Identifier: Apache-2.0
// evenly transpose and evenly convert write a matrix with the values of the file: integers, patterns and complex values
// are preserved.

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/transpose.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/progress.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "io/sparse_output.hpp"

namespace evenly::files {

using cli::add_input, cli::add_output, cli::add_reading, cli::add_threads, cli::command,
    cli::help_on_generators, cli::refuse_outputs_over, cli::registered, cli::require_files;
using measure::output;

namespace {

/// Memory of A^T and of the buffers of transpose(). Throws memory_error if it is not available.
template <class Value> void require_memory_of_transpose(const csr_matrix<Value>& a) {
  constexpr std::int64_t of_entry = sizeof(Value) + 7 * sizeof(int);
  if (const auto shortage = host::memory_shortage(of_entry * a.atoms() +
                                                  std::int64_t{sizeof(int)} * (std::int64_t{a.cols} + 1)))
    throw host::memory_error(fmt::format("a transpose of {} entries: {}", a.atoms(), *shortage));
}

template <class Value, class Offset>
void write_rows(const std::string& path, const io::sparse_sizes& sizes, std::span<const Offset> offsets,
                std::span<const int> columns, std::span<const Value> values) {
  host::progress shown("writing " + (path == "-" ? "standard output" : path), sizes.rows);
  io::write_sparse<Value, Offset>(path, sizes, shown, [&](const auto& write) {
    write(io::output_rows<Value, Offset>{0, offsets, columns, values});
  });
}

/// Writes a matrix. A pattern has no values, unless duplicate entries were added.
template <class Value, class Offset>
void write_matrix(const std::string& path, const io::sparse_sizes& sizes, std::span<const Offset> offsets,
                  std::span<const int> columns, std::span<const Value> values, bool is_pattern) {
  if (is_pattern && std::ranges::all_of(values, [](const Value& v) { return v == Value(1); }))
    write_rows<io::pattern_value, Offset>(path, sizes, offsets, columns, {});
  else
    write_rows<Value, Offset>(path, sizes, offsets, columns, values);
}

/// A command that reads a matrix and writes another one.
class rewriting_command : public command {
 public:
  explicit rewriting_command(const char* name) : command(name) {
    add_input(*this, "input FILE|GENERATOR", input_,
              "the matrix: a file, - for standard input, or a generator")
        .required();
    add_reading(*this, reading_);
    add_output(*this, output_, io::sparse_matrix_output,
               "output file, complete or absent: .mtx, or .npz for SciPy (default: Matrix Market on standard "
               "output)");
    add_to_footer(help_on_generators());
  }

 protected:
  /// Reads the input after checking that the output can be written.
  io::exact_input load() const {
    require_files(*this, {input_});
    refuse_outputs_over(*this, {input_});
    io::check_output(output_);
    return io::load_exact_input(input_, reading_);
  }
  const std::string& output() const { return output_; }

 private:
  std::string input_;
  io::read_options reading_;
  std::string output_ = "-";
};

class transpose_command : public rewriting_command {
 public:
  transpose_command() : rewriting_command("transpose") {
    add_threads(*this, threads_);
    add_example("evenly transpose matrix.mtx -o transposed.mtx", "write the transpose to a file");
    add_example("evenly transpose grid:x=3,y=2", "print the transpose of a generated matrix");
  }

  bool run() override {
    const io::exact_input in = load();
    std::visit(
        [&]<class Value>(const csr_matrix<Value>& a) {
          require_memory_of_transpose(a);
          const auto t = transpose(cpu(threads_), a.view());
          write_matrix<Value>(output(), {t.rows, t.cols, t.entries()}, std::span<const int>(t.offsets.span()),
                              t.columns.span(), t.values.span(), in.matrix.is_pattern);
        },
        in.matrix.matrix);
    return true;
  }

 private:
  int threads_ = 0; ///< 0: all cores
};
const registered<transpose_command> transposing;

class convert_command : public rewriting_command {
 public:
  convert_command() : rewriting_command("convert") {
    add_example("evenly convert matrix.mtx -o matrix.npz", "write a file for scipy.sparse.load_npz");
    add_example("evenly convert edges.el -o edges.mtx.gz", "write an edge list as a compressed matrix");
  }

  bool run() override {
    const io::exact_input in = load();
    std::visit(
        [&]<class Value>(const csr_matrix<Value>& a) {
          write_matrix<Value>(output(), {a.rows, a.cols, a.atoms()}, std::span<const int>(a.offsets),
                              a.columns, a.values, in.matrix.is_pattern);
        },
        in.matrix.matrix);
    return true;
  }
};
const registered<convert_command> converting;

} // namespace
} // namespace evenly::files
