// SPDX-License-Identifier: Apache-2.0
// The frontier of a search in a persistent kernel.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/persistent_places.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Atoms of listed tiles: their owners, in batches, and loads ahead of their use.

namespace evenly::detail {

/// The last of the first `count` entries of a list that does not begin after `atom`. Called by all lanes of a warp.
template <class Block, class List, class Tile, class Atom>
EVENLY_FN Tile entry_of(Block& block, const List& list, Tile count, Atom atom) {
  if (atom == 0) return 0;
  const auto past = [&](Tile i) {
    const graphs::listed_tile<Tile, Atom> each = list[i];
    return each.before > atom;
  };
  if constexpr (Block::is_serial)
    return first_past(Tile{0}, count, past) - 1;
  else
    return first_past_together(this_warp(block), Tile{0}, count, past) - 1;
}

/// The same among the `inside` entries of a block's window, which has one entry per thread.
template <class Block, class Before, class Atom>
EVENLY_FN int owner_in_window([[maybe_unused]] const Block& block, [[maybe_unused]] const Before& before,
                              [[maybe_unused]] int inside, [[maybe_unused]] Atom atom) {
  int owner = 0;
  if constexpr (!Block::is_serial) {
    EVENLY_UNROLL
    for (int step = floor_power_of_two(block.size()); step > 0; step /= 2) {
      const int next = owner + step;
      if (next < inside && before[next] <= atom) owner = next;
    }
  }
  return owner;
}

/// Loads the atoms of a tile into `staged`, from place `first` on.
template <class Block, class Staged, class Visit, class Entry, class Tiles, class Atoms>
EVENLY_FN void stage_atoms(const Visit& visit, const Entry& from, const Tiles& tiles, const Atoms& staged,
                           int first) {
  constexpr int ahead = Block::is_serial ? 1 : 4; ///< loads in flight at the same time
  const int count = static_cast<int>(from.count), place = first + static_cast<int>(from.before);
  for (int i = 0; i < count; i += ahead) {
    Staged atoms[ahead];
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j) atoms[j] = visit.load(from.begin + smaller(i + j, count - 1));
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j) {
      if (i + j >= count) continue;
      tiles[place + i + j] = from.tile;
      staged[place + i + j] = atoms[j];
      visit.prefetch_staged(atoms[j]);
    }
  }
}

/// Loads the atoms of all found tiles that have more than `few`. The threads share all these atoms, since one tile
/// after the other takes longer. Until they are loaded, places hold the number of the tile. Called by all threads of
/// the block. entries, atoms: the numbers of both in the found tiles.
template <class Block, class Visit, class Entry, class Tile, class Staged>
EVENLY_OUT_OF_LINE_FN void stage_long_ones(Block& block, Visit visit, slot<Entry> found_at,
                                           slot<Tile> tiles_at, slot<Staged> staged_at, int first,
                                           int entries, int atoms, int few) {
  const auto found = block.storage(found_at);
  const auto tiles = block.storage(tiles_at);
  const auto staged = block.storage(staged_at);
  const lanes<Block> warp = this_warp(block);
  for (int base = block.rank() - warp.rank(); base < entries; base += block.size()) {
    int place = 0, count = 0;
    if (base + warp.rank() < entries) {
      const Entry mine = found[base + warp.rank()];
      place = first + static_cast<int>(mine.before);
      count = static_cast<int>(mine.count);
    }
    for (lane_mask longer = warp.ballot(count > few); longer != 0; longer &= longer - 1) {
      const int lane = first_lane(longer), from = warp.shuffle(place, lane), many = warp.shuffle(count, lane);
      for (int i = warp.rank(); i < many; i += warp.size()) tiles[from + i] = -1 - (base + lane);
    }
  }
  block.sync();
  for (int i = block.rank(); i < atoms; i += block.size()) {
    const Tile mark = tiles[first + i];
    if (mark >= 0) continue;
    const Entry from = found[static_cast<int>(-1 - mark)];
    const Staged atom = visit.load(from.begin + (i - from.before));
    tiles[first + i] = from.tile;
    staged[first + i] = atom;
    visit.prefetch_staged(atom);
  }
}

/// The number of atoms that a block of one thread has in flight.
inline constexpr int batch = 32;

