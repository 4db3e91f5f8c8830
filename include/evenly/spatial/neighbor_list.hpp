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
// warp takes the points of a cell together: each lane loads a candidate of the cells around once, and tests it against
// all of them. A row is sorted where it was written.
//
// Both passes and both directions of a pair use one rule (pair_rule), so the list is symmetric and counts equal fills
// bit for bit, on every executor. Positions need not be inside of the box.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::detail {

/// A number for messages.
inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

} // namespace evenly::detail

namespace evenly::spatial {

/// A parallelepiped of three edge vectors, repeated along those that are periodic.
struct simulation_box {
  double edges[3][3]; ///< edges[k]: x, y and z of edge k; a right-handed or left-handed basis
  bool periodic[3] = {true, true, true};

  /// A box with edges along x, y and z. Throws invalid_argument for a length that is not positive and finite.
  static simulation_box orthorhombic(double x, double y, double z) {
    const double lengths[3] = {x, y, z};
    simulation_box box{};
    for (int k = 0; k < 3; ++k) {
      require(lengths[k] > 0 && std::isfinite(lengths[k]), [&] {
        return detail::concat("box length ", detail::number_text(lengths[k]),
                              ": lengths must be positive and finite");
      });
      box.edges[k][k] = lengths[k];
      box.periodic[k] = true;
    }
    return box;
  }
};

/// How many edges of the box lie between a point and an image of its neighbor: three integers from -512 to 511 in 32
/// bits. Shifts compare as their three numbers do, in this order.
struct image_shift {
  static constexpr int bias = 512;
  static constexpr std::uint32_t zero = bias << 20 | bias << 10 | bias;
  std::uint32_t bits = zero;

  EVENLY_FN static constexpr image_shift of(int a, int b, int c) {
    return {zero + (static_cast<std::uint32_t>(a) << 20) + (static_cast<std::uint32_t>(b) << 10) +
            static_cast<std::uint32_t>(c)};
  }
  /// The number of edges along edge k, 0 <= k < 3.
  EVENLY_FN constexpr int operator[](int k) const {
    return static_cast<int>(bits >> (20 - 10 * k) & 1023) - bias;
  }
  friend EVENLY_FN constexpr bool operator==(image_shift a, image_shift b) { return a.bits == b.bits; }
  friend EVENLY_FN constexpr bool operator<(image_shift a, image_shift b) { return a.bits < b.bits; }
};

struct neighbor_options {
  std::optional<simulation_box> box{}; ///< without a box all directions are open
  bool half = false;      ///< each pair once: in the row of the lesser point, or with the greater shift
  bool distances = false; ///< also store the distance of each pair
  bool vectors = false;   ///< also store the vector from the point to its neighbor
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

  /// Tile i is point i; its atoms are positions in indices().
  auto tiles() const { return csr_tiles(offsets()); }
  std::span<const std::int64_t> offsets() const { return {offsets_.data(), offsets_.size()}; }
  /// The neighbors of point i, from offsets()[i] to offsets()[i + 1], ascending; of one neighbor by shift.
  std::span<const int> indices() const { return {indices_.data(), indices_.size()}; }
  /// The shift of each pair; empty if no direction is periodic.
  std::span<const image_shift> shifts() const { return {shifts_.data(), shifts_.size()}; }
  /// Empty unless requested.
  std::span<const T> distances() const { return {distances_.data(), distances_.size()}; }
  /// x, y and z of each pair; empty unless requested.
  std::span<const T> vectors() const { return {vectors_.data(), vectors_.size()}; }

  int* indices_data() { return indices_.data(); }
  image_shift* shifts_data() { return shifts_.data(); }
  T* distances_data() { return distances_.data(); }
  T* vectors_data() { return vectors_.data(); }

