// SPDX-License-Identifier: Apache-2.0
#include "spatial/neighbor_lists.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/spatial/particles.hpp"
#include "generate/row_profile.hpp"
#include "io/dense_output.hpp"
#include "io/numbers.hpp"
#include "io/points.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/statistics.hpp"
#include "measure/usage_error.hpp"
#include "measure/workload_words.hpp"
#include "report/measured_run.hpp"

namespace evenly::spatial {

using measure::bench, measure::candidate, measure::measurement, measure::name_of, measure::result_file,
    measure::usage_error, measure::words_of_workload;

namespace {

using triple = std::array<double, 3>;

/// Uniform in a periodic cube.
io::point_set uniform_points(words_of_workload& words, io::point_box& box) {
  constexpr std::int64_t max_points = 1'000'000'000;
  const std::int64_t count = words.whole("n", 0, max_points);
  const double density = words.number("density", 1e-9, 1e9, 0.1);
  const std::int64_t seed = words.whole("seed", 0, std::int64_t{1} << 53, 1);
  words.refuse_others();
  const double side = std::cbrt(static_cast<double>(std::max<std::int64_t>(count, 1)) / density);
  detail::splitmix64 random(static_cast<std::uint64_t>(seed));
  io::point_set points;
  for (std::int64_t i = 0; i < count; ++i)
    for (auto* axis : {&points.x, &points.y, &points.z})
      axis->push_back(side * static_cast<double>(random.next() >> 11) * 0x1p-53);
  box.lattice = {side, 0, 0, 0, side, 0, 0, 0, side};
  return points;
}

io::point_set load_points(const std::string& input, const io::read_options& how, io::point_box& box) {
  if (!how.format && how.frame == 0 && (input.starts_with("uniform:") || input == "uniform")) {
    words_of_workload words(input);
    return uniform_points(words, box);
  }
  return io::read_points_in_box(input, how, box);
}

/// The box of --box, or that of the input.
std::optional<simulation_box> box_of(const std::string& text, const io::point_box& of_input) {
  if (text == "none" || (text.empty() && of_input.lattice.empty())) return {};
  std::vector<double> numbers;
  if (text.empty()) {
    numbers = of_input.lattice;
  } else {
    std::string_view rest = text;
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      more = comma != std::string_view::npos;
      const std::string_view word = rest.substr(0, comma);
      double number = 0;
      const auto [end, status] = io::parse_real(word.data(), word.data() + word.size(), number);
      if (word.empty() || status != std::errc() || end != word.data() + word.size() || !std::isfinite(number))
        throw usage_error(
            fmt::format("--box '{}': must be 3 or 9 numbers separated by commas, or none", text));
      numbers.push_back(number);
      if (more) rest.remove_prefix(comma + 1);
    }
    if (numbers.size() == 3) {
      if (std::ranges::any_of(numbers, [](double length) { return length <= 0; }))
        throw usage_error(fmt::format("--box '{}': lengths must be positive", text));
      numbers = {numbers[0], 0, 0, 0, numbers[1], 0, 0, 0, numbers[2]};
    }
    if (numbers.size() != 9)
      throw usage_error(fmt::format("--box '{}': must be 3 or 9 numbers separated by commas, or none", text));
  }
  simulation_box box{};
  for (std::size_t k = 0; k < 3; ++k) {
    box.periodic[k] = of_input.lattice.empty() || of_input.periodic[k];
    for (std::size_t d = 0; d < 3; ++d) box.edges[k][d] = numbers[3 * k + d];
  }
  detail::cell_grid grid{};
  pair_rule<double> rule{};
  detail::set_box(box, rule, grid); // refuses edges in one plane
  return box;
}

void write_pairs(const found_neighbors& found, const std::string& path) {
  std::vector<std::int64_t> lines;
  constexpr std::int64_t numbers = 5; // per pair
  for (std::size_t i = 0; i + 1 < found.offsets.size(); ++i)
    for (auto a = static_cast<std::size_t>(found.offsets[i]);
         a < static_cast<std::size_t>(found.offsets[i + 1]); ++a) {
      const image_shift shift = found.shifts.empty() ? image_shift{} : found.shifts[a];
      lines.insert(lines.end(),
                   {static_cast<std::int64_t>(i), found.indices[a], shift[0], shift[1], shift[2]});
    }
  io::write_dense<std::int64_t>(path, io::table_output,
                                {.values = lines,
                                 .rows = std::ssize(lines) / numbers,
                                 .cols = numbers,
                                 .head = "# point neighbor a b c\n"});
}

measure::tile_statistics rows_of(const found_neighbors& found) {
  generate::row_profile rows{.rows = static_cast<int>(found.offsets.size()) - 1};
  for (std::size_t i = 0; i + 1 < found.offsets.size(); ++i)
    if (const auto size = static_cast<int>(found.offsets[i + 1] - found.offsets[i]); size > 0)
      rows.filled.push_back({static_cast<int>(i), size});
  return measure::count_tiles(rows);
}

/// Distances by the rule of the library, and all images that may be near.
class pair_checker {
 public:
  pair_checker(const io::point_set& points, double cutoff, const neighbor_options& options)
      : points_(points), half_(options.half) {
    rule_.cutoff_squared = cutoff * cutoff;
    if (!options.box) return;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t d = 0; d < 3; ++d) rule_.edges[k][d] = options.box->edges[k][d];
    detail::cell_grid grid{};
    pair_rule<double> unused{};
    detail::set_box(options.box, unused, grid);
    for (int k = 0; k < 3; ++k) {
      if (!options.box->periodic[k]) continue;
      double low = 0, high = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double at = grid.fraction(k, points.x[i], points.y[i], points.z[i]);
        low = i == 0 ? at : std::min(low, at);
        high = i == 0 ? at : std::max(high, at);
      }
      const double inverse_height = std::hypot(grid.inverse[k][0], grid.inverse[k][1], grid.inverse[k][2]);
      images_[static_cast<std::size_t>(k)] =
          static_cast<int>(std::ceil(high - low + cutoff * inverse_height)) + 1;
    }
  }

  std::int64_t image_count() const {
    std::int64_t count = 1;
    for (const int each : images_) count *= 2 * each + 1;
    return count;
  }
  double squared(std::size_t i, std::size_t j, image_shift shift) const {
    return rule_.squared((points_.x[j] - points_.x[i]) + rule_.offset(shift, 0),
                         (points_.y[j] - points_.y[i]) + rule_.offset(shift, 1),
                         (points_.z[j] - points_.z[i]) + rule_.offset(shift, 2));
  }
  bool is_pair(std::size_t i, std::size_t j, image_shift shift) const {
    if (half_ ? j < i || (j == i && !(image_shift{} < shift)) : j == i && shift == image_shift{})
      return false;
    return squared(i, j, shift) < rule_.cutoff_squared;
  }
  /// The number of pairs of a row, from all points and images.
  std::int64_t row_size(std::size_t i) const {
    std::int64_t size = 0;
    for (int a = -images_[0]; a <= images_[0]; ++a)
      for (int b = -images_[1]; b <= images_[1]; ++b)
        for (int c = -images_[2]; c <= images_[2]; ++c)
          for (std::size_t j = 0; j < points_.size(); ++j) size += is_pair(i, j, image_shift::of(a, b, c));
    return size;
  }

 private:
  const io::point_set& points_;
  bool half_;
  pair_rule<double> rule_{};
  std::array<int, 3> images_{};
};

