// SPDX-License-Identifier: Apache-2.0
// One includer: the kernel of both passes, as long as all else.
// Rows of neighbor lists: the kernel of both passes. The first writes sizes of rows, the second the rows.
//
// A warp takes a slice: some points of a cell, its homes. It copies the candidates of the cells around into storage,
// except those that are too far from the box around the homes. In the second pass it orders them once, by number and
// shift. Then each lane has consecutive candidates and tests them against each home, so a row is sorted as it is found.
// A slice with more candidates than storage has room for reads them from memory, and sorts each row.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/spatial/detail/neighbor_cells.hpp"
#include "evenly/spatial/detail/neighbor_rows_serial.hpp"
#include "evenly/spatial/simulation_box.hpp"

namespace evenly::detail {

struct neighbor_tuning {
  static constexpr int block_size = 128;
  static constexpr int homes_at_once = 4;
  static constexpr int rank_bits = 9; ///< of a candidate in a slice
  /// Points whose number fits beside the rank in 32 bits.
  static constexpr std::int64_t max_points = std::int64_t{1} << (32 - rank_bits);

  /// Candidates per lane that storage has room for, so that most slices of uniform points have room.
  static constexpr int candidates_of_lane(double candidates, int warp) {
    const double each = 1.15 * candidates / warp;
    return each <= sorted_of_lane ? sorted_of_lane : each <= 12 ? 12 : 16;
  }
  static constexpr int sorted_of_lane = 8; ///< candidates that a lane sorts in registers
  /// Few points make short slices, so that all warps of a device have some.
  static constexpr int slice_bits(std::int64_t points, std::int64_t warps) {
    int bits = 5;
    while (bits > 2 && points >> bits < warps * 3 / 2) --bits;
    return bits;
  }
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

/// Sorts N numbers per lane in registers by the same network. The result's number rank * N + r is values[r].
template <int N, class Block>
EVENLY_FN void sort_registers(const lanes<Block>& warp, std::uint32_t (&values)[N]) {
  const auto order_pair = [&](int r, int q) {
    const std::uint32_t a = values[r], b = values[q];
    values[r] = smaller(a, b);
    values[q] = larger(a, b);
  };
  EVENLY_UNROLL
  for (int width = 2; width <= N * warp.size(); width *= 2) {
    EVENLY_UNROLL
    for (int apart = width / 2; apart > 0; apart /= 2) {
      const bool is_first = apart == width / 2; // pairs are mirrored in the first step
      if (apart < N) {
        const int flip = is_first ? width - 1 : apart;
        EVENLY_UNROLL
        for (int r = 0; r < N; ++r)
          if ((r ^ flip) > r) order_pair(r, r ^ flip);
      } else {
        const int other = warp.rank() ^ (is_first ? width / N - 1 : apart / N);
        const bool is_low = (warp.rank() & (apart / N)) == 0;
        std::uint32_t received[N];
        EVENLY_UNROLL
        for (int r = 0; r < N; ++r) received[r] = warp.shuffle(values[is_first ? N - 1 - r : r], other);
        EVENLY_UNROLL
        for (int r = 0; r < N; ++r)
          values[r] = is_low ? smaller(values[r], received[r]) : larger(values[r], received[r]);
      }
    }
  }
}

template <bool Fill, class T> struct neighbor_kernel {
  static constexpr int tuned_block_size = neighbor_tuning::block_size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = sizeof(T) == 4 ? 7 : 4;

  neighbor_search<T> of;
  std::int64_t slices_per_block; ///< of serial blocks
  int candidates_of_lane;

  struct slots {
    slot<cell_point<T>> homes;
    slot<std::int64_t> rows;
    slot<std::uint32_t> wraps;
    slot<int> ends, froms;
    slot<std::uint32_t> images;
    slot<cell_point<T>> candidates; ///< `point`: its tag
    slot<std::uint32_t> shifts;
    slot<std::uint16_t> order;  ///< of the candidates
    slot<std::uint32_t> merged; ///< halves of more candidates than are sorted in registers
    slot<std::uint16_t> picked;
    slot<std::uint64_t> keys; ///< in place of the candidates
    int capacity;             ///< candidates per warp
    int key_capacity;
  };
  EVENLY_FN slots lay_out(storage_layout& layout, block_shape shape) const {
    const int capacity = smaller(candidates_of_lane * shape.warp, 1 << neighbor_tuning::rank_bits);
    const int key_capacity = capacity * static_cast<int>(sizeof(cell_point<T>) / sizeof(std::uint64_t));
    const int of_all = shape.warps() * capacity, of_fill = Fill ? of_all : 0;
    const bool merges = candidates_of_lane > neighbor_tuning::sorted_of_lane;
    const auto homes = layout.take<cell_point<T>>(shape.size);
    const auto rows = layout.take<std::int64_t>(Fill ? shape.size : 0);
    const auto wraps = layout.take<std::uint32_t>(shape.size);
    const auto ends = layout.take<int>(shape.size);
    const auto froms = layout.take<int>(shape.size);
    const auto images = layout.take<std::uint32_t>(shape.size);
    const auto shifts = layout.take<std::uint32_t>(has_shifts() ? of_all : 0);
    const auto order = layout.take<std::uint16_t>(of_fill);
    const auto merged = layout.take<std::uint32_t>(
        Fill && merges ? 2 * neighbor_tuning::sorted_of_lane * shape.warp * shape.warps() : 0);
    const auto picked = layout.take<std::uint16_t>(of_fill);
    const auto begin = layout.mark();
    const auto keys = layout.take<std::uint64_t>(Fill ? shape.warps() * key_capacity : 0);
    layout.rewind(begin);
    const auto candidates = layout.take<cell_point<T>>(of_all);
    return {homes,  rows,  wraps,  ends,   froms, images,   candidates,
            shifts, order, merged, picked, keys,  capacity, key_capacity};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int slices = of.slice_count();
    if constexpr (Block::is_serial) {
      serial_neighbor_rows<Fill, T> rows(of);
      const std::int64_t end = smaller<std::int64_t>((block.index() + 1) * slices_per_block, slices);
      for (std::int64_t s = block.index() * slices_per_block; s < end; ++s) rows.find(of.points.slices[s]);
    } else {
      const lanes<Block> warp = this_warp(block);
      const std::int64_t at = std::int64_t{block.index()} * block.shape().warps() + warp_of(block);
      if (at < slices) find_rows(block, warp, of.points.slices[at]);
    }
  }

 private:
  EVENLY_FN bool has_shifts() const {
    return of.grid.periodic[0] || of.grid.periodic[1] || of.grid.periodic[2];
  }

  // The tag of a candidate: its number, 23 bits; whether its image is before (0), in (1) or after (2) the homes';
  // and, if it is home h itself, h + 1. Without the latter, pairs of a half list have a greater tag than the home's.
  EVENLY_FN static std::uint32_t tag_of(int point, std::uint32_t image) {
    constexpr auto zero = spatial::image_shift::zero;
    return static_cast<std::uint32_t>(point) << 2 | (image < zero ? 0u : image == zero ? 1u : 2u);
  }
  static constexpr int tag_bits = 25;
  EVENLY_FN static int point_of_tag(int tag) {
    return static_cast<int>((static_cast<std::uint32_t>(tag) & ((1u << tag_bits) - 1)) >> 2);
  }
  EVENLY_FN static int home_of_tag(int tag) {
    return static_cast<int>(static_cast<std::uint32_t>(tag) >> tag_bits) - 1;
  }

  template <class Block>
  EVENLY_FN void find_rows(Block& block, const lanes<Block>& warp, const cell_slice& slice) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const int size = of.slice_size(slice);
    bool in_storage = of.count <= neighbor_tuning::max_points;
    for (int first = 0, homes = size; first < size; first += homes) {
      homes = smaller(homes, size - first);
      int staged = -1;
      bool wraps_any = false, shifts_any = false;
      while (in_storage) { // the fewer homes, the fewer candidates are near
        staged = copy_candidates(block, warp, place, slice, first, homes, wraps_any, shifts_any);
        if (staged >= 0) break;
        in_storage = homes > neighbor_tuning::homes_at_once;
        homes = ceil_div(homes, 2);
      }
      if (!in_storage) {
        homes = size - first;
        load_homes(block, warp, place, slice, first, homes);
        warp.sync();
        find_rows_in_memory(block, warp, place, slice, homes);
      } else {
        find_rows_in_storage(block, warp, place, staged, homes, wraps_any, shifts_any);
      }
      warp.sync(); // homes are read
    }
  }

