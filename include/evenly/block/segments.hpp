// SPDX-License-Identifier: Apache-2.0
// Scans and reductions within segments: the items of a team, in blocked arrangement, are cut into segments of any size,
// independently of threads.
//
// Heads define the segments: heads[i] is true if a segment begins with the thread's item i. team_mark_heads makes
// heads from keys: a head is an item whose key differs from the one before. The scans are those of team.hpp with
// segmented_monoid. The reduction of a segment is the inclusive scan at its last item, its tail.
//
// - team_x: all threads of the team call it; if the team is wide, all threads of the block.
// - A wide team synchronises the block as often as each function says; scratch is free again after the next sync().
// - Other teams use neither storage nor barriers.
// - block_x: team_x for the whole block.
// - Functions with keys compare them by `same`, std::equal_to by default, called as same(key, next key).
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// Returns the `value` of the thread of rank() + Step, or the caller's own if there is no such thread. `Step` is 1 or
/// -1. `scratch`: team_scan_slots elements; a wide team synchronises the block once. 1 step.
template <int Step, int G, class Block, class T, class Scratch>
EVENLY_FN T team_neighbour(const team<G, Block>& me, const T& value, Scratch scratch,
                           call_place<Block> from = {}) {
  static_assert(Step == 1 || Step == -1);
  if constexpr (team<G, Block>::is_single) {
    return value;
  } else {
    Block& block = me.block();
    const called_at<Block> call(block, from);
    const lanes<Block> all = team_lanes(me);
    const int source = all.rank() + Step;
    const bool is_near = source >= 0 && source < all.size();
    T got = all.shuffle(value, is_near ? source : all.rank());
    if (!me.wide()) return got;
    const int warp = warp_of(block);
    if (all.rank() == (Step > 0 ? 0 : all.size() - 1)) scratch[warp] = value;
    block.sync();
    const warp_range warps = me.warps();
    const int other = warp + Step;
    if (!is_near && other >= warps.first && other < warps.first + warps.count)
      got = static_cast<T>(scratch[other]);
    return got;
  }
}

/// Sets heads[i] to whether the thread's item i starts a run of equal keys. The team's first item does. `scratch`:
/// team_scan_slots keys; a wide team synchronises the block once. Items + 1 steps.
template <int G, class Block, class Key, int Items, class Scratch, class Same = std::equal_to<>>
EVENLY_FN void team_mark_heads(const team<G, Block>& me, const Key (&keys)[Items], bool (&heads)[Items],
                               Scratch scratch, const Same& same = {}, call_place<Block> from = {}) {
  const Key before = team_neighbour<-1>(me, keys[Items - 1], scratch, from);
  heads[0] = me.rank() == 0 || !same(before, keys[0]);
  EVENLY_UNROLL
  for (int i = 1; i < Items; ++i) heads[i] = !same(keys[i - 1], keys[i]);
}

/// Sets tails[i] to whether the thread's item i is the last of its segment or of the team. `scratch`: team_scan_slots
/// elements of int; a wide team synchronises the block once. Items + 1 steps.
template <int G, class Block, int Items, class Scratch>
EVENLY_FN void team_mark_tails(const team<G, Block>& me, const bool (&heads)[Items], bool (&tails)[Items],
                               Scratch scratch, call_place<Block> from = {}) {
  const int next = team_neighbour<1>(me, static_cast<int>(heads[0]), scratch, from);
  EVENLY_UNROLL
  for (int i = 0; i + 1 < Items; ++i) tails[i] = heads[i + 1];
  tails[Items - 1] = me.rank() == me.size() - 1 || next != 0;
}

/// The prefix of a segmented scan: the open value before the first item, or a function, as in prefix_before. The
/// function gets the combination of all items and returns a `segmented` value.
template <class Prefix, monoid Op> EVENLY_FN auto open_prefix(const Prefix& prefix, const Op&) {
  using T = typename Op::value_type;
  if constexpr (std::is_same_v<Prefix, no_prefix> || std::invocable<const Prefix&, const segmented<T>&>)
    return prefix;
  else
    return segmented<T>{0, static_cast<T>(prefix)};
}

/// Replaces each item by the combination of its segment's items up to it. If the first item is no head, its segment
/// began earlier, with `prefix`.
///
/// - Returns, in all threads of the team, whether there is a head, and the combination of the items from the last head
///   on.
/// - `scratch`: team_scan_slots of `segmented<T>`; a wide team synchronises the block once.
/// - Cost: the steps of team_inclusive_scan.
template <int G, class Block, monoid Op, int Items, class Scratch, class Prefix = no_prefix>
EVENLY_FN segmented<typename Op::value_type>
team_inclusive_segmented_scan(const team<G, Block>& me, typename Op::value_type (&items)[Items],
                              const bool (&heads)[Items], const Op& op, Scratch scratch,
                              const Prefix& prefix = {}, call_place<Block> from = {}) {
  segmented<typename Op::value_type> each[Items];
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) each[i] = {heads[i], items[i]};
  const auto all =
      team_inclusive_scan(me, each, segmented_monoid<Op>{op}, scratch, open_prefix(prefix, op), from);
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) items[i] = each[i].open;
  return all;
}