json::value json_of(const measurement& m, const found_neighbors& found,
                    const measure::tile_statistics& rows) {
  json::value made{{"schedule", m.what.name}, {"ok", !m.error}};
  made.update({{"points", std::ssize(found.offsets) - 1},
               {"pairs", std::ssize(found.indices)},
               {"longest_row", rows.longest},
               {"empty_rows", rows.empty}});
  put_times(made, m.time, !m.error);
  return made;
}

} // namespace

std::optional<std::string> first_error(const found_neighbors& found, const neighbors_problem& problem) {
  const io::point_set& points = problem.points;
  const neighbor_options& options = problem.options;
  const pair_checker checker(points, problem.cutoff, options);
  const std::size_t count = points.size();
  if (found.offsets.size() != count + 1 || found.offsets.front() != 0 ||
      found.offsets.back() != std::ssize(found.indices))
    return fmt::format("{} offsets of {} pairs do not belong to {} points", found.offsets.size(),
                       found.indices.size(), count);
  // Sampled rows are counted over all points and images, at most so many in sum.
  constexpr std::int64_t max_tests = 20'000'000;
  const std::int64_t tests =
      std::max<std::int64_t>(checker.image_count() * static_cast<std::int64_t>(count), 1);
  const auto samples = static_cast<std::size_t>(std::clamp<std::int64_t>(max_tests / tests, 1, 1000));
  const std::size_t apart = std::max<std::size_t>(count / samples, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::size_t>(found.offsets[i]),
               end = static_cast<std::size_t>(found.offsets[i + 1]);
    if (begin > end || end > found.indices.size()) return fmt::format("row {} has no size", i);
    double last_squared = 0;
    std::uint64_t last_key = 0;
    for (std::size_t a = begin; a < end; ++a) {
      const int j = found.indices[a];
      const image_shift shift = found.shifts.empty() ? image_shift{} : found.shifts[a];
      if (j < 0 || static_cast<std::size_t>(j) >= count ||
          !checker.is_pair(i, static_cast<std::size_t>(j), shift))
        return fmt::format("point {} has {} as a neighbor, which is not near", i, j);
      const std::uint64_t key = detail::neighbor_key(j, shift);
      const double squared = options.nearest ? checker.squared(i, static_cast<std::size_t>(j), shift) : 0;
      if (a > begin && (squared < last_squared || (squared == last_squared && key <= last_key)))
        return fmt::format("row {} is not in order at neighbor {}", i, j);
      last_squared = squared;
      last_key = key;
    }
    if (i % apart != 0) continue;
    std::int64_t right = checker.row_size(i);
    if (options.nearest) right = std::min<std::int64_t>(right, *options.nearest);
    if (static_cast<std::int64_t>(end - begin) != right)
      return fmt::format("point {} has {} of {} neighbors", i, end - begin, right);
  }
  return {};
}

