// SPDX-License-Identifier: Apache-2.0
// One function per generator, and the table of their names: ordinary sparse matrices (regular, banded, grid), extremes
// (one dense row, mostly empty) and ten workloads with the sizes of well-known matrices.
#include "generate/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "generate/random.hpp"
#include "generate/random_graphs.hpp"
#include "generate/row_sizes.hpp"
#include "generate/spec.hpp"
#include "host/errors.hpp"
#include "io/rows.hpp"

namespace evenly::generate {
namespace {

constexpr std::int64_t max_rows = std::numeric_limits<int>::max() - 1; // so that tile numbers fit into int
constexpr std::int64_t max_cols = std::numeric_limits<int>::max();

// --- columns
// -------------------------------------------------------------------------------------------------------

/// The default rule: one column from each of n equal strata of the columns, for a row with n entries.
auto stratified(std::uint64_t seed, std::int64_t cols) {
  return [seed, cols](int row, std::span<int> columns) {
    random_sequence random(seed, stream::columns, static_cast<std::uint64_t>(row));
    const auto size = static_cast<std::int64_t>(columns.size());
    std::int64_t low = 0;
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t high = cols * (k + 1) / size;
      columns[static_cast<std::size_t>(k)] = static_cast<int>(low) + random.below(high - low);
      low = high;
    }
  };
}

/// 95% of the columns within 300 of the diagonal, the rest within 50,000. Rows must have at most 8 entries, and at most
/// one per column.
auto near_diagonal(std::uint64_t seed, std::int64_t cols) {
  return [seed, cols](int row, std::span<int> columns) {
    random_sequence random(seed, stream::columns, static_cast<std::uint64_t>(row));
    for (std::size_t k = 0; k < columns.size();) {
      const std::int64_t reach = random.below(100) < 95 ? 300 : 50'000;
      const std::int64_t low = std::max<std::int64_t>(0, row - reach);
      const std::int64_t high = std::min<std::int64_t>(cols, row + reach + 1);
      const int column = static_cast<int>(low) + random.below(high - low);
      if (std::ranges::find(columns.first(k), column) == columns.begin() + static_cast<std::ptrdiff_t>(k))
        columns[k++] = column;
    }
    std::ranges::sort(columns);
  };
}

/// Columns of a window of at least `width` around `centre`, one from each of equal strata, except `far` of them, which
/// are likewise from all other columns. Sorted and distinct. Requires columns.size() <= cols.
void fill_window(random_sequence& random, std::int64_t cols, std::int64_t centre, std::int64_t width,
                 std::int64_t far, std::span<int> columns) {
  const auto size = static_cast<std::int64_t>(columns.size());
  width = std::min(std::max(width, size), cols);
  far = std::max<std::int64_t>(0, std::min(far, cols - width));
  const std::int64_t first = std::clamp<std::int64_t>(centre - width / 2, 0, cols - width);
  const auto fill = [&](std::span<int> some, std::int64_t range, const auto& column_of) {
    const auto count = static_cast<std::int64_t>(some.size());
    std::int64_t low = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t high = range * (k + 1) / count;
      some[static_cast<std::size_t>(k)] = static_cast<int>(column_of(low + random.below(high - low)));
      low = high;
    }
  };
  const auto near = static_cast<std::size_t>(size - far);
  fill(columns.first(near), width, [&](std::int64_t k) { return first + k; });
  fill(columns.subspan(near), cols - width, [&](std::int64_t k) { return k < first ? k : k + width; });
  std::ranges::sort(columns);
}

csr_matrix<double> with_stratified_columns(const parameters& p, std::int64_t cols,
                                           const std::vector<int>& sizes) {
  return io::make_rows(p, cols, sizes, stratified(p.seed(), cols));
}

/// A parsed specification with checked values, before any allocation.
struct recipe {
  std::int64_t rows = 0;
  std::int64_t entries = 0; ///< as far as they are known ahead of time
  std::function<csr_matrix<double>()> make;
  std::int64_t beside = 0; ///< additional bytes needed
};

