// SPDX-License-Identifier: Apache-2.0
// The place where a collective was called, so that simt can name the caller's line for an error inside the collective.
//
//   template <class Block, ...> EVENLY_FN T collective(Block& block, ..., call_place<Block> from = {}) {
//     const called_at<Block> call(block, from);
//
// simt records the outermost of nested collectives. On other blocks both types are empty.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

namespace detail {

struct no_call_place {};
struct call_not_noted {
  template <class Block> EVENLY_INLINE_FN constexpr call_not_noted(const Block&, no_call_place) {}
};

template <class Block> struct call_types {
  using place = no_call_place;
  using noted = call_not_noted;
};
template <class Block>
requires requires { typename Block::call_place; }
struct call_types<Block> {
  using place = typename Block::call_place;
  using noted = typename Block::called_at;
};

} // namespace detail

template <class Block> using call_place = typename detail::call_types<Block>::place;
template <class Block> using called_at = typename detail::call_types<Block>::noted;

} // namespace evenly
