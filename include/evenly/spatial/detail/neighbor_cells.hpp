// SPDX-License-Identifier: Apache-2.0
// Cells of neighbor lists: their grid, the place of a point in it, and the cells around a cell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/spatial/simulation_box.hpp"

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
  double far;   ///< points at least as far apart are no neighbors, whatever is rounded
  bool periodic[3];
  bool is_around; ///< all points are in the box

  EVENLY_FN double fraction(int k, double x, double y, double z) const {
    return inverse[k][0] * x + inverse[k][1] * y + inverse[k][2] * z;
  }
  EVENLY_FN int cell(const int (&at)[3]) const { return (at[0] * cells[1] + at[1]) * cells[2] + at[2]; }
  EVENLY_FN std::int64_t count() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

/// Where a point lies in the grid, and by how many edges it is away from the box.
struct point_place {
  int at[3];
  spatial::image_shift wraps;
};

template <class T> struct locate_point {
  spatial::point_view<T> points;
  cell_grid grid;

  EVENLY_FN point_place operator()(std::int64_t i) const {
    point_place place;
    int wraps[3];
    for (int k = 0; k < 3; ++k) {
      double u = grid.fraction(k, static_cast<double>(points.x[i]), static_cast<double>(points.y[i]),
                               static_cast<double>(points.z[i]));
      const bool may_wrap = grid.periodic[k] && !grid.is_around;
      const double edge = may_wrap ? std::floor(u) : grid.low[k];
      wraps[k] = may_wrap ? static_cast<int>(edge) : 0;
      u = (u - edge) * grid.scale[k];
      place.at[k] = u > 0 ? smaller(static_cast<int>(smaller(u, 1e9)), grid.cells[k] - 1) : 0;
    }
    place.wraps = spatial::image_shift::of(wraps[0], wraps[1], wraps[2]);
    return place;
  }
};

/// Counts points of cells: stores each point's rank in its cell.
template <class T> struct count_in_cell {
  locate_point<T> locate;
  int* sizes;
  EVENLY_FN int operator()(std::int64_t i) const {
    return atomic_ref(sizes[locate.grid.cell(locate(i).at)]).fetch_add(1, order::relaxed{});
  }
};

/// Log2 of the points in a slice of a cell with `size` points. Cells with many points have many candidates, so short
/// slices: they take about equal time then.
EVENLY_FN constexpr int slice_bits_of(int size, int bits) {
  constexpr int max_bits = 5, of_dense = 3;
  return bits <= max_bits && size > 1 << max_bits ? smaller(bits, of_dense) : bits;
}

/// How many points and slices begin before a cell, in the lower and the upper 32 bits.
struct begins_of_cell {
  const int* sizes;
  int slice_bits;
  EVENLY_FN std::uint64_t operator()(std::int64_t cell) const {
    const int bits = slice_bits_of(sizes[cell], slice_bits);
    const auto size = static_cast<std::uint32_t>(sizes[cell]);
    return static_cast<std::uint64_t>((size + (1u << bits) - 1) >> bits) << 32 | size;
  }
};
EVENLY_FN inline int points_of_begin(std::uint64_t begin) {
  return static_cast<int>(static_cast<std::uint32_t>(begin));
}
EVENLY_FN inline int slices_of_begin(std::uint64_t begin) { return static_cast<int>(begin >> 32); }

/// A point in the order of cells, with its number in the input.
template <class T> struct alignas(16) cell_point {
  T x, y, z;
  int point;
};

/// Some points of a cell: where the cell lies in the grid, and the first of them in the order of cells.
struct alignas(16) cell_slice {
  int at[3];
  int begin;
};

/// Points in the order of their cells.
template <class T> struct cell_points {
  cell_point<T>* point;
  cell_slice* slices;
  spatial::image_shift* wraps; ///< null if all points are in the box, or no direction is periodic
};

template <class T> struct move_to_cell {
  locate_point<T> locate;
  const int* ranks;
  const std::uint64_t* begins;
  int slice_bits;
  cell_points<T> to;
  EVENLY_FN int operator()(std::int64_t i) const {
    const point_place place = locate(i);
    const int cell = locate.grid.cell(place.at);
    const std::uint64_t begin = begins[cell];
    const int rank = ranks[i], at = points_of_begin(begin) + rank;
    const int bits = slice_bits_of(points_of_begin(begins[cell + 1]) - points_of_begin(begin), slice_bits);
    to.point[at] =
        cell_point<T>{locate.points.x[i], locate.points.y[i], locate.points.z[i], static_cast<int>(i)};
    if (to.wraps != nullptr) to.wraps[at] = place.wraps;
    if ((rank & ((1 << bits) - 1)) == 0)
      to.slices[slices_of_begin(begin) + (rank >> bits)] =
          cell_slice{{place.at[0], place.at[1], place.at[2]}, at};
    return rank;
  }
};

/// Where rows are written.
template <class T> struct neighbor_rows {
  std::int64_t* offsets; ///< the count pass writes sizes to offsets[i + 1]
  int* indices;
  spatial::image_shift* shifts; ///< null if no direction is periodic
  T* distances;                 ///< null if not requested
  T* vectors;                   ///< likewise
  std::int64_t capacity;        ///< rows that end behind it are not written

  EVENLY_FN void write_pair(std::int64_t at, int j, spatial::image_shift shift) const {
    indices[at] = j;
    if (shifts != nullptr) shifts[at] = shift;
  }
  EVENLY_FN bool has_vectors() const { return distances != nullptr || vectors != nullptr; }
  EVENLY_FN void write_vector(std::int64_t at, const T (&d)[3], const spatial::pair_rule<T>& rule) const {
    if (distances != nullptr) distances[at] = std::sqrt(rule.squared(d[0], d[1], d[2]));
    if (vectors != nullptr)
      for (int k = 0; k < 3; ++k) vectors[3 * at + k] = d[k];
  }
};

