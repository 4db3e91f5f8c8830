// SPDX-License-Identifier: Apache-2.0
// evenly compare: every schedule on every executor, checked and timed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/option_values.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "evenly/io/read_options.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/comparison.hpp"
#include "measure/lane_counts.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "measure/verdict.hpp"
#include "peers/beside_option.hpp"
#include "peers/peers.hpp"
#include "report/results_page.hpp"
#include "runtime/cpu_mappings.hpp"
#include "sparse/dense_problem.hpp"
#include "sparse/format_bench.hpp"
#include "sparse/spmm_bench.hpp"
#include "tour/inputs.hpp"

namespace evenly::compare {

using cli::add_block, cli::add_columns, cli::add_inputs, cli::add_json, cli::add_report, cli::add_run_options,
    cli::add_schedules, cli::add_type, cli::choices, cli::command, cli::everywhere, cli::executors,
    cli::help_on_generators, cli::help_on_results, cli::help_on_schedules, cli::matrix_formats_of_files,
    cli::names, cli::nowhere, cli::on_simt, cli::parse_count, cli::parse_executor, cli::parse_names,
    cli::pick, cli::refuse_outputs_over, cli::refuse_second_standard_input, cli::refuse_without_effect,
    cli::registered, cli::require_files, cli::with_block_size;
using evenly::report::report_results;
using measure::as_json, measure::bench, measure::bench_options, measure::candidate,
    measure::compare_candidates, measure::comparison, measure::count_lanes, measure::count_tiles,
    measure::executor_kind, measure::find_cuda, measure::joined, measure::json_of_verdict,
    measure::lane_counts, measure::make_bench, measure::make_problem, measure::make_simt_bench,
    measure::notes_on_rows, measure::number_name, measure::number_type, measure::operation,
    measure::operation_name, measure::packing, measure::place_heading, measure::print, measure::problem,
    measure::reference, measure::repetition, measure::require_executor, measure::result_file,
    measure::result_head, measure::schedules_to_count, measure::shows_emphasis, measure::simulation_seconds,
    measure::size_class, measure::sizes_heading, measure::table, measure::table_of, measure::tile_statistics,
    measure::time_runs, measure::usable_executors, measure::usage_error, measure::verdict, measure::with_noun,
    measure::wrapped;
using peers::add_beside, peers::candidates_of, peers::load_peers, peers::loaded_peer,
    peers::require_operation, peers::versions_of;
using sparse::is_of_floats, sparse::make_dense_bench, sparse::make_format_bench, sparse::matrix_format,
    sparse::max_dense_columns, sparse::product_checker, sparse::require_few, sparse::require_few_or_automatic,
    sparse::round_to, sparse::with_random_b;

inline const choices<matrix_format> matrix_formats{
    {"csr", matrix_format::csr},        {"csc", matrix_format::csc},   {"coo", matrix_format::coo},
    {"ell", matrix_format::ell},        {"bcsr", matrix_format::bcsr}, {"dia", matrix_format::dia},
    {"packed", matrix_format::packed},  {"half", matrix_format::half}, {"bfloat16", matrix_format::bfloat16},
    {"pattern", matrix_format::pattern}};

namespace {

struct compare_options {
  std::vector<std::string> inputs; ///< empty: a tour of differently shaped inputs
  io::read_options reading;
  operation op = operation::spmv;
  int width = 0; ///< greater than 0: compare C = A B with this many columns, and ignore op
  number_type type = number_type::single_precision;
  /// For spmv. Formats other than csr support few schedules, as C = A B does.
  std::vector<matrix_format> formats{matrix_format::csr};
  std::vector<executor_kind> executors; ///< empty: all usable ones; on simt a few schedules are only counted
  std::vector<any_schedule> schedules;  ///< empty: all
  std::vector<std::string> beside;      ///< names of peers to time as well
  std::string json;                     ///< path of a file, `-` for standard output, empty for none
  std::string report;                   ///< HTML page, likewise
  int repeat = 0;                       ///< 0: until the times settle
  int block_size = 0;                   ///< 0: the default of each schedule
  bench_options bench;
};

/// One input and its executor.
struct stop {
  std::string input;
  std::vector<executor_kind> executors;
  bool is_counted = false; ///< simt: only count, for a few schedules
};

/// The comparison of one input, on any executor.
struct subject {
  std::string op;
  std::string type;
  std::int64_t bytes;       ///< lower bound of the moved bytes
  std::int64_t saved_bytes; ///< savings by the value type of the format
  std::function<bench(executor_kind)> make;
  const reference* right = nullptr; ///< null if candidates check themselves
  matrix_format format = matrix_format::csr;
};

class session {
 public:
  session(const compare_options& options, const std::vector<executor_kind>& executors)
      : options_(options), peers_(load_peers(options.beside, executors)),
        tables_(options.json == "-" || options.report == "-" ? stderr : stdout),
        results_(options.json, [this] { return head(); }) {
    report_results(results_, options.report, [this] {
      const std::lock_guard lock(mutex_);
      return json::value{{"sizes", sizes_}};
    });
    results_.expect(options.inputs);
  }