// --- generators with keys
// ------------------------------------------------------------------------------------------

recipe regular(const parameters& p) {
  const std::int64_t rows = p.count("rows", 1, max_rows);
  const auto size = static_cast<int>(p.count("size", 0, rows));
  p.check_entries(rows * size);
  return {rows, rows * size, [=, &p] {
            return with_stratified_columns(p, rows, std::vector<int>(static_cast<std::size_t>(rows), size));
          }};
}

recipe powerlaw(const parameters& p) {
  size_figures figures;
  figures.rows = p.count("rows", 1, max_rows);
  figures.longest = static_cast<int>(p.count("max", 1, figures.rows));
  figures.average = p.real("avg", 0, figures.longest);
  figures.deviation = p.real("sd", 0, figures.longest);
  const std::int64_t reach = p.count("reach", 0, figures.rows);
  const std::int64_t far = p.count("far", 0, 100);
  const std::int64_t entries = std::llround(static_cast<double>(figures.rows) * figures.average);
  p.check_entries(entries);
  const auto shape = calibrate(figures);
  if (!shape)
    p.fail(fmt::format("no lognormal distribution clipped at max has this avg and sd; with one row of {0} "
                       "entries among {1}, avg must be greater than {2:.3g} and sd from {3:.3g} to {4:.3g}",
                       figures.longest, figures.rows, figures.longest / static_cast<double>(figures.rows),
                       std::abs(figures.longest - figures.average) /
                           std::sqrt(static_cast<double>(figures.rows)),
                       std::sqrt(figures.average * (figures.longest - figures.average))));
  return {figures.rows, entries, [=, &p] {
            std::vector<int> sizes = lognormal_sizes(*shape, figures);
            shuffle(sizes, {p.seed(), stream::sizes});
            if (reach == 0) return with_stratified_columns(p, figures.rows, sizes);
            return io::make_rows(p, figures.rows, sizes, [&](int row, std::span<int> columns) {
              random_sequence random(p.seed(), stream::columns, static_cast<std::uint64_t>(row));
              const auto size = static_cast<std::int64_t>(columns.size());
              fill_window(random, figures.rows, row, 2 * reach + 1, (size * far + random.below(100)) / 100,
                          columns);
            });
          }};
}

/// Each node of a mesh has avg / 2 to 3 avg / 2 neighbours. It has `dofs` rows with the same columns, `dofs` of each
/// neighbour.
recipe fem(const parameters& p) {
  const std::int64_t nodes = p.count("nodes", 1, max_rows);
  const std::int64_t dofs = p.count("dofs", 1, max_rows / nodes);
  const std::int64_t average = p.count("avg", 1, nodes);
  const std::int64_t reach = p.count("reach", 1, nodes);
  const std::int64_t entries = nodes * average * dofs * dofs;
  p.check_entries(nodes * std::min(average + average / 2, nodes) * dofs * dofs);
  return {nodes * dofs, entries, [=, &p] {
            std::vector<int> sizes(static_cast<std::size_t>(nodes * dofs));
            for (std::int64_t row = 0; row < nodes * dofs; ++row) {
              random_sequence random(p.seed(), stream::sizes, static_cast<std::uint64_t>(row / dofs));
              const std::int64_t neighbours = average - average / 2 + random.below(2 * (average / 2) + 1);
              sizes[static_cast<std::size_t>(row)] = static_cast<int>(dofs * std::min(neighbours, nodes));
            }
            return io::make_rows(p, nodes * dofs, sizes, [&](int row, std::span<int> columns) {
              const std::int64_t node = row / dofs;
              random_sequence random(p.seed(), stream::columns, static_cast<std::uint64_t>(node));
              const std::size_t neighbours = columns.size() / static_cast<std::size_t>(dofs);
              fill_window(random, nodes, node, 2 * reach + 1, 0, columns.first(neighbours));
              for (std::size_t k = columns.size(); k-- > 0;) {
                const auto of_node = static_cast<std::int64_t>(k) % dofs;
                columns[k] = static_cast<int>(columns[k / static_cast<std::size_t>(dofs)] * dofs + of_node);
              }
            });
          }};
}

