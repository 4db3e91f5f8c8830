// SPDX-License-Identifier: Apache-2.0
// What block/{reduce,scan,segments,exchange,tile_search}.hpp promise to teams whose threads have several items each: a
// kernel leaves what every collective gave, and the host goes through each team's items one after the other and
// compares. The same source runs on cpu, on the simulated GPU and on a real one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "block/collectives.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/exchange.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/segments.hpp"
#include "evenly/block/team.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "support/monoids.hpp"

namespace evenly::collectives {

using map = affine_maps::value_type;
using chain = segmented<map>;

/// How items are cut, in turn: into segments of a few, not at all, and each alone.
inline constexpr int cuts = 3;
/// Whether a segment starts with the item of this number, and its key.
EVENLY_FN inline bool starts_segment(int cut, int number) {
  return cut == 2 || (cut == 0 && mixed(static_cast<std::uint64_t>(number) / 3) % 4 == 0);
}
EVENLY_FN inline int key_of(int cut, int number) {
  return cut == 2   ? number
         : cut == 1 ? 7
                    : static_cast<int>(mixed(static_cast<std::uint64_t>(number) / 5) % 2);
}
/// Another way to compare keys: by pairs of them.
struct same_pair {
  EVENLY_FN bool operator()(int a, int b) const { return a >> 1 == b >> 1; }
};
EVENLY_FN inline map value_of(int cut, int number) {
  return affine_maps::of(static_cast<std::uint64_t>(cut) << 32 | static_cast<std::uint64_t>(number));
}
/// What comes before a team's first item, where a prefix is given; and as a function of what all items make.
EVENLY_FN inline map prefix_given() { return affine_maps::of(11); }
struct prefix_from_total {
  EVENLY_FN map operator()(const map& total) const { return affine_maps{}(affine_maps::of(22), total); }
  EVENLY_FN chain operator()(const chain& total) const {
    return {0, affine_maps{}(affine_maps::of(22 + static_cast<std::uint64_t>(total.ends)), total.open)};
  }
};

struct item_record {
  map inclusive, exclusive, inclusive_after, exclusive_after;
  map segmented_inclusive, segmented_exclusive, segmented_inclusive_after, segmented_exclusive_after;
  map segment, run, run_inclusive, run_exclusive; ///< run_exclusive: of same_pair
  int is_tail, is_last_of_run;
};
struct thread_record {
  map sum, total, total_after;
  chain segments, segments_after, segments_reduced;
  int next, previous;
};

template <int G, int Items> struct items_kernel {
  item_record* items_out;     ///< of each item, for each cut and block
  thread_record* threads_out; ///< of each thread

  struct slots {
    slot<map> scan;
    by_key_slots<int, map> keys;
    slot<int> near;
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<map>(larger(team_scan_slots(G, shape), team_reduce_slots(G, shape))),
            by_key_slots<int, map>::lay_out(layout, G, shape), layout.take<int>(team_scan_slots(G, shape))};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const team<G, Block> me(block);
    for (int cut = 0; cut < cuts; ++cut) {
      const int where = (cut * block.count() + block.index()) * block.size() + block.rank();
      if (me.has_thread() || me.wide()) all(me, place, cut, items_out + where * Items, threads_out[where]);
      block.sync();
    }
  }