  void say(std::string_view text) const { print(tables_, text); }

  /// Collects the errors of this input, or of one of its formats, until the end.
  void visit(const stop& each) {
    std::optional<read_input> in;
    for (const matrix_format format : options_.formats) {
      results_.measure(each.input, [&] {
        if (!in) {
          in = read(each.input);
          if (each.is_counted) count(*in);
        }
        compare_on(each, *in, format);
      });
      if (!in) return;
    }
  }

  /// Writes the JSON file. Returns whether all results are correct. Throws inputs_failed.
  bool finish() {
    results_.finish();
    return failures_ == 0;
  }

 private:
  struct read_input {
    io::input input;
    tile_statistics sizes;
  };

  read_input read(const std::string& name) {
    read_input made{options_.op == operation::spmv ? io::load_input(name, options_.reading)
                                                   : io::load_structure(name, options_.reading),
                    {}};
    made.sizes = count_tiles(made.input.matrix.offsets);
    keep_sizes(made.input.name, made.sizes);
    return made;
  }

  void compare_on(const stop& each, const read_input& read, matrix_format format) {
    const auto& [in, s] = read;
    if (options_.width == 0)
      compare_operation(each, in, s, format);
    else if (options_.type == number_type::single_precision)
      compare_products<float>(each, in, s);
    else
      compare_products<double>(each, in, s);
  }

  void compare_operation(const stop& each, const io::input& in, const tile_statistics& s,
                         matrix_format format) {
    problem p = make_problem(options_.op, options_.type, in.matrix, options_.bench.seed);
    const std::int64_t saved = round_to(format, p);
    const reference right(p);
    const auto make = [&](executor_kind kind) {
      return format == matrix_format::csr ? make_bench(kind, p, options_.bench)
                                          : make_format_bench(kind, format, p, options_.bench);
    };
    compare_where(each, in, s,
                  {operation_name(p), number_name(p), bytes_moved(p) - saved, saved, make, &right, format});
  }

  template <class Value>
  void compare_products(const stop& each, const io::input& in, const tile_statistics& s) {
    const auto p = with_random_b<Value>(in.matrix, options_.width, dense_layout::rows, options_.bench.seed);
    const product_checker<Value> right(p);
    const auto make = [&](executor_kind kind) { return make_dense_bench(kind, p, &right, options_.bench); };
    compare_where(each, in, s,
                  {fmt::format("spmm:{}", options_.width), sizeof(Value) == 4 ? "float" : "double",
                   bytes_moved(p), 0, make});
  }

  void compare_where(const stop& each, const io::input& in, const tile_statistics& s, const subject& what) {
    for (const executor_kind kind : each.executors) {
      if (!each.is_counted) print(tables_, sizes_heading(in, s)); // otherwise above the counts
      const comparison c = run(kind, in, what);
      print(tables_, conclusion(c, s, in.matrix.offsets) + '\n');
      failures_ += c.failures();
      for (json::value& result : as_json(c)) results_.add(std::move(result));
      if (kind != executor_kind::simt) keep(verdicts_, {json_of_verdict(c)});
    }
  }

