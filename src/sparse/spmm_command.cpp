// SPDX-License-Identifier: Apache-2.0
#include "sparse/spmm_command.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evenly/execution/cpu.hpp"
#include "evenly/io/file_format.hpp"
#include "evenly/schedules/tile_summary.hpp"
#include "evenly/work/csr.hpp"
#include "io/byte_source.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/matrix_market.hpp"
#include "io/memory_limits.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/random.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "runtime/choose_of_all.hpp"
#include "sparse/few_schedules.hpp"
#include "sparse/spmm_place.hpp"

namespace evenly::cli {
namespace {

const char* name_of(dense_layout layout) { return layout == dense_layout::rows ? "row" : "column"; }

/// Where (row, column) of a matrix without gaps lies.
std::size_t place_in(dense_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t row,
                     std::int64_t column) {
  return static_cast<std::size_t>(layout == dense_layout::rows ? row * cols + column : column * rows + row);
}

io::dense_matrix<double> read_npy_matrix(io::byte_source source) {
  io::array_bytes from(std::move(source));
  const io::npy_header header = io::read_npy_header(from);
  if (header.shape.empty() || header.shape.size() > 2)
    from.fail(fmt::format("an array of shape {}: a matrix has two dimensions, or one if it has one column",
                          header.shape_text()));
  if (header.is_complex()) from.fail("the values are complex, and real ones are asked for");
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
  if (io::format_by_content(source.peek(io::bytes_that_tell)) == io::file_format::npy)
    return read_npy_matrix(std::move(source));
  return io::read_dense_market<double>(std::move(source));
}

/// Throws memory_error.
void require_room(std::int64_t rows, std::int64_t cols, std::int64_t width, std::int64_t of_value) {
  const std::int64_t of_column = of_value * (rows + cols);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bytes = of_column > 0 && width > most / of_column ? most : width * of_column;
  if (const auto shortage = io::memory_shortage(bytes))
    throw io::memory_error(
        fmt::format("dense matrices of {} columns with {} and {} rows: {}", width, cols, rows, *shortage));
}

template <class Value>
std::vector<Value> laid_out(const io::dense_matrix<double>& from, dense_layout layout) {
  std::vector<Value> values(from.values.size());
  for (std::int64_t c = 0; c < from.cols; ++c)
    for (std::int64_t r = 0; r < from.rows; ++r)
      values[place_in(layout, from.rows, from.cols, r, c)] =
          static_cast<Value>(from.values[place_in(dense_layout::columns, from.rows, from.cols, r, c)]);
  return values;
}

/// In [-1, 1); the same matrix for the same seed, whatever its layout.
template <class Value>
std::vector<Value> random_matrix(std::int64_t rows, std::int64_t cols, dense_layout layout,
                                 std::uint64_t seed) {
  std::vector<Value> values(static_cast<std::size_t>(rows * cols));
  io::random_sequence next(seed, io::stream::values);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      values[place_in(layout, rows, cols, r, c)] = static_cast<Value>(next.signed_unit());
  return values;
}

/// Compares C with sums in double precision, of which it keeps bounds: of all rows, or, of a large product, of many
/// rows and the longest one.
template <class Value> class product_checker {
 public:
  explicit product_checker(const dense_factors<Value>& of) : of_(of) {
    constexpr std::int64_t most_entries = 1 << 23, most_products = 1 << 28;
    const std::int64_t entries = std::int64_t{of.a.rows} * of.width,
                       products = std::int64_t{of.a.atoms()} * of.width;
    const auto step = static_cast<int>(1 + std::max(entries / most_entries, products / most_products));
    int longest = 0;
    for (int r = 0; r < of.a.rows; ++r) {
      if (size(r) > size(longest)) longest = r;
      if (r % step == 0 || r + 1 == of.a.rows) rows_.push_back(r);
    }
    if (of.a.rows > 0 && !std::ranges::binary_search(rows_, longest)) rows_.push_back(longest);
    sums_.resize(rows_.size() * static_cast<std::size_t>(of.width));
    bounds_.resize(sums_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) add_row(i);
  }
  std::size_t rows() const { return rows_.size(); }

  /// What is wrong with C.
  std::optional<std::string> first_error(const std::vector<Value>& c) const {
    const auto width = static_cast<std::size_t>(of_.width);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < width; ++j) {
        const double found = static_cast<double>(
            c[place_in(of_.layout, of_.a.rows, of_.width, rows_[i], static_cast<std::int64_t>(j))]);
        const double wanted = sums_[i * width + j], bound = bounds_[i * width + j];
        // Where terms are as large as a Value can be, sums on the way may be infinite.
        const bool overflows = bound >= static_cast<double>(std::numeric_limits<Value>::max()) *
                                            static_cast<double>(std::numeric_limits<Value>::epsilon());
        const bool right = std::abs(found - wanted) <= bound || found == wanted ||
                           (std::isnan(wanted) && std::isnan(found)) || (overflows && !std::isfinite(found));
        if (!right)
          return fmt::format("C[{}][{}] = {}, not {}: it may differ by {:.2g}", rows_[i] + 1, j + 1, found,
                             wanted, bound);
      }
    return {};
  }