/// Edges and vertex labels need memory in addition to the result, whose size is unknown.
recipe rmat_recipe(const parameters& p, int scale, std::int64_t edges, const rmat_quarters& quarters) {
  const std::int64_t vertices = std::int64_t{1} << scale;
  return {vertices, 0, [=, &p] { return make_rmat(p, scale, edges, quarters); }, 16 * edges + 4 * vertices};
}

recipe rmat(const parameters& p) {
  const auto scale = static_cast<int>(p.count("scale", 0, 30));
  const std::int64_t edges = p.count("edges", 0, max_cols) << scale;
  p.check_entries(2 * edges);
  const double d = p.real("d", 0, 1);
  const rmat_quarters quarters{p.real("a", 0, 1), p.real("b", 0, 1), p.real("c", 0, 1)};
  if (std::abs(quarters.a + quarters.b + quarters.c + d - 1) > 1e-9) p.fail("a + b + c + d must be 1");
  return rmat_recipe(p, scale, edges, quarters);
}

gap_shape shape_of(const parameters& p, gap_graph which, int max_scale, std::int64_t max_degree) {
  const double release = p.real("release", 1.4, 1.5);
  if (release != 1.4 && release != 1.5) p.fail("release must be 1.4 or 1.5");
  return {which, static_cast<int>(p.count("scale", 0, max_scale)), p.count("degree", 1, max_degree),
          release == 1.4 ? gap_release::v1_4 : gap_release::v1_5};
}

template <gap_graph Which> recipe gap(const parameters& p) {
  const gap_shape shape = shape_of(p, Which, 30, max_cols);
  p.check_entries(2 * shape.edges());
  return {shape.vertices(), 0, [=, &p] { return make_gap_graph(p, shape); },
          28 * shape.edges() + 8 * shape.vertices()};
}

/// A point of a box, or the offset between two points.
struct point {
  int x, y, z;
};

/// The matrix that couples each point of a box with its neighbours at the offsets `steps`, which are sorted by z, then
/// y, then x. Points are numbered x fastest, z slowest.
csr_matrix<double> stencil(const parameters& p, point box, const std::vector<point>& steps) {
  const auto for_each_neighbour = [&](int row, auto visit) {
    const point at{row % box.x, row / box.x % box.y, row / box.x / box.y};
    for (const point& step : steps) {
      const point to{at.x + step.x, at.y + step.y, at.z + step.z};
      const bool inside = to.x >= 0 && to.x < box.x && to.y >= 0 && to.y < box.y && to.z >= 0 && to.z < box.z;
      if (inside) visit((to.z * box.y + to.y) * box.x + to.x);
    }
  };
  const std::int64_t rows = std::int64_t{box.x} * box.y * box.z;
  std::vector<int> sizes(static_cast<std::size_t>(rows));
  host::for_each_range(rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for_each_neighbour(static_cast<int>(row), [&](int) { ++sizes[static_cast<std::size_t>(row)]; });
  });
  return io::make_rows(p, rows, sizes, [&](int row, std::span<int> columns) {
    auto next = columns.begin();
    for_each_neighbour(row, [&](int column) { *next++ = column; });
  });
}

