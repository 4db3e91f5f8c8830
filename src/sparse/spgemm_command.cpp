// SPDX-License-Identifier: Apache-2.0
// evenly spgemm: C = A B of sparse matrices, checked and timed, or written to a file.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/progress.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "io/sparse_output.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "peers/beside_option.hpp"
#include "report/measured_run.hpp"
#include "sparse/spgemm_place.hpp"

namespace evenly::sparse {

using cli::add_executor, cli::add_input, cli::add_json, cli::add_output, cli::add_reading,
    cli::add_run_options, cli::add_type, cli::command, cli::everywhere, cli::help_on_generators, cli::nowhere,
    cli::help_on_results, cli::option, cli::refuse_outputs_over, cli::refuse_second_standard_input,
    cli::refuse_without_effect, cli::registered, cli::require_files;
using measure::candidate, measure::prepared_run, measure::put_times;
using measure::measure_in_turns, measure::measurement, measure::name_of, measure::number_type, measure::print,
    measure::repetition, measure::result_file, measure::usage_error, measure::with_noun;
using peers::add_beside, peers::candidates_of, peers::load_peers, peers::loaded_peer, peers::versions_of;

namespace {

struct spgemm_options {
  std::string a;
  std::string b; ///< empty: A
  io::read_options reading;
  std::string output; ///< C as Matrix Market; `-`: standard output; empty: C is checked and timed
  std::string json;   ///< path of a file, `-` for standard output, empty for none
  std::vector<std::string> beside; ///< names of peers to time as well
  std::int64_t memory = 0;         ///< maximum bytes of plan, copies of A and B, and C; 0: all available
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0; ///< 0: until the times settle
  bench_options bench;
};

template <class Value> csr_matrix<Value> as_values(csr_matrix<double> from) {
  if constexpr (std::same_as<Value, double>)
    return from;
  else
    return {from.rows,
            from.cols,
            std::move(from.offsets),
            std::move(from.columns),
            {from.values.begin(), from.values.end()}};
}

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

/// Rows of C that are compared with a slow product: some hundred, including those with the most products. `exact`: sums
/// must have the same bits; otherwise they may differ by the rounding errors of another order of additions.
template <class Value> class row_checker {
 public:
  explicit row_checker(const factors<Value>& of, bool exact = true)
      : of_(of), exact_(exact), wanted_(static_cast<std::size_t>(of.a.rows)) {
    constexpr int some = 500;
    const int step = std::max(1, of.a.rows / some);
    std::int64_t max = -1;
    int longest = 0;
    for (int r = 0; r < of.a.rows; ++r) {
      const std::int64_t products = products_of(r);
      if (r % step == 0 || r + 1 == of.a.rows) wanted_[static_cast<std::size_t>(r)] = true;
      if (products > max) {
        max = products;
        longest = r;
      }
      products_ += products;
    }
    if (of.a.rows > 0) wanted_[static_cast<std::size_t>(longest)] = true;
  }
  std::int64_t products() const { return products_; }
  const std::optional<std::string>& error() const { return error_; }

  /// shown: receives the number of finished rows.
  void operator()(const found_rows<Value>& found, host::progress& shown) {
    for (int i = 0; i < found.rows && !error_; ++i) {
      const int row = found.first_row + i;
      const auto at = static_cast<std::size_t>(i);
      const auto begin = static_cast<std::size_t>(found.offsets[at] - found.offsets[0]);
      const auto size = static_cast<std::size_t>(found.offsets[at + 1] - found.offsets[at]);
      const auto columns = found.columns.subspan(begin, size);
      if (std::ranges::adjacent_find(columns, std::ranges::greater_equal{}) != columns.end())
        error_ = fmt::format("the columns of row {} are not in ascending order", row + 1);
      else if (wanted_[static_cast<std::size_t>(row)] &&
               !is_right(row, columns, found.values.subspan(begin, size)))
        error_ = fmt::format("row {} is wrong", row + 1);
      shown.at(row + 1);
    }
  }

 private:
  std::int64_t products_of(int row) const {
    std::int64_t products = 0;
    for (int k = at(of_.a.offsets, row); k < at(of_.a.offsets, row + 1); ++k) {
      const int of = at(of_.a.columns, k);
      products += at(of_.b.offsets, of + 1) - at(of_.b.offsets, of);
    }
    return products;
  }
  bool is_right(int row, std::span<const int> columns, std::span<const Value> values) const {
    struct entry {
      Value sum = 0;
      double size = 0; ///< the sum of absolute values
    };
    std::map<int, entry> sums;
    int terms = 0;
    for (int k = at(of_.a.offsets, row); k < at(of_.a.offsets, row + 1); ++k) {
      const int from = at(of_.a.columns, k);
      for (int e = at(of_.b.offsets, from); e < at(of_.b.offsets, from + 1); ++e) {
        const volatile Value product =
            at(of_.a.values, k) * at(of_.b.values, e); // rounded before the addition
        entry& to = sums[at(of_.b.columns, e)];
        to.sum += product;
        to.size += std::abs(static_cast<double>(product));
        ++terms;
      }
    }
    const double tolerance = exact_ ? 0 : 4.0 * terms * std::numeric_limits<Value>::epsilon();
    if (sums.size() != columns.size()) return false;
    std::size_t i = 0;
    for (const auto& [column, right] : sums) {
      if (columns[i] != column || !same(values[i], right.sum, tolerance * right.size)) return false;
      ++i;
    }
    return true;
  }
  static bool same(Value a, Value b, double difference) {
    if (difference > 0 && std::abs(static_cast<double>(a) - static_cast<double>(b)) <= difference)
      return true;
    using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<bits>(a) == std::bit_cast<bits>(b) || (std::isnan(a) && std::isnan(b));
  }
  template <class T> static T at(const std::vector<T>& values, int i) {
    return values[static_cast<std::size_t>(i)];
  }

  const factors<Value>& of_;
  bool exact_;
  std::vector<bool> wanted_;
  std::int64_t products_ = 0;
  std::optional<std::string> error_;
};

/// Memory and chunks of a product, known before it is computed.
struct product_plan {
  executor_kind kind;
  product_memory memory;
  std::int64_t of_c = 0;  ///< bytes of the columns and values of C
  std::int64_t chunk = 0; ///< bytes per chunk; 0: all at once
};

/// Prints the memory that will be allocated to standard error, if it is much and standard error is a terminal.
void say(std::int64_t bytes, const std::string& what) {
  constexpr std::int64_t much = 64'000'000;
  if (bytes >= much || ::isatty(STDERR_FILENO) == 1) print(stderr, "evenly: " + what + '\n');
}

void refuse_shortage(executor_kind kind, std::int64_t bytes, const std::string& of) {
  if (kind == executor_kind::cuda) return; // its memory is separate
  if (const auto shortage = host::memory_shortage(bytes))
    throw host::memory_error(fmt::format("{}: {}", of, *shortage));
}

/// Prints the memory that it needs before it allocates. Throws memory_error if it is not available.
template <class Value>
std::unique_ptr<device_product<Value>> plan_product(const spgemm_options& options, const factors<Value>& of,
                                                    product_plan& all) {
  all.memory = memory_of_product(all.kind, of, options.bench);
  const std::int64_t before = all.memory.plan + all.memory.factors;
  if (options.memory > 0 && before > options.memory)
    throw host::memory_error(fmt::format("--memory {}: the plan{} takes {} bytes", options.memory,
                                         all.memory.factors > 0 ? " and the copies of A and B" : "", before));
  say(before, fmt::format("the plan takes up to {}", megabytes(before)));
  refuse_shortage(all.kind, before, "the plan");
  auto place = place_product(all.kind, of, options.bench);
  place->plan();
  all.of_c = place->entries() * static_cast<std::int64_t>(sizeof(int) + sizeof(Value));
  const std::int64_t room = options.memory > 0 ? options.memory - before : all.of_c;
  if (all.of_c > room) all.chunk = std::max<std::int64_t>(room, 1);
  const std::string entries = with_noun(place->entries(), "entry", "entries");
  say(all.of_c, all.chunk > 0 ? fmt::format("C has {}, {}; it is computed in chunks of up to {}", entries,
                                            megabytes(all.of_c), megabytes(all.chunk))
                              : fmt::format("C has {}, {}", entries, megabytes(all.of_c)));
  refuse_shortage(all.kind, all.chunk > 0 ? all.chunk : all.of_c, "a product of " + entries);
  return place;
}

template <class Value>
void write_product(const spgemm_options& options, const factors<Value>& of, product_plan& all) {
  const auto place = plan_product(options, of, all);
  host::progress shown("multiplying", of.a.rows);
  if (all.chunk == 0) place->fill();
  const auto visit_rows = [&](const auto& write) {
    const auto write_found = [&](const found_rows<Value>& found) {
      write(
          io::output_rows<Value, std::int64_t>{found.first_row, found.offsets, found.columns, found.values});
    };
    if (all.chunk > 0)
      place->fill_in_chunks(all.chunk, write_found);
    else
      place->use_filled(write_found);
  };
  io::write_sparse<Value, std::int64_t>(options.output, {of.a.rows, of.b.cols, place->entries()}, shown,
                                        visit_rows);
}

/// A candidate whose result was checked before.
candidate checked(const char* name, std::function<void()> run, std::function<void()> before = {}) {
  candidate made{.name = name, .title = name};
  made.prepare = [run = std::move(run), before = std::move(before)]() -> prepared_run {
    return {.run = run, .before = before};
  };
  made.first_error = [] { return std::optional<std::string>(); };
  return made;
}

/// The products of the library and of peers, in turns.
template <class Value>
std::vector<measurement> time_product(const spgemm_options& options, const factors<Value>& of,
                                      device_product<Value>& place, std::span<const loaded_peer> peers,
                                      const product_plan& all) {
  const bool simulated = all.kind == executor_kind::simt;
  const repetition times{.exactly = options.repeat,
                         .min_rounds = simulated ? 1 : 3,
                         .max_rounds = simulated ? 1 : 20,
                         .allow_single_run = true};
  std::vector<candidate> candidates;
  if (all.chunk > 0)
    candidates.push_back(checked("in chunks", [&] { place.fill_in_chunks(all.chunk, {}); }));
  else
    candidates = {checked("whole call", [&] { place.multiply(); }),
                  checked("planned", [&] { place.fill(); }, [&] { place.allocate(); })};
  peers::sparse_result<Value> c;
  for (candidate& each : candidates_of(peers, all.kind, place.for_peers(c), place.on().time->threads())) {
    each.first_error = [&]() -> std::optional<std::string> {
      if (c.offsets.size() != static_cast<std::size_t>(of.a.rows) + 1) return "C has another number of rows";
      row_checker<Value> check(of, false);
      host::progress shown("checking C", of.a.rows);
      check({0, of.a.rows, c.offsets, c.columns, c.values}, shown);
      c = {};
      return check.error();
    };
    candidates.push_back(std::move(each));
  }
  return measure_in_turns(place.on(), candidates, times);
}

template <class Value>
bool measure_product(const spgemm_options& options, const factors<Value>& of, const std::string& name,
                     product_plan& all, std::span<const loaded_peer> peers, result_file& file,
                     std::string& table) {
  const auto place = plan_product(options, of, all);
  row_checker<Value> check(of);
  {
    host::progress shown("checking C", of.a.rows);
    const auto look = [&](const found_rows<Value>& rows) { check(rows, shown); };
    if (all.chunk > 0) {
      place->fill_in_chunks(all.chunk, look);
    } else {
      place->fill();
      place->use_filled(look);
    }
  }
  table = fmt::format("{} on {} ({})\n  {}, {}, {} of C\n  memory: C {}{}, plan up to {}\n", name,
                      name_of(all.kind), place->on().time->place(), with_noun(of.a.rows, "row"),
                      with_noun(check.products(), "product"), with_noun(place->entries(), "entry", "entries"),
                      megabytes(all.of_c),
                      all.chunk > 0 ? fmt::format(" in chunks of up to {}", megabytes(all.chunk)) : "",
                      megabytes(all.memory.plan));
  const auto line_of = [&](const std::string& what, bool ok) {
    return json::value{{"input", name},
                       {"name", what},
                       {"ok", ok},
                       {"rows", of.a.rows},
                       {"cols", of.b.cols},
                       {"products", check.products()},
                       {"entries", place->entries()},
                       {"bytes_of_plan", all.memory.plan},
                       {"bytes_of_c", all.of_c},
                       {"bytes_of_chunk", all.chunk}};
  };
  if (check.error()) {
    table += fmt::format("  FAILED: {}\n", *check.error());
    auto line = line_of("product", false);
    put_times(line, {}, false);
    file.add(line);
    return false;
  }
  report::timed_table rows("", {{"M products/s", 14}});
  for (const measurement& each : time_product(options, of, *place, peers, all)) {
    auto line = line_of(each.what.name, !each.error);
    put_times(line, each.time, !each.error);
    file.add(line);
    rows.row(each, {fmt::format("{:.4g}", static_cast<double>(check.products()) / each.time.median / 1e3)});
  }
  table += rows.text();
  return rows.errors().empty();
}

template <class Value>
bool multiply_as(const spgemm_options& options, csr_matrix<double> read_a,
                 std::optional<csr_matrix<double>> read_b, const std::string& name, product_plan& all,
                 std::span<const loaded_peer> peers, result_file* file, std::string& table) {
  const auto a = as_values<Value>(std::move(read_a));
  std::optional<csr_matrix<Value>> other;
  if (read_b) other = as_values<Value>(*std::move(read_b));
  const factors<Value> of{a, other ? *other : a};
  if (file == nullptr) {
    write_product(options, of, all);
    return true;
  }
  return measure_product(options, of, name, all, peers, *file, table);
}

/// Returns whether all results are correct. Throws evenly::error; then no output file is left.
bool multiply_sparse(const spgemm_options& options) {
  product_plan all{report::executor_of(options.executor), {}};
  const std::vector<loaded_peer> peers = load_peers(options.beside, {&all.kind, 1});
  if (!options.output.empty()) io::check_output(options.output);
  const io::input_source source_of_a(options.a, options.reading);
  std::optional<io::input_source> source_of_b;
  if (!options.b.empty()) source_of_b.emplace(options.b, options.reading);
  const std::string name_of_a = source_of_a.name(), name_of_b = source_of_b ? source_of_b->name() : name_of_a;
  const std::string name = name_of_a + " x " + name_of_b;
  const auto work = [&](result_file* file, std::string& table) {
    csr_matrix<double> a = source_of_a.load().matrix;
    std::optional<csr_matrix<double>> b;
    if (source_of_b) b = source_of_b->load().matrix;
    const int rows = b ? b->rows : a.rows;
    if (a.cols != rows)
      throw io::file_error(host::printable(options.b.empty() ? options.a : options.b), 0,
                           fmt::format("{} has {} columns and {} has {} rows: the numbers must be equal",
                                       name_of_a, a.cols, name_of_b, rows));
    return options.type == number_type::single_precision
               ? multiply_as<float>(options, std::move(a), std::move(b), name, all, peers, file, table)
               : multiply_as<double>(options, std::move(a), std::move(b), name, all, peers, file, table);
  };
  std::string table;
  if (!options.output.empty()) return work(nullptr, table);
  json::value head{{"type", options.type == number_type::single_precision ? "float" : "double"}};
  if (!peers.empty()) head["peers"] = versions_of(peers);
  return report::measure_input(
      {.executor = all.kind,
       .input = name,
       .outputs = {options.json},
       .head = [&] { return head; },
       .work = [&](result_file& file, std::string& text) { return work(&file, text); }});
}

/// A number of bytes: 4G, 512M, 64k or 1000000; G is 10^9. Throws usage_error.
std::int64_t parse_bytes(const std::string& option, const std::string& text) {
  double count = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit.empty()                 ? 1
                        : unit == "k" || unit == "K" ? 1e3
                        : unit == "M"                ? 1e6
                        : unit == "G"                ? 1e9
                        : unit == "T"                ? 1e12
                                                     : 0;
  const double bytes = count * factor;
  if (status != std::errc{} || !(bytes >= 1) || bytes > 1e18)
    throw usage_error(fmt::format("{} {}: must be a number of bytes, such as 4G, 512M or 1000000", option,
                                  host::in_quotes(text)));
  return static_cast<std::int64_t>(bytes);
}

class spgemm_command : public command {
 public:
  spgemm_command() : command("spgemm") {
    const auto timed = [this] { return options_.output.empty(); };
    add_input(*this, "a FILE|GENERATOR", options_.a, "A: a file, - for standard input, or a generator")
        .required();
    add_input(*this, "b FILE|GENERATOR", options_.b, "B, in the same form (default: A)");
    add_reading(*this, options_.reading);
    add_output(*this, options_.output, io::sparse_matrix_output,
               "output file of C = A B, complete or absent: .mtx, or .npz for SciPy; no times are measured");
    add(
        "--memory BYTES",
        [this](const std::string& text) { options_.memory = parse_bytes("--memory", text); },
        "maximum memory for C, its plan, and on cuda A and B, such as 4G or 512M; C is computed in chunks of "
        "rows if necessary (default: all available memory)");
    add_executor(*this, options_.executor);
    add_beside(*this, options_.beside, {peers::operation::spgemm}).effective([timed] {
      return timed() ? everywhere : nowhere;
    });
    add_type(*this, options_.type, "type of the values: float or double (default: double)");
    add_json(*this, options_.json);
    add_run_options(*this, options_.repeat, options_.bench, {}, timed);
    add_example("evenly spgemm rmat:scale=9,edges=8 --on cpu --repeat 3",
                "check and time the square of a matrix");
    add_example("evenly transpose matrix.mtx | evenly spgemm matrix.mtx - --on cpu -o c.mtx",
                "write a matrix times its transpose to a file");
    add_example("evenly spgemm rmat:scale=10,edges=16 --on cpu --memory 2M --repeat 3",
                "compute the product in chunks that need little memory");
    add_to_footer(help_on_results() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.a, options_.b});
    if (!options_.output.empty() && !options_.json.empty())
      throw usage_error("--json and -o exclude each other, because -o measures no times");
    refuse_second_standard_input({options_.a, options_.b});
    refuse_outputs_over(*this, {options_.a, options_.b});
    refuse_without_effect(*this, options_.output.empty() ? "spgemm" : "spgemm -o", options_.executor);
    return multiply_sparse(options_);
  }

 private:
  spgemm_options options_;
};
const registered<spgemm_command> multiplying;

} // namespace
} // namespace evenly::sparse