  static std::string sizes_heading(const io::input& in, const tile_statistics& s) {
    return measure::sizes_heading(in.name, in.matrix.rows, in.matrix.cols, in.matrix.atoms(), s);
  }

  /// Prints the lane utilization under several schedules.
  void count(const read_input& read) {
    const auto& [in, s] = read;
    const std::vector<any_schedule> counted =
        options_.schedules.empty() ? schedules_to_count() : options_.schedules;
    std::vector<any_schedule> sized;
    for (const any_schedule& each : counted) sized.push_back(with_block_size(each, options_.block_size));
    const lane_counts counts =
        count_lanes(in.matrix, options_.op, options_.type, sized, options_.bench, make_simt_bench);
    print(tables_, sizes_heading(in, s) + table_of(counts) + '\n');
    failures_ += counts.failures();
    keep(counted_, as_json(in.name, counts));
  }

  void keep(json::value& list, std::vector<json::value> more) {
    const std::lock_guard lock(mutex_);
    for (json::value& each : more) list.push_back(std::move(each));
  }

  void keep_sizes(const std::string& input, const tile_statistics& s) {
    auto tiles = json::array();
    for (const size_class& each : s.histogram)
      tiles.push_back({{"from", each.from}, {"to", each.to}, {"tiles", each.tiles}});
    const std::lock_guard lock(mutex_);
    sizes_.push_back({{"input", input}, {"tiles", std::move(tiles)}});
  }

  comparison run(executor_kind kind, const io::input& in, const subject& what) {
    bench on = what.make(kind);
    if (kind == executor_kind::cuda) used_cuda_ = true;
    comparison c = without_results(kind, in, what, on);
    print(tables_, place_heading(c));
    const repetition times = how_often(kind);
    if (options_.op == operation::expand) c.fill_gbps = c.gbps(time_runs(on, on.time->fill(c.bytes), times));
    if (const auto nothing = on.time->nothing()) c.empty_ms = time_runs(on, nothing, times).median;
    c.packing = on.packing;
    std::vector<candidate> all = candidates(kind, on, what.format);
    if (on.for_peers)
      std::ranges::move(candidates_of(peers_, kind, *on.for_peers, on.time->threads()),
                        std::back_inserter(all));
    if (kind == executor_kind::simt) announce_simulation(all, c.atoms);
    compare_candidates(c, on, all, what.right, times);
    return c;
  }

  /// Prints the expected time of a long simulation.
  void announce_simulation(const std::vector<candidate>& all, std::int64_t atoms) const {
    constexpr double long_seconds = 10;
    double seconds = 0;
    for (const candidate& each : all) try {
        seconds += simulation_seconds(each.prepare(), atoms);
      } catch (const std::exception&) {
        continue; // reported when the candidate is measured
      }
    if (seconds < long_seconds) return;
    print(tables_, wrapped(fmt::format("simt simulates every thread: {} take at least {} here; choose fewer "
                                       "with --schedule NAME,..., or omit --on simt to count a sample",
                                       with_noun(std::ssize(all), "candidate"),
                                       seconds < 90 ? fmt::format("{:.0f} s", seconds)
                                                    : fmt::format("{:.0f} min", seconds / 60)),
                           "  "));
  }

  repetition how_often(executor_kind kind) const {
    if (kind == executor_kind::simt)
      return {.exactly = options_.repeat, .min_rounds = 3, .max_rounds = 3, .allow_single_run = true};
    return {.exactly = options_.repeat};
  }