 private:
  buffer<std::int64_t> offsets_;
  buffer<int> indices_;
  buffer<image_shift> shifts_;
  buffer<T> distances_;
  buffer<T> vectors_;
};

/// The rule of all passes: the vector from point i to an image of point j is (p_j - p_i) + shift * edges, computed in
/// T with the operations below. i and j are neighbors if its squared length is below the square of the cutoff.
template <std::floating_point T> struct pair_rule {
  T edges[3][3];
  T cutoff_squared;

  EVENLY_FN T offset(image_shift s, int d) const {
    return std::fma(static_cast<T>(s[2]), edges[2][d],
                    std::fma(static_cast<T>(s[1]), edges[1][d], static_cast<T>(s[0]) * edges[0][d]));
  }
  EVENLY_FN static T squared(T x, T y, T z) { return std::fma(z, z, std::fma(y, y, x * x)); }
};

} // namespace evenly::spatial

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// Bounds of fractions along the edges, of coordinates, and the first point that is not finite.
struct fraction_bounds {
  double low[3], high[3], max_coordinate;
  std::int64_t not_finite;
};
struct join_bounds {
  using value_type = fraction_bounds;
  static constexpr bool commutative = true;
  EVENLY_FN value_type identity() const {
    constexpr double far = std::numeric_limits<double>::infinity();
    return {{far, far, far}, {-far, -far, -far}, 0, std::numeric_limits<std::int64_t>::max()};
  }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    value_type both;
    for (int k = 0; k < 3; ++k) {
      both.low[k] = smaller(a.low[k], b.low[k]);
      both.high[k] = larger(a.high[k], b.high[k]);
    }
    both.max_coordinate = larger(a.max_coordinate, b.max_coordinate);
    both.not_finite = smaller(a.not_finite, b.not_finite);
    return both;
  }
};

/// A grid of cells over the box, or over the points in open directions.
struct cell_grid {
  double inverse[3][3]; ///< of the edges: fraction k = inverse[k] . position
  double low[3];        ///< of the fractions in open directions
  double scale[3];      ///< cells per unit of the fraction
  int cells[3];
  int reach[3]; ///< cells to each side that may have neighbors
  bool periodic[3];

  EVENLY_FN double fraction(int k, double x, double y, double z) const {
    return inverse[k][0] * x + inverse[k][1] * y + inverse[k][2] * z;
  }
  EVENLY_FN std::int64_t count() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

/// The cell of a point, and by how many edges the point is away from the box.
struct point_place {
  int cell;
  spatial::image_shift wraps;
};

template <class T> struct locate_point {
  spatial::point_view<T> points;
  cell_grid grid;

  EVENLY_FN point_place operator()(std::int64_t i) const {
    int at[3], wraps[3];
    for (int k = 0; k < 3; ++k) {
      double u = grid.fraction(k, static_cast<double>(points.x[i]), static_cast<double>(points.y[i]),
                               static_cast<double>(points.z[i]));
      const double edge = grid.periodic[k] ? std::floor(u) : grid.low[k];
      wraps[k] = grid.periodic[k] ? static_cast<int>(edge) : 0;
      u = (u - edge) * grid.scale[k];
      at[k] = u > 0 ? smaller(static_cast<int>(smaller(u, 1e9)), grid.cells[k] - 1) : 0;
    }
    return {(at[0] * grid.cells[1] + at[1]) * grid.cells[2] + at[2],
            spatial::image_shift::of(wraps[0], wraps[1], wraps[2])};
  }
};

/// Counts points of cells: stores each point's rank in its cell.
template <class T> struct count_in_cell {
  locate_point<T> locate;
  int* sizes;
  EVENLY_FN int operator()(std::int64_t i) const {
    return atomic_ref(sizes[locate(i).cell]).fetch_add(1, order::relaxed{});
  }
};

/// Points in the order of their cells.
template <class T> struct cell_points {
  T *x, *y, *z;
  int* point;                  ///< its number
  int* cell;                   ///< its cell
  spatial::image_shift* wraps; ///< null if no direction is periodic
};

template <class T> struct move_to_cell {
  locate_point<T> locate;
  const int* ranks;
  const int* begins;
  cell_points<T> to;
  EVENLY_FN int operator()(std::int64_t i) const {
    const point_place place = locate(i);
    const int at = begins[place.cell] + ranks[i];
    to.x[at] = locate.points.x[i];
    to.y[at] = locate.points.y[i];
    to.z[at] = locate.points.z[i];
    to.point[at] = static_cast<int>(i);
    to.cell[at] = place.cell;
    if (to.wraps != nullptr) to.wraps[at] = place.wraps;
    return at;
  }
};

/// Where rows are written.
template <class T> struct neighbor_rows {
  std::int64_t* offsets; ///< the count pass writes sizes to offsets[i + 1]
  int* indices;
  spatial::image_shift* shifts; ///< null if no direction is periodic
  T* distances;                 ///< null if not requested
  T* vectors;                   ///< likewise
};

/// Consecutive points, in the order of cells, with one shift.
struct cell_run {
  int begin, size;
  spatial::image_shift shift;
};

/// Runs of cells around a cell, numbered 0 to count() - 1. Some are empty.
struct cells_around {
  const cell_grid& grid;
  const int* begins;
  int at[3];
  int first_image, images; ///< along the last edge, in which cells of a run are consecutive