/// Replaces each item by the combination of its segment's items before it, a head by the identity; otherwise the same.
template <int G, class Block, monoid Op, int Items, class Scratch, class Prefix = no_prefix>
EVENLY_FN segmented<typename Op::value_type>
team_exclusive_segmented_scan(const team<G, Block>& me, typename Op::value_type (&items)[Items],
                              const bool (&heads)[Items], const Op& op, Scratch scratch,
                              const Prefix& prefix = {}, call_place<Block> from = {}) {
  segmented<typename Op::value_type> each[Items];
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) each[i] = {heads[i], items[i]};
  const auto all =
      team_exclusive_scan(me, each, segmented_monoid<Op>{op}, scratch, open_prefix(prefix, op), from);
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) items[i] = heads[i] ? op.identity() : each[i].open;
  return all;
}

/// Storage for segments given by heads, in teams of `wanted` threads; empty if these are not wide.
template <class T> struct segment_slots {
  slot<segmented<T>> warps;
  slot<int> heads;

  EVENLY_FN static constexpr segment_slots lay_out(storage_layout& layout, int wanted, block_shape shape) {
    const int count = team_scan_slots(wanted, shape);
    return {layout.take<segmented<T>>(count), layout.take<int>(count)};
  }
};

/// Storage for runs of equal keys.
template <class Key, class T> struct by_key_slots {
  segment_slots<T> segments;
  slot<Key> keys;

  EVENLY_FN static constexpr by_key_slots lay_out(storage_layout& layout, int wanted, block_shape shape) {
    return {segment_slots<T>::lay_out(layout, wanted, shape),
            layout.take<Key>(team_scan_slots(wanted, shape))};
  }
};

/// Marks the tails, and sets items[i], if tails[i] holds, to the combination of the segment's items. The team's last
/// item gets the combination so far. The team's first segment starts with `prefix` if it has no head. The other items
/// have no meaning.
///
/// Returns the same as team_inclusive_segmented_scan. A wide team synchronises the block twice. The steps of both.
template <int G, class Block, monoid Op, int Items, class Prefix = no_prefix>
EVENLY_FN segmented<typename Op::value_type>
team_segmented_reduce(const team<G, Block>& me, typename Op::value_type (&items)[Items],
                      const bool (&heads)[Items], bool (&tails)[Items], const Op& op,
                      const segment_slots<typename Op::value_type>& slots, const Prefix& prefix = {},
                      call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  team_mark_tails(me, heads, tails, me.block().storage(slots.heads));
  return team_inclusive_segmented_scan(me, items, heads, op, me.block().storage(slots.warps), prefix);
}

/// Replaces each item by the combination of the items up to it in its run of equal consecutive keys. New runs start
/// with each team. A wide team synchronises the block twice.
template <int G, class Block, monoid Op, class Key, int Items, class Same = std::equal_to<>>
EVENLY_FN void team_inclusive_scan_by_key(const team<G, Block>& me, const Key (&keys)[Items],
                                          typename Op::value_type (&items)[Items], const Op& op,
                                          const by_key_slots<Key, typename Op::value_type>& slots,
                                          const Same& same = {}, call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  bool heads[Items];
  team_mark_heads(me, keys, heads, me.block().storage(slots.keys), same);
  team_inclusive_segmented_scan(me, items, heads, op, me.block().storage(slots.segments.warps));
}

/// Replaces each item by the combination of the items before it in its run; otherwise the same.
template <int G, class Block, monoid Op, class Key, int Items, class Same = std::equal_to<>>
EVENLY_FN void team_exclusive_scan_by_key(const team<G, Block>& me, const Key (&keys)[Items],
                                          typename Op::value_type (&items)[Items], const Op& op,
                                          const by_key_slots<Key, typename Op::value_type>& slots,
                                          const Same& same = {}, call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  bool heads[Items];
  team_mark_heads(me, keys, heads, me.block().storage(slots.keys), same);
  team_exclusive_segmented_scan(me, items, heads, op, me.block().storage(slots.segments.warps));
}

