// SPDX-License-Identifier: Apache-2.0
// evenly spmm: C = A B of a sparse and a dense matrix, checked and timed, or written to a file.
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "evenly/io/file_format.hpp"
#include "host/errors.hpp"
#include "host/progress.hpp"
#include "io/byte_source.hpp"
#include "io/dense_output.hpp"
#include "io/input.hpp"
#include "io/matrix_market.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "json/value.hpp"
#include "measure/comparison.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "peers/beside_option.hpp"
#include "report/measured_run.hpp"
#include "sparse/dense_problem.hpp"
#include "sparse/spmm_bench.hpp"

namespace evenly::sparse {

using cli::add_block, cli::add_executor, cli::add_input, cli::add_json, cli::add_output, cli::add_reading,
    cli::add_run_options, cli::add_type, cli::choices, cli::command, cli::default_schedule, cli::everywhere,
    cli::help_on_generators, cli::help_on_results, cli::names, cli::nowhere, cli::on_simt,
    cli::parse_schedules, cli::refuse_outputs_over, cli::refuse_second_standard_input,
    cli::refuse_without_effect, cli::registered, cli::require_files, cli::schedule_completions,
    cli::with_block_size;
using measure::as_json, measure::candidate, measure::comparison, measure::joined, measure::measure_in_turns,
    measure::measurement, measure::name_of, measure::number_type, measure::repetition, measure::result_file,
    measure::table, measure::time_runs, measure::usage_error, measure::with_noun, measure::wrapped;

using peers::add_beside, peers::candidates_of, peers::load_peers, peers::loaded_peer, peers::versions_of;

namespace {

struct spmm_options {
  std::string a;
  std::string b; ///< file with the values of B; empty: random
  io::read_options reading;
  int width = 32; ///< number of columns of a random B
  dense_layout layout = dense_layout::rows;
  std::vector<any_schedule> schedules; ///< of spmm_schedules()
  std::vector<std::string> beside;     ///< names of peers to time as well
  std::string output; ///< C as Matrix Market; `-`: standard output; empty: C is checked and timed
  std::string json;   ///< path of a file, `-` for standard output, empty for none
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0;      ///< 0: until the times settle
  bench_options bench; ///< its seed is also that of B
};

const char* name_of(dense_layout layout) { return layout == dense_layout::rows ? "row" : "column"; }

io::dense_matrix<double> read_npy_matrix(io::byte_source source) {
  io::array_bytes from(std::move(source));
  const io::npy_header header = io::read_npy_header(from);
  if (header.shape.empty() || header.shape.size() > 2)
    from.fail(fmt::format("an array of shape {}: a matrix has two dimensions, or one if it has one column",
                          header.shape_text()));
  if (header.is_complex()) from.fail("the values are complex, but must be real");
  io::dense_matrix<double> b;
  b.rows = header.shape[0];
  b.cols = header.shape.size() == 2 ? header.shape[1] : 1;
  b.values = io::npy_values(from, header);
  if (header.columns_first || b.rows <= 1 || b.cols <= 1) return b;
  std::vector<double> by_columns(b.values.size());
  for (std::int64_t r = 0; r < b.rows; ++r)
    for (std::int64_t c = 0; c < b.cols; ++c)
      by_columns[place_in(dense_layout::columns, b.rows, b.cols, r, c)] =
          b.values[place_in(dense_layout::rows, b.rows, b.cols, r, c)];
  b.values = std::move(by_columns);
  return b;
}

io::dense_matrix<double> read_dense(const std::string& path) {
  io::byte_source source(path);
  if (io::format_by_content(source.peek(io::sniffed_bytes)) == io::file_format::npy)
    return read_npy_matrix(std::move(source));
  return io::read_dense_market<double>(std::move(source));
}

template <class Value>
void write_product(const spmm_options& options, const dense_problem<Value>& of, executor_kind kind) {
  const bench on = make_dense_bench<Value>(kind, of, nullptr, options.bench);
  on.candidate_of(options.schedules.front()).prepare().run();
  const auto c = std::get<std::vector<Value>>(on.out->result());
  io::write_dense<Value>(options.output, io::dense_matrix_output,
                         {.values = c,
                          .rows = of.a.rows,
                          .cols = of.width,
                          .columns_first = of.layout == dense_layout::columns});
}

/// The requested schedules, the baselines and the peers.
std::vector<candidate> candidates(const spmm_options& options, executor_kind kind,
                                  std::span<const loaded_peer> peers, const bench& on) {
  std::vector<candidate> all;
  for (const any_schedule& each : options.schedules) {
    all.push_back(on.candidate_of(each));
    all.back().name = all.back().title = each.text();
  }
  for (candidate& each : on.candidates(0))
    if (!each.is_schedule) all.push_back(std::move(each));
  std::ranges::move(candidates_of(peers, kind, *on.for_peers, on.time->threads()), std::back_inserter(all));
  return all;
}

template <class Value>
bool measure_product(const spmm_options& options, const dense_problem<Value>& of, const std::string& name,
                     executor_kind kind, std::span<const loaded_peer> peers, result_file& file,
                     std::string& table) {
  const product_checker<Value> right(of);
  bench on = make_dense_bench(kind, of, &right, options.bench);
  comparison c{.workload = name,
               .rows = of.a.rows,
               .cols = of.a.cols,
               .atoms = of.a.atoms(),
               .op = fmt::format("spmm:{}", of.width),
               .type = sizeof(Value) == 4 ? "float" : "double",
               .executor = kind,
               .place = on.time->place(),
               .threads = on.time->threads(),
               .cold = kind == executor_kind::cuda && !options.bench.warm,
               .bytes = bytes_moved(of)};
  table = fmt::format("{} x {} on {} ({})\n  {}, {}, B and C by {}\n", name, with_noun(of.width, "column"),
                      name_of(kind), c.place, with_noun(of.a.rows, "row"), with_noun(of.a.atoms(), "atom"),
                      name_of(of.layout));
  const bool simulated = kind == executor_kind::simt;
  repetition times{.exactly = options.repeat};
  if (simulated)
    times = {.exactly = options.repeat, .min_rounds = 1, .max_rounds = 1, .allow_single_run = true};
  c.copy_gbps = c.gbps(time_runs(on, on.time->copy(c.bytes), times));
  if (const auto nothing = on.time->nothing()) c.empty_ms = time_runs(on, nothing, times).median;
  c.results = measure_in_turns(on, candidates(options, kind, peers, on), times);
  std::string choices;
  report::timed_table rows("", {{"GFLOP/s", 14}}, 28);
  for (const measurement& m : c.results) {
    rows.row(m, {fmt::format("{:.4g}", 2e-6 * of.a.atoms() * of.width / m.time.median)});
    if (!m.chosen.empty()) choices += wrapped(fmt::format("{} chose {}", m.what.title, m.why), "  ");
  }
  for (json::value& line : as_json(c)) {
    line.update({{"width", of.width}, {"layout", name_of(of.layout)}, {"rows_checked", right.rows()}});
    file.add(std::move(line));
  }
  table += rows.text() + choices;
  return c.failures() == 0;
}

template <class Value>
bool multiply_as(const spmm_options& options, const csr_matrix<double>& a,
                 const std::optional<io::dense_matrix<double>>& b, const std::string& name,
                 executor_kind kind, std::span<const loaded_peer> peers, result_file* file,
                 std::string& table) {
  const auto of = b ? with_b<Value>(a, *b, options.layout)
                    : with_random_b<Value>(a, options.width, options.layout, options.bench.seed);
  if (file != nullptr) return measure_product(options, of, name, kind, peers, *file, table);
  write_product(options, of, kind);
  return true;
}

void require_fit(const spmm_options& options, const csr_matrix<double>& a, const std::string& name,
                 const io::dense_matrix<double>& b) {
  const auto refuse = [&](const std::string& rule) {
    throw io::file_error(host::printable(options.b), 0, rule);
  };
  if (a.cols != b.rows)
    refuse(
        fmt::format("B has {} rows, but {} has {} columns: the numbers must be equal", b.rows, name, a.cols));
  if (b.cols < 1 || b.cols > max_dense_columns)
    refuse(fmt::format("B has {} columns: it must have 1 to {}", b.cols, max_dense_columns));
}

/// Returns whether all results are correct. Throws evenly::error; then no output file is left.
bool multiply_dense(const spmm_options& options) {
  const executor_kind kind = report::executor_of(options.executor);
  const std::vector<loaded_peer> peers = load_peers(options.beside, {&kind, 1});
  if (!options.output.empty()) io::check_output(options.output);
  const io::input_source source(options.a, options.reading);
  const std::string name = source.name();
  const auto work = [&](result_file* file, std::string& table) {
    const csr_matrix<double> a = source.load().matrix;
    std::optional<io::dense_matrix<double>> b;
    if (!options.b.empty()) {
      b = read_dense(options.b);
      require_fit(options, a, name, *b);
    }
    return options.type == number_type::single_precision
               ? multiply_as<float>(options, a, b, name, kind, peers, file, table)
               : multiply_as<double>(options, a, b, name, kind, peers, file, table);
  };
  std::string table;
  if (!options.output.empty()) return work(nullptr, table);
  json::value head{{"type", options.type == number_type::single_precision ? "float" : "double"}};
  if (!peers.empty()) head["peers"] = versions_of(peers);
  return report::measure_input(
      {.executor = kind,
       .input = name,
       .outputs = {options.json},
       .head = [&] { return head; },
       .work = [&](result_file& file, std::string& text) { return work(&file, text); }});
}

std::string names_of_schedules() {
  std::vector<std::string> names;
  for (const any_schedule& each : spmm_schedules()) names.push_back(each.name());
  return joined(names);
}

class spmm_command : public command {
 public:
  spmm_command() : command("spmm") {
    const auto timed = [this] { return options_.output.empty(); };
    add_input(*this, "a FILE|GENERATOR", options_.a, "A: a file, - for standard input, or a generator")
        .required();
    add_reading(*this, options_.reading);
    add("--width N", options_.width, {1, max_dense_columns}, "number of columns of a random B (default: 32)");
    add("--b FILE", options_.b,
        "file of B, dense: a Matrix Market array or .npy; - for standard input (default: a random B)");
    add("--layout LAYOUT", options_.layout,
        choices<dense_layout>{{"row", dense_layout::rows}, {"column", dense_layout::columns}}, "a layout",
        "memory order of B and C: row or column (default: row)");
    add_output(*this, options_.output, io::dense_matrix_output,
               "output file of C = A B, complete or absent: .mtx or .npy; no times are measured");
    add(
        "--schedule NAME,...", [this](const std::string& list) { schedule_ = list; },
        fmt::format("{} or {} (default: all; with -o {})", names_of_schedules(), default_schedule().name(),
                    default_schedule().name()))
        .completes(schedule_completions({"all", "automatic"}, spmm_schedules()));
    add_executor(*this, options_.executor);
    add_beside(*this, options_.beside, {peers::operation::spmm}).effective([timed] {
      return timed() ? everywhere : nowhere;
    });
    add_type(*this, options_.type, "type of the values: float or double (default: double)");
    add_json(*this, options_.json);
    add_run_options(*this, options_.repeat, options_.bench,
                    {"seed of a random B, and on simt of the thread interleaving (default: 0, in order)",
                     [this] { return options_.b.empty() ? everywhere : on_simt; }},
                    timed);
    add_block(*this, block_size_);
    add_example("evenly spmm rmat:scale=9,edges=8 --width 8 --on cpu --repeat 3",
                "check and time the product with a random matrix of 8 columns");
    add_example("evenly spmm matrix.mtx --b vectors.mtx --on cpu -o product.mtx",
                "multiply by the matrix of a file and write the product");
    add_to_footer(help_on_results() + '\n' + help_on_generators());
  }

