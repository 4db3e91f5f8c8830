// SPDX-License-Identifier: Apache-2.0
// Pairs of points closer than a cutoff, as a tile set: neighbor lists of molecular dynamics, radius graphs of point
// clouds. A tile is a point; its atoms are its neighbors in ascending order, so every skeleton and schedule runs on it.
//
//   neighbor_options options;
//   options.box = simulation_box::orthorhombic(30, 30, 30);
//   const auto near = neighbor_list(exec, points_of(x, y, z), 5.0, options);
//   reduce_tiles(exec, schedule, near.tiles(), map, plus<double>{}, store);
//
// Cells at least as wide as the cutoff (Quentrec & Brot 1973; Allen & Tildesley 1987) are filled by a counting sort.
// Then one pass counts the neighbors of each point, a scan makes offsets, and a second pass writes them. In both, a
// warp takes the points of a cell together (detail/neighbor_rows.hpp).
//
// Both passes and both directions of a pair use one rule (pair_rule), so the list is symmetric and counts equal fills
// bit for bit, on every executor. Positions need not be inside of the box.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/detail/nearest_neighbors.hpp"
#include "evenly/spatial/detail/neighbor_cells.hpp"
#include "evenly/spatial/detail/neighbor_rows.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/spatial/simulation_box.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::spatial {

struct neighbor_options {
  std::optional<simulation_box> box{}; ///< without a box all directions are open
  bool half = false;            ///< each pair once: in the row of the lesser point, or with the greater shift
  bool distances = false;       ///< also store the distance of each pair
  bool vectors = false;         ///< also store the vector from the point to its neighbor
  std::optional<int> nearest{}; ///< only so many pairs per row, nearest first; of equally near ones the first
  /// Room for so many pairs. Then the host does not wait for their number, and rows that do not fit are not written:
  /// neighbor_pairs::require_complete.
  std::optional<std::int64_t> capacity{};
};

/// Neighbors of all points, in the memory of an executor. Move-only.
template <std::floating_point T> class neighbor_pairs {
 public:
  neighbor_pairs(buffer<std::int64_t> offsets, std::int64_t pairs, bool has_shifts, const auto& exec,
                 const neighbor_options& options)
      : offsets_(std::move(offsets)), indices_(make_buffer<int>(exec, static_cast<std::size_t>(pairs))),
        shifts_(make_buffer<image_shift>(exec, has_shifts ? static_cast<std::size_t>(pairs) : 0)),
        distances_(make_buffer<T>(exec, options.distances ? static_cast<std::size_t>(pairs) : 0)),
        vectors_(make_buffer<T>(exec, options.vectors ? 3 * static_cast<std::size_t>(pairs) : 0)) {}

  /// For a list with a capacity: throws invalid_argument, with the needed capacity, if there are more pairs. Waits for
  /// the executor.
  void require_complete(const auto& exec) const {
    std::int64_t needed = 0;
    exec.copy_to_host(&needed, offsets_.data() + (offsets_.size() - 1), sizeof(needed));
    require(needed <= std::ssize(indices()), [&] {
      return detail::concat("capacity = ", indices_.size(), ": the list has ", needed,
                            " pairs; use a capacity of at least ", needed);
    });
  }

  /// Tile i is point i; its atoms are positions in indices().
  auto tiles() const { return csr_tiles(offsets()); }
  std::span<const std::int64_t> offsets() const { return {offsets_.data(), offsets_.size()}; }
  /// The neighbors of point i, from offsets()[i] to offsets()[i + 1], ascending; of one neighbor by shift. With
  /// options.nearest, by distance. With a capacity, as many elements as that.
  std::span<const int> indices() const { return {indices_.data(), indices_.size()}; }
  /// The shift of each pair; empty if no direction is periodic.
  std::span<const image_shift> shifts() const { return {shifts_.data(), shifts_.size()}; }
  /// Empty unless requested.
  std::span<const T> distances() const { return {distances_.data(), distances_.size()}; }
  /// x, y and z of each pair; empty unless requested.
  std::span<const T> vectors() const { return {vectors_.data(), vectors_.size()}; }

  /// Where kernels write.
  detail::neighbor_rows<T> rows() {
    const bool has_shifts = shifts_.size() > 0, has_distances = distances_.size() > 0;
    return {offsets_.data(),
            indices_.data(),
            has_shifts ? shifts_.data() : nullptr,
            has_distances ? distances_.data() : nullptr,
            vectors_.size() > 0 ? vectors_.data() : nullptr,
            std::ssize(indices())};
  }

 private:
  buffer<std::int64_t> offsets_;
  buffer<int> indices_;
  buffer<image_shift> shifts_;
  buffer<T> distances_;
  buffer<T> vectors_;
};

} // namespace evenly::spatial

