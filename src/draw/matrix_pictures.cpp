// SPDX-License-Identifier: Apache-2.0
#include "draw/matrix_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/trace/trace.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "measure/bench.hpp"
#include "measure/executor_kind.hpp"
#include "measure/problem.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/svg.hpp"

namespace evenly::draw {

using evenly::report::svg, evenly::report::text_width;
using measure::bench, measure::count_tiles, measure::executor_kind, measure::grouped, measure::joined,
    measure::make_bench, measure::make_problem, measure::number_type, measure::operation,
    measure::prepared_run, measure::problem, measure::size_class, measure::tile_statistics,
    measure::usage_error, measure::with_noun;

namespace {

/// From few to many entries.
constexpr std::array<std::string_view, 8> shades{"#d6e4f2", "#b7d0e8", "#93b9dc", "#6f9fcd",
                                                 "#4d84b8", "#356a9f", "#214f80", "#0f3158"};
constexpr std::string_view ink = "#222", faint = "#666", rule = "#bbb";
constexpr double margin = 16, head = 68;

void draw_head(svg& on, const std::string& title, const std::string& summary, const std::string& more) {
  on.text(margin, margin + 13, title, 15, "start", ink, "bold");
  on.text(margin, margin + 31, summary, 11.5, "start", faint);
  on.text(margin, margin + 47, more, 11.5, "start", faint);
}

/// Describes the drawn rows of a matrix.
std::string title_of(const io::input& in, const std::string& note) {
  return host::printable(in.name) + (note.empty() ? "" : ": " + note);
}

void draw_scale(svg& on, double x, double y, const std::string& from, const std::string& to) {
  on.text(x, y + 11, from, 11, "start", faint);
  x += text_width(from, 11) + 6;
  for (const std::string_view shade : shades) {
    on.rect(x, y, 18, 14, shade);
    x += 18;
  }
  on.text(x + 6, y + 11, to, 11, "start", faint);
}

// --- spy

constexpr std::int64_t max_cells = 100; ///< per side

/// Number of entries per cell, row by row.
struct cell_counts {
  std::int64_t rows, columns; ///< number of rows and columns of cells
  std::vector<std::int64_t> entries;

  cell_counts(const csr_matrix<double>& a, row_range of)
      : rows(std::min(of.end - of.first, max_cells)), columns(std::min<std::int64_t>(a.cols, max_cells)),
        entries(static_cast<std::size_t>(rows * columns)) {
    for (std::int64_t row = of.first; row < of.end; ++row) {
      const std::int64_t first = (row - of.first) * rows / (of.end - of.first) * columns;
      for (auto k = a.offsets[static_cast<std::size_t>(row)];
           k < a.offsets[static_cast<std::size_t>(row) + 1]; ++k)
        ++entries[static_cast<std::size_t>(first + std::int64_t{a.columns[static_cast<std::size_t>(k)]} *
                                                       columns / a.cols)];
    }
  }
};

/// Index of the shade, by the logarithm of the count.
std::size_t shade_of(std::int64_t count, std::int64_t max) {
  if (max <= 1) return shades.size() - 1;
  const double part = std::log(static_cast<double>(count)) / std::log(static_cast<double>(max));
  return std::min(shades.size() - 1, static_cast<std::size_t>(part * static_cast<double>(shades.size())));
}

std::string spy(const matrix_picture_options& options) {
  const io::input in = io::load_structure(options.input, options.reading);
  const row_range of = checked_range(in.matrix.rows, options.rows, in.name);
  const std::int64_t rows = of.end - of.first, columns = in.matrix.cols;
  const cell_counts cells(in.matrix, of);
  std::int64_t max = 1, all = 0;
  for (const std::int64_t each : cells.entries) {
    max = std::max(max, each);
    all += each;
  }
  // Cells are whole pixels, which keeps their paths short: at most 100 x 100 cells of 17 bytes.
  const double shape = static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, columns));
  const std::int64_t cell_width = std::max<std::int64_t>(1, 500 / std::max<std::int64_t>(1, cells.columns));
  const std::int64_t cell_height =
      std::max<std::int64_t>(1, std::llround(std::clamp(500 * shape, 100., 900.) /
                                             static_cast<double>(std::max<std::int64_t>(1, cells.rows))));
  const auto width = static_cast<double>(cell_width * cells.columns),
             height = static_cast<double>(cell_height * cells.rows);
  const double left = margin + 60, top = margin + head + 14;
  svg on(left + width + margin, top + height + 40);
  draw_head(
      on,
      title_of(in, options.rows ? fmt::format("rows {} to {}", grouped(of.first), grouped(of.end - 1)) : ""),
      fmt::format("{} in {} and {}", with_noun(all, "entry", "entries"), with_noun(rows, "row"),
                  with_noun(columns, "column")),
      fmt::format("{} x {} cells", cells.rows, cells.columns));
  std::array<std::string, shades.size()> paths;
  for (std::int64_t r = 0; r < cells.rows; ++r)
    for (std::int64_t c = 0; c < cells.columns; ++c) {
      const std::int64_t count = cells.entries[static_cast<std::size_t>(r * cells.columns + c)];
      if (count > 0)
        paths[shade_of(count, max)] += fmt::format(
            "M{} {}h{}v{}h-{}", static_cast<std::int64_t>(left) + c * cell_width,
            static_cast<std::int64_t>(top) + r * cell_height, cell_width, cell_height, cell_width);
    }
  for (std::size_t i = 0; i < shades.size(); ++i)
    if (!paths[i].empty()) on.path(paths[i], shades[i]);
  on.outline(left, top, width, height, rule);
  on.text(left, top - 5, "column 0", 11, "start", faint);
  on.text(left + width, top - 5, grouped(columns), 11, "end", faint);
  on.text(left - 6, top + 10, "row " + grouped(of.first), 11, "end", faint);
  on.text(left - 6, top + height, grouped(of.end), 11, "end", faint);
  draw_scale(on, left, top + height + 14, "1 entry in a cell", with_noun(max, "entry", "entries"));
  return on.str();
}