 private:
  int size(int row) const {
    const auto r = static_cast<std::size_t>(row);
    return of_.a.offsets[r + 1] - of_.a.offsets[r];
  }
  void add_row(std::size_t i) {
    const auto row = static_cast<std::size_t>(rows_[i]), width = static_cast<std::size_t>(of_.width);
    double* const sums = sums_.data() + i * width;
    double* const bounds = bounds_.data() + i * width;
    for (auto k = static_cast<std::size_t>(of_.a.offsets[row]);
         k < static_cast<std::size_t>(of_.a.offsets[row + 1]); ++k)
      for (std::size_t j = 0; j < width; ++j) {
        const double term =
            static_cast<double>(of_.a.values[k]) *
            static_cast<double>(of_.b[place_in(of_.layout, of_.a.cols, of_.width, of_.a.columns[k],
                                               static_cast<std::int64_t>(j))]);
        sums[j] += term;
        bounds[j] += std::abs(term);
      }
    for (std::size_t j = 0; j < width; ++j)
      bounds[j] *= (size(rows_[i]) + 3) * static_cast<double>(std::numeric_limits<Value>::epsilon());
  }

  const dense_factors<Value>& of_;
  std::vector<int> rows_;
  std::vector<double> sums_, bounds_;
};

/// A schedule that runs, and why, where it was chosen here.
struct chosen_schedule {
  any_schedule schedule;
  std::string why = {};

  bool is_chosen() const { return !why.empty(); }
};

/// `said`, or, where that is automatic, the one of the few that should be fastest.
template <class Value>
chosen_schedule choose_if_automatic(const any_schedule& said, executor_kind kind,
                                    const csr_matrix<Value>& a) {
  if (!said.is_automatic()) return {said};
  std::vector<std::string> few;
  for (const any_schedule& each : few_schedules()) few.push_back(each.name());
  const tile_summary sizes = summarize_tiles(cpu(), csr_tiles(std::span<const int>(a.offsets)));
  evenly::detail::automatic_choice made = evenly::detail::choose_of_all(
      kind == executor_kind::cpu, sizes, work_kind::wide_sums, evenly::detail::expected_runs_of(said), few);
  chosen_schedule found{any_schedule(made.name), std::move(made.why)};
  for (const auto& [key, value] : said.set_values())
    if (key != evenly::detail::expected_runs_key) found.schedule.set(key, value);
  return found;
}

template <class Value> void write_product(const spmm_options& options, const dense_factors<Value>& of) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  const auto place = place_dense_product(kind, of, options.bench);
  place->plan(choose_if_automatic(options.schedules.front(), kind, of.a).schedule);
  place->multiply();
  const std::vector<Value> c = place->result();
  io::dense_matrix<double> out{of.a.rows, of.width, std::vector<double>(c.size())};
  for (std::int64_t j = 0; j < of.width; ++j)
    for (std::int64_t r = 0; r < of.a.rows; ++r)
      out.values[place_in(dense_layout::columns, of.a.rows, of.width, r, j)] =
          static_cast<double>(c[place_in(of.layout, of.a.rows, of.width, r, j)]);
  io::write_dense_market(options.output, out);
}