namespace evenly::detail {

/// Slices of a list: whole cells on cpu; elsewhere at most a warp's points, and fewer if there are few.
template <class Executor> int slice_bits_on(const Executor& exec, std::int64_t points) {
  if constexpr (Executor::serial_blocks) {
    return 30;
  } else {
    const int warp = exec.shape_of(neighbor_tuning::block_size).warp;
    int bits = neighbor_tuning::slice_bits(points, exec.resident_threads() / warp);
    while (1 << bits > warp) --bits;
    return bits;
  }
}

/// Candidates per lane for which storage has room: those of uniform points near the box around the points of a cell,
/// which is that of Minkowski's sum of a box and a ball.
template <class Executor>
int candidates_of_lane_on(const Executor& exec, std::int64_t points, double cutoff, const cell_grid& grid) {
  if constexpr (Executor::serial_blocks) {
    return 0;
  } else {
    const double of_cell = static_cast<double>(points) / static_cast<double>(grid.count());
    const double part = (of_cell - 1) / (of_cell + 1); // of the cell's width, between its outermost points
    double a[3], volume = 1;
    for (int k = 0; k < 3; ++k) {
      const double width =
          grid.scale[k] > 0
              ? 1 / (grid.scale[k] * std::hypot(grid.inverse[k][0], grid.inverse[k][1], grid.inverse[k][2]))
              : 0;
      volume *= width;
      a[k] = larger(part, 0.0) * width;
    }
    const double near = a[0] * a[1] * a[2] + 2 * cutoff * (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]) +
                        3.1416 * cutoff * cutoff * (a[0] + a[1] + a[2] + 4 * cutoff / 3);
    return neighbor_tuning::candidates_of_lane(volume > 0 ? of_cell * near / volume : 0,
                                               exec.shape_of(neighbor_tuning::block_size).warp);
  }
}

/// The nearest pairs of each row of a complete list.
template <class Executor, class T>
spatial::neighbor_pairs<T> nearest_of(const Executor& exec, const spatial::point_view<T>& positions,
                                      const spatial::pair_rule<T>& rule, spatial::neighbor_pairs<T> all,
                                      bool has_shifts, const spatial::neighbor_options& options) {
  const auto size = static_cast<std::size_t>(positions.count);
  auto offsets = make_buffer<std::int64_t>(exec, size + 1);
  exec.fill_zero(offsets.data(), sizeof(std::int64_t));
  inclusive_scan(exec, generated{nearest_size{all.offsets().data(), *options.nearest}}, positions.count,
                 plus<std::int64_t>{}, offsets.data() + 1);
  std::int64_t pairs = 0;
  exec.copy_to_host(&pairs, offsets.data() + positions.count, sizeof(pairs));
  spatial::neighbor_pairs<T> made(std::move(offsets), pairs, has_shifts, exec, options);
  using kernel = nearest_kernel<T>;
  std::int64_t per_block = 0;
  if constexpr (Executor::serial_blocks)
    per_block = items_per_block(exec, positions.count, 1);
  else
    per_block = exec.shape_of(kernel::tuned_block_size).warps();
  launch(exec, {block_count(positions.count, per_block), kernel::tuned_block_size},
         kernel{positions, per_block, rule, all.rows(), made.rows(), *options.nearest});
  exec.synchronize();
  return made;
}

} // namespace evenly::detail