/// Consecutive points, in the order of cells, with one shift.
struct cell_run {
  int begin, size;
  spatial::image_shift shift;
};

/// Runs of cells around a cell, numbered 0 to count() - 1, in ascending order of their shifts for one neighbor. Some
/// are empty. Images are found by comparisons, as most cells have none: divisions would take most of the time.
struct cells_around {
  const cell_grid& grid;
  const std::uint64_t* begins;
  int at[3];
  int first_image, images; ///< along the last edge, in which cells of a run are consecutive

  EVENLY_FN static int image_of(int cell, int cells) {
    int image = 0;
    for (; cell < 0; cell += cells) --image;
    for (; cell >= cells; cell -= cells) ++image;
    return image;
  }
  EVENLY_FN cells_around(const cell_grid& of, const std::uint64_t* cell_begins, const cell_slice& slice)
      : grid(of), begins(cell_begins), at{slice.at[0], slice.at[1], slice.at[2]} {
    first_image = grid.periodic[2] ? image_of(at[2] - grid.reach[2], grid.cells[2]) : 0;
    images = grid.periodic[2] ? image_of(at[2] + grid.reach[2], grid.cells[2]) - first_image + 1 : 1;
  }
  EVENLY_FN int count() const { return (2 * grid.reach[0] + 1) * (2 * grid.reach[1] + 1) * images; }
  EVENLY_FN cell_run operator()(int number) const {
    const int row = images == 1 ? number : number / images, width = 2 * grid.reach[1] + 1;
    const int line = width == 3 ? row / 3 : row / width;
    const int q[2] = {at[0] - grid.reach[0] + line, at[1] - grid.reach[1] + row - line * width};
    const int image[3] = {image_of(q[0], grid.cells[0]), image_of(q[1], grid.cells[1]),
                          first_image + number - row * images};
    if ((image[0] != 0 && !grid.periodic[0]) || (image[1] != 0 && !grid.periodic[1])) return {0, 0, {}};
    const int n = grid.cells[2], start = image[2] * n;
    const int from = larger(at[2] - grid.reach[2], start) - start;
    const int to = smaller(at[2] + grid.reach[2], start + n - 1) - start;
    const int first =
        ((q[0] - image[0] * grid.cells[0]) * grid.cells[1] + q[1] - image[1] * grid.cells[1]) * n;
    const int begin = points_of_begin(begins[first + from]);
    return {begin, points_of_begin(begins[first + to + 1]) - begin,
            spatial::image_shift::of(image[0], image[1], image[2])};
  }
};

/// What both passes know.
template <class T> struct neighbor_search {
  cell_points<T> points;
  std::int64_t count;
  const std::uint64_t* begins; ///< of cells; after the last, the numbers of points and slices
  int slice_bits;
  cell_grid grid;
  spatial::pair_rule<T> rule;
  bool half;
  neighbor_rows<T> out;
  spatial::point_view<T> source; ///< in the order of the input

  EVENLY_FN int slice_count() const { return slices_of_begin(begins[grid.count()]); }
  EVENLY_FN int slice_size(const cell_slice& slice) const {
    const int cell = grid.cell(slice.at);
    const int end = points_of_begin(begins[cell + 1]);
    return smaller(1 << slice_bits_of(end - points_of_begin(begins[cell]), slice_bits), end - slice.begin);
  }
  EVENLY_FN spatial::image_shift wraps_of(std::int64_t p) const {
    return points.wraps == nullptr ? spatial::image_shift{} : points.wraps[p];
  }
  /// Whether neighbor (j, shift) belongs into the row of i.
  EVENLY_FN bool is_listed(int i, int j, spatial::image_shift shift) const {
    constexpr auto zero = spatial::image_shift::zero;
    return half ? j > i || (j == i && shift.bits > zero) : j != i || shift.bits != zero;
  }
  /// The vector of pair `at`, from the difference of positions.
  EVENLY_FN void write_vector(std::int64_t at, T dx, T dy, T dz, spatial::image_shift shift) const {
    const T d[3] = {dx + rule.offset(shift, 0), dy + rule.offset(shift, 1), dz + rule.offset(shift, 2)};
    out.write_vector(at, d, rule);
  }
};

/// A neighbor and its shift, in the order of rows.
EVENLY_FN constexpr std::uint64_t neighbor_key(int j, spatial::image_shift shift) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(j)) << 32 | shift.bits;
}
EVENLY_FN constexpr int point_of_key(std::uint64_t key) { return static_cast<int>(key >> 32); }
EVENLY_FN constexpr spatial::image_shift shift_of_key(std::uint64_t key) {
  return {static_cast<std::uint32_t>(key)};
}

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
void set_box(const std::optional<spatial::simulation_box>& given, spatial::pair_rule<T>& rule,
             cell_grid& grid) {
  const spatial::simulation_box none{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {false, false, false}};
  const spatial::simulation_box& box = given ? *given : none;
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
  grid.is_around = true;
  for (int k = 0; k < 3; ++k)
    grid.is_around = grid.is_around && (!grid.periodic[k] || (bounds.low[k] >= 0 && bounds.high[k] < 1));
  // Cells are wider than the cutoff by more than all rounding of positions and distances.
  const double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon()) * margin_of;
  const double reach = cutoff + rounding;
  grid.far = cutoff + 2 * rounding;
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