struct timed_schedule {
  std::optional<std::string> error;
  double plan_ms = 0;
  timing time;
};

template <class Value>
timed_schedule time_schedule(const spmm_options& options, placed_dense_product<Value>& place,
                             const product_checker<Value>& check, const any_schedule& schedule,
                             bool simulated) {
  timed_schedule found;
  try {
    const auto start = std::chrono::steady_clock::now();
    place.plan(schedule);
    found.plan_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    place.spoil();
    place.multiply();
    found.error = check.first_error(place.result());
    if (found.error) return found;
    const int least = simulated ? 1 : 5, enough = simulated ? 1 : 20;
    constexpr double long_enough = 500;
    std::vector<double>& ms = found.time.rounds;
    double sum = 0;
    const int count = options.repeat > 0 ? options.repeat : enough;
    while (static_cast<int>(ms.size()) < count &&
           (options.repeat > 0 || static_cast<int>(ms.size()) < least || sum < long_enough)) {
      ms.push_back(place.time().time_once([&] { place.multiply(); }));
      sum += ms.back();
    }
    found.time.median = median_of(ms);
    found.time.least = std::ranges::min(ms);
    found.time.most = std::ranges::max(ms);
  } catch (const error& e) {
    found.error = e.what();
  }
  return found;
}

template <class Value>
bool measure_product(const spmm_options& options, const dense_factors<Value>& of, const std::string& name,
                     executor_kind kind, result_file& file, std::string& table) {
  const auto place = place_dense_product(kind, of, options.bench);
  std::optional<product_checker<Value>> check;
  {
    const io::progress shown("the product that others are compared with");
    check.emplace(of);
  }
  table = fmt::format("{} x {} columns on {} ({})\n  {} rows, {} atoms, B and C by {}\n", name, of.width,
                      name_of(kind), place->time().place(), grouped(of.a.rows), grouped(of.a.atoms()),
                      name_of(of.layout));
  table += fmt::format("  {:<28}{:>10}{:>22}{:>14}\n", "", "median ms", "min .. max", "GFLOP/s");
  bool right = true;
  const io::progress shown("timing");
  std::string choices;
  for (const any_schedule& schedule : options.schedules) {
    const chosen_schedule runs = choose_if_automatic(schedule, kind, of.a);
    const timed_schedule found =
        time_schedule(options, *place, *check, runs.schedule, kind == executor_kind::simt);
    const std::string title =
        runs.is_chosen() ? fmt::format("{} ({})", schedule.text(), runs.schedule.name()) : schedule.text();
    if (runs.is_chosen()) choices += wrapped(fmt::format("{} chose {}", schedule.text(), runs.why), "  ");
    auto line = nlohmann::ordered_json{{"workload", name},
                                       {"rows", of.a.rows},
                                       {"cols", of.a.cols},
                                       {"atoms", of.a.atoms()},
                                       {"op", "spmm"},
                                       {"width", of.width},
                                       {"layout", name_of(of.layout)},
                                       {"executor", name_of(kind)},
                                       {"schedule", schedule.text()},
                                       {"type", sizeof(Value) == 4 ? "float" : "double"},
                                       {"rows_checked", check->rows()},
                                       {"ok", !found.error}};
    if (runs.is_chosen()) line.update({{"chosen", runs.schedule.name()}, {"why", runs.why}});
    if (found.error) {
      right = false;
      table += wrapped(fmt::format("FAILED {}: {}", schedule.text(), one_line(*found.error)), "  ");
      line.update({{"error", *found.error}, {"ms", nullptr}, {"ms_min", nullptr}, {"ms_max", nullptr}});
    } else {
      const std::string spread =
          fmt::format("{} .. {}", milliseconds(found.time.least), milliseconds(found.time.most));
      const double gflops = 2e-6 * of.a.atoms() * of.width / found.time.median;
      table += fmt::format("  {:<28}{:>10}{:>22}{:>14.4g}\n", title, milliseconds(found.time.median), spread,
                           gflops);
      line.update({{"plan_ms", found.plan_ms},
                   {"ms", found.time.median},
                   {"ms_min", found.time.least},
                   {"ms_max", found.time.most}});
    }
    file.add(line);
  }
  table += choices;
  if (kind == executor_kind::simt)
    table += "  times are those of the simulation, and say nothing about a GPU's\n";
  return right;
}

