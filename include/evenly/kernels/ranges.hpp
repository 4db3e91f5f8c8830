// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers for loops in kernels: one thread's part of [begin, end).
//
//   for (int i : grid_stride_range(block, 0, n)) y[i] = a * x[i] + y[i];
//
// The numbers of the calling thread:
//
//   consecutive_range(begin, end)           begin, begin + 1, ... below end
//   step_range(begin, end, step)            begin, begin + step, ... below end
//   infinite_range(begin, step)             begin, begin + step, ... without end, for persistent kernels; leave it by
//                                           break
//   grid_stride_range(block, begin, end)    begin + its number in the launch, then in steps of the launch
//   block_stride_range(block, begin, end)   begin + its rank, then in steps of the block
//   warp_stride_range(block, begin, end)    begin + its lane, then in steps of its warp
//
// The threads of a launch, block or warp together have each number of [begin, end) once, and consecutive threads have
// consecutive numbers. All are forward ranges of C++20; standard views accept them on the host. None overflows,
// for any `end`, if their type can represent end - begin. A loop costs the same as one written by hand: an addition
// and a comparison per iteration, with steps two additions, and no division.
//
// Source: Osama et al., "A programming model for GPU load balancing" (PPoPP 2023), section 5.1, which has these names.
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

/// begin, begin + 1, ... below `end`. Empty if begin >= end.
template <std::signed_integral Integer> class consecutive_range {
 public:
  /// Compilers see the loop that one writes by hand, `at < end`.
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
    using whole = std::make_unsigned_t<Integer>; // its differences do not overflow
    return static_cast<whole>(static_cast<whole>(end_) - static_cast<whole>(begin_));
  }

 private:
  Integer begin_;
  Integer end_;
};

/// begin, begin + step, begin + 2 * step, ... below `end`. Empty if begin >= end. Requires step > 0, and that Integer
/// can represent end - begin.
template <std::signed_integral Integer> class step_range {
 public:
  struct no_more {};
  /// Counts down the distance to the end. It ends less than a step below 0, so nothing overflows. Compilers know the
  /// number of iterations and unroll the loop.
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

/// begin, begin + step, ... without end. The caller must stop before the numbers overflow.
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

/// [begin, end) from number `skipped` on, in steps of `step`. Both may exceed the range of the type.
template <class Integer>
EVENLY_FN constexpr step_range<Integer> strided(Integer begin, Integer end, std::int64_t skipped,
                                                std::int64_t step) {
  if (begin >= end || skipped >= static_cast<std::int64_t>(end - begin)) return {end, end};
  const auto max = static_cast<std::int64_t>(end - begin); // a longer step equals one to the end
  return {static_cast<Integer>(begin + static_cast<Integer>(skipped)), end,
          static_cast<Integer>(smaller(step, max))};
}

} // namespace detail

/// The calling thread's part of [begin, end), shared by all threads of the launch. Requires that Integer can represent
/// end - begin.
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
/// The same, shared by the threads of the warp. The last warp of a block may have fewer threads.
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