// --- histogram

std::string histogram(const matrix_picture_options& options) {
  const io::input in = io::load_structure(options.input, options.reading);
  const row_range of = checked_range(in.matrix.rows, options.rows, in.name);
  const tile_statistics sizes = count_tiles(
      std::span(in.matrix.offsets)
          .subspan(static_cast<std::size_t>(of.first), static_cast<std::size_t>(of.end - of.first) + 1));
  constexpr double column = 36, high = 180, left = 76;
  std::int64_t max = 1;
  for (const size_class& each : sizes.histogram) max = std::max({max, each.tiles, each.atoms});
  const double decades = std::ceil(std::log10(static_cast<double>(max)) + 0.15);
  const double floor = margin + head + 18 + high, wide = column * static_cast<double>(sizes.histogram.size());
  svg on(left + wide + margin, floor + 62);
  draw_head(
      on,
      title_of(in, options.rows ? fmt::format("rows {} to {}", grouped(of.first), grouped(of.end - 1)) : ""),
      fmt::format("{} in {}, {} of them {} empty", with_noun(sizes.atoms, "entry", "entries"),
                  with_noun(sizes.tiles, "row"), grouped(sizes.empty), sizes.empty == 1 ? "is" : "are"),
      fmt::format("{:.4g} entries on average, standard deviation {:.4g}, longest row {}", sizes.average,
                  sizes.deviation, grouped(sizes.longest)));
  const auto height_of = [&](std::int64_t count) {
    return count == 0 ? 0 : high * (std::log10(static_cast<double>(count)) + 0.15) / decades;
  };
  for (int power = 0; power < decades; ++power) {
    const double y = floor - high * (power + 0.15) / decades;
    on.line(left, y, left + wide, y, "#ddd");
    on.text(left - 6, y + 4, grouped(std::llround(std::pow(10., power))), 10, "end", faint);
  }
  for (std::size_t i = 0; i < sizes.histogram.size(); ++i) {
    const size_class& each = sizes.histogram[i];
    const double x = left + column * static_cast<double>(i) + 3;
    const std::string range =
        each.from == each.to ? fmt::format("{}", each.from) : fmt::format("{}-{}", each.from, each.to);
    on.begin_group(fmt::format("{} {}: {} with {}", range,
                               each.from == 1 && each.to == 1 ? "entry" : "entries",
                               with_noun(each.tiles, "row"), with_noun(each.atoms, "entry", "entries")),
                   {{"data-from", std::to_string(each.from)},
                    {"data-to", std::to_string(each.to)},
                    {"data-rows", std::to_string(each.tiles)},
                    {"data-entries", std::to_string(each.atoms)}});
    on.rect(x, floor - height_of(each.tiles), 14, height_of(each.tiles), shades[5]);
    on.rect(x + 15, floor - height_of(each.atoms), 14, height_of(each.atoms), "#d98c3f");
    on.text(x + 14, floor + 14, std::to_string(each.from), each.from > 99'999 ? 7 : 10, "middle", ink);
    on.end_group();
  }
  on.line(left, floor, left + wide, floor, ink);
  on.text(left, floor + 30, "entries per row: from this number up to the next", 11, "start", faint);
  on.rect(left, floor + 38, 14, 14, shades[5]);
  on.text(left + 20, floor + 49, "rows", 11, "start", faint);
  on.rect(left + 70, floor + 38, 14, 14, "#d98c3f");
  on.text(left + 90, floor + 49, "entries in these rows (logarithmic heights)", 11, "start", faint);
  return on.str();
}

// --- lanes

/// Limits for a simulation of a second or two.
constexpr picture_limits simulated{
    .max_rows = 1 << 18, .min_rows = 4096, .max_atoms = 1 << 18, .chunk = 1024};

constexpr double strip_cell = 11;
constexpr std::size_t strip_columns = 40, strip_cells = 480;

/// The warps of all launches that write each atom's row under the schedule.
std::vector<warp_profile> warps_of(const any_schedule& schedule, const csr_matrix<double>& rows) {
  trace counts{keep_profiles{}};
  const problem p = make_problem(operation::expand, number_type::single_precision, rows, 0);
  bench on = make_bench(executor_kind::simt, p, {.trace = &counts});
  const prepared_run once = on.candidate_of(schedule).prepare();
  on.out->poison();
  if (once.before) once.before();
  counts.take_profiles();
  once.run();
  std::vector<warp_profile> all;
  for (const launch_profile& launch : counts.take_profiles())
    all.insert(all.end(), launch.warps.begin(), launch.warps.end());
  return all;
}

/// The average share of active lanes in the requests of these warps.
double busy_part(std::span<const warp_profile> warps) {
  constexpr double lanes = 32;
  double requests = 0, busy = 0;
  for (const warp_profile& each : warps) {
    requests += static_cast<double>(each.requests);
    busy += static_cast<double>(each.lanes);
  }
  return requests > 0 ? busy / (lanes * requests) : 0;
}

/// Returns the height of the strip.
double draw_strip(svg& on, double y, const std::string& name, const std::vector<warp_profile>& warps) {
  on.text(margin, y + 12,
          fmt::format("{}: {:.0f}% of the lanes active, {}", name, 100 * busy_part(warps),
                      with_noun(std::ssize(warps), "warp")),
          12, "start", ink, "bold");
  y += 20;
  const std::size_t of_cell = std::max<std::size_t>(1, (warps.size() + strip_cells - 1) / strip_cells);
  std::size_t number = 0;
  for (std::size_t first = 0; first < warps.size(); first += of_cell, ++number) {
    const std::size_t end = std::min(first + of_cell, warps.size());
    const double part = busy_part(std::span(warps).subspan(first, end - first));
    const auto shade =
        std::min(shades.size() - 1, static_cast<std::size_t>(part * static_cast<double>(shades.size())));
    on.begin_group(fmt::format("warps {} to {}: {:.0f}%", first, end - 1, 100 * part),
                   {{"data-schedule", name}, {"data-busy", fmt::format("{:.3f}", part)}});
    on.rect(margin + strip_cell * static_cast<double>(number % strip_columns),
            y + strip_cell * static_cast<double>(number / strip_columns), strip_cell - 1, strip_cell - 1,
            shades[shade]);
    on.end_group();
  }
  return 20 + strip_cell * static_cast<double>((number + strip_columns - 1) / strip_columns);
}

std::string lanes(const matrix_picture_options& options) {
  const io::input in = io::load_structure(options.input, options.reading);
  drawn_rows drawn = choose_rows(in.matrix.offsets, options.rows, simulated, in.name);
  csr_matrix<double> rows{.rows = static_cast<int>(drawn.offsets.size()) - 1,
                          .cols = in.matrix.cols,
                          .offsets = std::move(drawn.offsets),
                          .columns = {},
                          .values = {}};
  svg on(static_cast<double>(strip_columns) * strip_cell + 2 * margin, margin + head);
  draw_head(on, title_of(in, drawn.note),
            with_noun(rows.atoms(), "entry", "entries") + " in " + with_noun(rows.rows, "row"),
            "active lanes per memory request; warps of 32 threads in order");
  double y = margin + head;
  for (const any_schedule& each : options.schedules)
    y += draw_strip(on, y, each.text(), warps_of(each, rows)) + 14;
  draw_scale(on, margin, y, "0%", "100% of the lanes active");
  return on.str();
}

} // namespace

const std::vector<std::string>& matrix_pictures() {
  static const std::vector<std::string> all{"spy", "histogram", "lanes"};
  return all;
}

std::string matrix_picture(const std::string& name, const matrix_picture_options& options) {
  if (name == "spy") return spy(options);
  if (name == "histogram") return histogram(options);
  if (name == "lanes") return lanes(options);
  throw usage_error(fmt::format("{} is not a picture of a matrix; choose one of {}", host::in_quotes(name),
                                joined(matrix_pictures())));
}

} // namespace evenly::draw
