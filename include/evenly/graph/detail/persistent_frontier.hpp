// SPDX-License-Identifier: Apache-2.0
// The atoms of a frontier shared among persistent blocks, for all levels of a search, in one co-resident launch.
//
// A frontier is in one of two places.
//   listed  in memory: of each tile where its atoms begin, how many there are, and how many are before them in the
//           list. Blocks have equal ranges of atoms, and find the tiles in the list by search: nothing is scanned
//   kept    in the blocks' storage: each block goes on with the atoms of the tiles that it found itself. There is
//           no list, no search and no atomic operation that shares it out; what atoms lead to is read while the
//           block waits for the others. For levels so thin that a block hardly has an atom for each thread, where it
//           does not matter who has how many
// After a level of kept atoms the next frontier is kept, unless some block has found more than it has room for. Then
// all write what they found to the list. After a listed level it is in the place that is asked for.
//
// Places in the list are reserved by one atomic operation on {tiles, atoms}, so that what is before each entry is in
// order; a block reserves for all that it has found, whose prefix it scans in storage.
//
// What an atom does, a visit says, a trivially copyable object with
//   using staged = ...;              what is read of an atom beforehand, which nobody changes during the launch
//   staged load(atom)                reads it
//   foresee(staged)                  may ask for memory that take will need
//   foresee_taking(staged, seen)     likewise after a look, on blocks of one thread
//   seen look(staged)                a first look at what others change, taken where many atoms are on their way
//   seen unseen()                    stands for a look that was not taken
//   take(tile, staged, seen, found)  calls found(tile, begin, end) if the atom found a tile, with its atoms. Of all
//                                    atoms of a level one finds a tile
//   at_once                          atoms that a thread has on their way, if not 2
//   lists_empty                      whether tiles without atoms go on the list too; else they are counted
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_totals.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/memory_view.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/persistent_atoms.hpp"
#include "evenly/graph/detail/persistent_places.hpp"
#include "evenly/graph/detail/write_found.hpp"