  /// Copies homes to storage. Returns the lane's; lanes without one get the last.
  template <class Block>
  EVENLY_FN cell_point<T> load_homes(Block& block, const lanes<Block>& warp, const slots& place,
                                     const cell_slice& slice, int first, int count) const {
    const int at = slice.begin + first + smaller(warp.rank(), count - 1);
    const cell_point<T> home = of.points.point[at];
    block.storage(place.homes)[block.rank()] = home;
    block.storage(place.wraps)[block.rank()] = of.wraps_of(at).bits;
    if constexpr (Fill) block.storage(place.rows)[block.rank()] = of.out.offsets[home.point];
    return home;
  }

  template <class Block>
  EVENLY_FN void find_rows_in_storage(Block& block, const lanes<Block>& warp, const slots& place, int staged,
                                      int home_count, bool wraps_any, bool shifts_any) const {
    const int begin = block.rank() - warp.rank();
    const int each = ceil_div(staged, warp.size());
    if constexpr (Fill) {
      if (staged <= 4 * warp.size())
        order_candidates<4>(block, warp, place, staged, each);
      else
        order_candidates<neighbor_tuning::sorted_of_lane>(block, warp, place, staged, each);
    }
    for (int first = 0; first < home_count; first += neighbor_tuning::homes_at_once) {
      if (wraps_any)
        test_homes<2>(block, warp, place, begin, first, home_count, staged, each);
      else if (shifts_any)
        test_homes<1>(block, warp, place, begin, first, home_count, staged, each);
      else
        test_homes<0>(block, warp, place, begin, first, home_count, staged, each);
    }
  }

