// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers for loops in kernels: what one thread has of [begin, end).
//
//   for (int i : grid_stride_range(block, 0, n)) y[i] = a * x[i] + y[i];
//
// | range                                  | the calling thread has                                              |
// |----------------------------------------|---------------------------------------------------------------------|
// | consecutive_range(begin, end)          | begin, begin + 1, ... below end                                     |
// | step_range(begin, end, step)           | begin, begin + step, ...: every one below end                       |
// | infinite_range(begin, step)            | begin, begin + step, ... without end, for persistent kernels; leave  |
// |                                        | it by break                                                         |
// | grid_stride_range(block, begin, end)   | begin + its number in the launch, then in steps of the launch       |
// | block_stride_range(block, begin, end)  | begin + its rank, then in steps of the block                        |
// | warp_stride_range(block, begin, end)   | begin + its lane, then in steps of its warp                         |
//
// So the threads of a launch, of a block, or of a warp have each number of [begin, end) once, and neighbours have
// neighbouring ones. They are forward ranges of C++20, which standard views take on the host. None overflows, wherever
// `end` is, as long as their type can count to end - begin. A loop costs what one written by hand does: an addition
// and a comparison a turn, with steps two additions, and no division.
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

/// begin, begin + 1, ...: those below `end`. None if begin >= end.
template <std::signed_integral Integer> class consecutive_range {
 public:
  /// Compilers shall see the loop that one writes by hand, `at < end`.
  struct past {
    Integer end;
  };
  class iterator {
   public:
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    EVENLY_FN constexpr explicit iterator(Integer at) : at_(at) {}

    EVENLY_FN constexpr Integer operator*() const { return at_; }
    EVENLY_FN constexpr iterator& operator++() {
      ++at_;
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
    EVENLY_FN friend constexpr bool operator==(const iterator& a, const past& b) { return a.at_ >= b.end; }

   private:
    Integer at_ = 0;
  };

  EVENLY_FN constexpr consecutive_range(Integer begin, Integer end)
      : begin_(begin < end ? begin : end), end_(end) {}

  EVENLY_FN constexpr iterator begin() const { return iterator(begin_); }
  EVENLY_FN constexpr past end() const { return {end_}; }
  EVENLY_FN constexpr bool empty() const { return begin_ == end_; }
  EVENLY_FN constexpr std::size_t size() const {
    using whole = std::make_unsigned_t<Integer>; // in which differences do not overflow
    return static_cast<whole>(static_cast<whole>(end_) - static_cast<whole>(begin_));
  }

 private:
  Integer begin_;
  Integer end_;
};

/// begin, begin + step, begin + 2 * step, ...: those below `end`. None if begin >= end. Requires step > 0, and that
/// Integer can count to end - begin.
template <std::signed_integral Integer> class step_range {
 public:
  struct no_more {};
  /// Counts down how far it is to the end: less than 0 by less than a step, so nothing overflows, and compilers know
  /// how often a loop turns, and unroll it.
  class iterator {
   public:
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    EVENLY_FN constexpr iterator(Integer left, Integer end, Integer step)
        : left_(left), end_(end), step_(step) {}

    EVENLY_FN constexpr Integer operator*() const { return static_cast<Integer>(end_ - left_); }
    EVENLY_FN constexpr iterator& operator++() {
      left_ = static_cast<Integer>(left_ - step_);
      return *this;
    }
    EVENLY_FN constexpr iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    EVENLY_FN friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.left_ == b.left_;
    }
    EVENLY_FN friend constexpr bool operator==(const iterator& a, no_more) { return a.left_ <= 0; }

   private:
    Integer left_ = 0;
    Integer end_ = 0;
    Integer step_ = 1;
  };

  EVENLY_FN constexpr step_range(Integer begin, Integer end, Integer step = 1)
      : left_(static_cast<Integer>(begin < end ? end - begin : 0)), end_(end), step_(step) {}

  EVENLY_FN constexpr iterator begin() const { return {left_, end_, step_}; }
  EVENLY_FN constexpr no_more end() const { return {}; }
  EVENLY_FN constexpr bool empty() const { return left_ == 0; }
  /// By a division.
  EVENLY_FN constexpr std::size_t size() const {
    return static_cast<std::size_t>(left_ / step_) + (left_ % step_ != 0 ? 1 : 0);
  }

 private:
  Integer left_;
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
  const auto max = static_cast<std::int64_t>(end - begin); // a longer step is as good as one to the end
  return {static_cast<Integer>(begin + static_cast<Integer>(skipped)), end,
          static_cast<Integer>(smaller(step, max))};
}

} // namespace detail

/// What the calling thread has of [begin, end), shared by all threads of the launch. Requires, as do all, that Integer
/// can count to end - begin.
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