template <class Value>
bool multiply_as(const spmm_options& options, const csr_matrix<double>& read_a,
                 const std::optional<io::dense_matrix<double>>& read_b, const std::string& name,
                 executor_kind kind, result_file* file, std::string& table) {
  const csr_matrix<Value> a{
      read_a.rows, read_a.cols, read_a.offsets, read_a.columns, {read_a.values.begin(), read_a.values.end()}};
  const int width = read_b ? static_cast<int>(read_b->cols) : options.width;
  require_room(a.rows, a.cols, width, sizeof(Value));
  const std::vector<Value> b = read_b ? laid_out<Value>(*read_b, options.layout)
                                      : random_matrix<Value>(a.cols, width, options.layout, options.seed);
  const dense_factors<Value> of{a, b, width, options.layout};
  if (file != nullptr) return measure_product(options, of, name, kind, *file, table);
  write_product(options, of);
  return true;
}

void require_fit(const spmm_options& options, const csr_matrix<double>& a, const std::string& name,
                 const io::dense_matrix<double>& b) {
  const auto refuse = [&](const std::string& rule) {
    throw io::file_error(io::printable(options.b), 0, rule);
  };
  if (a.cols != b.rows)
    refuse(fmt::format("B has {} rows, and {} has {} columns: a product needs as many of both", b.rows, name,
                       a.cols));
  constexpr std::int64_t most_columns = 1 << 30;
  if (b.cols < 1 || b.cols > most_columns)
    refuse(fmt::format("B has {} columns: there must be 1 to {}", b.cols, most_columns));
}

} // namespace

std::vector<any_schedule> spmm_schedules() { return few_schedules(); }

bool multiply_dense(const spmm_options& options) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  for (const std::string& path : {options.output, options.json})
    if (!path.empty()) io::check_output(path);
  io::check_input(options.a);
  const std::string name = io::input_name(options.a);
  bool right = true;
  std::string table;
  const auto work = [&](result_file* file) {
    const csr_matrix<double> a = io::load_input(options.a).matrix;
    std::optional<io::dense_matrix<double>> b;
    if (!options.b.empty()) {
      b = read_dense(options.b);
      require_fit(options, a, name, *b);
    }
    right = options.type == number_type::single_precision
                ? multiply_as<float>(options, a, b, name, kind, file, table)
                : multiply_as<double>(options, a, b, name, kind, file, table);
  };
  if (!options.output.empty()) {
    work(nullptr);
    return true;
  }
  result_file file(options.json, [&] {
    auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
    head.update({{"executor", name_of(kind)},
                 {"type", options.type == number_type::single_precision ? "float" : "double"}});
    return head;
  });
  file.measure(name, [&] { work(&file); });
  print(options.json == "-" ? stderr : stdout, table);
  file.finish();
  return right;
}

} // namespace evenly::cli