/// Sets tails[i] to whether the thread's item i is the last of its run of equal consecutive keys, or of the team. If it
/// is, sets items[i] to the combination of the run's items. The other items have no meaning. A wide team synchronises
/// the block three times.
template <int G, class Block, monoid Op, class Key, int Items, class Same = std::equal_to<>>
EVENLY_FN void team_reduce_by_key(const team<G, Block>& me, const Key (&keys)[Items],
                                  typename Op::value_type (&items)[Items], bool (&tails)[Items], const Op& op,
                                  const by_key_slots<Key, typename Op::value_type>& slots,
                                  const Same& same = {}, call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  bool heads[Items];
  team_mark_heads(me, keys, heads, me.block().storage(slots.keys), same);
  team_segmented_reduce(me, items, heads, tails, op, slots.segments);
}

/// team_neighbour for the whole block.
template <int Step, class Block, class T, class Scratch>
EVENLY_FN T block_neighbour(Block& block, const T& value, Scratch scratch, call_place<Block> from = {}) {
  return team_neighbour<Step>(team<whole_block, Block>(block), value, scratch, from);
}
/// team_mark_heads for the whole block.
template <class Block, class Keys, class Heads, class Scratch, class Same = std::equal_to<>>
EVENLY_FN void block_mark_heads(Block& block, const Keys& keys, Heads& heads, Scratch scratch,
                                const Same& same = {}, call_place<Block> from = {}) {
  return team_mark_heads(team<whole_block, Block>(block), keys, heads, scratch, same, from);
}
/// team_mark_tails for the whole block.
template <class Block, class Heads, class Tails, class Scratch>
EVENLY_FN void block_mark_tails(Block& block, const Heads& heads, Tails& tails, Scratch scratch,
                                call_place<Block> from = {}) {
  return team_mark_tails(team<whole_block, Block>(block), heads, tails, scratch, from);
}
/// team_inclusive_segmented_scan for the whole block.
template <class Block, class Items, class Heads, monoid Op, class Scratch, class Prefix = no_prefix>
EVENLY_FN auto block_inclusive_segmented_scan(Block& block, Items& items, const Heads& heads, const Op& op,
                                              Scratch scratch, const Prefix& prefix = {},
                                              call_place<Block> from = {}) {
  return team_inclusive_segmented_scan(team<whole_block, Block>(block), items, heads, op, scratch, prefix,
                                       from);
}
/// team_exclusive_segmented_scan for the whole block.
template <class Block, class Items, class Heads, monoid Op, class Scratch, class Prefix = no_prefix>
EVENLY_FN auto block_exclusive_segmented_scan(Block& block, Items& items, const Heads& heads, const Op& op,
                                              Scratch scratch, const Prefix& prefix = {},
                                              call_place<Block> from = {}) {
  return team_exclusive_segmented_scan(team<whole_block, Block>(block), items, heads, op, scratch, prefix,
                                       from);
}
/// team_segmented_reduce for the whole block.
template <class Block, class Items, class Heads, class Tails, monoid Op, class Slots,
          class Prefix = no_prefix>
EVENLY_FN auto block_segmented_reduce(Block& block, Items& items, const Heads& heads, Tails& tails,
                                      const Op& op, const Slots& slots, const Prefix& prefix = {},
                                      call_place<Block> from = {}) {
  return team_segmented_reduce(team<whole_block, Block>(block), items, heads, tails, op, slots, prefix, from);
}
/// team_inclusive_scan_by_key for the whole block.
template <class Block, class Keys, class Items, monoid Op, class Slots, class Same = std::equal_to<>>
EVENLY_FN void block_inclusive_scan_by_key(Block& block, const Keys& keys, Items& items, const Op& op,
                                           const Slots& slots, const Same& same = {},
                                           call_place<Block> from = {}) {
  return team_inclusive_scan_by_key(team<whole_block, Block>(block), keys, items, op, slots, same, from);
}
/// team_exclusive_scan_by_key for the whole block.
template <class Block, class Keys, class Items, monoid Op, class Slots, class Same = std::equal_to<>>
EVENLY_FN void block_exclusive_scan_by_key(Block& block, const Keys& keys, Items& items, const Op& op,
                                           const Slots& slots, const Same& same = {},
                                           call_place<Block> from = {}) {
  return team_exclusive_scan_by_key(team<whole_block, Block>(block), keys, items, op, slots, same, from);
}
/// team_reduce_by_key for the whole block.
template <class Block, class Keys, class Items, class Tails, monoid Op, class Slots,
          class Same = std::equal_to<>>
EVENLY_FN void block_reduce_by_key(Block& block, const Keys& keys, Items& items, Tails& tails, const Op& op,
                                   const Slots& slots, const Same& same = {}, call_place<Block> from = {}) {
  return team_reduce_by_key(team<whole_block, Block>(block), keys, items, tails, op, slots, same, from);
}

} // namespace evenly
