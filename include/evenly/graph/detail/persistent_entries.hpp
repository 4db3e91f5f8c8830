// SPDX-License-Identifier: Apache-2.0
// Shares the atoms of a list of short entries among the warps of persistent blocks. There is no scan beforehand: the
// number of atoms of an entry is known when it is read.
//
// A warp takes some entries, one per lane, and processes all their atoms together, one per lane. A lane finds the entry
// of its atom by search in the prefix sums of the counts, as in a schedule that searches by warps. The shares are
//
//   spread   one share per warp, or a multiple of that. Consecutive entries are related, for instance parts of one long
//            tile, so the entries of a warp are far apart. For short lists
//   drawn    a warp draws a share of consecutive entries whenever it has finished one. For long lists
//   own      as spread, among the warps of one block, for a list of the block
//
// Two functions define the entries; all lanes of a warp call them:
//
//   take(place, has, how)      reads entry `place` if it exists; returns its atoms, [begin, begin + count), and keeps
//                              what visit needs
//   visit<Many>(atoms, how)    visits the atoms, Many per lane; atoms.owner[i] is the lane that took the entry
//
// Cost of a share: one read, a scan of the warp, log2(entries of a share) shuffles for each of Many atoms.
#pragma once

#include <cstdint>
#include <limits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::graphs {

enum class entry_sharing { spread, drawn, own };

/// The atoms of an entry.
template <class Atom> struct entry_atoms {
  Atom begin = 0;
  std::int32_t count = 0;
};

/// Atoms of a lane, from entries that its warp took.
template <int Many, class Atom> struct owned_atoms {
  int owner[Many]; ///< the lane that took the entry
  Atom atom[Many];
  bool has[Many]; ///< whether the atom exists
};

/// Together: the number of atoms that a lane has in flight.
template <class Block, class Atom, int Together> class persistent_entries {
 public:
  /// max: the maximum number of entries in a share.
  EVENLY_FN persistent_entries(Block& block, std::uint32_t max) : block_(block), max_(max) {}

  /// Processes entries [0, count), with sharing `how`. `drawn` must be 0 before any block draws from it. Called by all
  /// threads of the block; by all blocks except for `own`. Returns the number of atoms visited by the caller's warp.
  /// Does not synchronise.
  template <class Take, class Visit>
  EVENLY_INLINE_FN std::uint32_t go_through(std::uint32_t count, entry_sharing how, std::uint32_t& drawn,
                                            const Take& take, const Visit& visit) const {
    const lanes<Block> warp = this_warp(block_);
    const auto of_warp = static_cast<std::uint32_t>(warp.size());
    const auto warps = static_cast<std::uint32_t>(block_.shape().warps());
    const auto blocks = static_cast<std::uint32_t>(block_.count());
    const auto number = static_cast<std::uint32_t>(warp_of(block_));
    std::uint32_t visited = 0;
    if (how == entry_sharing::drawn) {
      const std::uint32_t all = warps * blocks, share = larger(smaller(count / (4 * all), max_), 1u);
      std::uint32_t first = (static_cast<std::uint32_t>(block_.index()) + blocks * number) * share;
      while (first < count) {
        std::uint32_t next = 0;
        if (warp.rank() == 0) next = (all + atomic_ref(drawn).fetch_add(1, order::relaxed{})) * share;
        const std::uint32_t end = smaller(count, first + share);
        for (std::uint32_t at = first; at < end; at += of_warp)
          visited +=
              visit_share(warp, {at, 1, smaller(end - at, of_warp)}, end, entry_sharing::drawn, take, visit);
        first = warp.shuffle(next, 0);
      }
      return visited;
    }
    const bool own = how == entry_sharing::own;
    const std::uint32_t all = own ? warps : warps * blocks;
    const std::uint32_t share = larger(
        smaller(own ? (count + warps - 1) / warps : (count + all - 1) / all, smaller(max_, of_warp)), 1u);
    std::uint32_t first = own ? number : static_cast<std::uint32_t>(block_.index()) + blocks * number;
    for (; first < count; first += all * share)
      visited += visit_share(warp, {first, all, share}, count, how, take, visit);
    return visited;
  }

 private:
  /// Entries first, first + stride, and so on: up to `size`, at most one per lane.
  struct entry_range {
    std::uint32_t first, stride, size;
  };

  /// The entries taken by the lanes of a warp.
  struct taken_entries {
    entry_atoms<Atom> mine;
    int before; ///< atoms of the lanes before; without an entry: the largest number
    int size;   ///< number of lanes with an entry
    int total;  ///< atoms of all
  };

  /// Processes the entries of the range below `end`, one per lane. Returns the number of their atoms.
  template <class Take, class Visit>
  EVENLY_INLINE_FN static std::uint32_t visit_share(const lanes<Block>& warp, const entry_range& range,
                                                    std::uint32_t end, entry_sharing how, const Take& take,
                                                    const Visit& visit) {
    const auto lane = static_cast<std::uint32_t>(warp.rank());
    const std::uint32_t place = range.first + lane * range.stride;
    const bool has = lane < range.size && place < end;
    const int size = lanes_in(warp.ballot(has));
    const entry_atoms<Atom> mine = take(place, has, how);
    const int inclusive = size == 1 ? mine.count : warp.scan(mine.count, plus<int>{});
    const int total = warp.shuffle(inclusive, size - 1);
    const taken_entries taken{mine, has ? inclusive - mine.count : std::numeric_limits<int>::max(), size,
                              total};
    int done = 0;
    for (; total - done > warp.size(); done += Together * warp.size())
      visit(atoms_of<Together>(warp, taken, done), how);
    if (done < total) visit(atoms_of<1>(warp, taken, done), how);
    return static_cast<std::uint32_t>(total);
  }

  /// Atoms [done, done + Many x lanes) of the entries of the warp.
  template <int Many>
  EVENLY_INLINE_FN static owned_atoms<Many, Atom> atoms_of(const lanes<Block>& warp,
                                                           const taken_entries& taken, int done) {
    owned_atoms<Many, Atom> found;
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      const int at = done + i * warp.size() + warp.rank();
      found.owner[i] = owner_of(warp, taken, at);
      const Atom first = warp.shuffle(static_cast<Atom>(taken.mine.begin - taken.before), found.owner[i]);
      found.atom[i] = first + at;
      found.has[i] = at < taken.total;
    }
    return found;
  }

  /// The lane that owns an atom: the last lane with at most `atom` atoms before it.
  EVENLY_INLINE_FN static int owner_of(const lanes<Block>& warp, const taken_entries& taken, int atom) {
    int found = 0;
    EVENLY_UNROLL
    for (int step = warp.size() / 2; step > 0; step /= 2) {
      if (step >= taken.size) continue;
      if (warp.shuffle(taken.before, found + step) <= atom) found += step;
    }
    return found;
  }

  Block& block_;
  std::uint32_t max_;
};

} // namespace evenly::graphs