  /// Calls visit(has, p, image) for each candidate, by all lanes together: p is its place in the order of cells. Stops
  /// if it returns false.
  template <class Block, class Visit>
  EVENLY_FN void for_each_candidate(Block& block, const lanes<Block>& warp, const slots& place,
                                    const cell_slice& slice, const Visit& visit) const {
    const auto ends = block.storage(place.ends), froms = block.storage(place.froms);
    const auto images = block.storage(place.images);
    const int begin = block.rank() - warp.rank();
    const cells_around around(of.grid, of.begins, slice);
    const int runs = around.count();
    for (int next = 0; next < runs; next += warp.size()) {
      const cell_run run = next + warp.rank() < runs ? around(next + warp.rank()) : cell_run{0, 0, {}};
      const int end = warp.scan(run.size, plus<int>{});
      const int total = warp.shuffle(end, warp.size() - 1);
      warp.sync(); // the run before is read
      ends[block.rank()] = end;
      froms[block.rank()] = run.begin - (end - run.size);
      images[block.rank()] = run.shift.bits;
      warp.sync();
      int r = begin; // the run of the lane's candidate
      for (int base = 0; base < total; base += warp.size()) {
        const int q = base + warp.rank();
        const bool has = q < total;
        if (has)
          while (q >= ends[r]) ++r;
        if (!visit(has, has ? froms[r] + q : 0, spatial::image_shift{has ? images[r] : std::uint32_t{}}))
          return;
      }
    }
  }