bool time_neighbors(const neighbors_settings& settings) {
  const executor_kind kind = report::executor_of(settings.executor);
  found_neighbors found;
  measure::tile_statistics rows;
  const auto time_all = [&](result_file& file, std::string& text) {
    io::point_box box;
    neighbors_problem problem{load_points(settings.input, settings.reading, box), settings.cutoff,
                              settings.options};
    problem.options.box = box_of(settings.box, box);
    bench on = measure::with_executor(
        kind, [&]<class Executor>() { return neighbors_bench_on<Executor>(problem, settings.bench, found); });
    report::timed_table table("list", {{"M pairs/s", 14}});
    const candidate way = on.candidates(0).front();
    const measurement m = measure::measure(on, way, report::few_rounds(settings.repeat, kind, true));
    if (!m.error) rows = rows_of(found);
    table.row(m, {fmt::format("{:.4g}", static_cast<double>(found.indices.size()) / m.time.median / 1e3)});
    file.add(json_of(m, found, rows));
    report::table numbers({"input", "points", "pairs", "average", "longest", "empty"},
                          {-24, 12, 14, 10, 10, 10});
    numbers.row({settings.input, std::to_string(problem.points.size()), std::to_string(found.indices.size()),
                 fmt::format("{:.4g}", rows.average), std::to_string(rows.longest),
                 std::to_string(rows.empty)});
    text = numbers.text() + fmt::format("{} on {} ({})\n", settings.input, name_of(kind), on.time->place()) +
           table.text();
    return table.errors().empty();
  };
  const bool is_right = report::measure_input(
      {.executor = kind,
       .input = settings.input,
       .outputs = {settings.json, settings.report, {settings.output}},
       .head = [&] { return json::value{{"input", settings.input}, {"cutoff", settings.cutoff}}; },
       .work = time_all,
       .of_page =
           [&] {
             auto tiles = json::array();
             for (const measure::size_class& each : rows.histogram)
               tiles.push_back({{"from", each.from}, {"to", each.to}, {"tiles", each.tiles}});
             auto sizes = json::array();
             sizes.push_back({{"input", settings.input}, {"tiles", std::move(tiles)}});
             return json::value{{"sizes", std::move(sizes)}};
           }});
  if (!is_right) return false;
  if (!settings.output.empty()) write_pairs(found, settings.output);
  return true;
}

std::string help_on_neighbor_points() {
  return "Points (1e6 is a valid count; [...] is optional):\n"
         "  uniform:n=N[,density=D][,seed=S]   uniformly distributed in a periodic cube, D (0.1)\n"
         "                                     points per unit of volume\n"
         "  FILE                               .xyz, .ply, .obj, .pcd, .npy (N x 3), also compressed;\n"
         "                                     the box is Lattice of extended .xyz, else --box\n";
}

} // namespace evenly::spatial