  /// The requested schedules and the baselines.
  std::vector<candidate> candidates(executor_kind kind, bench& on, matrix_format format) const {
    std::vector<candidate> all = on.candidates(options_.block_size);
    if (!options_.schedules.empty()) {
      std::erase_if(all, [](const candidate& each) { return each.is_schedule; });
      const std::vector<candidate> chosen = chosen_candidates(on);
      all.insert(all.begin(), chosen.begin(), chosen.end());
    } else if (on.candidate_of && format == matrix_format::csr) { // other formats support few schedules
      const auto others = std::ranges::find_if(all, [](const candidate& each) { return !each.is_schedule; });
      all.insert(others, on.candidate_of(with_block_size(any_schedule("automatic"), options_.block_size)));
    }
    if (kind == executor_kind::cpu && options_.schedules.empty() && format == matrix_format::csr)
      for (const std::vector<std::string>& same : evenly::detail::same_on_cpu()) fold(all, same);
    return all;
  }

  /// The requested schedules in the order of the registry, with the user's spelling.
  std::vector<candidate> chosen_candidates(const bench& on) const {
    std::vector<any_schedule> chosen = options_.schedules;
    std::ranges::stable_sort(chosen, {}, &any_schedule::index);
    std::vector<candidate> all;
    for (const any_schedule& each : chosen) {
      all.push_back(on.candidate_of(with_block_size(each, options_.block_size)));
      all.back().name = all.back().title = each.text();
    }
    if (on.unpacked_of)
      for (const any_schedule& each : chosen) {
        all.push_back(on.unpacked_of(with_block_size(each, options_.block_size)));
        all.back().name = all.back().title = each.text();
      }
    return all;
  }

  /// Merges the schedules of `same` into one row.
  static void fold(std::vector<candidate>& all, const std::vector<std::string>& same) {
    candidate* first = nullptr;
    for (candidate& each : all) {
      if (!each.is_schedule || std::ranges::count(same, each.name) == 0) continue;
      if (first == nullptr) {
        first = &each;
      } else {
        first->also.push_back(each.name);
        each.same_as = first->name;
      }
    }
  }

  /// Text below a heading.
  std::string conclusion(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
    if (c.executor == executor_kind::simt) return table(c, shows_emphasis(tables_)) + packing(c);
    const std::string sentences = verdict(c, s, offsets);
    return table(c, shows_emphasis(tables_)) + packing(c) + new_notes(c) +
           (sentences.empty() ? "" : '\n' + wrapped(sentences, "  "));
  }

  /// Notes that no earlier table had.
  std::string new_notes(const comparison& c) {
    std::string text;
    for (const std::string& note : notes_on_rows(c))
      if (written_notes_.insert(note).second) text += note;
    return text;
  }

  comparison without_results(executor_kind kind, const io::input& in, const subject& what,
                             const bench& on) const {
    return {.workload = in.name,
            .rows = in.matrix.rows,
            .cols = in.matrix.cols,
            .atoms = in.matrix.atoms(),
            .op = what.op,
            .format = what.format == matrix_format::csr && options_.formats.size() == 1
                          ? ""
                          : matrix_formats[static_cast<std::size_t>(what.format)].first,
            .type = what.type,
            .executor = kind,
            .place = on.time->place(),
            .threads = on.time->threads(),
            .cold = kind == executor_kind::cuda && !options_.bench.warm,
            .bytes = what.bytes,
            .saved_bytes = what.saved_bytes};
  }

  /// The head of the JSON; also called if the program is interrupted.
  json::value head() {
    json::value all = result_head(used_cuda_ ? find_cuda().text : "");
    const std::lock_guard lock(mutex_);
    if (!peers_.empty()) all["peers"] = versions_of(peers_);
    all["verdicts"] = verdicts_;
    all["counted"] = counted_;
    return all;
  }