  /// Copies homes, and candidates that are near the box around them. Returns the number of candidates, -1 if they are
  /// too many.
  template <class Block>
  EVENLY_FN int copy_candidates(Block& block, const lanes<Block>& warp, const slots& place,
                                const cell_slice& slice, int first, int homes, bool& wraps_any,
                                bool& shifts_any) const {
    const cell_point<T> own = load_homes(block, warp, place, slice, first, homes);
    const spatial::image_shift wrapped = of.wraps_of(slice.begin + first + smaller(warp.rank(), homes - 1));
    wraps_any = warp.any(wrapped.bits != spatial::image_shift::zero);
    T low[3] = {own.x, own.y, own.z}, high[3];
    for (int k = 0; k < 3; ++k) {
      if (wraps_any) low[k] -= of.rule.offset(wrapped, k);
      high[k] = low[k];
      EVENLY_UNROLL
      for (int d = 1; d < warp.size(); d *= 2) {
        low[k] = std::fmin(low[k], warp.shuffle(low[k], warp.rank() ^ d));
        high[k] = std::fmax(high[k], warp.shuffle(high[k], warp.rank() ^ d));
      }
    }
    const auto candidates = block.storage(place.candidates);
    const auto shifts = block.storage(place.shifts);
    const int begin = warp_of(block) * place.capacity;
    const lane_mask before = lanes_before(warp);
    const T far = static_cast<T>(of.grid.far), far_squared = far * far;
    int staged = 0;
    bool shifted = false;
    for_each_candidate(block, warp, place, slice, [&](bool has, int p, spatial::image_shift image) {
      cell_point<T> candidate = of.points.point[p];
      spatial::image_shift shift = add_shifts(image, {}, of.wraps_of(p));
      T at[3] = {candidate.x, candidate.y, candidate.z};
      if (has && shift.bits != spatial::image_shift::zero)
        for (int k = 0; k < 3; ++k) at[k] += of.rule.offset(shift, k);
      T apart[3];
      for (int k = 0; k < 3; ++k) {
        apart[k] = larger(low[k] - at[k], at[k] - high[k]);
        apart[k] = larger(apart[k], T{0});
      }
      const bool keeps = has && !(of.rule.squared(apart[0], apart[1], apart[2]) > far_squared);
      const lane_mask kept = warp.ballot(keeps);
      if (const int to = staged + lanes_in(kept & before); keeps && to < place.capacity) {
        std::uint32_t tag = tag_of(candidate.point, image.bits);
        const int home = p - (slice.begin + first);
        if (Fill && image.bits == spatial::image_shift::zero && home >= 0 && home < homes)
          tag |= static_cast<std::uint32_t>(home + 1) << tag_bits;
        candidate.point = static_cast<int>(tag);
        candidates[begin + to] = candidate;
        if (has_shifts()) shifts[begin + to] = shift.bits;
        shifted = shifted || shift.bits != spatial::image_shift::zero;
      }
      staged += lanes_in(kept);
      return staged <= place.capacity;
    });
    shifts_any = wraps_any || warp.any(shifted);
    warp.sync();
    return staged <= place.capacity ? staged : -1;
  }

  /// Orders the candidates by number and shift: of one point they were copied in the order of their shifts. Each lane
  /// gets `each` consecutive ones, the k-th of lane r at k * warp + r of the order. Also finds the ranks of the homes.
  template <int N, class Block>
  EVENLY_FN void order_candidates(Block& block, const lanes<Block>& warp, const slots& place, int staged,
                                  int each) const {
    const auto candidates = block.storage(place.candidates);
    const int begin = warp_of(block) * place.capacity;
    constexpr int bits = neighbor_tuning::rank_bits;
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    const auto home_ranks = block.storage(place.ends);
    const auto order = block.storage(place.order);
    const int homes_begin = block.rank() - warp.rank();
    const unsigned inverse = ((1u << 16) + static_cast<unsigned>(each) - 1) / static_cast<unsigned>(each);
    const auto put = [&](std::uint32_t key, int rank) {
      const int from = static_cast<int>(key & ((1u << bits) - 1));
      const int lane = static_cast<int>(static_cast<unsigned>(rank) * inverse >> 16);
      order[begin + (rank - lane * each) * warp.size() + lane] = static_cast<std::uint16_t>(from);
      const cell_point<T> candidate = candidates[begin + from];
      if (const int h = home_of_tag(candidate.point); h >= 0) home_ranks[homes_begin + h] = rank;
    };
    const int part = N * warp.size();
    const auto merged = block.storage(place.merged);
    const int merged_begin = warp_of(block) * 2 * part;
    const bool merges = staged > part;
    std::uint32_t keys[N];
    EVENLY_DO_NOT_UNROLL
    for (int first = 0; first < staged; first += part) {
      EVENLY_UNROLL
      for (int r = 0; r < N; ++r) {
        const int at = first + r * warp.size() + warp.rank();
        keys[r] = none;
        if (at >= staged) continue;
        const cell_point<T> candidate = candidates[begin + at];
        keys[r] = static_cast<std::uint32_t>(point_of_tag(candidate.point)) << bits |
                  static_cast<std::uint32_t>(at);
      }
      sort_registers<N>(warp, keys);
      EVENLY_UNROLL
      for (int r = 0; r < N; ++r) {
        const int rank = warp.rank() * N + r;
        if (merges)
          merged[merged_begin + first + rank] = keys[r];
        else if (rank < staged)
          put(keys[r], rank);
      }
    }
    if (merges) { // the rank in both parts
      warp.sync();
      for (int at = warp.rank(); at < 2 * part; at += warp.size()) {
        const std::uint32_t key = merged[merged_begin + at];
        if (key == none) continue;
        const int own = at < part ? 0 : part, other = merged_begin + (part - own);
        int low = 0, high = part;
        while (low < high) {
          const int middle = (low + high) / 2;
          if (merged[other + middle] < key)
            low = middle + 1;
          else
            high = middle;
        }
        put(key, at - own + low);
      }
    }
    // Places without a candidate get the first one: it is not counted.
    for (int rank = staged + warp.rank(); rank < each * warp.size(); rank += warp.size()) {
      const int lane = static_cast<int>(static_cast<unsigned>(rank) * inverse >> 16);
      order[begin + (rank - lane * each) * warp.size() + lane] = 0;
    }
    warp.sync();
  }