recipe grid(const parameters& p) {
  const std::int64_t x = p.count("x", 1, max_rows);
  const std::int64_t y = p.count("y", 1, max_rows);
  const std::int64_t z = p.count("z", 1, max_rows);
  if (x * y > max_rows || x * y * z > max_rows) p.fail(fmt::format("x * y * z must be at most {}", max_rows));
  const std::int64_t entries = 2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1));
  p.check_entries(entries);
  const point box{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
  return {x * y * z, entries, [=, &p] {
            return stencil(p, box, {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
          }};
}

recipe banded(const parameters& p) {
  const std::int64_t rows = p.count("rows", 1, max_rows);
  const std::int64_t width = p.count("width", 1, rows);
  const std::int64_t left = (width - 1) / 2;
  const std::int64_t right = width / 2;
  const std::int64_t entries = rows * width - left * (left + 1) / 2 - right * (right + 1) / 2;
  p.check_entries(entries);
  const auto first_of = [=](std::int64_t row) { return std::max<std::int64_t>(0, row - left); };
  const auto last_of = [=](std::int64_t row) { return std::min(rows - 1, row + right); };
  return {rows, entries, [=, &p] {
            std::vector<int> sizes(static_cast<std::size_t>(rows));
            for (std::int64_t row = 0; row < rows; ++row)
              sizes[static_cast<std::size_t>(row)] = static_cast<int>(last_of(row) - first_of(row) + 1);
            return io::make_rows(p, rows, sizes, [&](int row, std::span<int> columns) {
              std::iota(columns.begin(), columns.end(), static_cast<int>(first_of(row)));
            });
          }};
}

recipe dense(const parameters& p) {
  const std::int64_t rows = p.count("rows", 1, max_rows);
  const std::int64_t cols = p.count("cols", 1, max_cols);
  p.check_entries(rows * cols);
  return {rows, rows * cols, [=, &p] {
            const std::vector<int> sizes(static_cast<std::size_t>(rows), static_cast<int>(cols));
            return io::make_rows(p, cols, sizes, [](int, std::span<int> columns) {
              std::iota(columns.begin(), columns.end(), 0);
            });
          }};
}

// --- workloads
// -----------------------------------------------------------------------------------------------------

double scale_of(const parameters& p) {
  const double scale = p.real("scale", 0, 1);
  if (scale == 0) p.fail("scale must be greater than 0");
  return scale;
}

std::int64_t scaled(double scale, std::int64_t figure) {
  return std::max<std::int64_t>(1, std::llround(scale * static_cast<double>(figure)));
}

/// The size of a long row in a scaled workload with `cols` columns.
int scaled_longest(double scale, int longest, std::int64_t cols) {
  constexpr int min = 100; // shorter rows would change the character of the workload
  if (longest > min) longest = std::max(min, static_cast<int>(scaled(scale, longest)));
  return static_cast<int>(std::min<std::int64_t>(longest, cols));
}

/// A parameter of a workload that is also a parameter of a generator: the given value, else the scaled default.
std::int64_t figure(const parameters& p, std::string_view key, std::int64_t max) {
  const std::int64_t count = p.count(key, 1, max);
  return p.given(key) ? count : scaled(scale_of(p), count);
}

recipe one_dense_row(const parameters& p) {
  const std::int64_t rows = figure(p, "rows", max_rows);
  const std::int64_t longest = figure(p, "long", max_cols);
  p.check_entries(rows - 1 + longest);
  return {rows, rows - 1 + longest, [=, &p] {
            std::vector<int> sizes(static_cast<std::size_t>(rows), 1);
            sizes[sizes.size() / 2] = static_cast<int>(longest);
            return with_stratified_columns(p, longest, sizes);
          }};
}

using size_weights = std::vector<std::pair<int, int>>;

/// Sizes by weight, for a matrix with `cols` columns. Not shuffled.
std::vector<int> distribute_sizes(std::int64_t rows, const size_weights& weights, std::int64_t cols) {
  std::vector<int> sizes = weighted_sizes(rows, weights);
  for (int& size : sizes) size = static_cast<int>(std::min<std::int64_t>(size, cols));
  return sizes;
}

recipe mostly_empty(const parameters& p) {
  const std::int64_t rows = figure(p, "rows", max_rows);
  return {rows, 0, [=, &p] {
            std::vector<int> sizes = distribute_sizes(
                rows, {{0, 225}, {1, 5}, {2, 3}, {3, 3}, {4, 3}, {5, 3}, {6, 3}, {7, 5}}, rows);
            shuffle(sizes, {p.seed(), stream::sizes});
            return with_stratified_columns(p, rows, sizes);
          }};
}

recipe regular8(const parameters& p) {
  const std::int64_t rows = scaled(scale_of(p), 1'000'000);
  return {rows, 0,
          [=, &p] { return with_stratified_columns(p, rows, distribute_sizes(rows, {{8, 1}}, rows)); }};
}

/// The rows that stay together when a likeness is shuffled.
std::int64_t locality_of(const parameters& p) { return p.count("locality", 1, max_rows); }

/// Shuffles runs of `locality` rows, whose sizes are alike because sizes come sorted.
void shuffle_runs(std::vector<int>& sizes, const parameters& p) {
  const random_sequence random{p.seed(), stream::sizes};
  const auto run = static_cast<std::size_t>(locality_of(p));
  if (run == 1) return shuffle(sizes, random);
  std::vector<int> order(sizes.size() / run + (sizes.size() % run > 0 ? 1 : 0));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  std::vector<int> made;
  made.reserve(sizes.size());
  for (const int each : order) {
    const std::size_t first = static_cast<std::size_t>(each) * run;
    const std::size_t last = std::min(first + run, sizes.size());
    made.insert(made.end(), sizes.begin() + static_cast<std::ptrdiff_t>(first),
                sizes.begin() + static_cast<std::ptrdiff_t>(last));
  }
  sizes = std::move(made);
}
/// Bytes that shuffle_runs needs.
std::int64_t bytes_of_runs(const parameters& p, std::int64_t rows) {
  const std::int64_t run = locality_of(p);
  return run == 1 ? 0 : 4 * (rows + rows / run + 1);
}

recipe great_britain_osm(const parameters& p) {
  const std::int64_t rows = scaled(scale_of(p), 7'733'822);
  return {rows, 0,
          [=, &p] {
            const size_weights weights{{1, 6975}, {2, 76977}, {3, 15194}, {4, 800},
                                       {5, 40},   {6, 10},    {7, 3},     {8, 1}};
            std::vector<int> sizes = distribute_sizes(rows, weights, rows);
            shuffle_runs(sizes, p);
            return io::make_rows(p, rows, sizes, near_diagonal(p.seed(), rows));
          },
          bytes_of_runs(p, rows)};
}

csr_matrix<double> make_circuit5m(const parameters& p, double scale, std::int64_t rows) {
  std::vector<int> sizes(6, scaled_longest(scale, 1'194'500, rows));
  sizes.push_back(scaled_longest(scale, 1'290'501, rows));
  sizes.resize(static_cast<std::size_t>(std::min<std::int64_t>(rows, 7)));
  // Sizes 1 to 18, with slightly more short ones, have the average that remains after the long rows: 9.18.
  size_weights weights;
  for (int size = 1; size <= 18; ++size) weights.emplace_back(size, 1000 - 6 * (2 * size - 19));
  const std::vector<int> rest =
      distribute_sizes(rows - static_cast<std::int64_t>(sizes.size()), weights, rows);
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  shuffle_runs(sizes, p);
  return with_stratified_columns(p, rows, sizes);
}

recipe circuit5m(const parameters& p) {
  const double scale = scale_of(p);
  const std::int64_t rows = scaled(scale, 5'558'326);
  return {rows, 0, [=, &p] { return make_circuit5m(p, scale, rows); }, bytes_of_runs(p, rows)};
}

/// A lognormal workload at full size; `empty` per mille of the rows are empty.
recipe lognormal_workload(const parameters& p, size_figures full, int empty) {
  const double scale = scale_of(p);
  full.empty = full.rows * empty / 1000;
  const lognormal shape = calibrate(full).value();
  size_figures likeness = full;
  likeness.rows = scaled(scale, full.rows);
  likeness.empty = likeness.rows * empty / 1000;
  likeness.longest = scaled_longest(scale, full.longest, likeness.rows);
  return {likeness.rows, 0,
          [=, &p] {
            std::vector<int> sizes = lognormal_sizes(shape, likeness);
            shuffle_runs(sizes, p);
            return with_stratified_columns(p, likeness.rows, sizes);
          },
          bytes_of_runs(p, likeness.rows)};
}

recipe cit_patents(const parameters& p) {
  return lognormal_workload(
      p, {.rows = 3'774'768, .average = 4.38, .deviation = 7.5, .longest = 770, .min = 1}, 100);
}

recipe web_notre_dame(const parameters& p) {
  return lognormal_workload(p, {.rows = 325'729, .average = 4.6, .deviation = 21.4, .longest = 3445}, 0);
}

recipe as_skitter(const parameters& p) {
  return lognormal_workload(
      p, {.rows = 1'696'415, .average = 13.1, .deviation = 136.9, .longest = 35'455, .min = 1}, 0);
}

recipe kron_g500_logn20(const parameters& p) {
  const int levels = std::max(0, 20 + static_cast<int>(std::floor(std::log2(scale_of(p)))));
  return rmat_recipe(p, levels, std::int64_t{48} << levels, {});
}

recipe band27(const parameters& p) {
  const double side = std::cbrt(scale_of(p));
  std::vector<point> steps;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) steps.push_back({x, y, z});
  const auto along = [&](int points) { return static_cast<int>(scaled(side, points)); };
  const point box{along(125), along(125), along(128)};
  return {std::int64_t{box.x} * box.y * box.z, 0, [=, &p] { return stencil(p, box, steps); }};
}

// --- the table
// -----------------------------------------------------------------------------------------------------

struct generator {
  generator_info info;
  recipe (*plan)(const parameters&);
  bool has_weights = false; ///< values are weights, and there is no seed
};

std::vector<generator> make_table() {
  std::vector<generator> table{
      {{"regular",
        {{"rows", ""}, {"size", ""}},
        "square matrix, all rows of the same size, columns spread evenly"},
       regular},
      {{"powerlaw",
        {{"rows", ""}, {"avg", ""}, {"sd", ""}, {"max", ""}, {"reach", "0"}, {"far", "0"}},
        "square matrix, lognormal row sizes, clipped at max, with this average and standard deviation; with "
        "reach, columns are at most reach from the diagonal, except far per cent of them"},
       powerlaw},
      {{"fem",
        {{"nodes", ""}, {"avg", ""}, {"reach", ""}, {"dofs", "1"}},
        "unstructured mesh: nodes of dofs rows have avg / 2 to 3 avg / 2 neighbours within reach"},
       fem},
      {{"rmat",
        {{"scale", ""}, {"edges", "16"}, {"a", "0.57"}, {"b", "0.19"}, {"c", "0.19"}, {"d", "0.05"}},
        "graph of edges * 2^scale R-MAT edges on 2^scale vertices, relabelled, in both directions, without "
        "duplicates"},
       rmat},
      {{"kron",
        {{"scale", ""}, {"degree", "16"}, {"release", "1.5"}},
        "kron of the GAP benchmark suite, bit for bit, with its weights (release 1.4: of published tables)"},
       gap<gap_graph::kron>,
       true},
      {{"urand",
        {{"scale", ""}, {"degree", "16"}, {"release", "1.5"}},
        "urand of the GAP benchmark suite, bit for bit, with its weights (release likewise)"},
       gap<gap_graph::urand>,
       true},
      {{"grid",
        {{"x", ""}, {"y", ""}, {"z", "1"}},
        "graph of a grid: each point with its 4 neighbours (6 with z)"},
       grid},
      {{"banded",
        {{"rows", ""}, {"width", ""}},
        "square matrix with width adjacent diagonals around the main one"},
       banded},
      {{"dense", {{"rows", ""}, {"cols", ""}}, "dense matrix"}, dense},
      {{"one-dense-row",
        {{"rows", "1e6"}, {"long", "4e6"}, {"scale", "1"}},
        "matrix with long columns, all rows of one entry except one full row in the middle"},
       one_dense_row},
      {{"mostly-empty",
        {{"rows", "8e6"}, {"scale", "1"}},
        "square matrix, 90% of the rows empty, the others with 1 to 7 entries"},
       mostly_empty},
      {{"regular8", {{"scale", "1"}}, "1,000,000 rows of 8 entries"}, regular8},
      {{"great-britain_osm",
        {{"scale", "1"}, {"locality", "1"}},
        "like a road network: 7.7 M rows of 1 to 8, near the diagonal"},
       great_britain_osm},
      {{"cit-Patents",
        {{"scale", "1"}, {"locality", "1"}},
        "like citations: 3.8 M rows, average 4.4, longest 770, 10% empty"},
       cit_patents},
      {{"web-NotreDame",
        {{"scale", "1"}, {"locality", "1"}},
        "like web links: 0.33 M rows, average 4.6, longest 3,445"},
       web_notre_dame},
      {{"circuit5M",
        {{"scale", "1"}, {"locality", "1"}},
        "like a circuit: 5.6 M rows of 1 to 18 and seven of more than a million"},
       circuit5m},
      {{"as-Skitter",
        {{"scale", "1"}, {"locality", "1"}},
        "like internet routes: 1.7 M rows, average 13, longest 35,455"},
       as_skitter},
      {{"kron_g500-logn20", {{"scale", "1"}}, "Kronecker graph: rmat:scale=20,edges=48"}, kron_g500_logn20},
      {{"band27", {{"scale", "1"}}, "27-point stencil on a grid of 125 x 125 x 128 points"}, band27},
  };
  for (generator& g : table)
    if (!g.has_weights) g.info.keys.push_back({"seed", "1"});
  return table;
}

const std::vector<generator>& table() {
  static const std::vector<generator> made = make_table();
  return made;
}

const generator& find(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const auto found = std::ranges::find(table(), name, [](const generator& g) { return g.info.name; });
  if (found == table().end())
    throw host::spec_error(
        fmt::format("{} is not a generator; choose one of {}", host::in_quotes(name), generator_names()));
  return *found;
}

/// The recipe for `p`, if there is enough memory.
recipe plan(const parameters& p, const generator& g) {
  if (!g.has_weights) p.seed();
  recipe planned = g.plan(p);
  // Sizes and offsets; for a profile, offsets and filled rows, then these and their sorted sizes.
  const std::int64_t of_row = p.wants_entries() ? 8 : 12;
  const std::int64_t entries = p.wants_entries() ? 12 * planned.entries : 0;
  p.require_memory(of_row * planned.rows + entries + planned.beside);
  return planned;
}

} // namespace

std::vector<generator_info> generators() {
  std::vector<generator_info> infos;
  for (const generator& g : table()) infos.push_back(g.info);
  return infos;
}

std::string generator_names() {
  std::string names;
  for (const generator& g : table()) names += fmt::format("{}{}", names.empty() ? "" : ", ", g.info.name);
  return names;
}

std::string usage(const generator_info& generator) {
  std::string required;
  std::string optional;
  for (const generator_key& key : generator.keys)
    (key.standard.empty() ? required : optional) += fmt::format(",{}={}", key.name, key.standard);
  if (!required.empty())
    required.front() = ':';
  else if (!optional.empty())
    optional.front() = ':';
  return fmt::format("{}{}{}", generator.name, required,
                     optional.empty() ? "" : fmt::format("[{}]", optional));
}

csr_matrix<double> generate(std::string_view spec) {
  const parameters p(spec, find(spec).info);
  return plan(p, find(spec)).make();
}

row_profile generate_profile(std::string_view spec) {
  const parameters p(spec, find(spec).info, parameters::wanted::sizes);
  const csr_matrix<double> without_entries = plan(p, find(spec)).make();
  return {without_entries.rows, without_entries.cols, filled_rows(without_entries.offsets)};
}

bool has_weights(std::string_view spec) { return find(spec).has_weights; }

std::optional<gap_shape> gap_shape_of(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  if (name != "kron" && name != "urand") return {};
  const parameters p(spec, find(spec).info);
  return shape_of(p, name == "kron" ? gap_graph::kron : gap_graph::urand, 28, 4096);
}

void check_generator(std::string_view spec) {
  const parameters p(spec, find(spec).info);
  plan(p, find(spec));
}

} // namespace evenly::generate
