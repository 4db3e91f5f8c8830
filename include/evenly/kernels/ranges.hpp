// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers for loops in kernels: what one thread has of [begin, end).
//
//   for (int i : grid_stride_range(block, 0, n)) y[i] = a * x[i] + y[i];
//
// | range                                  | the calling thread has                                              |
// |----------------------------------------|---------------------------------------------------------------------|
// | step_range(begin, end, step)           | begin, begin + step, ...: every one below end                       |
// | infinite_range(begin, step)            | begin, begin + step, ... without end, for kernels that stay; leave  |
// |                                        | it by break                                                         |
// | grid_stride_range(block, begin, end)   | begin + its number in the launch, then in steps of the launch       |
// | block_stride_range(block, begin, end)  | begin + its rank, then in steps of the block                        |
// | warp_stride_range(block, begin, end)   | begin + its lane, then in steps of its warp                         |
//
// So the threads of a launch, of a block, or of a warp have each number of [begin, end) once, and neighbours have
// neighbouring ones. They are forward ranges of C++20, which standard views take on the host. None overflows, wherever
// `end` is; a loop costs an addition and two comparisons a turn, and no division.
//
// Source: Osama et al., "A programming model for GPU load balancing" (PPoPP 2023), section 5.1, whose names these are.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// begin, begin + step, begin + 2 * step, ...: those below `end`. None if begin >= end. Requires step > 0.
template <std::signed_integral Integer> class step_range {
  using whole = std::make_unsigned_t<Integer>; // in which differences do not overflow

 public:
  class iterator {
   public:
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    EVENLY_FN constexpr iterator(Integer at, Integer end, Integer step) : at_(at), end_(end), step_(step) {}

    EVENLY_FN constexpr Integer operator*() const { return at_; }
    EVENLY_FN constexpr iterator& operator++() {
      const auto left = static_cast<whole>(static_cast<whole>(end_) - static_cast<whole>(at_));
      at_ = left > static_cast<whole>(step_) ? static_cast<Integer>(at_ + step_) : end_;
      return *this;
    }
    EVENLY_FN constexpr iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    EVENLY_FN friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.at_ == b.at_;
    }

   private:
    Integer at_ = 0;
    Integer end_ = 0;
    Integer step_ = 1;
  };

  EVENLY_FN constexpr step_range(Integer begin, Integer end, Integer step = 1)
      : begin_(begin < end ? begin : end), end_(end), step_(step) {}

  EVENLY_FN constexpr iterator begin() const { return {begin_, end_, step_}; }
  EVENLY_FN constexpr iterator end() const { return {end_, end_, step_}; }
  EVENLY_FN constexpr bool empty() const { return begin_ == end_; }
  /// By a division.
  EVENLY_FN constexpr std::size_t size() const {
    const auto numbers = static_cast<whole>(static_cast<whole>(end_) - static_cast<whole>(begin_));
    const auto step = static_cast<whole>(step_);
    return static_cast<std::size_t>(numbers / step + (numbers % step != 0 ? 1 : 0));
  }

 private:
  Integer begin_;
  Integer end_;
  Integer step_;
};

/// begin, begin + step, ... without end. Whoever takes so many that they overflow gets wrong ones.
template <std::signed_integral Integer> class infinite_range {
 public:
  struct no_end {};
  class iterator {
   public:
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    EVENLY_FN constexpr iterator(Integer at, Integer step) : at_(at), step_(step) {}

    EVENLY_FN constexpr Integer operator*() const { return at_; }
    EVENLY_FN constexpr iterator& operator++() {
      using whole = std::make_unsigned_t<Integer>;
      at_ = static_cast<Integer>(static_cast<whole>(at_) + static_cast<whole>(step_));
      return *this;
    }
    EVENLY_FN constexpr iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    EVENLY_FN friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.at_ == b.at_;
    }
    EVENLY_FN friend constexpr bool operator==(const iterator&, no_end) { return false; }

   private:
    Integer at_ = 0;
    Integer step_ = 1;
  };

  EVENLY_FN constexpr explicit infinite_range(Integer begin = 0, Integer step = 1)
      : begin_(begin), step_(step) {}

  EVENLY_FN constexpr iterator begin() const { return {begin_, step_}; }
  EVENLY_FN constexpr no_end end() const { return {}; }

 private:
  Integer begin_;
  Integer step_;
};

namespace detail {

/// [begin, end) from `skipped` on, in steps of `step`; both may be more than the type can count.
template <class Integer>
EVENLY_FN constexpr step_range<Integer> strided(Integer begin, Integer end, std::int64_t skipped,
                                                std::int64_t step) {
  if (begin >= end || skipped >= static_cast<std::int64_t>(end - begin)) return {end, end};
  const auto most = static_cast<std::int64_t>(end - begin); // a longer step is as good as one to the end
  return {static_cast<Integer>(begin + static_cast<Integer>(skipped)), end,
          static_cast<Integer>(smaller(step, most))};
}

} // namespace detail

/// What the calling thread has of [begin, end), shared by all threads of the launch. Requires, as do the others, that
/// Integer can count to end - begin.
template <class Block, std::signed_integral Integer>
EVENLY_FN constexpr step_range<Integer> grid_stride_range(const Block& block, Integer begin, Integer end) {
  const std::int64_t size = block.size();
  return detail::strided(begin, end, block.index() * size + block.rank(), block.count() * size);
}
/// The same, shared by the threads of the block.
template <class Block, std::signed_integral Integer>
EVENLY_FN constexpr step_range<Integer> block_stride_range(const Block& block, Integer begin, Integer end) {
  return detail::strided(begin, end, block.rank(), block.size());
}
/// The same, shared by the threads of the warp, of which a block's last one may have fewer.
template <class Block, std::signed_integral Integer>
EVENLY_FN constexpr step_range<Integer> warp_stride_range(const Block& block, Integer begin, Integer end) {
  if constexpr (Block::is_serial) {
    return {begin, end};
  } else {
    const block_shape shape = block.shape();
    const int lane = lane_of(block);
    return detail::strided(begin, end, lane, smaller(shape.warp, shape.size - (block.rank() - lane)));
  }
}

} // namespace evenly