  /// Tests all candidates against some homes. Offsets: 0 if no candidate is shifted, 1 if no home is wrapped.
  template <int Offsets, class Block>
  EVENLY_FN void test_homes(Block& block, const lanes<Block>& warp, const slots& place, int begin, int first,
                            int home_count, int staged, int each) const {
    constexpr int n = neighbor_tuning::homes_at_once;
    const auto homes = block.storage(place.homes);
    const auto wraps = block.storage(place.wraps);
    const auto candidates = block.storage(place.candidates);
    const auto shifts = block.storage(place.shifts);
    const auto order = block.storage(place.order);
    const int from = warp_of(block) * place.capacity;
    cell_point<T> home[n];
    std::uint32_t hits[n];
    EVENLY_UNROLL
    for (int h = 0; h < n; ++h) {
      home[h] = homes[begin + smaller(first + h, home_count - 1)];
      hits[h] = 0;
    }
    const T limit = of.rule.cutoff_squared;
    EVENLY_DO_NOT_UNROLL
    for (int k = 0; k < each; ++k) {
      int at = k * warp.size() + warp.rank();
      if constexpr (Fill)
        at = order[from + at];
      else if (at >= staged)
        break;
      const cell_point<T> candidate = candidates[from + at];
      spatial::image_shift shift;
      T offset[3] = {0, 0, 0};
      if constexpr (Offsets > 0) shift = {shifts[from + at]};
      if constexpr (Offsets == 1)
        for (int d = 0; d < 3; ++d) offset[d] = of.rule.offset(shift, d);
      EVENLY_UNROLL
      for (int h = 0; h < n; ++h) {
        T apart[3] = {candidate.x - home[h].x, candidate.y - home[h].y, candidate.z - home[h].z};
        if constexpr (Offsets == 2) {
          const auto both = add_shifts(shift, {wraps[begin + smaller(first + h, home_count - 1)]}, {});
          for (int d = 0; d < 3; ++d) offset[d] = of.rule.offset(both, d);
        }
        if constexpr (Offsets > 0)
          for (int d = 0; d < 3; ++d) apart[d] += offset[d];
        const bool is_near = of.rule.squared(apart[0], apart[1], apart[2]) < limit;
        if constexpr (Fill) {
          if (is_near) hits[h] |= 1u << k;
        } else {
          hits[h] += is_near && (!of.half || static_cast<std::uint32_t>(candidate.point) >
                                                 tag_of(home[h].point, spatial::image_shift::zero));
        }
      }
    }
    EVENLY_UNROLL
    for (int h = 0; h < n; h += 2) { // two sums of 16 bits
      if constexpr (Fill) {
        const std::uint32_t low =
            listed_of(block, warp, place, begin, first + h, home_count, staged, each, hits[h]);
        const std::uint32_t high =
            listed_of(block, warp, place, begin, first + h + 1, home_count, staged, each, hits[h + 1]);
        const int both = lanes_in(low) | lanes_in(high) << 16;
        const int upto = warp.scan(both, plus<int>{});
        const int total = warp.shuffle(upto, warp.size() - 1), before = upto - both;
        write_row(block, warp, place, begin, first + h, home_count, low, before & 0xffff, total & 0xffff);
        write_row(block, warp, place, begin, first + h + 1, home_count, high, before >> 16, total >> 16);
      } else {
        int total = static_cast<int>(hits[h] | hits[h + 1] << 16);
        EVENLY_UNROLL
        for (int d = 1; d < warp.size(); d *= 2) total += warp.shuffle(total, warp.rank() ^ d);
        const int mine = warp.rank() - (first + h);
        if (mine < 0 || mine > 1 || warp.rank() >= home_count) continue;
        const cell_point<T> own = homes[begin + warp.rank()];
        const int found = mine == 0 ? total & 0xffff : total >> 16;
        of.out.offsets[own.point + 1] = of.half ? found : found - 1; // a home is near itself
      }
    }
  }