namespace evenly::spatial {

/// Finds all pairs of points whose distance is below `cutoff`, over all periodic images. A point is its own neighbor
/// only through an image.
///
/// - positions: float or double, in memory of `exec`; they may lie outside of the box. cutoff: in the same units.
/// - Result: offsets of 64 bits, one more than points, and an index (and shift, if a direction is periodic) per pair.
///   The vector of a pair goes from the point to positions[index] + shift * edges. Every run and every executor returns
///   the same bits.
/// - Cost: O(points + candidates), twice: the points of the cells around each point. Cells are as wide as the cutoff,
///   or wider if there would be more cells than points. Rows are sorted: O(n log n) on cpu, O(n log^2 n) elsewhere.
/// - Memory: 8 bytes per point and 4 to 8 per pair in the result; while it runs, 28 bytes per point of float.
/// - Synchronisation: waits for the executor; with a capacity, only for the bounds of the positions.
/// - Throws invalid_argument for a cutoff that is not positive and finite, a position that is not finite (naming the
///   first point), a singular box, neighbors more than 511 boxes apart, a negative capacity, `nearest` below 1, and
///   `nearest` with `half` or `capacity`.
template <class Executor, std::floating_point T>
requires coordinate<T>
neighbor_pairs<T> neighbor_list(const Executor& exec, const point_view<T>& positions, double cutoff,
                                const neighbor_options& options = {}) {
  const std::int64_t count = positions.count;
  require(count >= 0 && count < std::numeric_limits<int>::max(),
          [&] { return detail::concat(count, " points: the number must be from 0 to 2147483646"); });
  pair_rule<T> rule{};
  rule.cutoff_squared = static_cast<T>(cutoff) * static_cast<T>(cutoff);
  require(cutoff > 0 && rule.cutoff_squared > 0 && std::isfinite(rule.cutoff_squared), [&] {
    return detail::concat("cutoff = ", detail::number_text(cutoff),
                          ": it and its square must be positive and finite");
  });
  require(!options.capacity || *options.capacity >= 0,
          [&] { return detail::concat("capacity = ", *options.capacity, ": it must not be negative"); });
  require(!options.nearest || *options.nearest >= 1,
          [&] { return detail::concat("nearest = ", *options.nearest, ": it must be at least 1"); });
  require(!options.nearest || (!options.half && !options.capacity), [&] {
    return std::string("nearest: rows must be complete to choose from; leave out half and capacity");
  });
  detail::cell_grid grid{};
  detail::set_box(options.box, rule, grid);
  const bool has_shifts = grid.periodic[0] || grid.periodic[1] || grid.periodic[2];
  const auto size = static_cast<std::size_t>(count);
  auto offsets = make_buffer<std::int64_t>(exec, size + 1);
  exec.fill_zero(offsets.data(), sizeof(std::int64_t));
  if (count == 0) {
    exec.synchronize();
    return neighbor_pairs<T>(std::move(offsets), 0, has_shifts, exec, options);
  }
  const auto bounds =
      reduce(exec, generated{detail::bounds_of_point<T>{positions, grid}}, count, detail::join_bounds{});
  if (bounds.not_finite < count) detail::refuse_point(exec, positions, bounds.not_finite);
  detail::set_cells(count, cutoff, rule, bounds, grid);

  // A counting sort by cell. The order inside of a cell is arbitrary: rows are sorted.
  const detail::locate_point<T> locate{positions, grid};
  const auto cells = static_cast<std::size_t>(grid.count());
  const int slice_bits = detail::slice_bits_on(exec, count);
  const auto sizes = make_buffer<int>(exec, cells + 1);
  const auto begins = make_buffer<std::uint64_t>(exec, cells + 1);
  const auto ranks = make_buffer<int>(exec, size);
  exec.fill_zero(sizes.data(), (cells + 1) * sizeof(int));
  tabulate(exec, count, detail::count_in_cell<T>{locate, sizes.data()}, ranks.data());
  exclusive_scan(exec, generated{detail::begins_of_cell{sizes.data(), slice_bits}},
                 static_cast<std::int64_t>(cells) + 1, plus<std::uint64_t>{}, begins.data());
  const std::int64_t max_slices =
      (count >> detail::slice_bits_of(std::numeric_limits<int>::max(), slice_bits)) +
      smaller(count, static_cast<std::int64_t>(cells));
  const auto points = make_buffer<detail::cell_point<T>>(exec, size);
  const auto slices = make_buffer<detail::cell_slice>(exec, static_cast<std::size_t>(max_slices));
  const auto wraps = make_buffer<image_shift>(exec, has_shifts && !grid.is_around ? size : 0);
  const detail::cell_points<T> in_cells{points.data(), slices.data(), wraps.data()};
  tabulate(exec, count, detail::move_to_cell<T>{locate, ranks.data(), begins.data(), slice_bits, in_cells},
           ranks.data());

  constexpr int block_size = detail::neighbor_tuning::block_size;
  const int of_lane = detail::candidates_of_lane_on(exec, count, cutoff, grid);
  const auto run_pass = [&]<bool Fill>(std::bool_constant<Fill>, const detail::neighbor_rows<T>& out) {
    std::int64_t per_block = 0;
    if constexpr (Executor::serial_blocks)
      per_block = larger<std::int64_t>(max_slices / (std::int64_t{blocks_of_thread} * exec.threads()), 64);
    else
      per_block = exec.shape_of(block_size).warps();
    launch(exec, {block_count(max_slices, per_block), block_size},
           detail::neighbor_kernel<Fill, T>{
               {in_cells, count, begins.data(), slice_bits, grid, rule, options.half, out, positions},
               per_block,
               of_lane});
  };
  run_pass(std::false_type{}, {offsets.data(), nullptr, nullptr, nullptr, nullptr, 0});
  inclusive_scan(exec, static_cast<const std::int64_t*>(offsets.data()) + 1, count, plus<std::int64_t>{},
                 offsets.data() + 1);
  std::int64_t pairs = 0;
  if (options.capacity)
    pairs = *options.capacity;
  else
    exec.copy_to_host(&pairs, offsets.data() + count, sizeof(pairs));
  neighbor_options stored = options;
  if (options.nearest) stored.distances = stored.vectors = false;
  neighbor_pairs<T> made(std::move(offsets), pairs, has_shifts, exec, stored);
  run_pass(std::true_type{}, made.rows());
  if (options.nearest) return detail::nearest_of(exec, positions, rule, std::move(made), has_shifts, options);
  if (!options.capacity) exec.synchronize();
  return made;
}

/// Whether a list with a cutoff of r + skin may lack pairs closer than r: a point has moved by more than skin / 2 since
/// the list was made. Positions are compared as they are, so do not wrap them in between.
///
/// - before, now: positions of the same points, in memory of `exec`. skin: in their units, not negative.
/// - Cost: O(points). Synchronisation: waits for the executor.
/// - Throws invalid_argument for different numbers of points, and a skin that is negative or not finite.
/// - Source: Verlet, 1967.
template <class Executor, std::floating_point T>
requires coordinate<T>
bool must_rebuild(const Executor& exec, const point_view<T>& before, const point_view<T>& now, double skin) {
  require(before.count == now.count, [&] {
    return detail::concat(before.count, " points before and ", now.count, " now: the numbers must be equal");
  });
  require(skin >= 0 && std::isfinite(skin), [&] {
    return detail::concat("skin = ", detail::number_text(skin), ": it must be finite and not negative");
  });
  const T half = static_cast<T>(skin / 2);
  return reduce(exec, generated{detail::has_moved<T>{before, now, half * half}}, now.count, maximum<int>{}) >
         0;
}

} // namespace evenly::spatial