 private:
  template <class Team>
  EVENLY_FN static void all(const Team& me, const slots& place, int cut, item_record* items,
                            thread_record& thread) {
    auto& block = me.block();
    const affine_maps op;
    const auto scan = block.storage(place.scan);
    const auto chained = block.storage(place.keys.segments.warps);
    const auto near = block.storage(place.near);
    map mine[Items];
    int keys[Items];
    bool heads[Items], tails[Items];
    const auto load = [&] {
      for (int i = 0; i < Items; ++i) {
        const int number = block.rank() * Items + i;
        mine[i] = value_of(cut, number);
        keys[i] = key_of(cut, number);
        heads[i] = starts_segment(cut, number);
      }
    };
    const auto keep = [&](map item_record::* field) {
      for (int i = 0; i < Items; ++i) items[i].*field = mine[i];
      me.sync();
      load();
    };
    load();
    thread.sum = team_reduce(me, mine, op, scan);
    thread.total = team_inclusive_scan(me, mine, op, scan);
    keep(&item_record::inclusive);
    team_exclusive_scan(me, mine, op, scan);
    keep(&item_record::exclusive);
    thread.total_after = team_inclusive_scan(me, mine, op, scan, prefix_from_total{});
    keep(&item_record::inclusive_after);
    team_exclusive_scan(me, mine, op, scan, prefix_given());
    keep(&item_record::exclusive_after);

    thread.segments = team_inclusive_segmented_scan(me, mine, heads, op, chained);
    keep(&item_record::segmented_inclusive);
    team_exclusive_segmented_scan(me, mine, heads, op, chained);
    keep(&item_record::segmented_exclusive);
    team_inclusive_segmented_scan(me, mine, heads, op, chained, prefix_given());
    keep(&item_record::segmented_inclusive_after);
    thread.segments_after = team_exclusive_segmented_scan(me, mine, heads, op, chained, prefix_from_total{});
    keep(&item_record::segmented_exclusive_after);
    thread.segments_reduced =
        team_segmented_reduce(me, mine, heads, tails, op, place.keys.segments, prefix_given());
    for (int i = 0; i < Items; ++i) items[i].is_tail = tails[i];
    keep(&item_record::segment);

    team_inclusive_scan_by_key(me, keys, mine, op, place.keys);
    keep(&item_record::run_inclusive);
    team_exclusive_scan_by_key(me, keys, mine, op, place.keys, same_pair{});
    keep(&item_record::run_exclusive);
    team_reduce_by_key(me, keys, mine, tails, op, place.keys);
    for (int i = 0; i < Items; ++i) items[i].is_last_of_run = tails[i];
    keep(&item_record::run);

    thread.next = team_neighbour<1>(me, block.rank(), near);
    me.sync();
    thread.previous = team_neighbour<-1>(me, block.rank(), near);
  }
};

/// Goes through the items of one team, which are those of numbers [first, first + size * items) of their block.
inline void expect_team(const item_record* item, const thread_record* thread, int cut, int first_rank,
                        int size, int items) {
  const affine_maps op;
  const int first = first_rank * items, count = size * items;
  const auto same_chain = [](const chain& a, const chain& b) {
    return (a.ends != 0) == (b.ends != 0) && a.open == b.open;
  };
  map total = op.identity();
  chain stands_for{0, op.identity()};
  for (int n = first; n < first + count; ++n) {
    total = op(total, value_of(cut, n));
    stands_for = starts_segment(cut, n) ? chain{1, value_of(cut, n)}
                                        : chain{stands_for.ends, op(stands_for.open, value_of(cut, n))};
  }
  const map after = prefix_from_total{}(total), open_after = prefix_from_total{}(stands_for).open;
  map before = op.identity(), open = op.identity(), run = op.identity(), run_of_pairs = op.identity();
  bool is_cut = false; // whether a segment has started
  for (int k = 0; k < count; ++k) {
    const int n = first + k;
    const map value = value_of(cut, n);
    const bool head = starts_segment(cut, n), starts_run = k == 0 || key_of(cut, n) != key_of(cut, n - 1);
    if (head) open = op.identity();
    if (starts_run) run = op.identity();
    if (k == 0 || !same_pair{}(key_of(cut, n - 1), key_of(cut, n))) run_of_pairs = op.identity();
    is_cut = is_cut || head;
    const auto with = [&](const map& prefix, const map& x) { return is_cut ? x : op(prefix, x); };
    ASSERT_EQ(item[k].exclusive, before) << "item " << k;
    ASSERT_EQ(item[k].exclusive_after, op(prefix_given(), before)) << "item " << k;
    ASSERT_EQ(item[k].segmented_exclusive, open) << "item " << k;
    ASSERT_EQ(item[k].segmented_exclusive_after, with(open_after, open)) << "item " << k;
    ASSERT_EQ(item[k].run_exclusive, run_of_pairs) << "item " << k;
    before = op(before, value);
    open = op(open, value);
    run = op(run, value);
    run_of_pairs = op(run_of_pairs, value);
    ASSERT_EQ(item[k].inclusive, before) << "item " << k;
    ASSERT_EQ(item[k].inclusive_after, op(after, before)) << "item " << k;
    ASSERT_EQ(item[k].segmented_inclusive, open) << "item " << k;
    ASSERT_EQ(item[k].segmented_inclusive_after, with(prefix_given(), open)) << "item " << k;
    ASSERT_EQ(item[k].run_inclusive, run) << "item " << k;
    const bool last = k + 1 == count, tail = last || starts_segment(cut, n + 1);
    const bool ends_run = last || key_of(cut, n + 1) != key_of(cut, n);
    ASSERT_EQ(item[k].is_tail != 0, tail) << "item " << k;
    ASSERT_EQ(item[k].is_last_of_run != 0, ends_run) << "item " << k;
    if (tail) {
      ASSERT_EQ(item[k].segment, with(prefix_given(), open)) << "item " << k;
    }
    if (ends_run) {
      ASSERT_EQ(item[k].run, run) << "item " << k;
    }
  }
  ASSERT_EQ(thread[0].sum, total);
  for (int r = 0; r < size; ++r) {
    ASSERT_EQ(thread[r].total, total) << "rank " << r;
    ASSERT_EQ(thread[r].total_after, total) << "rank " << r;
    ASSERT_TRUE(same_chain(thread[r].segments, stands_for)) << "rank " << r;
    ASSERT_TRUE(same_chain(thread[r].segments_after, stands_for)) << "rank " << r;
    ASSERT_TRUE(same_chain(thread[r].segments_reduced, stands_for)) << "rank " << r;
    ASSERT_EQ(thread[r].next, first_rank + smaller(r + 1, size - 1)) << "rank " << r;
    ASSERT_EQ(thread[r].previous, first_rank + larger(r - 1, 0)) << "rank " << r;
  }
}