/// Calls some(tiles, staged, count) for the atoms [from, to) of a list, one batch at a time; `first` is the entry of
/// the first atom.
template <class Staged, class Visit, class Entry, class Tile, class Atom, class Some>
EVENLY_FN void visit_in_batches(const Visit& visit, const Entry* list, Tile first, Atom from, Atom to,
                                const Some& some) {
  Tile tile[batch];
  Staged staged[batch];
  int filled = 0;
  for (Atom at = from; at < to; ++first) {
    const Entry each = list[first];
    const Atom end = smaller<Atom>(to, each.before + each.count);
    for (; at < end; ++at) {
      tile[filled] = each.tile;
      staged[filled] = visit.load(each.begin + (at - each.before));
      visit.prefetch_staged(staged[filled]);
      if (++filled < batch && at + 1 < to) continue;
      some(tile, staged, filled);
      filled = 0;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Appends the tiles of a block to a list.

/// Reserves places for `listed` tiles, and a count for each of `empty` tiles, at the end of the list, and writes them.
/// Each entry stores the number of atoms before it. Called by all threads of the block, which has synchronised before;
/// synchronises the block at the end.
template <class Block, class Tile, class Atom>
EVENLY_OUT_OF_LINE_FN void write_found(Block& block, slot<graphs::listed_tile<Tile, Atom>> found_at,
                                       slot<Atom> scanned, slot<std::uint64_t> scratch_at,
                                       graphs::listed_tile<Tile, Atom>* list,
                                       typename graphs::persistent_lists<Tile, Atom>::list_end& end,
                                       int atom_bits, int listed, int empty) {
  const auto found = block.storage(found_at);
  const auto scratch = block.storage(scratch_at);
  const int each = ceil_div(listed, block.size());
  const int first = smaller(block.rank() * each, listed), last = smaller(first + each, listed);
  Atom sum = 0;
  for (int i = first; i < last; ++i) {
    const graphs::listed_tile<Tile, Atom> one = found[i];
    sum += one.count;
  }
  const auto scan = block_scan(block, sum, plus<Atom>{}, block.storage(scanned));
  Atom before = scan.before;
  for (int i = first; !Block::is_serial && i < last; ++i) {
    graphs::listed_tile<Tile, Atom> one = found[i];
    one.before = before;
    before += one.count;
    found[i] = one;
  }
  if (block.rank() == 0) {
    const auto packed =
        static_cast<std::uint64_t>(listed) << atom_bits | static_cast<std::uint64_t>(scan.total);
    scratch[0] = atomic_ref(end.entries_and_atoms).fetch_add(packed, order::relaxed{});
    atomic_ref(end.tiles).fetch_add(static_cast<std::uint64_t>(listed + empty), order::relaxed{});
  }
  block.sync();
  const std::uint64_t base = scratch[0];
  const auto out = traced(block, list + (base >> atom_bits));
  for (int i = block.rank(); i < listed; i += block.size()) {
    graphs::listed_tile<Tile, Atom> one = found[i];
    if constexpr (Block::is_serial) {
      one.before = before;
      before += one.count;
    }
    one.before += static_cast<Atom>(base & ((std::uint64_t{1} << atom_bits) - 1));
    out[i] = one;
  }
  block.sync();
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The atoms of a frontier, shared among persistent blocks, for all levels of a search in one co-resident launch.
//
// A frontier is in one of two places:
//   listed  in memory: for each tile where its atoms begin, their number, and the number of atoms before them in the
//           list. Blocks take equal ranges of atoms, and find the tiles by search in the list, without a scan
//   kept    in shared memory: each block continues with the atoms of the tiles it found itself. There is no list, no
//           search and no atomic operation for sharing. Atoms are loaded while the block waits for the others. For
//           levels so narrow that a block has about one atom per thread, where balance does not matter
//
// After a level of kept atoms the next frontier is kept, unless some block found more than it has room for. Then all
// blocks write what they found to the list. After a listed level the caller chooses the place.
//
// One atomic operation on {tiles, atoms} reserves places in the list, so the prefixes of entries are in order. A block
// reserves once for all it found, and scans its prefixes in shared memory.
//
// A visit is a trivially copyable object that defines the work of an atom:
//   using staged = ...;              the data loaded ahead of an atom's visit; they are constant during the launch
//   staged load(atom)                loads them
//   prefetch_staged(staged)          may prefetch memory that take will need
//   prefetch_taking(staged, seen)    the same after a look, on blocks of one thread
//   seen look(staged)                a first load of data that others change, while many atoms are in flight
//   seen unseen()                    the value that means that nothing was read
//   take(tile, staged, seen, found)  calls found(tile, begin, end) if the atom found a tile, with its atoms; a tile is
//                                    found by one atom of a level
//   at_once                          atoms that a thread has in flight; 2 by default
//   lists_empty                      whether tiles without atoms are listed too; otherwise they are only counted

namespace evenly::graphs {

/// The frontier as seen by one thread of a block. All threads of the block call each function, and all blocks, unless
/// stated otherwise.
template <class Block, class Tile, class Atom, class Staged> class persistent_frontier {
  using entry = listed_tile<Tile, Atom>;
  enum counter { entries, without_atoms, atoms, long_ones, counters };
  static constexpr int field_bits = 22; ///< bits of the counts of kept tiles and kept atoms
  static constexpr int few = 8;         ///< maximum atoms of a tile that one thread reads

 public:
  using slots = persistent_frontier_slots<Tile, Atom, Staged>;

  EVENLY_FN persistent_frontier(Block& block, const slots& place, const persistent_lists<Tile, Atom>& lists,
                                const totals_memory& totals)
      : block_(block), place_(place), lists_(lists), totals_(block, totals) {}

  /// Sets the frontier to one tile.
  EVENLY_FN frontier_size start(Tile tile, Atom begin, Atom end) {
    const auto counts = block_.storage(place_.counts);
    if (block_.rank() == 0) {
      for (int i = 0; i < 2 * counters; ++i) counts[i] = 0;
      if (block_.index() == 0) {
        lists_.end(1) = {lists_.pack(end > begin, end - begin), 1};
        lists_.end(2) = {0, 0};
        traced(block_, lists_.second)[0] = entry{tile, begin, static_cast<Atom>(end - begin), 0};
      }
    }
    sync();
    return take_list();
  }
  EVENLY_FN void leave() const { totals_.leave(); }

  /// Whether `listed_atoms` are few enough that `parts` parts of them can be kept.
  EVENLY_FN bool may_keep(std::int64_t listed_atoms, int parts) const {
    return listed_atoms <= std::int64_t{parts} * slots::max_kept(block_.shape());
  }

  /// Before a level that keeps: sets how many atoms a block may keep after it, so that others do not wait for it; at
  /// least two per thread.
  EVENLY_FN void set_limit(int max) {
    limit_ = smaller(larger(max, 2 * block_.size()), slots::max_kept(block_.shape()));
    if constexpr (Block::is_serial) limit_ = slots::max_kept(block_.shape());
  }

  // --- a level: one of these functions, called by any blocks ---

  /// Visits the atoms of one of `parts` equal parts of the list. keeps: the level ends with sync_and_keep; requires
  /// may_keep(atoms, parts).
  template <class Visit>
  EVENLY_FN void visit_list(std::int64_t listed_atoms, int part, int parts, bool keeps, const Visit& visit) {
    const auto from = static_cast<Atom>(listed_atoms * part / parts);
    const auto to = static_cast<Atom>(listed_atoms * (part + 1) / parts);
    if (from >= to) return;
    const auto list = traced(block_, lists_.list(list_));
    const auto window = block_.storage(place_.window);
    const auto before = block_.storage(place_.before);
    Tile first = detail::entry_of(block_, list, listed_, from);
    if constexpr (Block::is_serial) {
      detail::visit_in_batches<Staged>(
          visit, list, first, from, to,
          [&](auto* tile, auto* staged, int count) { take_some(visit, tile, staged, count, keeps); });
      return;
    }
    for (Atom at = from; at < to; first += block_.size()) {
      const auto inside = static_cast<int>(smaller<std::int64_t>(block_.size(), listed_ - first));
      if (block_.rank() < inside) {
        const entry each = list[first + block_.rank()];
        window[block_.rank()] = each;
        before[block_.rank()] = each.before;
      }
      block_.sync();
      const entry last = window[inside - 1];
      const Atom end = smaller<Atom>(to, last.before + last.count);
      visit_window(window, before, inside, at, end, keeps, visit);
      at = end;
      block_.sync();
    }
  }

  /// Visits the block's kept atoms. Keeps: the level ends with sync_and_keep.
  template <bool Keeps, class Visit> EVENLY_FN void visit_kept(const Visit& visit) {
    const auto tiles = block_.storage(place_.kept_tile);
    const auto staged = block_.storage(place_.kept_atom);
    const int base = side_ * slots::max_kept(block_.shape());
    if constexpr (Block::is_serial) {
      for (int i = 0; i < kept_atoms_; i += detail::batch)
        take_some(visit, &tiles[base + i], &staged[base + i], smaller(detail::batch, kept_atoms_ - i), Keeps);
      if constexpr (!Keeps) forget_kept();
      return;
    }
    for (int i = block_.rank(); i < kept_atoms_; i += block_.size()) {
      const Tile tile = tiles[base + i];
      const Staged atom = staged[base + i];
      take(visit, tile, atom, visit.unseen(), Keeps);
    }
    if constexpr (!Keeps) forget_kept();
  }

  /// Makes room for up to `max` calls of list_tile in the block. max: at most slots::max_found.
  EVENLY_FN void make_room(int max) {
    const int room = slots::max_found(block_.shape());
    if (may_have_found_ + max > room) {
      block_.sync();
      const int found = block_.storage(place_.counts)[side_ * counters + entries];
      block_.sync();
      may_have_found_ = found;
      if (found + max > room) flush_found();
    }
    may_have_found_ += max;
  }
  /// Puts a tile on the new list. Called by one thread.
  template <bool ListsEmpty = false> EVENLY_FN void list_tile(Tile tile, Atom begin, Atom end) {
    append<ListsEmpty>(tile, begin, end, false);
  }
  /// Calls each(tile) for all listed tiles; each call is made by one thread of all blocks.
  template <class Each> EVENLY_FN void for_each_listed(const Each& each) {
    const auto list = traced(block_, lists_.list(list_));
    const std::int64_t threads = std::int64_t{block_.count()} * block_.size();
    for (std::int64_t i = std::int64_t{block_.index()} * block_.size() + block_.rank(); i < listed_;
         i += threads) {
      const entry one = list[i];
      each(one.tile);
    }
  }

  // --- then all blocks synchronise ---

  /// Ends a level that keeps. Returns whether all blocks continue with what they kept, `all`. If not, sync_and_publish
  /// must follow.
  template <class Visit> EVENLY_FN bool sync_and_keep(const Visit& visit, frontier_size& all) {
    const std::uint64_t sum =
        totals_.sync(block_.storage(place_.scratch), [&] { return summary(); }, [&] { stage_found(visit); });
    side_ = 1 - side_;
    constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
    all = {static_cast<std::int64_t>(sum >> field_bits & field), static_cast<std::int64_t>(sum & field)};
    return sum >> (2 * field_bits) == 0;
  }
  /// Ends a level of one block alone that keeps; called by that block. Returns what it found. `fits`: whether it kept
  /// all; if not, the number of atoms may be wrong.
  template <class Visit> EVENLY_FN frontier_size continue_single_block(const Visit& visit, bool& fits) {
    block_.sync();
    stage_found(visit);
    block_.sync();
    side_ = 1 - side_;
    fits = kept_atoms_ <= slots::max_kept(block_.shape());
    return {std::int64_t{kept_entries_} + kept_empty_, kept_atoms_};
  }
  /// Ends a level that lists, or lists what is kept. Returns the size of the list.
  EVENLY_FN frontier_size sync_and_publish(std::uint32_t nanoseconds = 0) {
    if (kept_entries_ + kept_empty_ > 0) {
      flush(kept_entries_, kept_empty_);
      forget_kept();
    } else {
      block_.sync();
      flush_found();
    }
    sync(nanoseconds);
    return take_list();
  }
  /// Ends a level that lists nothing. mine(): the frontier_size found by the block, called by one thread when all
  /// threads of the block have arrived. Returns the sum.
  template <class Mine> EVENLY_FN frontier_size sync_and_count(const Mine& mine) {
    std::uint64_t none = 0;
    return sync_and_count([&](std::uint64_t&) { return mine(); }, none);
  }
  /// The same with one more number per block, set by mine(number); `rest` becomes their sum.
  template <class Mine> EVENLY_FN frontier_size sync_and_count(const Mine& mine, std::uint64_t& rest) {
    forget_kept();
    rest = totals_.sync(block_.storage(place_.scratch), [&] {
      std::uint64_t number = 0;
      const frontier_size more = mine(number);
      auto& end = lists_.end(next_turn());
      atomic_ref(end.entries_and_atoms).fetch_add(lists_.pack(0, more.atoms), order::relaxed{});
      atomic_ref(end.tiles).fetch_add(static_cast<std::uint64_t>(more.tiles), order::relaxed{});
      return number;
    });
    return take_list();
  }
  EVENLY_FN void sync(std::uint32_t nanoseconds = 0) {
    totals_.sync(
        block_.storage(place_.scratch), [] { return std::uint64_t{0}; }, nothing_to_do{}, nanoseconds);
  }

 private:
  EVENLY_FN void forget_kept() { kept_entries_ = kept_empty_ = kept_atoms_ = 0; }
  EVENLY_FN int next_turn() const { return turn_ == 2 ? 0 : turn_ + 1; }

  /// Makes the new list the frontier.
  EVENLY_FN frontier_size take_list() {
    const int old = turn_;
    turn_ = next_turn();
    list_ = 1 - list_;
    auto& end = lists_.end(turn_);
    const std::uint64_t packed = atomic_ref(end.entries_and_atoms).load(order::relaxed{});
    const std::uint64_t tiles = atomic_ref(end.tiles).load(order::relaxed{});
    if (block_.index() == 0 &&
        block_.rank() == 0) { // all have read it; it is added to after the next barrier
      atomic_ref(lists_.end(old).entries_and_atoms).store(0, order::relaxed{});
      atomic_ref(lists_.end(old).tiles).store(0, order::relaxed{});
    }
    listed_ = static_cast<Tile>(lists_.entries_of(packed));
    return {static_cast<std::int64_t>(tiles), lists_.atoms_of(packed)};
  }

  /// Takes some atoms on a block of one thread, which has the loads of all of them in flight.
  template <class Visit, class Tiles, class Atoms>
  EVENLY_FN void take_some(const Visit& visit, const Tiles& tile, const Atoms& staged, int count,
                           bool keeps) {
    if (!keeps) make_room(count);
    for (int i = 0; i < count; ++i) visit.prefetch_taking(staged[i], visit.look(staged[i]));
    for (int i = 0; i < count; ++i) take(visit, tile[i], staged[i], visit.look(staged[i]), keeps);
  }

  template <class Visit>
  static constexpr int max_at_once = [] {
    if constexpr (requires { Visit::at_once; }) return Visit::at_once;
    return 2;
  }();
  /// Visits the atoms [at, end) of the window.
  template <class Window, class Before, class Visit>
  EVENLY_FN void visit_window(const Window& window, const Before& before, int inside, Atom at, Atom end,
                              bool keeps, const Visit& visit) {
    constexpr int items = Block::is_serial ? 1 : max_at_once<Visit>;
    const int step = block_.size() * smaller(items, slots::max_found(block_.shape()) / block_.size());
    const auto is_mine = [&](int number) { return number < end - at && number < step; };
    for (;; at += step) {
      if (!keeps) make_room(step);
      Tile tile[items] = {};
      Staged staged[items] = {};
      decltype(visit.unseen()) seen[items] = {};
      EVENLY_UNROLL
      for (int u = 0; u < items; ++u) {
        const int mine = u * block_.size() + block_.rank();
        if (!is_mine(mine)) continue;
        const Atom atom = at + mine;
        const entry owner = window[detail::owner_in_window(block_, before, inside, atom)];
        tile[u] = owner.tile;
        staged[u] = visit.load(owner.begin + (atom - owner.before));
      }
      EVENLY_UNROLL
      for (int u = 0; u < items; ++u)
        if (is_mine(u * block_.size() + block_.rank()))
          seen[u] = keeps ? visit.unseen() : visit.look(staged[u]);
      EVENLY_UNROLL
      for (int u = 0; u < items; ++u)
        if (is_mine(u * block_.size() + block_.rank())) take(visit, tile[u], staged[u], seen[u], keeps);
      if (end - at <= step) return;
    }
  }
  template <class Visit, class Seen>
  EVENLY_FN void take(const Visit& visit, Tile tile, const Staged& staged, const Seen& seen, bool keeps) {
    constexpr bool lists_empty = [] {
      if constexpr (requires { Visit::lists_empty; }) return Visit::lists_empty;
      return false;
    }();
    visit.take(tile, staged, seen,
               [&](Tile found, Atom begin, Atom end) { append<lists_empty>(found, begin, end, keeps); });
  }
  template <bool ListsEmpty> EVENLY_INLINE_FN void append(Tile tile, Atom begin, Atom end, bool keeps) {
    if (!ListsEmpty && begin == end) {
      add(without_atoms, 1);
      return;
    }
    const Atom count = end - begin;
    const int place = add(entries, 1);
    Atom before = 0;
    if (keeps) {
      before = add(atoms, static_cast<int>(smaller<Atom>(count, slots::max_kept(block_.shape()) + 1)));
      if (count > few) add(long_ones, 1);
    }
    block_.storage(place_.found)[place] = entry{tile, begin, count, before};
  }
  EVENLY_FN int add(counter which, int more) {
    const auto counts = block_.storage(place_.counts);
    const int at = side_ * counters + which;
    if constexpr (Block::is_serial) {
      const int was = counts[at];
      counts[at] = was + more;
      return was;
    } else {
      return atomic_ref(counts[at], scope::block{}).fetch_add(more, order::relaxed{});
    }
  }

  /// What the block has found, encoded for the sum over all blocks. Called by one thread.
  EVENLY_FN std::uint64_t summary() const {
    const auto counts = block_.storage(place_.counts);
    const int base = side_ * counters, found_atoms = counts[base + atoms];
    const int listed = counts[base + entries], empty = counts[base + without_atoms];
    if (found_atoms > limit_) return std::uint64_t{1} << (2 * field_bits);
    return static_cast<std::uint64_t>(listed + empty) << field_bits | static_cast<std::uint64_t>(found_atoms);
  }

  /// Stages the atoms of the found tiles, if there are not too many. The counts of the level become those of the next.
  /// All threads of the block call this after a sync.
  template <class Visit> EVENLY_FN void stage_found(const Visit& visit) {
    const auto counts = block_.storage(place_.counts);
    const int base = side_ * counters;
    kept_entries_ = counts[base + entries];
    kept_empty_ = counts[base + without_atoms];
    kept_atoms_ = counts[base + atoms];
    const int kept_long_ones = counts[base + long_ones];
    for (int i = block_.rank(); i < counters; i += block_.size()) counts[(1 - side_) * counters + i] = 0;
    if (kept_atoms_ > slots::max_kept(block_.shape())) return; // all blocks will list
    const int first_place = (1 - side_) * slots::max_kept(block_.shape());
    const auto found = block_.storage(place_.found);
    for (int i = block_.rank(); i < kept_entries_; i += block_.size()) {
      const entry mine = found[i];
      if (mine.count <= few)
        detail::stage_atoms<Block, Staged>(visit, mine, block_.storage(place_.kept_tile),
                                           block_.storage(place_.kept_atom), first_place);
    }
    if (kept_long_ones > 0)
      detail::stage_long_ones(block_, visit, place_.found, place_.kept_tile, place_.kept_atom, first_place,
                              kept_entries_, kept_atoms_, few);
  }

  /// Moves the tiles found on this level to the list. The block has synchronised before.
  EVENLY_FN void flush_found() {
    const auto counts = block_.storage(place_.counts);
    const int base = side_ * counters;
    const int listed = counts[base + entries], empty = counts[base + without_atoms];
    block_.sync();
    flush(listed, empty);
    if (block_.rank() == 0) {
      counts[base + entries] = 0;
      counts[base + without_atoms] = 0;
    }
    block_.sync();
    may_have_found_ = 0;
  }
  /// Writes the found entries to the list; each stores the number of atoms before it.
  EVENLY_FN void flush(int listed, int empty) {
    if (listed + empty == 0) return;
    detail::write_found(block_, place_.found, place_.scanned, place_.scratch, lists_.list(1 - list_),
                        lists_.end(next_turn()), lists_.atom_bits, listed, empty);
  }

  Block& block_;
  slots place_;
  persistent_lists<Tile, Atom> lists_;
  grid_totals<Block> totals_;
  int turn_ = 0;    ///< selects the end of the list
  int list_ = 0;    ///< selects the list of the frontier
  Tile listed_ = 0; ///< number of entries of the list
  int side_ = 0;    ///< selects the kept part
  int kept_atoms_ = 0;
  int kept_entries_ = 0; ///< number of found tiles with kept atoms
  int kept_empty_ = 0;
  int limit_ = 0; ///< maximum atoms that a block keeps
  int may_have_found_ = 0;
};

} // namespace evenly::graphs