  /// The lane's hits that are listed: all but the home itself, or those after it.
  template <class Block>
  EVENLY_FN std::uint32_t listed_of(Block& block, const lanes<Block>& warp, const slots& place, int begin,
                                    int h, int home_count, int staged, int each, std::uint32_t hits) const {
    const int first = warp.rank() * each; // the rank of the lane's first candidate
    const int count = staged - first;
    if (count < each) hits &= count > 0 ? (1u << count) - 1 : 0u;
    const int home = block.storage(place.ends)[begin + smaller(h, home_count - 1)] - first;
    if (home < 0) return hits;
    if (home >= each) return of.half ? 0u : hits;
    return of.half ? hits & ~((2u << home) - 1) : hits & ~(1u << home);
  }

  /// Writes the row of a home, of `size` pairs. Each lane has some of them, `before` after those of lower lanes.
  template <class Block>
  EVENLY_FN void write_row(Block& block, const lanes<Block>& warp, const slots& place, int begin, int h,
                           int home_count, std::uint32_t hits, int before, int size) const {
    const std::int64_t row = block.storage(place.rows)[begin + smaller(h, home_count - 1)];
    if (h >= home_count || row > of.out.capacity - size) return;
    const auto picked = block.storage(place.picked);
    const auto order = block.storage(place.order);
    const auto candidates = block.storage(place.candidates);
    const auto shifts = block.storage(place.shifts);
    const int from = warp_of(block) * place.capacity;
    for (; hits != 0; hits &= hits - 1, ++before) {
      const std::uint16_t at = order[from + first_lane(hits) * warp.size() + warp.rank()];
      picked[from + before] = at;
    }
    warp.sync();
    for (int k = warp.rank(); k < size; k += warp.size()) {
      const int at = from + picked[from + k];
      const cell_point<T> other = candidates[at];
      spatial::image_shift shift;
      if (has_shifts()) shift = add_shifts({shifts[at]}, {block.storage(place.wraps)[begin + h]}, {});
      of.out.write_pair(row + k, point_of_tag(other.point), shift);
      if (of.out.has_vectors()) {
        const cell_point<T> home = block.storage(place.homes)[begin + h];
        of.write_vector(row + k, other.x - home.x, other.y - home.y, other.z - home.z, shift);
      }
    }
    warp.sync(); // before picked is written again
  }