/// The size of teams of G threads in a block that the executor makes of `block_size`, counted apart from the library.
template <int G, class Executor> int size_of_team(int block_size) {
  if (Executor::serial_blocks) return 1;
  if (G == whole_block) return block_size;
  int size = 1;
  while (2 * size <= block_size && size < G) size *= 2;
  return size;
}

/// All collectives on items, by teams of G threads in two blocks.
template <int G, int Items, class Executor> void expect_items(const Executor& exec, int block_size) {
  SCOPED_TRACE("teams of " + std::to_string(G) + " with " + std::to_string(Items) + " items, blocks of " +
               std::to_string(block_size));
  constexpr int blocks = 2;
  const int threads = Executor::serial_blocks ? 1 : block_size;
  const auto item = make_buffer<item_record>(exec, static_cast<std::size_t>(cuts) * blocks * threads * Items);
  const auto thread = make_buffer<thread_record>(exec, static_cast<std::size_t>(cuts) * blocks * threads);
  launch(exec, {blocks, block_size}, items_kernel<G, Items>{item.data(), thread.data()});
  const auto items = to_host(exec, item);
  const auto all_threads = to_host(exec, thread);
  const int size = size_of_team<G, Executor>(block_size);
  for (int cut = 0; cut < cuts; ++cut)
    for (int b = 0; b < blocks; ++b)
      for (int first = 0; first + size <= threads; first += size) {
        const std::size_t at = static_cast<std::size_t>(cut * blocks + b) * threads + first;
        SCOPED_TRACE("cut " + std::to_string(cut) + ", block " + std::to_string(b) + ", team from rank " +
                     std::to_string(first));
        expect_team(items.data() + at * Items, all_threads.data() + at, cut, first, size, Items);
        if (testing::Test::HasFatalFailure()) return;
      }
}

template <class T> EVENLY_FN T element_of(int number) { return static_cast<T>(number * 37 + 5); }

/// Exchanges from every arrangement to every other, three times with the same storage.
template <int G, int Items, class T> struct exchange_kernel {
  unsigned* marks_of;

  EVENLY_FN static slot<T> lay_out(storage_layout& layout, block_shape shape) {
    return layout.take<T>(team_exchange_slots<T, Items>(G, shape));
  }

  template <class From, class To, class Team, class Scratch>
  EVENLY_FN static bool is_right(const Team& me, From from, To to, const Scratch& scratch) {
    const team_place at{me.rank(), me.size(), me.block().shape().warp};
    const int first = me.index() * me.size() * Items;
    T mine[Items];
    for (int i = 0; i < Items; ++i) mine[i] = element_of<T>(first + From::number(at, Items, i));
    team_exchange(me, mine, from, to, scratch);
    me.sync();
    bool right = true;
    for (int i = 0; i < Items; ++i)
      right = right && mine[i] == element_of<T>(first + To::number(at, Items, i));
    return right || !me.has_thread();
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    const team<G, Block> me(block);
    unsigned found = done;
    if (me.has_thread() || me.wide()) {
      using namespace arrangement;
      const auto expect = [&](bool right, unsigned mark) { found |= right ? 0u : mark; };
      expect(is_right(me, blocked{}, striped{}, scratch), shuffle_wrong);
      expect(is_right(me, striped{}, blocked{}, scratch), shuffle_up_wrong);
      expect(is_right(me, blocked{}, warp_striped{}, scratch), vote_wrong);
      expect(is_right(me, warp_striped{}, blocked{}, scratch), ballot_wrong);
      expect(is_right(me, warp_striped{}, striped{}, scratch), reduce_wrong);
    }
    marks_of[block.index() * block.size() + block.rank()] = found;
  }
};