namespace evenly {

/// The frontier as a thread of a block has it. All functions are called by all threads of a block, of all blocks where
/// nothing else is said.
template <class Block, class Tile, class Atom, class Staged> class persistent_frontier {
  using entry = listed_tile<Tile, Atom>;
  enum counter { entries, without_atoms, atoms, long_ones, counters };
  static constexpr int field_bits = 22; ///< of tiles and of atoms that all blocks keep
  static constexpr int few = 8;         ///< atoms of a tile that one thread reads

 public:
  using slots = persistent_frontier_slots<Tile, Atom, Staged>;

  EVENLY_FN persistent_frontier(Block& block, const slots& place, const persistent_lists<Tile, Atom>& lists,
                                const totals_memory& totals)
      : block_(block), place_(place), lists_(lists), meetings_(block, totals) {}

  /// The frontier is one tile.
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
  EVENLY_FN void leave() const { meetings_.leave(); }

  /// Whether so many listed atoms are so few that shares of them can be kept.
  EVENLY_FN bool may_keep(std::int64_t listed_atoms, int shares) const {
    return listed_atoms <= std::int64_t{shares} * slots::max_kept(block_.shape());
  }

  /// Before a level that keeps: how many atoms a block may keep after it, lest others wait for it; two for each of its
  /// threads at least.
  EVENLY_FN void set_limit(int max) {
    limit_ = smaller(larger(max, 2 * block_.size()), slots::max_kept(block_.shape()));
    if constexpr (Block::is_serial) limit_ = slots::max_kept(block_.shape());
  }

  // --- a level: one of these, by any blocks ---

  /// Visits the atoms of one of several equal shares of the list, which has so many. keeps: what is found is for a
  /// meeting that keeps; requires may_keep(atoms, shares).
  template <class Visit>
  EVENLY_FN void visit_list(std::int64_t listed_atoms, int share, int shares, bool keeps,
                            const Visit& visit) {
    const auto from = static_cast<Atom>(listed_atoms * share / shares);
    const auto to = static_cast<Atom>(listed_atoms * (share + 1) / shares);
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

  /// Visits the block's kept atoms. Keeps: what is found is for a meeting that keeps.
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

  /// Before up to `max` calls of list_tile in the block. max: at most slots::max_found.
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
  /// Puts a tile on the list that is being made. By one thread.
  template <bool ListsEmpty = false> EVENLY_FN void list_tile(Tile tile, Atom begin, Atom end) {
    append<ListsEmpty>(tile, begin, end, false);
  }
  /// Calls each(tile) for all that are listed, each by one thread of all blocks.
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

  /// After a level that keeps. Returns whether all go on with what they have kept, `all`; if not, a meeting that lists
  /// it comes next.
  template <class Visit> EVENLY_FN bool sync_and_keep(const Visit& visit, frontier_size& all) {
    const std::uint64_t sum = meetings_.sync(
        block_.storage(place_.scratch), [&] { return summary(); }, [&] { stage_found(visit); });
    side_ = 1 - side_;
    constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
    all = {static_cast<std::int64_t>(sum >> field_bits & field), static_cast<std::int64_t>(sum & field)};
    return sum >> (2 * field_bits) == 0;
  }
  /// After a level that keeps of one block alone, by that block: what it has found. `fits`: whether it has kept all; if
  /// not, the number of atoms may be wrong.
  template <class Visit> EVENLY_FN frontier_size continue_single_block(const Visit& visit, bool& fits) {
    block_.sync();
    stage_found(visit);
    block_.sync();
    side_ = 1 - side_;
    fits = kept_atoms_ <= slots::max_kept(block_.shape());
    return {std::int64_t{kept_entries_} + kept_empty_, kept_atoms_};
  }
  /// After a level that lists, and where what is kept is to be listed. Returns how much the list has.
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
  /// After a level that lists nothing. mine(), called by one thread when all of the block have come: the frontier_size
  /// that the block has found. Returns the sum.
  template <class Mine> EVENLY_FN frontier_size sync_and_count(const Mine& mine) {
    std::uint64_t none = 0;
    return sync_and_count([&](std::uint64_t&) { return mine(); }, none);
  }
  /// Likewise, with one more number of each block, of which `rest` becomes the sum: mine(number).
  template <class Mine> EVENLY_FN frontier_size sync_and_count(const Mine& mine, std::uint64_t& rest) {
    forget_kept();
    rest = meetings_.sync(block_.storage(place_.scratch), [&] {
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
    meetings_.sync(
        block_.storage(place_.scratch), [] { return std::uint64_t{0}; }, nothing_to_do{}, nanoseconds);
  }

 private:
  EVENLY_FN void forget_kept() { kept_entries_ = kept_empty_ = kept_atoms_ = 0; }
  EVENLY_FN int next_turn() const { return turn_ == 2 ? 0 : turn_ + 1; }

  /// The list that was made is the frontier.
  EVENLY_FN frontier_size take_list() {
    const int old = turn_;
    turn_ = next_turn();
    list_ = 1 - list_;
    auto& end = lists_.end(turn_);
    const std::uint64_t packed = atomic_ref(end.entries_and_atoms).load(order::relaxed{});
    const std::uint64_t tiles = atomic_ref(end.tiles).load(order::relaxed{});
    if (block_.index() == 0 &&
        block_.rank() == 0) { // all have read it; it is added to after the next meeting
      atomic_ref(lists_.end(old).entries_and_atoms).store(0, order::relaxed{});
      atomic_ref(lists_.end(old).tiles).store(0, order::relaxed{});
    }
    listed_ = static_cast<Tile>(lists_.entries_of(packed));
    return {static_cast<std::int64_t>(tiles), lists_.atoms_of(packed)};
  }

  /// By a block of one thread, which has the memory of all of them on its way.
  template <class Visit, class Tiles, class Atoms>
  EVENLY_FN void take_some(const Visit& visit, const Tiles& tile, const Atoms& staged, int count,
                           bool keeps) {
    if (!keeps) make_room(count);
    for (int i = 0; i < count; ++i) visit.foresee_taking(staged[i], visit.look(staged[i]));
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

  /// What the block has found, for the sum of all; by one thread.
  EVENLY_FN std::uint64_t summary() const {
    const auto counts = block_.storage(place_.counts);
    const int base = side_ * counters, found_atoms = counts[base + atoms];
    const int listed = counts[base + entries], empty = counts[base + without_atoms];
    if (found_atoms > limit_) return std::uint64_t{1} << (2 * field_bits);
    return static_cast<std::uint64_t>(listed + empty) << field_bits | static_cast<std::uint64_t>(found_atoms);
  }

  /// Puts the atoms of what was found where they are kept, if there are not too many. The counts of the level before
  /// become those of the next. All threads of the block call this, and have met before.
  template <class Visit> EVENLY_FN void stage_found(const Visit& visit) {
    const auto counts = block_.storage(place_.counts);
    const int base = side_ * counters;
    kept_entries_ = counts[base + entries];
    kept_empty_ = counts[base + without_atoms];
    kept_atoms_ = counts[base + atoms];
    const int kept_long_ones = counts[base + long_ones];
    for (int i = block_.rank(); i < counters; i += block_.size()) counts[(1 - side_) * counters + i] = 0;
    if (kept_atoms_ > slots::max_kept(block_.shape())) return; // all will be listed
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

  /// Writes what this level has found to the list, and forgets it. The block is synchronised before.
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
  /// Writes so many entries; in the order of their places each knows what is before it.
  EVENLY_FN void flush(int listed, int empty) {
    if (listed + empty == 0) return;
    detail::write_found(block_, place_.found, place_.scanned, place_.scratch, lists_.list(1 - list_),
                        lists_.end(next_turn()), lists_.atom_bits, listed, empty);
  }

  Block& block_;
  slots place_;
  persistent_lists<Tile, Atom> lists_;
  grid_totals<Block> meetings_;
  int turn_ = 0;    ///< of the list's end
  int list_ = 0;    ///< which is the frontier
  Tile listed_ = 0; ///< entries in it
  int side_ = 0;    ///< of what is kept
  int kept_atoms_ = 0;
  int kept_entries_ = 0; ///< of the tiles that the block found, of which the atoms are kept
  int kept_empty_ = 0;
  int limit_ = 0; ///< of what a block keeps
  int may_have_found_ = 0;
};

} // namespace evenly