  /// Finds rows of a slice with many candidates: reads them from memory, and writes and sorts rows there.
  template <class Block>
  EVENLY_FN void find_rows_in_memory(Block& block, const lanes<Block>& warp, const slots& place,
                                     const cell_slice& slice, int home_count) const {
    const int begin = block.rank() - warp.rank();
    const auto homes = block.storage(place.homes);
    const auto wraps = block.storage(place.wraps);
    const auto rows = block.storage(place.rows);
    const lane_mask before = lanes_before(warp);
    constexpr auto zero = spatial::image_shift::zero;
    int found = 0; // neighbors of the home of this lane's rank
    for_each_candidate(block, warp, place, slice, [&](bool has, int p, spatial::image_shift image) {
      const cell_point<T> candidate = of.points.point[p];
      const spatial::image_shift shift = add_shifts(image, {}, of.wraps_of(p));
      T offset[3] = {0, 0, 0};
      if (has && shift.bits != zero)
        for (int k = 0; k < 3; ++k) offset[k] = of.rule.offset(shift, k);
      for (int h = 0; h < home_count; ++h) {
        const cell_point<T> home = homes[begin + h];
        const std::uint32_t wrapped = wraps[begin + h];
        T d[3] = {(candidate.x - home.x) + offset[0], (candidate.y - home.y) + offset[1],
                  (candidate.z - home.z) + offset[2]};
        spatial::image_shift apart = shift;
        if (wrapped != zero) { // the same for all lanes
          apart = add_shifts(shift, {wrapped}, {});
          d[0] = (candidate.x - home.x) + of.rule.offset(apart, 0);
          d[1] = (candidate.y - home.y) + of.rule.offset(apart, 1);
          d[2] = (candidate.z - home.z) + of.rule.offset(apart, 2);
        }
        const bool is_near = has && of.rule.squared(d[0], d[1], d[2]) < of.rule.cutoff_squared &&
                             of.is_listed(home.point, candidate.point, apart);
        const lane_mask near = warp.ballot(is_near);
        if constexpr (Fill) {
          const std::int64_t at = rows[begin + h] + warp.shuffle(found, h) + lanes_in(near & before);
          if (is_near && at < of.out.capacity) of.out.write_pair(at, candidate.point, apart);
        }
        if (warp.rank() == h) found += lanes_in(near);
      }
      return true;
    });
    if constexpr (Fill) {
      warp.sync(); // rows are written
      for (int h = 0; h < home_count; ++h) {
        const cell_point<T> home = homes[begin + h];
        const std::int64_t row = rows[begin + h];
        sort_row(block, warp, place, home, row, warp.shuffle(found, h));
      }
    } else if (warp.rank() < home_count) {
      const cell_point<T> home = homes[begin + warp.rank()];
      of.out.offsets[home.point + 1] = found;
    }
  }

  /// Sorts a row and writes what was requested.
  template <class Block>
  EVENLY_FN void sort_row(Block& block, const lanes<Block>& warp, const slots& place,
                          const cell_point<T>& home, std::int64_t row, int size) const {
    if (row > of.out.capacity - size) return; // some of it is not written
    int* const indices = of.out.indices + row;
    spatial::image_shift* const shifts = has_shifts() ? of.out.shifts + row : nullptr;
    const auto key_at = [&](std::int64_t k) {
      return neighbor_key(indices[k], shifts == nullptr ? spatial::image_shift{} : shifts[k]);
    };
    const auto write_key = [&](std::int64_t k, std::uint64_t key) {
      indices[k] = point_of_key(key);
      if (shifts != nullptr) shifts[k] = shift_of_key(key);
    };
    if (size <= place.key_capacity) {
      const auto keys = block.storage(place.keys);
      const int begin = warp_of(block) * place.key_capacity;
      for (int k = warp.rank(); k < size; k += warp.size()) keys[begin + k] = key_at(k);
      warp.sync();
      sort_by_warp(warp, size, [&](std::int64_t i, std::int64_t j) {
        const std::uint64_t a = keys[begin + static_cast<int>(i)], b = keys[begin + static_cast<int>(j)];
        if (b < a) {
          keys[begin + static_cast<int>(i)] = b;
          keys[begin + static_cast<int>(j)] = a;
        }
      });
      for (int k = warp.rank(); k < size; k += warp.size()) write_key(k, keys[begin + k]);
    } else {
      sort_by_warp(warp, size, [&](std::int64_t i, std::int64_t j) {
        const std::uint64_t a = key_at(i), b = key_at(j);
        if (b < a) {
          write_key(i, b);
          write_key(j, a);
        }
      });
    }
    warp.sync(); // before other lanes read the row, and write keys of the next
    if (!of.out.has_vectors()) return;
    for (int k = warp.rank(); k < size; k += warp.size()) {
      const int j = indices[k];
      of.write_vector(row + k, of.source.x[j] - home.x, of.source.y[j] - home.y, of.source.z[j] - home.z,
                      shifts == nullptr ? spatial::image_shift{} : shifts[k]);
    }
  }
};

} // namespace evenly::detail
