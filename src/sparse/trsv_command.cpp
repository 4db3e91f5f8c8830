// SPDX-License-Identifier: Apache-2.0
// evenly trsv: x with T x = b for a triangle T of a matrix, checked and timed, or written to a file.
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "io/dense_output.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/measured_run.hpp"
#include "sparse/solver_place.hpp"
#include "sparse/system_input.hpp"

namespace evenly::sparse {

using cli::add_executor, cli::add_input, cli::add_json, cli::add_output, cli::add_reading,
    cli::add_run_options, cli::add_type, cli::command, cli::help_on_generators, cli::help_on_results,
    cli::refuse_outputs_over, cli::refuse_second_standard_input, cli::refuse_without_effect, cli::registered,
    cli::require_files;
using measure::candidate, measure::measurement, measure::name_of, measure::number_type, measure::prepared_run,
    measure::put_times, measure::result_file, measure::usage_error, measure::with_noun;

namespace {

struct trsv_options {
  std::string a;
  std::string b; ///< file of b; empty: ones
  io::read_options reading;
  bool upper = false;
  triangular_options triangle;
  std::string output; ///< x; `-`: standard output; empty: x is checked and timed
  std::string json;
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0; ///< 0: until the times settle
  bench_options bench;
};

std::size_t place(int at) { return static_cast<std::size_t>(at); }

/// The first equation that does not hold up to the rounding errors of its sum.
template <class Value>
std::optional<std::string> first_error(const csr_matrix<Value>& a, const triangular_options& of,
                                       const std::vector<Value>& b, const std::vector<Value>& x) {
  std::vector<double> sums(b.size()), sizes(b.size()), terms(b.size(), 2);
  const auto add = [&](int row, int column, double value) {
    const double term = value * static_cast<double>(x[place(column)]);
    sums[place(row)] += term;
    sizes[place(row)] += std::abs(term);
    ++terms[place(row)];
  };
  for (int r = 0; r < a.rows; ++r) {
    for (int e = a.offsets[place(r)]; e < a.offsets[place(r) + 1]; ++e) {
      const int c = a.columns[place(e)];
      if (c == r ? of.unit_diagonal : (c < r) != of.lower) continue;
      add(of.transpose ? c : r, of.transpose ? r : c, static_cast<double>(a.values[place(e)]));
    }
    if (of.unit_diagonal) add(r, r, 1);
  }
  for (int r = 0; r < a.rows; ++r) {
    const double right = static_cast<double>(b[place(r)]);
    const double bound = 4 * terms[place(r)] * static_cast<double>(std::numeric_limits<Value>::epsilon()) *
                         (sizes[place(r)] + std::abs(right));
    if (!(std::abs(sums[place(r)] - right) <= bound))
      return fmt::format("equation {} is off by {:.3g}: the solution is wrong, or too large for the type",
                         r + 1, std::abs(sums[place(r)] - right));
  }
  return std::nullopt;
}

template <class Value>
bool measure_solves(const trsv_options& options, const csr_matrix<Value>& a, const std::vector<Value>& b,
                    const std::string& name, executor_kind kind, result_file& file, std::string& table) {
  const linear_system<Value> system{a, b};
  const auto placed = place_triangle(kind, system, options.triangle, options.bench);
  const int levels = placed->plan();
  table = fmt::format("{} on {} ({})\n  {}, {}, {}\n", name, name_of(kind), placed->on().time->place(),
                      with_noun(a.rows, "row"), with_noun(a.atoms(), "atom"), with_noun(levels, "level"));
  const auto run_of = [&](const char* title, bool solves, std::function<void()> run) {
    candidate made{.name = title, .title = title};
    made.prepare = [run = std::move(run)]() -> prepared_run { return {.run = run}; };
    made.first_error = [&, solves]() -> std::optional<std::string> {
      if (!solves) return std::nullopt;
      return first_error(a, options.triangle, b, placed->solution());
    };
    return made;
  };
  const std::vector<candidate> runs{run_of("without analysis", true, [&] { placed->solve_once(); }),
                                    run_of("planned", true, [&] { placed->solve_planned(); }),
                                    run_of("plan", false, [&] { placed->plan(); })};
  report::timed_table rows("", {{"M atoms/s", 14}});
  for (const measurement& each :
       measure::measure_in_turns(placed->on(), runs, report::few_rounds(options.repeat, kind, true))) {
    json::value line{{"input", name},
                     {"name", each.what.name},
                     {"ok", !each.error},
                     {"rows", a.rows},
                     {"atoms", a.atoms()},
                     {"levels", levels},
                     {"upper", options.upper},
                     {"unit_diagonal", options.triangle.unit_diagonal},
                     {"transpose", options.triangle.transpose}};
    put_times(line, each.time, !each.error);
    file.add(line);
    rows.row(each, {fmt::format("{:.4g}", static_cast<double>(a.atoms()) / each.time.median / 1e3)});
  }
  table += rows.text();
  return rows.errors().empty();
}

template <class Value>
void write_solution(const trsv_options& options, const csr_matrix<Value>& a, const std::vector<Value>& b,
                    executor_kind kind) {
  const linear_system<Value> system{a, b};
  const auto placed = place_triangle(kind, system, options.triangle, options.bench);
  placed->solve_once();
  const std::vector<Value> x = placed->solution();
  io::write_dense<Value>(options.output, io::vector_output, io::vector_of<Value>(x));
}

/// Returns whether all results are correct. Throws evenly::error; then no output file is left.
bool solve_triangle(const trsv_options& options) {
  const executor_kind kind = report::executor_of(options.executor);
  if (!options.output.empty()) io::check_output(options.output);
  const io::input_source source(options.a, options.reading);
  const std::string name = source.name();
  const auto loaded = [&](const auto& call) {
    return with_system(source, options.b, options.type, false, call);
  };
  if (!options.output.empty())
    return loaded([&](const auto& a, const auto& b) {
      write_solution(options, a, b, kind);
      return true;
    });
  const auto head = [&] {
    return json::value{{"type", options.type == number_type::single_precision ? "float" : "double"}};
  };
  const auto work = [&](result_file& file, std::string& table) {
    return loaded(
        [&](const auto& a, const auto& b) { return measure_solves(options, a, b, name, kind, file, table); });
  };
  return report::measure_input(
      {.executor = kind, .input = name, .outputs = {.json = options.json}, .head = head, .work = work});
}

class trsv_command : public command {
 public:
  trsv_command() : command("trsv") {
    const auto timed = [this] { return options_.output.empty(); };
    add_input(
        *this, "a FILE|GENERATOR", options_.a,
        "A: a square matrix; a file, - for standard input, or a generator. Entries outside the triangle are "
        "ignored")
        .required();
    add_reading(*this, options_.reading);
    add("--b FILE", options_.b,
        "file of b: a number per line, .npy or .mtx; - for standard input (default: ones)");
    add("--upper", options_.upper, "the upper triangle of A (default: the lower one)");
    add("--unit-diagonal", options_.triangle.unit_diagonal, "ones on the diagonal, whatever A has there");
    add("--transpose", options_.triangle.transpose, "the transpose of the triangle");
    add_output(*this, options_.output, io::vector_output,
               "output file of x, complete or absent; no times are measured");
    add_executor(*this, options_.executor);
    add_type(*this, options_.type, "type of the values: float or double (default: double)");
    add_json(*this, options_.json);
    add_run_options(*this, options_.repeat, options_.bench, {}, timed);
    add_example("evenly trsv grid:x=60,y=50 --unit-diagonal --on cpu --repeat 3",
                "check and time solves with and without a plan");
    add_example("evenly trsv grid:x=60,y=50 --unit-diagonal --upper --on cpu -o upper.txt",
                "write the solution");
    add_to_footer(help_on_results() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.a});
    if (!options_.output.empty() && !options_.json.empty())
      throw usage_error("--json and -o exclude each other, because -o measures no times");
    options_.triangle.lower = !options_.upper;
    refuse_second_standard_input({options_.a, options_.b});
    refuse_outputs_over(*this, {options_.a, options_.b});
    refuse_without_effect(*this, options_.output.empty() ? "trsv" : "trsv -o", options_.executor);
    return solve_triangle(options_);
  }

 private:
  trsv_options options_;
};
const registered<trsv_command> solving_triangles;

} // namespace
} // namespace evenly::sparse
