// SPDX-License-Identifier: Apache-2.0
// The contract of block/, as kernels that check themselves: the same source runs on the simulated GPU, on a real one,
// and inside a user's own kernel. Each thread works out what it must get by a plain loop over all ranks, and leaves a
// mark for every operation that gave something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "support/monoids.hpp"

namespace evenly::collectives {

/// What a thread found wrong: a bit for each operation. `done` alone is right.
enum marks : unsigned {
  done = 1,
  shuffle_wrong = 2,
  shuffle_up_wrong = 4,
  vote_wrong = 8,
  ballot_wrong = 16,
  first_where_wrong = 32,
  reduce_wrong = 64,
  scan_wrong = 128,
  segmented_scan_wrong = 256,
  sync_wrong = 512,
  bytes_wrong = 1024,
  place_wrong = 2048
};

/// Equal values, which are of a monoid of support/monoids.hpp.
template <class T> EVENLY_FN bool same(const T& a, const T& b) { return a == b; }

template <class Monoid> EVENLY_FN typename Monoid::value_type fold_keys(int begin, int end) {
  const Monoid op;
  auto value = op.identity();
  for (int key = begin; key < end; ++key) value = op(value, Monoid::of(static_cast<std::uint64_t>(key)));
  return value;
}

/// Whether a segment starts, or ends, at `rank`. Both happen side by side, and long stretches have neither.
EVENLY_FN inline bool is_border(int rank) { return mixed(static_cast<std::uint64_t>(rank) / 5) % 3 == 0; }

template <int N> struct bytes_of {
  unsigned char byte[N];
};
template <int N> EVENLY_FN bytes_of<N> make_bytes(int seed) {
  bytes_of<N> made;
  for (int i = 0; i < N; ++i) made.byte[i] = static_cast<unsigned char>(seed * 31 + i * 7 + 1);
  return made;
}
template <int N, class Lanes> EVENLY_FN bool shuffles_bytes(const Lanes& all, int source) {
  const bytes_of<N> got = all.shuffle(make_bytes<N>(all.rank()), source);
  const bytes_of<N> want = make_bytes<N>(source);
  bool right = true;
  for (int i = 0; i < N; ++i) right = right && got.byte[i] == want.byte[i];
  return right;
}

/// All operations of `all`, whose rank 0 is thread `first` of the block. `slots`: an element of storage for each
/// thread of the block.
template <class Lanes, class Storage>
EVENLY_FN unsigned check_lanes(const Lanes& all, int first, const Storage& slots) {
  const affine_maps op;
  const int size = all.size(), rank = all.rank();
  const auto mine = affine_maps::of(static_cast<std::uint64_t>(first + rank));
  unsigned found = 0;
  const auto expect = [&](bool right, unsigned mark) { found |= right ? 0u : mark; };
  const auto key = [&](int of) { return static_cast<std::uint64_t>(first + of); };

  const int source = (rank * 7 + 3) % size;
  expect(same(all.shuffle(mine, source), affine_maps::of(key(source))), shuffle_wrong);
  for (int distance = 1; distance <= size; distance = 2 * distance + 1) {
    const int from = rank >= distance ? rank - distance : rank;
    expect(same(all.shuffle_up(mine, distance), affine_maps::of(key(from))), shuffle_up_wrong);
  }
  expect(!all.any(false) && all.any(rank == size - 1) && all.all(true), vote_wrong);
  expect(all.all(rank != size / 2) == false, vote_wrong);

  lane_mask borders = 0;
  for (int r = 0; r < size; ++r) borders |= static_cast<lane_mask>(is_border(first + r)) << r;
  expect(all.ballot(is_border(first + rank)) == borders, ballot_wrong);
  expect(all.first_where(false) == -1, first_where_wrong);
  for (int r = 0; r < size; ++r) expect(all.first_where(rank >= r) == r, first_where_wrong);

  if ((size & (size - 1)) == 0) {
    const auto sum = all.reduce(mine, op);
    expect(rank != 0 || same(sum, fold_keys<affine_maps>(first, first + size)), reduce_wrong);
  }
  expect(same(all.scan(mine, op), fold_keys<affine_maps>(first, first + rank + 1)), scan_wrong);
  int start = rank;
  while (start > 0 && !is_border(first + start)) --start;
  expect(same(all.segmented_scan(mine, is_border(first + rank), op),
              fold_keys<affine_maps>(first + start, first + rank + 1)),
         segmented_scan_wrong);

  slots[first + rank] = first + rank;
  all.sync();
  const int neighbour = slots[first + (rank + 1) % size];
  expect(neighbour == first + (rank + 1) % size, sync_wrong);
  all.sync();

  expect(shuffles_bytes<1>(all, source) && shuffles_bytes<2>(all, source) && shuffles_bytes<4>(all, source) &&
             shuffles_bytes<8>(all, source) && shuffles_bytes<12>(all, source) &&
             shuffles_bytes<20>(all, source),
         bytes_wrong);
  return found;
}

/// The whole warp, and every run of 2^k lanes that the warp has.
struct lanes_kernel {
  unsigned* marks_of;
  EVENLY_FN static slot<int> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<int>(shape.size);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = block.storage(lay_out(layout, block.shape()));
    const int lane = lane_of(block), base = block.rank() - lane;
    const lanes<Block> warp = this_warp(block);
    unsigned found = done;
    if (warp.rank() != lane || warp.size() != smaller(block.shape().warp, block.size() - base))
      found |= place_wrong;
    found |= check_lanes(warp, base, slots);
    const int present = warp.size();
    for (int size = 1; size <= block.shape().warp; size *= 2) {
      const int first = lane / size * size;
      if (first + size <= present)
        found |= check_lanes(lanes<Block>(block, first, size), base + first, slots);
      block.sync();
    }
    marks_of[block.index() * block.size() + block.rank()] = found;
  }
};

