// SPDX-License-Identifier: Apache-2.0
// Blocks that do the work of a block with another number.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

/// A block with another number; otherwise the same.
template <class Block> class renumbered_block : public Block {
 public:
  EVENLY_FN renumbered_block(const Block& block, int index) : Block(block), index_(index) {}

  EVENLY_FN int index() const { return index_; }

 private:
  int index_;
};

/// The same for a block that continues with other numbers when it is done. Its rank is read again for each number.
/// Values computed from it then stay in the loop over numbers and occupy no registers between iterations.
template <class Block> class successive_block : public renumbered_block<Block> {
 public:
  static constexpr bool continues = true;

  EVENLY_FN successive_block(const Block& block, int index)
      : renumbered_block<Block>(block, index), rank_(block.rank()) {
    keep_here(rank_);
  }

  EVENLY_FN int rank() const { return rank_; }

 private:
  int rank_;
};

} // namespace evenly