  EVENLY_FN static int image_of(int cell, int cells) {
    return cell >= 0 ? cell / cells : -((cells - 1 - cell) / cells);
  }
  EVENLY_FN cells_around(const cell_grid& of, const int* cell_begins, int cell)
      : grid(of), begins(cell_begins) {
    at[2] = cell % grid.cells[2];
    at[1] = cell / grid.cells[2] % grid.cells[1];
    at[0] = cell / grid.cells[2] / grid.cells[1];
    first_image = grid.periodic[2] ? image_of(at[2] - grid.reach[2], grid.cells[2]) : 0;
    images = grid.periodic[2] ? image_of(at[2] + grid.reach[2], grid.cells[2]) - first_image + 1 : 1;
  }
  EVENLY_FN int count() const { return (2 * grid.reach[0] + 1) * (2 * grid.reach[1] + 1) * images; }
  EVENLY_FN cell_run operator()(int number) const {
    const int row = number / images, width = 2 * grid.reach[1] + 1;
    const int q[2] = {at[0] - grid.reach[0] + row / width, at[1] - grid.reach[1] + row % width};
    const int image[3] = {image_of(q[0], grid.cells[0]), image_of(q[1], grid.cells[1]),
                          first_image + number % images};
    if ((image[0] != 0 && !grid.periodic[0]) || (image[1] != 0 && !grid.periodic[1])) return {0, 0, {}};
    const int n = grid.cells[2], start = image[2] * n;
    const int from = larger(at[2] - grid.reach[2], start) - start;
    const int to = smaller(at[2] + grid.reach[2], start + n - 1) - start;
    const int line =
        ((q[0] - image[0] * grid.cells[0]) * grid.cells[1] + q[1] - image[1] * grid.cells[1]) * n;
    const int begin = begins[line + from];
    return {begin, begins[line + to + 1] - begin, spatial::image_shift::of(image[0], image[1], image[2])};
  }
};

/// Position a + b - c of shifts: their three numbers, as no field overflows.
EVENLY_FN constexpr spatial::image_shift add_shifts(spatial::image_shift a, spatial::image_shift b,
                                                    spatial::image_shift c) {
  return {a.bits + b.bits - c.bits};
}

struct neighbor_tuning {
  static constexpr int block_size = 256;
  static constexpr int window = 8;        ///< points, in the order of cells, in which a warp looks for slices
  static constexpr int sorted_keys = 128; ///< rows up to this length are sorted in storage
};

/// Sorts `count` elements in ascending order by the lanes of a warp: a bitonic network in which all comparisons go one
/// way (Batcher 1968; the form of Knuth, volume 3, 5.3.4), so elements after the last need not exist.
/// `exchange(i, j)`: orders elements i < j.
template <class Block, class Exchange>
EVENLY_FN void sort_by_warp(const lanes<Block>& warp, std::int64_t count, const Exchange& exchange) {
  for (std::int64_t width = 2; width < 2 * count; width *= 2)
    for (std::int64_t apart = width / 2; apart > 0; apart /= 2) {
      for (std::int64_t t = warp.rank();; t += warp.size()) {
        const std::int64_t low = t & (apart - 1), begin = (t - low) * 2;
        if (begin >= count) break;
        const std::int64_t i = begin + low;
        const std::int64_t j = apart == width / 2 ? begin + width - 1 - low : i + apart;
        if (j < count) exchange(i, j);
      }
      warp.sync();
    }
}

/// A point whose neighbors are found.
template <class T> struct alignas(16) home_point {
  T x, y, z;
  int point;
};

/// Both passes: the first writes sizes of rows, the second (Fill) the rows.
template <bool Fill, class T> struct neighbor_kernel {
  static constexpr int tuned_block_size = neighbor_tuning::block_size;
  static constexpr bool only_tuned_size = true;

  cell_points<T> points;
  std::int64_t count;
  std::int64_t windows_per_block; ///< of serial blocks
  const int* begins;              ///< of cells
  cell_grid grid;
  spatial::pair_rule<T> rule;
  bool half;
  neighbor_rows<T> out;
  spatial::point_view<T> source; ///< in the order of the input

  struct slots {
    slot<home_point<T>> homes;
    slot<std::int64_t> rows;
    slot<std::uint32_t> wraps;
    slot<int> ends, froms;
    slot<std::uint32_t> shifts;
    slot<std::uint64_t> keys;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<home_point<T>>(shape.size),
            layout.take<std::int64_t>(shape.size),
            layout.take<std::uint32_t>(shape.size),
            layout.take<int>(shape.size),
            layout.take<int>(shape.size),
            layout.take<std::uint32_t>(shape.size),
            layout.take<std::uint64_t>(Fill ? shape.warps() * neighbor_tuning::sorted_keys : 0)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (Block::is_serial) {
      search_serially(block);
    } else {
      const lanes<Block> warp = this_warp(block);
      const int window = smaller(neighbor_tuning::window, warp.size());
      const std::int64_t first =
          (std::int64_t{block.index()} * block.shape().warps() + warp_of(block)) * window;
      const std::int64_t p = first + warp.rank();
      const bool has = warp.rank() < window && p < count;
      const int cell = has ? points.cell[p] : 0;
      // A slice begins at every warp.size()th point of a cell.
      const bool begins_slice = has && (static_cast<int>(p) - begins[cell]) % warp.size() == 0;
      for (lane_mask slices = warp.ballot(begins_slice); slices != 0; slices &= slices - 1) {
        const int lane = first_lane(slices);
        search(block, warp, warp.shuffle(cell, lane), static_cast<int>(first) + lane);
      }
    }
  }

 private:
  EVENLY_FN spatial::image_shift wraps_of(std::int64_t p) const {
    return points.wraps == nullptr ? spatial::image_shift{} : points.wraps[p];
  }
  /// Whether neighbor (j, shift) belongs into the row of i.
  EVENLY_FN bool is_listed(int i, int j, spatial::image_shift shift) const {
    constexpr auto zero = spatial::image_shift::zero;
    return half ? j > i || (j == i && shift.bits > zero) : j != i || shift.bits != zero;
  }
  EVENLY_FN static std::uint64_t key_of(int j, spatial::image_shift shift) {
    return static_cast<std::uint64_t>(j) << 32 | shift.bits;
  }
  /// Writes pair `at` of point `i`, at (x, y, z), except for its index and shift.
  EVENLY_FN void write_vector(std::int64_t at, const T (&d)[3]) const {
    if (out.distances != nullptr) out.distances[at] = std::sqrt(rule.squared(d[0], d[1], d[2]));
    if (out.vectors != nullptr)
      for (int k = 0; k < 3; ++k) out.vectors[3 * at + k] = d[k];
  }

  /// The rows of the points from `first` on, at most a warp's, in a cell.
  template <class Block>
  EVENLY_FN void search(Block& block, const lanes<Block>& warp, int cell, int first) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const int begin = block.rank() - warp.rank();
    const auto homes = block.storage(place.homes);
    const auto rows = block.storage(place.rows);
    const auto wraps = block.storage(place.wraps);
    const auto ends = block.storage(place.ends), froms = block.storage(place.froms);
    const auto shifts = block.storage(place.shifts);
    const int home_count = smaller(warp.size(), begins[cell + 1] - first);
    if (warp.rank() < home_count) {
      const int p = first + warp.rank();
      const int point = points.point[p];
      homes[begin + warp.rank()] = home_point<T>{points.x[p], points.y[p], points.z[p], point};
      wraps[begin + warp.rank()] = wraps_of(p).bits;
      if constexpr (Fill) rows[begin + warp.rank()] = out.offsets[point];
    }
    const lane_mask before = lanes_before(warp);
    int found = 0; // neighbors of the home of this lane's rank
    const cells_around around(grid, begins, cell);
    const int runs = around.count();
    for (int next = 0; next < runs; next += warp.size()) {
      const cell_run run = next + warp.rank() < runs ? around(next + warp.rank()) : cell_run{0, 0, {}};
      const int end = warp.scan(run.size, plus<int>{});
      const int total = warp.shuffle(end, warp.size() - 1);
      warp.sync(); // the run before is read
      ends[begin + warp.rank()] = end;
      froms[begin + warp.rank()] = run.begin - (end - run.size);
      shifts[begin + warp.rank()] = run.shift.bits;
      warp.sync();
      int r = 0; // the run of the lane's candidate
      for (int base = 0; base < total; base += warp.size()) {
        const int q = base + warp.rank();
        const bool has = q < total;
        T x{}, y{}, z{}, offset[3] = {0, 0, 0};
        int point = -1;
        spatial::image_shift shift;
        if (has) {
          int upto = ends[begin + r];
          while (q >= upto) upto = ends[begin + ++r];
          const int from = froms[begin + r];
          const std::int64_t p = from + q;
          x = points.x[p], y = points.y[p], z = points.z[p];
          point = points.point[p];
          const std::uint32_t image = shifts[begin + r];
          shift = add_shifts({image}, {}, wraps_of(p));
          if (shift.bits != spatial::image_shift::zero)
            for (int k = 0; k < 3; ++k) offset[k] = rule.offset(shift, k);
        }
        for (int h = 0; h < home_count; ++h) {
          const home_point<T> home = homes[begin + h];
          const std::uint32_t wrapped = wraps[begin + h];
          T d[3] = {(x - home.x) + offset[0], (y - home.y) + offset[1], (z - home.z) + offset[2]};
          spatial::image_shift apart = shift;
          if (wrapped != spatial::image_shift::zero) { // the same for all lanes
            apart = add_shifts(shift, {wrapped}, {});
            d[0] = (x - home.x) + rule.offset(apart, 0);
            d[1] = (y - home.y) + rule.offset(apart, 1);
            d[2] = (z - home.z) + rule.offset(apart, 2);
          }
          const bool is_near = has && rule.squared(d[0], d[1], d[2]) < rule.cutoff_squared &&
                               is_listed(home.point, point, apart);
          const lane_mask near = warp.ballot(is_near);
          if constexpr (Fill) {
            const std::int64_t row = rows[begin + h];
            const std::int64_t at = row + warp.shuffle(found, h) + lanes_in(near & before);
            if (is_near) {
              out.indices[at] = point;
              if (out.shifts != nullptr) out.shifts[at] = apart;
            }
          }
          if (warp.rank() == h) found += lanes_in(near);
        }
      }
    }
    if constexpr (Fill) {
      warp.sync(); // rows are written
      for (int h = 0; h < home_count; ++h) {
        const home_point<T> home = homes[begin + h];
        const std::int64_t row = rows[begin + h];
        finish_row(block, warp, place, home, row, warp.shuffle(found, h));
      }
    } else if (warp.rank() < home_count) {
      const home_point<T> home = homes[begin + warp.rank()];
      out.offsets[home.point + 1] = found;
    }
    warp.sync(); // homes are read
  }