/// Both scans over the block, three times with the same storage.
template <class Monoid> struct scan_kernel {
  using value = typename Monoid::value_type;
  unsigned* marks_of;

  struct slots {
    slot<value> plain;
    slot<segmented<value>> chained;
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<value>(block_scan_slots(shape)),
            layout.take<segmented<value>>(block_scan_slots(shape))};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const auto plain = block.storage(place.plain);
    const auto chained = block.storage(place.chained);
    const Monoid op;
    const int rank = block.rank(), size = block.size();
    unsigned found = done;
    for (int turn = 0; turn < 3; ++turn) {
      const int first = turn * 5000;
      const value mine = Monoid::of(static_cast<std::uint64_t>(first + rank));
      const auto scan = block_scan(block, mine, op, plain);
      if (!same(scan.before, fold_keys<Monoid>(first, first + rank)) ||
          !same(scan.total, fold_keys<Monoid>(first, first + size)))
        found |= scan_wrong;

      // What a thread stands for ends a segment or not, and leaves its value open behind that.
      const auto chain = block_segmented_scan(block, segmented<value>{ends(rank, turn), mine}, op, chained);
      if (!right(chain.before, rank, turn) || !right(chain.total, size, turn)) found |= segmented_scan_wrong;
      block.sync();
    }
    marks_of[block.index() * size + rank] = found;
  }

 private:
  /// In the last turn no segment ends at all.
  EVENLY_FN static bool ends(int rank, int turn) { return turn < 2 && is_border(rank + turn * 100); }
  /// Whether `got` is the combination of ranks [0, end).
  EVENLY_FN static bool right(const segmented<value>& got, int end, int turn) {
    int start = end - 1;
    while (start > 0 && !ends(start, turn)) --start;
    const bool any = end > 0 && ends(start, turn);
    const int first = turn * 5000;
    return (got.ends != 0) == any && same(got.open, fold_keys<Monoid>(first + larger(start, 0), first + end));
  }
};