  const compare_options& options_;
  std::vector<loaded_peer> peers_;
  std::FILE* tables_;
  std::set<std::string> written_notes_; ///< notes below tables
  int failures_ = 0;
  std::atomic<bool> used_cuda_ = false;
  std::mutex mutex_;                  ///< guards the lists
  json::value sizes_ = json::array(); ///< of the inputs, for the page
  json::value verdicts_ = json::array();
  json::value counted_ = json::array();
  result_file results_; ///< last, because its destructor calls head()
};

/// The headings and matrices of the tour.
std::vector<stop> tour_stops(const std::vector<executor_kind>& executors) {
  std::vector<executor_kind> fast = executors;
  std::erase(fast, executor_kind::simt);
  std::vector<stop> stops;
  if (fast.size() < executors.size()) stops.push_back({tour::counted_matrix, {executor_kind::simt}, true});
  if (!fast.empty())
    for (const char* input : tour::timed_matrices) stops.push_back({input, fast});
  return stops;
}

/// Prints each table when it is complete, and writes JSON. Returns whether all results are correct. Throws
/// evenly::error.
///
/// On cpu, schedules with the same code (runtime/cpu_mappings.hpp) share a row, unless the user names them.
bool compare(const compare_options& options) {
  const auto executors = options.executors.empty() ? usable_executors() : options.executors;
  for (const executor_kind kind : options.executors) require_executor(kind);
  for (const std::string& input : options.inputs) // closes each file: there may be thousands
    io::input_source{input, options.reading};
  session all(options, executors);
  if (options.inputs.empty())
    for (const stop& each : tour_stops(executors)) all.visit(each);
  const bool counts = options.executors.empty() && options.width == 0 &&
                      std::ranges::count(options.formats, matrix_format::csr) > 0;
  std::vector<executor_kind> timed = executors;
  if (options.executors.empty()) std::erase(timed, executor_kind::simt);
  for (const std::string& input : options.inputs) all.visit({input, timed, counts});
  return all.finish();
}

/// The operations, including spmm:W, which stands for its name only.
const choices<operation> compared_operations{{"spmv", operation::spmv},
                                             {"expand", operation::expand},
                                             {"update", operation::update},
                                             {"segmented_reduce", operation::segmented_reduce},
                                             {"segmented_scan", operation::segmented_scan},
                                             {"spmm:W", operation::spmv}};

/// The number W of columns in `spmm:W`; 0 for any other operation.
int parse_width(const std::string& op) {
  constexpr std::string_view name = "spmm";
  if (op != name && !op.starts_with("spmm:")) return 0;
  const std::string_view width = std::string_view(op).substr(std::min(op.size(), name.size() + 1));
  return parse_count("--op spmm:W: W =", width, {1, max_dense_columns});
}

std::vector<std::string> with(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

class compare_command : public command {
 public:
  compare_command() : command("compare") {
    add_inputs(*this, options_.inputs,
               "files, - for standard input, or generators (default: a tour of differently shaped inputs)");
    add(
        "--op OP", [this](const std::string& op) { take_operation(op); },
        "operation: spmv: y = A x (default); spmm:W: C = A B with W columns; expand: write the tile of each "
        "atom; update: add it to the atom's element; segmented_reduce: sum the values of each tile; "
        "segmented_scan: their prefix sums")
        .completes({"spmv", "spmm:32", "expand", "update", "segmented_reduce", "segmented_scan"});
    add(
        "--on EXECUTOR,...",
        [this](const std::string& list) {
          for (const std::string& name : parse_names("--on", list))
            options_.executors.push_back(parse_executor(name));
        },
        "one or more of cpu, simt, cuda (default: cpu, and cuda if there is a GPU; simt only counts)")
        .completes(names(executors));
    add_schedules(*this, options_.schedules, "names of schedules, or all (default: all)");
    add_beside(*this, options_.beside, {peers::operation::spmv, peers::operation::spmm}).effective([this] {
      return has_floats() ? everywhere : nowhere;
    });
    add_type(*this, options_.type, "type of the values, for spmv and spmm: float or double (default: float)")
        .effective([this] { return has_floats() ? everywhere : nowhere; });
    add("--format FORMAT,...", format_,
        "format of A in memory, for spmv: csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern "
        "(default: csr); or the format of input files (default: detected by content and ending): " +
            joined(names(matrix_formats_of_files())))
        .completes(with(names(matrix_formats), names(matrix_formats_of_files())));
    add_columns(*this, options_.reading);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(
        *this, options_.repeat, options_.bench,
        {"seed of x in spmv and of B in spmm, and on simt of the thread interleaving (default: 0, in order)",
         [this] { return has_floats() ? everywhere : on_simt; }});
    add_block(*this, options_.block_size);
    add_example("evenly compare matrix.mtx --on cpu", "time every schedule on your matrix");
    add_example("evenly compare powerlaw:rows=1e4,avg=8,sd=30,max=3e3 --json times.json",
                "use a generated matrix with very unequal rows; also write the times to a file");
    add_example("evenly compare matrix.mtx --schedule merge_path,thread_mapped --on cpu",
                "compare two schedules");
    add_example("evenly compare matrix.mtx --on cpu --beside eigen",
                "time the schedules beside another library");
    add_example("evenly compare matrix.mtx --on cpu --report report.html", "also write a page with charts");
    add_example("evenly compare grid:x=90,y=90 --format dia --on cpu --repeat 1",
                "store the matrix by diagonals");
    add_example("evenly compare grid:x=90,y=90 --op spmm:8 --on cpu --repeat 1",
                "multiply by a dense matrix of 8 columns");
    add_example("evenly compare grid:x=20,y=20 --on simt --op expand --schedule warp_mapped",
                "count another operation on the simulated GPU");
    add_to_footer(help_on_results() + help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, options_.inputs, {"--columns", "--renumber"});
    if (!format_.empty()) take_formats();
    if (options_.width > 0) require_few_or_automatic(options_.schedules, "--op " + op_);
    require_operation(options_.beside, options_.width > 0 ? peers::operation::spmm : peers::operation::spmv);
    if (!options_.beside.empty() && std::ranges::count(options_.formats, matrix_format::csr) == 0)
      throw usage_error("--beside has no effect without --format csr: peers read compressed rows");
    refuse_second_standard_input(options_.inputs);
    refuse_outputs_over(*this, options_.inputs);
    const bool chosen = !options_.executors.empty();
    refuse_without_effect(*this, "compare --op " + operation_text(),
                          chosen ? options_.executors : usable_executors(), chosen);
    return compare(options_);
  }

 private:
  void take_operation(const std::string& op) {
    op_ = op;
    options_.width = parse_width(op);
    if (options_.width == 0) options_.op = pick(compared_operations, "an operation", op);
  }

  std::string operation_text() const {
    if (options_.width > 0) return "spmm";
    if (has_floats()) return "spmv";
    return op_.starts_with("segmented") ? op_ : "expand or update";
  }

  /// All other operations have values of one type.
  bool has_floats() const { return options_.width > 0 || options_.op == operation::spmv; }

  /// Splits the list of formats into formats of A in memory and the format of input files.
  void take_formats() {
    choices<bool> known;
    for (const std::string& name : names(matrix_formats)) known.emplace_back(name, true);
    for (const std::string& name : names(matrix_formats_of_files())) known.emplace_back(name, false);
    std::vector<matrix_format> formats;
    for (const std::string& name : parse_names("--format", format_)) {
      if (pick(known, "a format", name)) {
        formats.push_back(pick(matrix_formats, "a format", name));
        check_format(name, formats.back());
      } else if (options_.reading.format) {
        throw usage_error("--format " + host::in_quotes(format_) +
                          ": two formats of input files; all files must have the same format");
      } else {
        options_.reading.format = pick(matrix_formats_of_files(), "a format", name);
      }
    }
    if (!formats.empty()) options_.formats = formats;
  }

  void check_format(const std::string& name, matrix_format format) const {
    if (!has_floats())
      throw usage_error("--format " + name + " has no effect in compare --op " + operation_text());
    if (format != matrix_format::csr && options_.width > 0)
      throw usage_error("--format " + name + ": spmm needs compressed rows, --format csr");
    if (is_of_floats(format) && options_.type != number_type::single_precision)
      throw usage_error("--format " + name + ": values of 16 bits need --type float");
    if (format != matrix_format::csr) require_few(options_.schedules, "--format " + name);
  }

  compare_options options_;
  std::string op_;
  std::string format_;
};
const registered<compare_command> comparing;

} // namespace

} // namespace evenly::compare
