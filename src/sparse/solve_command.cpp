// SPDX-License-Identifier: Apache-2.0
// evenly solve: x with A x = b by an iterative method, checked and timed, or written to a file.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "evenly/io/read.hpp"
#include "host/progress.hpp"
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

using cli::add_executor, cli::add_input, cli::add_json, cli::add_output, cli::add_reading, cli::add_report,
    cli::add_run_options, cli::add_type, cli::choices, cli::command, cli::help_on_generators,
    cli::help_on_results, cli::refuse_outputs_over, cli::refuse_second_standard_input,
    cli::refuse_without_effect, cli::registered, cli::require_files;
using measure::candidate, measure::measurement, measure::name_of, measure::number_type, measure::prepared_run,
    measure::put_times, measure::result_file, measure::usage_error, measure::with_noun;

namespace {

struct solve_options {
  std::string a;
  std::string b; ///< file of b; empty: ones
  bool laplacian = false;
  io::read_options reading;
  solver_choice choice;
  std::string output; ///< x; `-`: standard output; empty: x is checked and timed
  std::string json;
  std::string report;
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0; ///< 0: until the times settle
  bench_options bench;
};

const choices<krylov_method> methods{{"cg", krylov_method::cg}, {"bicgstab", krylov_method::bicgstab}};
const choices<preconditioner_kind> preconditioners{{"none", preconditioner_kind::none},
                                                   {"jacobi", preconditioner_kind::jacobi},
                                                   {"ic0", preconditioner_kind::ic0},
                                                   {"ilu0", preconditioner_kind::ilu0}};
template <class T> std::string name_in(const choices<T>& all, T value) {
  for (const auto& [name, each] : all)
    if (each == value) return std::string(name);
  return {};
}

/// Solves with a progress line. The result of the last iteration.
template <class Value> solve_report solve(placed_solver<Value>& solver, int max_iterations) {
  constexpr int step = 50;
  host::progress shown("solving", max_iterations);
  solver.start();
  solve_report report;
  do {
    report = solver.advance(step);
    shown.at(report.iterations, fmt::format("residual {:.2e}", report.residual));
  } while (report.end == solve_end::running);
  return report;
}

/// Why the result is no solution.
std::string failure_of(const solve_report& report) {
  return fmt::format("no solution after {}, with a relative residual of {:.3g}: {}",
                     with_noun(report.iterations, "iteration"), report.residual, to_string(report.end));
}

/// The residual by its definition may differ by rounding errors from that which the iterations update.
template <class Value> double max_residual(double tolerance) {
  return 10 * tolerance + 1000 * static_cast<double>(std::numeric_limits<Value>::epsilon());
}

template <class Value>
bool measure_solve(const solve_options& options, const csr_matrix<Value>& a, const std::vector<Value>& b,
                   const std::string& name, executor_kind kind, result_file& file, std::string& table,
                   json::value& of_page) {
  const linear_system<Value> system{a, b};
  const auto placed = place_solver(kind, system, options.choice, options.bench);
  placed->prepare();
  const solve_report report = solve(*placed, options.choice.options.max_iterations);
  const std::vector<double> residuals = placed->residuals();
  const double residual = relative_residual(a, b, placed->solution());
  const std::string method = name_in(methods, options.choice.method);
  const std::string preconditioner = name_in(preconditioners, options.choice.options.preconditioner);
  table = fmt::format("{} on {} ({})\n  {}, {}\n  {} with preconditioner {}: {}, relative residual {:.3g}\n",
                      name, name_of(kind), placed->on().time->place(), with_noun(a.rows, "row"),
                      with_noun(a.atoms(), "atom"), method, preconditioner,
                      with_noun(report.iterations, "iteration"), residual);
  std::optional<std::string> error;
  if (!report.converged())
    error = failure_of(report);
  else if (!(residual <= max_residual<Value>(options.choice.options.tolerance)))
    error = fmt::format("the residual of x is {:.3g}, more than the iterations found", residual);
  const auto line_of = [&](const std::string& what, bool ok) {
    return json::value{{"input", name},
                       {"name", what},
                       {"ok", ok},
                       {"method", method},
                       {"preconditioner", preconditioner},
                       {"rows", a.rows},
                       {"atoms", a.atoms()},
                       {"iterations", report.iterations},
                       {"residual", residual},
                       {"end", to_string(report.end)}};
  };
  json::value list = json::array();
  for (const double each : residuals) list.push_back(each);
  of_page["residuals"] = list;
  if (error) {
    table += fmt::format("  FAILED: {}\n", *error);
    auto line = line_of("solve", false);
    line["residuals"] = std::move(list);
    put_times(line, {}, false);
    file.add(line);
    return false;
  }
  const auto run_of = [&](const char* title, std::function<void()> run) {
    candidate made{.name = title, .title = title};
    made.prepare = [run = std::move(run)]() -> prepared_run { return {.run = run}; };
    made.first_error = [] { return std::optional<std::string>(); };
    return made;
  };
  const std::vector<candidate> runs{run_of("prepare", [&] { placed->prepare(); }), run_of("solve", [&] {
                                      placed->start();
                                      while (placed->advance(options.choice.options.max_iterations).end ==
                                             solve_end::running) {
                                      }
                                    })};
  report::timed_table rows("", {{"us/iteration", 14}});
  for (const measurement& each :
       measure::measure_in_turns(placed->on(), runs, report::few_rounds(options.repeat, kind, true))) {
    auto line = line_of(each.what.name, !each.error);
    if (each.what.name == "solve") line["residuals"] = list;
    put_times(line, each.time, !each.error);
    file.add(line);
    const bool iterates = each.what.name == "solve" && report.iterations > 0;
    rows.row(each, {iterates ? fmt::format("{:.4g}", 1e3 * each.time.median / report.iterations) : "-"});
  }
  table += rows.text();
  return rows.errors().empty();
}

template <class Value>
void write_solution(const solve_options& options, const csr_matrix<Value>& a, const std::vector<Value>& b,
                    executor_kind kind) {
  const linear_system<Value> system{a, b};
  const auto placed = place_solver(kind, system, options.choice, options.bench);
  placed->prepare();
  const solve_report report = solve(*placed, options.choice.options.max_iterations);
  if (!report.converged()) throw evenly::error(failure_of(report) + "; nothing is written");
  const std::vector<Value> x = placed->solution();
  io::write_dense<Value>(options.output, io::vector_output, io::vector_of<Value>(x));
}

/// Returns whether all results are correct. Throws evenly::error; then no output file is left.
bool solve_system(const solve_options& options) {
  const executor_kind kind = report::executor_of(options.executor);
  if (!options.output.empty()) io::check_output(options.output);
  const io::input_source source(options.a, options.reading);
  const std::string name = source.name();
  json::value of_page = json::object();
  const auto work = [&](result_file* file, std::string& table) {
    return with_system(source, options.b, options.type, options.laplacian, [&](const auto& a, const auto& b) {
      if (file != nullptr) return measure_solve(options, a, b, name, kind, *file, table, of_page);
      write_solution(options, a, b, kind);
      return true;
    });
  };
  std::string table;
  if (!options.output.empty()) return work(nullptr, table);
  return report::measure_input(
      {.executor = kind,
       .input = name,
       .outputs = {.json = options.json, .page = options.report},
       .head =
           [&] {
             return json::value{{"type", options.type == number_type::single_precision ? "float" : "double"},
                                {"tolerance", options.choice.options.tolerance}};
           },
       .work = [&](result_file& file, std::string& text) { return work(&file, text); },
       .of_page = [&] { return of_page; }});
}

class solve_command : public command {
 public:
  solve_command() : command("solve") {
    const auto timed = [this] { return options_.output.empty(); };
    add_input(*this, "a FILE|GENERATOR", options_.a,
              "A: a square matrix; a file, - for standard input, or a generator")
        .required();
    add_reading(*this, options_.reading);
    add("--b FILE", options_.b,
        "file of b: a number per line, .npy or .mtx; - for standard input (default: ones)");
    add("--laplacian", options_.laplacian,
        "solve with I + L instead of A, where L is the Laplacian of the undirected graph of A's positions");
    add("--method METHOD", options_.choice.method, methods, "a method",
        "cg, for symmetric positive definite matrices, or bicgstab (default: cg)");
    add("--preconditioner NAME", options_.choice.options.preconditioner, preconditioners, "a preconditioner",
        "none, jacobi, ic0 or ilu0 (default: none)");
    add(
        "--tolerance T",
        [this](const std::string& text) {
          options_.choice.options.tolerance = cli::parse_positive("--tolerance", text);
          if (options_.choice.options.tolerance >= 1)
            throw usage_error("--tolerance " + text + ": must be less than 1");
        },
        "end when |b - A x| is at most this times |b| (default: 1e-8)");
    add(
        "--max-iterations N",
        [this](const std::string& text) {
          options_.choice.options.max_iterations =
              cli::parse_count("--max-iterations", text, {1, 100'000'000});
        },
        "fail after this many iterations (default: 1000)");
    add_output(*this, options_.output, io::vector_output,
               "output file of x, complete or absent; no times are measured");
    add_executor(*this, options_.executor);
    add_type(*this, options_.type, "type of the values: float or double (default: double)");
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(*this, options_.repeat, options_.bench, {}, timed);
    add_example("evenly solve grid:x=60,y=50 --laplacian --preconditioner ic0 --on cpu",
                "check and time conjugate gradients with an incomplete factor");
    add_example("evenly solve grid:x=60,y=50 --laplacian --on cpu -o x.mtx", "write the solution");
    add_to_footer(
        "Without a solution the exit status is 1, and no output is written. The table says why, with the "
        "iteration and the residual.\n" +
        help_on_results() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.a});
    if (!options_.output.empty())
      for (const auto& [option, path] : {std::pair{"--json", &options_.json}, {"--report", &options_.report}})
        if (!path->empty())
          throw usage_error(
              fmt::format("{} and -o exclude each other, because -o measures no times", option));
    refuse_second_standard_input({options_.a, options_.b});
    refuse_outputs_over(*this, {options_.a, options_.b});
    refuse_without_effect(*this, options_.output.empty() ? "solve" : "solve -o", options_.executor);
    return solve_system(options_);
  }

 private:
  solve_options options_;
};
const registered<solve_command> solving;

} // namespace
} // namespace evenly::sparse