  /// Sorts a row and writes what was requested.
  template <class Block>
  EVENLY_FN void finish_row(Block& block, const lanes<Block>& warp, const slots& place,
                            const home_point<T>& home, std::int64_t row, int size) const {
    if (size <= neighbor_tuning::sorted_keys) {
      const auto keys = block.storage(place.keys);
      const int begin = warp_of(block) * neighbor_tuning::sorted_keys;
      for (int k = warp.rank(); k < size; k += warp.size())
        keys[begin + k] = key_of(out.indices[row + k],
                                 out.shifts == nullptr ? spatial::image_shift{} : out.shifts[row + k]);
      warp.sync();
      sort_by_warp(warp, size, [&](std::int64_t i, std::int64_t j) {
        const std::uint64_t a = keys[begin + static_cast<int>(i)], b = keys[begin + static_cast<int>(j)];
        if (b < a) {
          keys[begin + static_cast<int>(i)] = b;
          keys[begin + static_cast<int>(j)] = a;
        }
      });
      for (int k = warp.rank(); k < size; k += warp.size()) {
        const std::uint64_t key = keys[begin + k];
        out.indices[row + k] = static_cast<int>(key >> 32);
        if (out.shifts != nullptr) out.shifts[row + k] = {static_cast<std::uint32_t>(key)};
      }
    } else {
      sort_by_warp(warp, size, [&](std::int64_t i, std::int64_t j) {
        int* const a = out.indices + row + i;
        int* const b = out.indices + row + j;
        if (out.shifts == nullptr) {
          if (*b < *a) exchange_values(*a, *b);
        } else if (*b < *a || (*b == *a && out.shifts[row + j] < out.shifts[row + i])) {
          exchange_values(*a, *b);
          exchange_values(out.shifts[row + i], out.shifts[row + j]);
        }
      });
    }
    warp.sync(); // before other lanes read the row, and write keys of the next
    if (out.distances == nullptr && out.vectors == nullptr) return;
    for (int k = warp.rank(); k < size; k += warp.size()) {
      const int j = out.indices[row + k];
      const auto shift = out.shifts == nullptr ? spatial::image_shift{} : out.shifts[row + k];
      const T d[3] = {(source.x[j] - home.x) + rule.offset(shift, 0),
                      (source.y[j] - home.y) + rule.offset(shift, 1),
                      (source.z[j] - home.z) + rule.offset(shift, 2)};
      write_vector(row + k, d);
    }
  }
  template <class Value> EVENLY_FN static void exchange_values(Value& a, Value& b) {
    const Value before = a;
    a = b;
    b = before;
  }

