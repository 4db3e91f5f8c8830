// SPDX-License-Identifier: Apache-2.0
// One includer: the rows of cores share nothing with those of warps.
// Rows of neighbor lists on the host: a core takes a cell, and tests its points against all candidates around it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "evenly/spatial/detail/neighbor_cells.hpp"
#include "evenly/spatial/simulation_box.hpp"

namespace evenly::detail {

/// Finds rows of slices, one after another. Candidates are copied into arrays that loops read in vector registers.
template <bool Fill, class T> class serial_neighbor_rows {
 public:
  explicit serial_neighbor_rows(const neighbor_search<T>& search) : of_(search) {}

  void find(const cell_slice& slice) {
    load_candidates(slice);
    const int end = slice.begin + of_.slice_size(slice);
    for (int home = slice.begin; home < end; ++home) find_row(home);
  }

 private:
  void load_candidates(const cell_slice& slice) {
    const cells_around around(of_.grid, of_.begins, slice);
    std::size_t size = 0;
    runs_.clear();
    for (int r = 0; r < around.count(); ++r)
      if (const cell_run run = around(r); run.size > 0) {
        runs_.push_back(run);
        size += static_cast<std::size_t>(run.size);
      }
    for (auto* axis : {&x_, &y_, &z_, &offset_[0], &offset_[1], &offset_[2], &squared_}) axis->resize(size);
    point_.resize(size);
    shift_.resize(size);
    is_near_.resize((size + 7) / 8 * 8);
    is_shifted_ = false;
    std::size_t at = 0;
    for (const cell_run& run : runs_)
      for (int p = run.begin; p < run.begin + run.size; ++p, ++at) {
        const cell_point<T> from = of_.points.point[p];
        x_[at] = from.x, y_[at] = from.y, z_[at] = from.z;
        point_[at] = from.point;
        shift_[at] = add_shifts(run.shift, {}, of_.wraps_of(p));
        is_shifted_ = is_shifted_ || shift_[at].bits != spatial::image_shift::zero;
        for (std::size_t k = 0; k < 3; ++k) offset_[k][at] = of_.rule.offset(shift_[at], static_cast<int>(k));
      }
  }
  /// Squared distances from a point to all candidates.
  void measure(T x, T y, T z, spatial::image_shift wrapped) {
    const std::size_t size = x_.size();
    const spatial::pair_rule<T>& rule = of_.rule;
    T* const squared = squared_.data();
    const T *const from_x = x_.data(), *const from_y = y_.data(), *const from_z = z_.data();
    if (wrapped.bits != spatial::image_shift::zero) {
      for (std::size_t q = 0; q < size; ++q) {
        const spatial::image_shift shift = add_shifts(shift_[q], wrapped, {});
        squared[q] =
            rule.squared((from_x[q] - x) + rule.offset(shift, 0), (from_y[q] - y) + rule.offset(shift, 1),
                         (from_z[q] - z) + rule.offset(shift, 2));
      }
    } else if (is_shifted_) {
      const T *const a = offset_[0].data(), *const b = offset_[1].data(), *const c = offset_[2].data();
      for (std::size_t q = 0; q < size; ++q)
        squared[q] = rule.squared((from_x[q] - x) + a[q], (from_y[q] - y) + b[q], (from_z[q] - z) + c[q]);
    } else {
      for (std::size_t q = 0; q < size; ++q)
        squared[q] = rule.squared(from_x[q] - x, from_y[q] - y, from_z[q] - z);
    }
  }
  void find_row(int home) {
    const std::size_t size = x_.size();
    const cell_point<T> from = of_.points.point[home];
    const int point = from.point;
    const spatial::image_shift wrapped = of_.wraps_of(home);
    measure(from.x, from.y, from.z, wrapped);
    std::uint8_t* const is_near = is_near_.data();
    const T* const squared = squared_.data();
    const T limit = of_.rule.cutoff_squared;
    for (std::size_t q = 0; q < size; ++q) is_near[q] = squared[q] < limit;
    for (std::size_t q = size; q < is_near_.size(); ++q) is_near[q] = 0;
    if (!Fill && !of_.half) { // the point itself is a candidate at distance 0
      std::int64_t found = -1;
      for (std::size_t q = 0; q < size; ++q) found += is_near[q];
      of_.out.offsets[point + 1] = found;
      return;
    }
    keys_.clear();
    for (std::size_t q = 0; q < is_near_.size(); q += 8) {
      std::uint64_t near;
      std::memcpy(&near, is_near + q, sizeof(near));
      for (; near != 0; near &= near - 1) {
        const std::size_t c = q + static_cast<std::size_t>(std::countr_zero(near)) / 8;
        const spatial::image_shift shift = add_shifts(shift_[c], wrapped, {});
        if (of_.is_listed(point, point_[c], shift)) keys_.push_back(neighbor_key(point_[c], shift));
      }
    }
    if constexpr (!Fill) {
      of_.out.offsets[point + 1] = static_cast<std::int64_t>(keys_.size());
    } else {
      if (of_.out.offsets[point + 1] > of_.out.capacity) return;
      std::ranges::sort(keys_);
      std::int64_t at = of_.out.offsets[point];
      for (const std::uint64_t key : keys_) {
        const int j = point_of_key(key);
        const spatial::image_shift shift = shift_of_key(key);
        of_.out.write_pair(at, j, shift);
        if (of_.out.has_vectors())
          of_.write_vector(at, of_.source.x[j] - from.x, of_.source.y[j] - from.y, of_.source.z[j] - from.z,
                           shift);
        ++at;
      }
    }
  }

  neighbor_search<T> of_;
  std::vector<cell_run> runs_;
  std::vector<T> x_, y_, z_, offset_[3], squared_;
  std::vector<int> point_;
  std::vector<spatial::image_shift> shift_;
  std::vector<std::uint8_t> is_near_;
  std::vector<std::uint64_t> keys_;
  bool is_shifted_ = false;
};

} // namespace evenly::detail