/// Teams of G threads, which reduce twice with the same storage.
template <int G> struct team_kernel {
  using value = affine_maps::value_type;
  unsigned* marks_of;

  EVENLY_FN static slot<value> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<value>(team_reduce_slots(G, shape));
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    const team<G, Block> me(block);
    int size = block.size();
    if constexpr (G != whole_block) {
      size = 1;
      while (2 * size <= block.size() && size < G) size *= 2;
    }
    unsigned found = done;
    if (me.size() != size || me.count() != block.size() / size || me.rank() != block.rank() % size ||
        me.index() != block.rank() / size || me.wide() != (size > block.shape().warp))
      found |= place_wrong;
    const bool member = me.index() < me.count();
    for (int turn = 0; turn < 2; ++turn) {
      if (!member && !me.wide()) break;
      const int first = turn * 5000 + me.index() * size;
      const value mine = affine_maps::of(static_cast<std::uint64_t>(first + me.rank()));
      const value sum = me.reduce(mine, affine_maps{}, scratch);
      if (member && me.rank() == 0 && !same(sum, fold_keys<affine_maps>(first, first + size)))
        found |= reduce_wrong;
    }
    marks_of[block.index() * block.size() + block.rank()] = found;
  }
};

/// Searches, by each thread for another answer, between bounds that their arithmetic may not leave.
struct search_kernel {
  unsigned* marks_of;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int me = block.index() * block.size() + block.rank();
    unsigned found = done;
    const auto expect = [&](bool right, unsigned mark) { found |= right ? 0u : mark; };
    constexpr int max = 2147483647;
    for (const int first : {-5, 0, max - 3000})
      for (const int last : {first + me, first + 3000}) {
        const int answer = smaller(first + me % 3000, last);
        const auto past = [&](int i) { return i >= answer; };
        expect(first_past(first, last, past) == answer, shuffle_wrong);
        expect(first_past_near(first, last, past) == answer, shuffle_up_wrong);
      }
    // Tile t has t % 4 atoms: every four tiles make ten steps, of which six are atoms.
    constexpr int tiles = 400, atoms = 600;
    const auto end = [](int t) { return (t + 1) / 4 * 6 + (t + 1) % 4 * ((t + 1) % 4 - 1) / 2; };
    const int diagonal = me % (tiles + atoms + 1);
    int ended = 0, done_atoms = 0;
    while (ended + done_atoms < diagonal) {
      if (ended < tiles && end(ended) <= done_atoms)
        ++ended;
      else
        ++done_atoms;
    }
    expect(merge_path_search(diagonal, tiles, atoms, end) == ended, scan_wrong);
    marks_of[me] = found;
  }
};

/// Launches `make(marks)`, which is one of the kernels above, as two blocks.
template <class Executor, class Kernel>
void expect_right(const Executor& exec, int block_size, const std::string& what) {
  const auto found = make_buffer<unsigned>(exec, 2 * block_size);
  exec.fill_zero(found.data(), 2 * block_size * sizeof(unsigned));
  launch(exec, {2, block_size}, Kernel{found.data()});
  const auto marks_of = to_host(exec, found);
  for (int i = 0; i < 2 * block_size; ++i)
    ASSERT_EQ(marks_of[i], unsigned{done})
        << what << ", blocks of " << block_size << ", thread " << i % block_size << " of block "
        << i / block_size << ": the bits say what is wrong";
}

/// Everything in block/, for one executor and block size.
template <class Executor> void expect_all_right(const Executor& exec, int block_size) {
  expect_right<Executor, lanes_kernel>(exec, block_size, "lanes");
  expect_right<Executor, scan_kernel<latest_byte>>(exec, block_size, "scans of bytes");
  expect_right<Executor, scan_kernel<affine_maps>>(exec, block_size, "scans of affine maps");
  expect_right<Executor, scan_kernel<matrices>>(exec, block_size, "scans of matrices");
  expect_right<Executor, team_kernel<1>>(exec, block_size, "teams of 1");
  expect_right<Executor, team_kernel<2>>(exec, block_size, "teams of 2");
  expect_right<Executor, team_kernel<8>>(exec, block_size, "teams of 8");
  expect_right<Executor, team_kernel<32>>(exec, block_size, "teams of 32");
  expect_right<Executor, team_kernel<64>>(exec, block_size, "teams of 64");
  expect_right<Executor, team_kernel<256>>(exec, block_size, "teams of 256");
  expect_right<Executor, team_kernel<1024>>(exec, block_size, "teams of 1024");
  expect_right<Executor, team_kernel<whole_block>>(exec, block_size, "whole blocks");
  expect_right<Executor, search_kernel>(exec, block_size, "searches");
}

} // namespace evenly::collectives