  /// Candidates of a cell on the host, in arrays that loops can read in vector registers.
  struct candidates {
    std::vector<T> x, y, z, offset[3];
    std::vector<int> point;
    std::vector<spatial::image_shift> shift;
    std::vector<T> squared;
    std::vector<std::uint8_t> is_near;
    std::vector<std::uint64_t> keys;
  };

  /// The cells whose first point is in the block's windows.
  template <class Block> void search_serially(Block& block) const {
    candidates all;
    const std::int64_t from = block.index() * windows_per_block,
                       to = smaller(from + windows_per_block, count);
    for (std::int64_t p = from; p < to;) {
      const int cell = points.cell[p];
      if (begins[cell] == p) {
        load_candidates(cell, all);
        for (int home = begins[cell]; home < begins[cell + 1]; ++home) find_row(home, all);
      }
      p = begins[cell + 1];
    }
  }
  void load_candidates(int cell, candidates& all) const {
    const cells_around around(grid, begins, cell);
    std::size_t size = 0;
    std::vector<cell_run> runs;
    for (int r = 0; r < around.count(); ++r)
      if (const cell_run run = around(r); run.size > 0) {
        runs.push_back(run);
        size += static_cast<std::size_t>(run.size);
      }
    for (auto* axis : {&all.x, &all.y, &all.z, &all.offset[0], &all.offset[1], &all.offset[2], &all.squared})
      axis->resize(size);
    all.point.resize(size);
    all.shift.resize(size);
    all.is_near.resize((size + 7) / 8 * 8);
    std::size_t at = 0;
    for (const cell_run& run : runs)
      for (int p = run.begin; p < run.begin + run.size; ++p, ++at) {
        all.x[at] = points.x[p], all.y[at] = points.y[p], all.z[at] = points.z[p];
        all.point[at] = points.point[p];
        all.shift[at] = add_shifts(run.shift, {}, wraps_of(p));
        for (int k = 0; k < 3; ++k) all.offset[k][at] = rule.offset(all.shift[at], k);
      }
  }
  void find_row(int home, candidates& all) const {
    const std::size_t size = all.x.size();
    const T x = points.x[home], y = points.y[home], z = points.z[home];
    const int point = points.point[home];
    const spatial::image_shift wrapped = wraps_of(home);
    const T* const offset[3] = {all.offset[0].data(), all.offset[1].data(), all.offset[2].data()};
    std::uint8_t* const is_near = all.is_near.data();
    T* const squared = all.squared.data();
    const T *const from_x = all.x.data(), *const from_y = all.y.data(), *const from_z = all.z.data();
    if (wrapped.bits == spatial::image_shift::zero) {
      for (std::size_t q = 0; q < size; ++q)
        squared[q] = rule.squared((from_x[q] - x) + offset[0][q], (from_y[q] - y) + offset[1][q],
                                  (from_z[q] - z) + offset[2][q]);
    } else {
      for (std::size_t q = 0; q < size; ++q) {
        const spatial::image_shift shift = add_shifts(all.shift[q], wrapped, {});
        squared[q] =
            rule.squared((from_x[q] - x) + rule.offset(shift, 0), (from_y[q] - y) + rule.offset(shift, 1),
                         (from_z[q] - z) + rule.offset(shift, 2));
      }
    }
    const T limit = rule.cutoff_squared;
    for (std::size_t q = 0; q < size; ++q) is_near[q] = squared[q] < limit;
    for (std::size_t q = size; q < all.is_near.size(); ++q) is_near[q] = 0;
    if (!Fill && !half) { // the point itself is a candidate at distance 0
      std::int64_t found = -1;
      for (std::size_t q = 0; q < size; ++q) found += is_near[q];
      out.offsets[point + 1] = found;
      return;
    }
    all.keys.clear();
    for (std::size_t q = 0; q < all.is_near.size(); q += 8) {
      std::uint64_t near;
      std::memcpy(&near, is_near + q, sizeof(near));
      for (; near != 0; near &= near - 1) {
        const std::size_t c = q + static_cast<std::size_t>(std::countr_zero(near)) / 8;
        const spatial::image_shift shift = add_shifts(all.shift[c], wrapped, {});
        if (is_listed(point, all.point[c], shift)) all.keys.push_back(key_of(all.point[c], shift));
      }
    }
    if constexpr (!Fill) {
      out.offsets[point + 1] = static_cast<std::int64_t>(all.keys.size());
    } else {
      std::ranges::sort(all.keys);
      std::int64_t at = out.offsets[point];
      for (const std::uint64_t key : all.keys) {
        const auto j = static_cast<int>(key >> 32);
        const spatial::image_shift shift{static_cast<std::uint32_t>(key)};
        out.indices[at] = j;
        if (out.shifts != nullptr) out.shifts[at] = shift;
        if (out.distances != nullptr || out.vectors != nullptr) {
          const T d[3] = {(source.x[j] - x) + rule.offset(shift, 0),
                          (source.y[j] - y) + rule.offset(shift, 1),
                          (source.z[j] - z) + rule.offset(shift, 2)};
          write_vector(at, d);
        }
        ++at;
      }
    }
  }
};