  bool run() override {
    const bool writes = !options_.output.empty();
    require_files(*this, {options_.a});
    if (is_given("--width") && !options_.b.empty())
      throw usage_error("--width and --b exclude each other, because the file of --b sets the width");
    if (writes && !options_.json.empty())
      throw usage_error("--json and -o exclude each other, because -o measures no times");
    options_.schedules = chosen_schedules(writes);
    refuse_second_standard_input({options_.a, options_.b});
    refuse_outputs_over(*this, {options_.a, options_.b});
    refuse_without_effect(*this,
                          fmt::format("spmm{}{}", options_.b.empty() ? "" : " --b", writes ? " -o" : ""),
                          options_.executor);
    return multiply_dense(options_);
  }

 private:
  /// Throws usage_error for an unsupported schedule, and for several schedules if `one` is set.
  std::vector<any_schedule> chosen_schedules(bool one) const {
    std::vector<any_schedule> chosen;
    if (!schedule_.empty()) chosen = parse_schedules(schedule_);
    require_few_or_automatic(chosen, "spmm");
    if (chosen.empty()) {
      if (!one || !schedule_.empty()) chosen = spmm_schedules();
      if (!one || schedule_.empty()) chosen.push_back(default_schedule());
    }
    if (one && chosen.size() > 1)
      throw usage_error(fmt::format("-o writes one product, but --schedule {} names {} schedules", schedule_,
                                    chosen.size()));
    for (any_schedule& each : chosen) each = with_block_size(each, block_size_);
    return chosen;
  }

  spmm_options options_;
  std::string schedule_;
  int block_size_ = 0; ///< 0: the default of each schedule
};
const registered<spmm_command> multiplying_dense;

} // namespace
} // namespace evenly::sparse