/// Tiles 0, 1, 2 ... of 0, 3, 1, 0, 6 ... atoms; of the first `tiles` of them.
EVENLY_FN inline int tile_size(int t) {
  return static_cast<int>(mixed(static_cast<std::uint64_t>(t)) % 7) * (t % 3 != 0);
}

/// The tiles of atoms, which begin within a tile and end within another; and the places of threads on the merge path of
/// tiles and atoms, searched in storage.
template <int G, int Items> struct tile_kernel {
  unsigned* marks_of;

  static constexpr int stored_tiles = 100;
  struct slots {
    tile_search_slots search;
    slot<int> ends;
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    return {tile_search_slots::lay_out(layout, shape, Items, G), layout.take<int>(stored_tiles)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const auto ends = block.storage(place.ends);
    if (block.rank() == 0) {
      int end = 0;
      for (int t = 0; t < stored_tiles; ++t) {
        end += tile_size(t);
        ends[t] = end;
      }
    }
    block.sync();
    const team<G, Block> me(block);
    const int atoms_stored = ends[stored_tiles - 1];
    unsigned found = done;
    // Four windows, the second of one atom, the third of none, the last longer than the team has items for.
    for (const int skip : {2, 3, 5, 6}) {
      const int max = me.size() * Items;
      const int atoms = smaller(skip == 3 ? 1 : skip == 5 ? 0 : max, atoms_stored - skip);
      if (me.has_thread() || me.wide()) {
        const auto begin = [&](int t) { return t == 0 ? -skip : static_cast<int>(ends[t - 1]) - skip; };
        const auto end = [&](int t) { return static_cast<std::int64_t>(static_cast<int>(ends[t]) - skip); };
        team_tile_search<Items>(me, stored_tiles, atoms, begin, end, place.search);
        const auto tile_of = block.storage(place.search.tile_of);
        if (me.has_thread())
          for (int k = me.rank(); k < atoms; k += me.size()) {
            const int t = tile_of[first_atom_of_team<Items>(me) + k];
            if (t < 0 || t >= stored_tiles || begin(t) > k || end(t) <= k) found |= scan_wrong;
          }
        me.sync();
      }
    }
    const int diagonal =
        smaller((block.index() * block.size() + block.rank()) * Items, stored_tiles + atoms_stored);
    const int ended = merge_path_search(diagonal, stored_tiles, atoms_stored,
                                        [&](int t) { return static_cast<int>(ends[t]); });
    const int atoms_done = diagonal - ended;
    if (ended > 0 && static_cast<int>(ends[ended - 1]) > atoms_done) found |= place_wrong;
    if (ended < stored_tiles && static_cast<int>(ends[ended]) < atoms_done) found |= place_wrong;
    marks_of[block.index() * block.size() + block.rank()] = found;
  }
};

/// What reduced forms run as well.
template <class Executor> void expect_some_items_right(const Executor& exec, int block_size) {
  expect_items<whole_block, 3>(exec, block_size);
  expect_items<64, 1>(exec, block_size);
  expect_right<Executor, exchange_kernel<whole_block, 4, int>>(exec, block_size, "exchanges of 4 items");
  expect_right<Executor, exchange_kernel<8, 3, double>>(exec, block_size, "exchanges in teams of 8");
  expect_right<Executor, tile_kernel<whole_block, 3>>(exec, block_size, "searches of tiles");
  expect_right<Executor, tile_kernel<64, 1>>(exec, block_size, "searches of tiles by teams of 64");
}

/// Everything on items, for one executor and block size.
template <class Executor> void expect_all_items_right(const Executor& exec, int block_size) {
  expect_some_items_right(exec, block_size);
  expect_items<whole_block, 1>(exec, block_size);
  expect_items<whole_block, 7>(exec, block_size);
  expect_items<1, 3>(exec, block_size);
  expect_items<8, 3>(exec, block_size);
  expect_items<256, 7>(exec, block_size);
  expect_right<Executor, exchange_kernel<1, 3, int>>(exec, block_size, "exchanges in teams of 1");
  expect_right<Executor, exchange_kernel<whole_block, 1, char>>(exec, block_size, "exchanges of bytes");
  expect_right<Executor, exchange_kernel<whole_block, 7, short>>(exec, block_size, "exchanges of 7 items");
  expect_right<Executor, exchange_kernel<64, 8, float>>(exec, block_size, "exchanges in teams of 64");
  expect_right<Executor, tile_kernel<8, 7>>(exec, block_size, "searches of tiles by teams of 8");
}

} // namespace evenly::collectives