/// Fractions of a point, for bounds.
template <class T> struct bounds_of_point {
  spatial::point_view<T> points;
  cell_grid grid;
  EVENLY_FN fraction_bounds operator()(std::int64_t i) const {
    const double at[3] = {static_cast<double>(points.x[i]), static_cast<double>(points.y[i]),
                          static_cast<double>(points.z[i])};
    fraction_bounds bounds = join_bounds{}.identity();
    for (int k = 0; k < 3; ++k) {
      if (!(at[k] - at[k] == 0)) bounds.not_finite = i;
      bounds.max_coordinate = larger(bounds.max_coordinate, at[k] < 0 ? -at[k] : at[k]);
      bounds.low[k] = bounds.high[k] = grid.fraction(k, at[0], at[1], at[2]);
    }
    return bounds;
  }
};

/// The edges of the box in T, and their inverse. Throws invalid_argument for a singular box.
template <class T>
void set_box(const spatial::neighbor_options& options, spatial::pair_rule<T>& rule, cell_grid& grid) {
  const spatial::simulation_box none{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {false, false, false}};
  const spatial::simulation_box& box = options.box ? *options.box : none;
  double e[3][3], longest = 1;
  for (int k = 0; k < 3; ++k) {
    grid.periodic[k] = box.periodic[k];
    double squared = 0;
    for (int d = 0; d < 3; ++d) {
      rule.edges[k][d] = static_cast<T>(box.edges[k][d]);
      e[k][d] = static_cast<double>(rule.edges[k][d]);
      squared += e[k][d] * e[k][d];
    }
    longest *= std::sqrt(squared);
  }
  double cross[3][3];
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) {
      const double *const a = e[(k + 1) % 3], *const b = e[(k + 2) % 3];
      cross[k][d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    }
  const double volume = e[0][0] * cross[0][0] + e[0][1] * cross[0][1] + e[0][2] * cross[0][2];
  require(std::isfinite(longest) && std::abs(volume) > 1e-6 * longest, [&] {
    return concat("the box has volume ", number_text(std::abs(volume)),
                  " and edges whose lengths multiply to ", number_text(longest),
                  ": its edges must be finite, and not in one plane");
  });
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) grid.inverse[k][d] = cross[k][d] / volume;
}

/// Chooses the cells. Throws invalid_argument if shifts would exceed those of image_shift.
template <class T>
void set_cells(std::int64_t count, double cutoff, const spatial::pair_rule<T>& rule,
               const fraction_bounds& bounds, cell_grid& grid) {
  double heights[3], edges = 0, margin_of = bounds.max_coordinate + cutoff;
  double images[3];
  for (int k = 0; k < 3; ++k) {
    heights[k] = 1 / std::hypot(grid.inverse[k][0], grid.inverse[k][1], grid.inverse[k][2]);
    images[k] = grid.periodic[k] ? std::floor(bounds.high[k]) - std::floor(bounds.low[k]) +
                                       std::ceil(cutoff / heights[k]) + 1
                                 : 0;
    const double away = larger(std::abs(bounds.low[k]), std::abs(bounds.high[k]));
    require(!grid.periodic[k] || away < 1e9, [&] {
      return concat("a position is ", number_text(away), " boxes away along edge ", k,
                    ": at most 1e9 are possible; wrap the positions");
    });
    require(images[k] < spatial::image_shift::bias, [&] {
      return concat("neighbors are up to ", number_text(images[k]), " boxes apart along edge ", k,
                    ": at most ", spatial::image_shift::bias - 1,
                    " are possible; wrap the positions, or use a smaller cutoff");
    });
    edges +=
        images[k] * std::hypot(static_cast<double>(rule.edges[k][0]), static_cast<double>(rule.edges[k][1]),
                               static_cast<double>(rule.edges[k][2]));
  }
  margin_of += edges;
  // Cells are wider than the cutoff by more than all rounding of positions and distances.
  const double reach = cutoff + 16 * static_cast<double>(std::numeric_limits<T>::epsilon()) * margin_of;
  double extents[3];
  for (int k = 0; k < 3; ++k) {
    extents[k] = heights[k] * (grid.periodic[k] ? 1 : bounds.high[k] - bounds.low[k]);
    grid.cells[k] = static_cast<int>(larger(1.0, smaller(std::floor(extents[k] / reach), 1048576.0)));
    grid.low[k] = grid.periodic[k] ? 0 : bounds.low[k];
  }
  const std::int64_t max_cells = larger<std::int64_t>(count, 64);
  while (grid.count() > max_cells) {
    int& most = *std::max_element(grid.cells, grid.cells + 3);
    most = (most + 1) / 2;
  }
  for (int k = 0; k < 3; ++k) {
    grid.scale[k] = extents[k] > 0 ? grid.cells[k] * heights[k] / extents[k] : 0;
    const double cells = extents[k] > 0 ? std::ceil(reach * grid.cells[k] / extents[k] * (1 - 1e-12)) : 0;
    grid.reach[k] = static_cast<int>(grid.periodic[k] ? cells : smaller(cells, grid.cells[k] - 1.0));
  }
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
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument for a cutoff that is not positive and finite, a position that is not finite (naming the
///   first point), a singular box, and neighbors more than 511 boxes apart.
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
  detail::cell_grid grid{};
  detail::set_box(options, rule, grid);
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
  const auto begins = make_buffer<int>(exec, cells + 1);
  const auto ranks = make_buffer<int>(exec, size);
  exec.fill_zero(begins.data(), (cells + 1) * sizeof(int));
  tabulate(exec, count, detail::count_in_cell<T>{locate, begins.data()}, ranks.data());
  exclusive_scan(exec, static_cast<const int*>(begins.data()), static_cast<std::int64_t>(cells) + 1,
                 plus<int>{}, begins.data());
  const auto coordinates = make_buffer<T>(exec, 3 * size);
  const auto numbers = make_buffer<int>(exec, 2 * size);
  const auto wraps = make_buffer<image_shift>(exec, has_shifts ? size : 0);
  const detail::cell_points<T> in_cells{
      coordinates.data(), coordinates.data() + size, coordinates.data() + 2 * size,
      numbers.data(),     numbers.data() + size,     wraps.data()};
  tabulate(exec, count, detail::move_to_cell<T>{locate, ranks.data(), begins.data(), in_cells}, ranks.data());

  constexpr int block_size = detail::neighbor_tuning::block_size;
  const auto run_pass = [&]<bool Fill>(std::bool_constant<Fill>, const detail::neighbor_rows<T>& out) {
    std::int64_t per_block = 0;
    if constexpr (Executor::serial_blocks) {
      per_block = items_per_block(exec, count, 1);
    } else {
      const block_shape shape = exec.shape_of(block_size);
      per_block = std::int64_t{shape.warps()} * smaller(detail::neighbor_tuning::window, shape.warp);
    }
    launch(exec, {block_count(count, per_block), block_size},
           detail::neighbor_kernel<Fill, T>{in_cells, count, per_block, begins.data(), grid, rule,
                                            options.half, out, positions});
  };
  run_pass(std::false_type{}, {offsets.data(), nullptr, nullptr, nullptr, nullptr});
  inclusive_scan(exec, static_cast<const std::int64_t*>(offsets.data()) + 1, count, plus<std::int64_t>{},
                 offsets.data() + 1);
  std::int64_t pairs = 0;
  exec.copy_to_host(&pairs, offsets.data() + count, sizeof(pairs));
  std::int64_t* const rows = offsets.data();
  neighbor_pairs<T> made(std::move(offsets), pairs, has_shifts, exec, options);
  run_pass(std::true_type{},
           {rows, made.indices_data(), made.shifts_data(), made.distances_data(), made.vectors_data()});
  exec.synchronize();
  return made;
}

} // namespace evenly::spatial
