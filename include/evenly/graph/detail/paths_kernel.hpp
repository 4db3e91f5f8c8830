// SPDX-License-Identifier: Apache-2.0
// One includer: together they would exceed the length of a header.
// The kernel of shortest paths: its parameters, the worker of each of its blocks, and the entries that a block stages.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/entry_lists.hpp"
#include "evenly/graph/detail/open_buckets.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// The stages of a search for shortest paths: shared memory for the vertices that a block found, before they go to the
// lists. So a block reserves places in a list once for all its vertices. Vertices without room in a stage go to the
// lists directly.
//
// Two stages hold vertices in open buckets: a block visits the edges of one while it fills the other. A third stage
// holds vertices farther off, with the bucket of each.

namespace evenly::detail {

/// A vertex found by a lane: its edges are [entry.begin, entry.begin + degree).
template <class Entry, class Edge> struct nearer_vertex {
  static constexpr int nowhere = -2, near = -1;

  Entry entry; ///< without its edges
  Edge degree;
  int where; ///< nowhere: no vertex; near; or the bucket, as an index of the lists
};

/// The stage that is filled in a round of a block; two stages take turns. Their sizes are in three words that take
/// turns. So the size of a stage that has been read is reset while no thread reads it or adds to it, with one sync()
/// per round.
struct stage_turn {
  int storage = 0;
  int count = 0;

  EVENLY_INLINE_FN stage_turn next() const { return {1 - storage, count == 2 ? 0 : count + 1}; }
  EVENLY_INLINE_FN stage_turn before() const { return {1 - storage, count == 0 ? 2 : count - 1}; }
};

template <class Entry> struct path_stage_slots {
  static constexpr int of_far = 3, counts = 4, first_near = 2 * counts, words = first_near + 1;

  slot<Entry> near; ///< two stages
  slot<Entry> far;
  slot<std::uint32_t> far_at;    ///< per entry of `far`: the bucket << 16, and its place in the bucket
  slot<std::uint32_t> of_bucket; ///< per bucket: its entries in `far`
  slot<std::uint32_t> first_of;  ///< per bucket: the first place in its list
  slot<std::uint32_t>
      filled; ///< places reserved and used: of three near counts and the far one; the first near place

  EVENLY_FN static path_stage_slots lay_out(storage_layout& layout, int stage, int buckets) {
    return {layout.take<Entry>(2 * stage),       layout.take<Entry>(stage),
            layout.take<std::uint32_t>(stage),   layout.take<std::uint32_t>(buckets),
            layout.take<std::uint32_t>(buckets), layout.take<std::uint32_t>(words)};
  }
};

template <class Block, class Entry, class Edge> class path_stage {
  using slots_type = path_stage_slots<Entry>;
  template <class T> using view = decltype(std::declval<Block&>().storage(slot<T>{}));

 public:
  using vertex = nearer_vertex<Entry, Edge>;

  EVENLY_FN path_stage(Block& block, const path_stage_slots<Entry>& slots, const entry_lists<Entry>& lists,
                       int cut_log)
      : block_(block), lists_(lists), near_(block.storage(slots.near)), far_(block.storage(slots.far)),
        far_at_(block.storage(slots.far_at)), of_bucket_(block.storage(slots.of_bucket)),
        first_of_(block.storage(slots.first_of)), filled_(block.storage(slots.filled)), cut_log_(cut_log) {}

  /// Empties all stages. Called by all threads, before the block's next sync().
  EVENLY_FN void clear() {
    for (int b = block_.rank(); b < of_bucket_.size(); b += block_.size()) of_bucket_[b] = 0;
    if (block_.rank() == 0)
      for (int which = 0; which < slots_type::counts; ++which) empty_count(which);
  }
  /// Empties a stage. Called by one thread, in the round after the one that read it.
  EVENLY_FN void empty(stage_turn which) { empty_count(which.count); }
  /// The number of entries of a stage, after a sync().
  EVENLY_FN int near_size(stage_turn which) const { return size(which.count); }
  EVENLY_INLINE_FN Entry near(stage_turn which, int i) const {
    return near_[which.storage * far_.size() + i];
  }

  /// Adds the vertices of all lanes of a warp, near ones to stage `which`. Returns whether all were added. The rest,
  /// which must be cut or does not fit, is for add_any.
  template <int Many>
  EVENLY_INLINE_FN bool add(const lanes<Block>& warp, vertex (&found)[Many], stage_turn which) {
    lane_mask near[Many], far[Many];
    int near_count = 0, far_count = 0;
    bool is_long = false;
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      near[i] = warp.ballot(found[i].where == vertex::near);
      far[i] = warp.ballot(found[i].where >= 0);
      near_count += lanes_in(near[i]);
      far_count += lanes_in(far[i]);
      is_long = is_long || (found[i].where != vertex::nowhere && found[i].degree > Edge{1} << cut_log_);
    }
    if (near_count + far_count == 0) return true;
    if (warp.any(is_long)) return false;
    int near_at = near_count > 0 ? take(warp, which.count, near_count) : 0;
    int far_at = far_count > 0 ? take(warp, slots_type::of_far, far_count) : 0;
    const bool near_fits = near_at >= 0, far_fits = far_at >= 0;
    near_at += which.storage * far_.size();
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      const lane_mask before = first_lanes(warp.rank());
      Entry entry = found[i].entry;
      entry.edges = static_cast<std::uint32_t>(found[i].degree);
      if (near_fits && found[i].where == vertex::near) {
        near_[near_at + lanes_in(near[i] & before)] = entry;
        found[i].where = vertex::nowhere;
      } else if (far_fits && found[i].where >= 0) {
        const int at = far_at + lanes_in(far[i] & before);
        const std::uint32_t among =
            atomic_ref(of_bucket_[found[i].where], scope::block{}).fetch_add(1, order::relaxed{});
        far_[at] = entry;
        far_at_[at] = static_cast<std::uint32_t>(found[i].where) << 16 | among;
        found[i].where = vertex::nowhere;
      }
      near_at += lanes_in(near[i]);
      far_at += lanes_in(far[i]);
    }
    return near_fits && far_fits;
  }
  /// Adds any vertex; near ones may go directly to list `list`.
  EVENLY_FN void add_any(const lanes<Block>& warp, const vertex& found, stage_turn which, int list,
                         const list_turn& turn) {
    const bool is_near = found.where == vertex::near, is_far = found.where >= 0;
    if (!warp.any(is_near || is_far)) return;
    const int pieces =
        is_near || is_far ? static_cast<int>((found.degree + (Edge{1} << cut_log_) - 1) >> cut_log_) : 0;
    const bool cut = warp.any(pieces > 1);
    if (warp.any(is_near)) add_near(warp, is_near, cut, pieces, found, which, list, turn);
    if (warp.any(is_far)) add_far(warp, is_far, cut, pieces, found, turn);
  }

  /// Moves the entries of a near stage and of the far stage to the lists. Called by all threads of the block;
  /// synchronises the block. The next sync() must follow before the stages are used.
  EVENLY_FN void flush(stage_turn which, int list, const list_turn& turn) {
    const int near = near_size(which), far = size(slots_type::of_far);
    if (near + far > 0) {
      if (near > 0 && block_.rank() == 0)
        filled_[slots_type::first_near] = lists_.take(list, static_cast<std::uint32_t>(near), turn);
      if (far > 0)
        for (int b = block_.rank(); b < of_bucket_.size(); b += block_.size()) {
          const std::uint32_t here = of_bucket_[b];
          if (here == 0) continue;
          first_of_[b] = lists_.take(b, here, turn);
          of_bucket_[b] = 0;
        }
      block_.sync();
      for (int i = block_.rank(); i < near; i += block_.size()) {
        const std::uint32_t first = filled_[slots_type::first_near];
        store(list, first + static_cast<std::uint32_t>(i), this->near(which, i));
      }
      for (int i = block_.rank(); i < far; i += block_.size()) {
        const std::uint32_t at = far_at_[i];
        const auto bucket = static_cast<int>(at >> 16);
        const std::uint32_t first = first_of_[bucket];
        const Entry entry = far_[i];
        store(bucket, first + (at & 0xffff), entry);
      }
    }
    block_.sync();
    if (block_.rank() == 0)
      for (int each = 0; each < slots_type::counts; ++each) empty_count(each);
  }

 private:
  EVENLY_FN void empty_count(int which) {
    filled_[2 * which] = 0;
    filled_[2 * which + 1] = static_cast<std::uint32_t>(far_.size());
  }
  EVENLY_FN int size(int which) const {
    const std::uint32_t given = filled_[2 * which], used = filled_[2 * which + 1];
    return static_cast<int>(smaller(given, used));
  }
  EVENLY_INLINE_FN void store(int list, std::uint32_t place, const Entry& entry) {
    if (Entry* const at = lists_.at(block_, list, place)) *at = entry;
  }

  /// Reserves `count` places in the stage with count `which`. If there are too few, reserves none and closes the stage.
  /// Returns the first place, or -1.
  EVENLY_INLINE_FN int take(const lanes<Block>& warp, int which, int count) {
    int first = 0;
    if (warp.rank() == 0) {
      const auto size = static_cast<std::uint32_t>(count);
      const std::uint32_t at =
          atomic_ref(filled_[2 * which], scope::block{}).fetch_add(size, order::relaxed{});
      first = static_cast<int>(at);
      if (at + size > static_cast<std::uint32_t>(far_.size())) {
        atomic_ref(filled_[2 * which + 1], scope::block{}).fetch_min(at, order::relaxed{});
        first = -1;
      }
    }
    return warp.shuffle(first, 0);
  }

  EVENLY_FN void add_near(const lanes<Block>& warp, bool mine, bool cut, int pieces, const vertex& found,
                          stage_turn which, int list, const list_turn& turn) {
    const lane_mask active = warp.ballot(mine);
    const scan_result<int> before = count(warp, active, cut, mine ? pieces : 0);
    const int first = take(warp, which.count, before.total);
    if (first >= 0) {
      const int base = which.storage * far_.size() + first + before.before;
      put(warp, active, cut, pieces, found, base, 0,
          [&](int at, int, const Entry& entry) { near_[at] = entry; });
      return;
    }
    std::uint32_t place = 0;
    if (warp.rank() == 0) place = lists_.take(list, static_cast<std::uint32_t>(before.total), turn);
    place = warp.shuffle(place, 0);
    put(warp, active, cut, pieces, found, static_cast<int>(place) + before.before, list,
        [&](int at, int to, const Entry& entry) { store(to, static_cast<std::uint32_t>(at), entry); });
  }

  EVENLY_FN void add_far(const lanes<Block>& warp, bool mine, bool cut, int pieces, const vertex& found,
                         const list_turn& turn) {
    const lane_mask active = warp.ballot(mine);
    const scan_result<int> before = count(warp, active, cut, mine ? pieces : 0);
    const int first = take(warp, slots_type::of_far, before.total);
    if (first >= 0) {
      std::uint32_t among = 0;
      if (mine)
        among = atomic_ref(of_bucket_[found.where], scope::block{})
                    .fetch_add(static_cast<std::uint32_t>(pieces), order::relaxed{});
      // The place in the list grows with the place in the stage, so the tag stores their difference.
      const int base = first + before.before;
      const int tag = static_cast<int>(static_cast<std::uint32_t>(found.where) << 16 | among) - base;
      put(warp, active, cut, pieces, found, base, tag, [&](int at, int to, const Entry& entry) {
        far_[at] = entry;
        far_at_[at] = static_cast<std::uint32_t>(to + at);
      });
      return;
    }
    std::uint32_t place = 0;
    if (mine) place = lists_.take(found.where, static_cast<std::uint32_t>(pieces), turn);
    put(warp, active, cut, pieces, found, static_cast<int>(place), found.where,
        [&](int at, int to, const Entry& entry) { store(to, static_cast<std::uint32_t>(at), entry); });
  }

  /// The number of pieces of the lanes before the caller's, and of all lanes.
  EVENLY_INLINE_FN static scan_result<int> count(const lanes<Block>& warp, lane_mask active, bool cut,
                                                 int pieces) {
    if (!cut) return {lanes_in(active & first_lanes(warp.rank())), lanes_in(active)};
    const int inclusive = warp.scan(pieces, plus<int>{});
    return {inclusive - pieces, warp.shuffle(inclusive, warp.size() - 1)};
  }

  /// Calls write(first + i, tag, entry) for piece i of each lane in `active`: by that lane, or, if some lanes have
  /// several pieces, by all lanes together.
  template <class Write>
  EVENLY_INLINE_FN void put(const lanes<Block>& warp, lane_mask active, bool cut, int pieces,
                            const vertex& found, int first, int tag, const Write& write) {
    if (!cut) {
      Entry entry = found.entry;
      entry.edges = static_cast<std::uint32_t>(found.degree);
      if ((active >> warp.rank() & 1) != 0) write(first, tag, entry);
      return;
    }
    for (lane_mask rest = active; rest != 0; rest &= rest - 1) {
      const int of = first_lane(rest), count = warp.shuffle(pieces, of);
      const int to = warp.shuffle(first, of), with = warp.shuffle(tag, of);
      const Edge degree = warp.shuffle(found.degree, of);
      Entry entry = warp.shuffle(found.entry, of);
      const Edge begin = entry.begin;
      for (int i = warp.rank(); i < count; i += warp.size()) {
        const Edge skipped = static_cast<Edge>(i) << cut_log_;
        entry.begin = begin + skipped;
        entry.edges = static_cast<std::uint32_t>(smaller(degree - skipped, Edge{1} << cut_log_));
        write(to + i, with, entry);
      }
    }
  }

  Block& block_;
  const entry_lists<Entry>& lists_;
  view<Entry> near_, far_;
  view<std::uint32_t> far_at_, of_bucket_, first_of_, filled_;
  int cut_log_;
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The kernel of shortest paths, and the worker of each of its blocks.

// ---------------------------------------------------------------------------------------------------------------------
// Shares the atoms of a list of short entries among the warps of persistent blocks. There is no scan beforehand: the
// number of atoms of an entry is known when it is read.
//
// A warp takes some entries, one per lane, and processes all their atoms together, one per lane. A lane finds the entry
// of its atom by search in the prefix sums of the counts, as in a schedule that searches by warps. The ranges are
//
//   spread   one range per warp, or a multiple of that. Consecutive entries are related, for instance parts of one long
//            tile, so the entries of a warp are far apart. For short lists
//   drawn    a warp draws a range of consecutive entries whenever it has finished one. For long lists
//   own      as spread, among the warps of one block, for a list of the block
//
// Two functions define the entries; all lanes of a warp call them:
//
//   take(place, has, how)      reads entry `place` if it exists; returns its atoms, [begin, begin + count), and keeps
//                              what visit needs
//   visit<Many>(atoms, how)    visits the atoms, Many per lane; atoms.owner[i] is the lane that took the entry
//
// Cost of a range: one read, a scan of the warp, log2(entries of a range) shuffles for each of Many atoms.

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
  /// max: the maximum number of entries in a range.
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
      const std::uint32_t all = warps * blocks, per_warp = larger(smaller(count / (4 * all), max_), 1u);
      std::uint32_t first = (static_cast<std::uint32_t>(block_.index()) + blocks * number) * per_warp;
      while (first < count) {
        std::uint32_t next = 0;
        if (warp.rank() == 0) next = (all + atomic_ref(drawn).fetch_add(1, order::relaxed{})) * per_warp;
        const std::uint32_t end = smaller(count, first + per_warp);
        for (std::uint32_t at = first; at < end; at += of_warp)
          visited +=
              visit_range(warp, {at, 1, smaller(end - at, of_warp)}, end, entry_sharing::drawn, take, visit);
        first = warp.shuffle(next, 0);
      }
      return visited;
    }
    const bool own = how == entry_sharing::own;
    const std::uint32_t all = own ? warps : warps * blocks;
    const std::uint32_t per_warp = larger(
        smaller(own ? (count + warps - 1) / warps : (count + all - 1) / all, smaller(max_, of_warp)), 1u);
    std::uint32_t first = own ? number : static_cast<std::uint32_t>(block_.index()) + blocks * number;
    for (; first < count; first += all * per_warp)
      visited += visit_range(warp, {first, all, per_warp}, count, how, take, visit);
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
  EVENLY_INLINE_FN static std::uint32_t visit_range(const lanes<Block>& warp, const entry_range& range,
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

// ---------------------------------------------------------------------------------------------------------------------
// Shortest paths from one source by one persistent kernel: all blocks go from frontier to frontier together, with one
// grid barrier per frontier.
//
// Vertices whose distance fell wait in buckets, in a circular array of lists (entry_lists.hpp). After a barrier every
// block finds the same next frontier (open_buckets.hpp) and processes its part of the entries. A warp takes some
// entries, one per lane, and all their edges together, one per lane. A lane finds the entry of its edge by search in
// the prefix sums of edge counts. An edge with a shorter path lowers the word of its end by an atomic minimum
// (path_words.hpp). The thread that lowered it puts the vertex into the bucket of its new distance, open or farther
// off, unless it is already there.
//
// An entry is dead if the distance of its vertex has fallen since. So no entry is ever removed from a list.
//
// On narrow frontiers a block processes what it found in shared memory for some rounds, before the next grid barrier.
// Then edges are visited more often, but a round costs a fifth of a barrier. On wide frontiers warps draw their ranges,
// and load a word before they compete for it.

namespace evenly::detail {

/// The log entry of a frontier.
struct path_frontier {
  std::uint64_t entries;
  std::uint64_t edges; ///< number of visits, including those of the rounds of single blocks
};

/// Words that all blocks use.
struct path_control {
  std::uint32_t
      drawn_ranges[3 * words_of_line]; ///< drawn in a turn: three that take turns, each in its own cache line
  path_outcome outcome;
};

template <class Entry> struct path_slots {
  path_stage_slots<Entry> stage;
  slot<opened_buckets> opened;
};

template <class Block, class Kernel> class path_worker {
  using entry = typename Kernel::entry;
  using word = typename Kernel::word;
  using edge = decltype(entry::begin);
  using distance = decltype(entry::distance);
  using weight_type = typename Kernel::weight_type;
  using stage_type = path_stage<Block, entry, edge>;
  using vertex = typename stage_type::vertex;

  /// The number of edges that a lane has in flight.
  static constexpr int together = Block::is_serial ? 1 : 2;

 public:
  EVENLY_FN path_worker(Block& block, const Kernel& kernel, const typename Kernel::slots& slots)
      : block_(block), kernel_(kernel), stage_(block, slots.stage, kernel.lists, kernel.rules.cut_log),
        opener_(block, slots.opened, kernel.lists, kernel.rules) {}

  EVENLY_FN void run() {
    begin();
    opened_buckets now;
    int before_last = 0; // the last bucket open two frontiers ago
    while (true) {
      const opened_buckets next = opener_.open(near_list(turn_.number), now.last, turn_);
      if (next.entries() == 0) break;
      reset(before_last, now.last);
      before_last = now.last;
      now = next;
      visit(now);
      end_turn(now);
    }
    finish();
  }

 private:
  /// The list of the vertices found in the previous turn.
  EVENLY_INLINE_FN int near_list(std::uint32_t turn) const {
    return kernel_.rules.buckets + static_cast<int>(turn % 3);
  }
  EVENLY_INLINE_FN std::uint32_t& drawn(std::uint32_t turn) const {
    return kernel_.control->drawn_ranges[static_cast<int>(turn % 3) * words_of_line];
  }
  EVENLY_INLINE_FN std::int64_t thread() const {
    return std::int64_t{block_.index()} * block_.size() + block_.rank();
  }
  EVENLY_INLINE_FN std::int64_t threads() const { return std::int64_t{block_.count()} * block_.size(); }

  EVENLY_FN void begin() {
    kernel_.lists.clear(thread(), threads());
    for (std::int64_t v = thread(); v < kernel_.out.vertices; v += threads())
      kernel_.words[v] =
          v == kernel_.source ? word::of(distance{}, static_cast<std::uint32_t>(v)) : word::none();
    for (std::int64_t i = thread(); i < kernel_.log_size; i += threads()) kernel_.log[i] = {};
    if (thread() == 0) {
      for (std::uint32_t turn = 0; turn < 3; ++turn) drawn(turn) = 0;
      kernel_.control->outcome = {};
    }
    stage_.clear();
    grid_sync(block_, kernel_.barrier);
    turn_.free = free_next_ = kernel_.lists.free_at_first();
    if (block_.index() == 0) {
      if (warp_of(block_) == 0) add_source();
      block_.sync();
      stage_.flush({}, near_list(turn_.number), turn_);
    }
    grid_sync(block_, kernel_.barrier);
  }
  EVENLY_FN void add_source() {
    const lanes<Block> warp = this_warp(block_);
    const edge first = kernel_.out.offsets[kernel_.source];
    const edge degree = kernel_.out.offsets[kernel_.source + 1] - first;
    const entry made{distance{}, static_cast<std::uint32_t>(kernel_.source), first, 0};
    const bool mine = warp.rank() == 0 && degree > 0;
    stage_.add_any(warp, {made, degree, mine ? vertex::near : vertex::nowhere}, {}, near_list(turn_.number),
                   turn_);
  }

  /// Resets the words that were used two turns ago. Done by block 0.
  EVENLY_FN void reset(int from, int to) const {
    if (block_.index() != 0) return;
    for (int b = from + 1 + block_.rank(); b <= to; b += block_.size())
      kernel_.lists.count(opener_.list_of(b)) = 0;
    if (block_.rank() == 0) {
      kernel_.lists.count(near_list(turn_.number + 2)) = 0;
      drawn(turn_.number + 2) = 0;
    }
  }

  /// Visits the edges of the frontier, and of the vertices that the block finds in its rounds.
  EVENLY_FN void visit(const opened_buckets& now) {
    const path_rules& rules = kernel_.rules;
    edges_ = 0;
    std::uint32_t count = now.entries();
    const int rounds = count > rules.narrow ? 1 : rules.rounds;
    stage_turn stage; // the one that is filled
    for (int round = 0;; ++round) {
      visit_entries(now, count, round > 0, stage);
      block_.sync();
      count = static_cast<std::uint32_t>(stage_.near_size(stage));
      if (round > 0 && block_.rank() == 0) stage_.empty(stage.before());
      if (round + 1 >= rounds || count == 0 || count > rules.max_single_block) break;
      stage = stage.next();
    }
    stage_.flush(stage, near_list(turn_.number + 1), turn_);
    write_log(now);
  }

  /// Waits for all blocks, then returns the chunks of the frontier.
  EVENLY_FN void end_turn(const opened_buckets& now) {
    grid_sync(block_, kernel_.barrier);
    turn_.free = free_next_;
    free_next_ += opener_.give_back(now, near_list(turn_.number), free_next_);
    ++turn_.number;
  }

  EVENLY_FN void write_log(const opened_buckets& now) const {
    const std::uint32_t number = turn_.number - 1;
    if (number >= kernel_.log_size) return;
    if (thread() == 0) kernel_.log[number].entries = now.entries();
    if (lane_of(block_) == 0)
      atomic_ref(kernel_.log[number].edges).fetch_add(static_cast<std::uint64_t>(edges_), order::relaxed{});
  }

  /// Visits the caller's part of `count` entries: of the frontier, or of the block's stage that is not filled.
  EVENLY_FN void visit_entries(const opened_buckets& now, std::uint32_t count, bool own, stage_turn stage) {
    const lanes<Block> warp = this_warp(block_);
    const auto how = own                                                ? graphs::entry_sharing::own
                     : block_.count() > 1 && count > kernel_.rules.wide ? graphs::entry_sharing::drawn
                                                                        : graphs::entry_sharing::spread;
    taken_entry mine{};
    const graphs::persistent_entries<Block, edge, together> ranges(
        block_, static_cast<std::uint32_t>(kernel_.rules.max_range));
    edges_ += ranges.go_through(
        count, how, drawn(turn_.number),
        [&](std::uint32_t place, bool has, graphs::entry_sharing by) -> graphs::entry_atoms<edge> {
          mine = {};
          if (has) mine = take_entry(now, place, by, stage);
          // Edges of narrow frontiers are loaded before it is known whether the entry is alive.
          if (looks_first(by) && !(has && lives(mine, now.last))) {
            mine.at = unreached<distance>;
            mine.edges = 0;
          }
          if constexpr (Block::is_serial) // one after the other, the loads would be waited for
            for (int i = 0; i < mine.edges; ++i) prefetch(kernel_.words + kernel_.out.ends[mine.begin + i]);
          return {mine.begin, mine.edges};
        },
        [&]<int Many>(const graphs::owned_atoms<Many, edge>& edges, graphs::entry_sharing by) {
          visit_edges(warp, edges, mine, looks_first(by), now.last, stage);
        });
  }

  /// Whether a lane first tests that an entry is alive, and that an end gets a smaller distance. Early loads of edges
  /// gain nothing in a block of one thread.
  EVENLY_INLINE_FN static bool looks_first(graphs::entry_sharing how) {
    return Block::is_serial || how == graphs::entry_sharing::drawn;
  }

  /// An entry taken by a lane.
  struct taken_entry {
    std::uint32_t vertex;
    edge begin;
    std::int32_t edges;
    distance then; ///< the distance when the entry was made; unreached: the entry is from a bucket
    distance at;   ///< the current distance of the vertex
  };

  /// Reads entry `place` of the frontier, or of the stage that is not filled.
  EVENLY_INLINE_FN taken_entry take_entry(const opened_buckets& now, std::uint32_t place,
                                          graphs::entry_sharing how, stage_turn stage) const {
    const bool own = how == graphs::entry_sharing::own, is_near = own || place < now.near;
    entry found;
    if (own)
      found = stage_.near(stage.before(), static_cast<int>(place));
    else
      found = kernel_.lists.read(is_near ? near_list(turn_.number) : opener_.list_of(now.last),
                                 is_near ? place : place - now.near);
    return {found.vertex, found.begin, static_cast<std::int32_t>(found.edges),
            is_near ? found.distance : unreached<distance>, word::distance(load(found.vertex))};
  }
  /// Whether the distance of the entry's vertex is unchanged.
  EVENLY_INLINE_FN bool lives(const taken_entry& taken, int last) const {
    return taken.then < unreached<distance> ? taken.at == taken.then : kernel_.buckets.of(taken.at) == last;
  }

  template <int Many>
  EVENLY_INLINE_FN void visit_edges(const lanes<Block>& warp, const graphs::owned_atoms<Many, edge>& edges,
                                    const taken_entry& mine, bool looked, int last, stage_turn stage) {
    std::uint32_t end[Many], start[Many];
    weight_type weight[Many];
    distance sum[Many];
    bool goes[Many];
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      start[i] = warp.shuffle(mine.vertex, edges.owner[i]);
      goes[i] = edges.has[i];
      end[i] = 0;
      weight[i] = {};
      if (goes[i]) {
        end[i] = static_cast<std::uint32_t>(read_only(kernel_.out.ends + edges.atom[i]));
        weight[i] = weight_of(edges.atom[i]);
      }
    }
    // This waits for the word, which was requested before the edges; so it is done late.
    const distance at = looked || lives(mine, last) ? mine.at : unreached<distance>;
    distance from[Many];
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      from[i] = warp.shuffle(at, edges.owner[i]);
      sum[i] = distance{};
      const bool alive = goes[i] && from[i] < unreached<distance>;
      goes[i] = alive && graphs::add_weight(from[i], weight[i], sum[i]);
      if (alive && !goes[i]) atomic_ref(kernel_.control->outcome.too_far).store(1, order::relaxed{});
    }
    if (looked) {
      std::uint64_t seen[Many];
      EVENLY_UNROLL
      for (int i = 0; i < Many; ++i) seen[i] = goes[i] ? load(end[i]) : 0;
      EVENLY_UNROLL
      for (int i = 0; i < Many; ++i) goes[i] = goes[i] && word::reached(from[i], sum[i], start[i]) < seen[i];
    }
    vertex found[Many];
    lower(goes, end, sum, from, start, last, found);
    if constexpr (!Block::is_serial)
      if (!looked) fetch_soon(found);
    if (stage_.add(warp, found, stage)) return;
    EVENLY_DO_NOT_UNROLL
    for (int i = 0; i < Many; ++i) {
      vertex left = found[0];
      EVENLY_UNROLL
      for (int k = 1; k < Many; ++k)
        if (i == k) left = found[k];
      add_any(block_, kernel_, left, stage, near_list(turn_.number + 1), turn_);
    }
  }

  /// Lowers the words of the ends, and finds the buckets of the ends whose distance fell.
  template <int Many>
  EVENLY_INLINE_FN void lower(const bool (&goes)[Many], const std::uint32_t (&end)[Many],
                              const distance (&sum)[Many], const distance (&from)[Many],
                              const std::uint32_t (&start)[Many], int last, vertex (&found)[Many]) const {
    distance before[Many];
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      before[i] = sum[i];
      found[i] = {{sum[i], end[i], 0, 0}, 0, vertex::nowhere};
      if (!goes[i]) continue;
      found[i].entry.begin = read_only(kernel_.out.offsets + end[i]);
      found[i].degree = read_only(kernel_.out.offsets + end[i] + 1);
      before[i] = word::distance(atomic_ref(kernel_.words[end[i]])
                                     .fetch_min(word::reached(from[i], sum[i], start[i]), order::relaxed{}));
    }
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i) {
      found[i].degree -= found[i].entry.begin;
      if (!(sum[i] < before[i]) || found[i].degree == 0) continue;
      const int bucket = kernel_.buckets.of(sum[i]);
      if (bucket <= last)
        found[i].where = vertex::near;
      else if (!(before[i] < unreached<distance>) || kernel_.buckets.of(before[i]) != bucket)
        found[i].where = bucket & (kernel_.rules.buckets - 1);
    }
  }

  /// Prefetches the offsets of near vertices, whose edges are visited next.
  template <int Many> EVENLY_INLINE_FN void fetch_soon(const vertex (&found)[Many]) const {
    EVENLY_UNROLL
    for (int i = 0; i < Many; ++i)
      if (found[i].where == vertex::near) {
        prefetch(kernel_.out.ends + found[i].entry.begin);
        prefetch(kernel_.weights + found[i].entry.begin);
      }
  }

  /// Calls path_stage::add_any out of line: it is rare, and frequent code should stay close together.
  EVENLY_OUT_OF_LINE_FN static void add_any(Block block, const Kernel& kernel, vertex found, stage_turn stage,
                                            int list, list_turn turn) {
    storage_layout layout;
    const auto slots = kernel.lay_out(layout, block.shape());
    stage_type into(block, slots.stage, kernel.lists, kernel.rules.cut_log);
    into.add_any(this_warp(block), found, stage, list, turn);
  }

  EVENLY_INLINE_FN weight_type weight_of(edge e) const { return read_only(kernel_.weights + e); }
  EVENLY_INLINE_FN std::uint64_t load(std::uint32_t v) const {
    return atomic_ref(kernel_.words[v]).load(order::relaxed{});
  }

  EVENLY_FN void finish() const {
    path_outcome& outcome = kernel_.control->outcome;
    const bool exhausted = kernel_.lists.are_exhausted(turn_);
    if (thread() == 0) {
      outcome.frontiers = turn_.number - 1;
      outcome.exhausted = exhausted ? 1 : 0;
    }
    if (exhausted) return;
    const bool lacks = write_paths<distance>(kernel_.words, std::int64_t{kernel_.out.vertices},
                                             kernel_.distances, kernel_.parents, thread(), threads());
    if (lacks) atomic_ref(outcome.lacks_parents).store(1, order::relaxed{});
  }

  Block& block_;
  const Kernel& kernel_;
  stage_type stage_;
  bucket_opener<Block, entry> opener_;
  list_turn turn_;
  std::uint32_t free_next_ = 0; ///< number of chunks that may be taken from the next turn on
  std::uint32_t edges_ = 0;     ///< edges visited by the warp in this turn
};

// ---------------------------------------------------------------------------------------------------------------------
// The kernel of a bucketed search for shortest paths: its parameters. path_worker does the work of a block.

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct paths_kernel {
  static constexpr int tuned_block_size = 640;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 1;
  static constexpr int max_blocks = 1;
  using weight_type = Weight;
  using entry = path_entry<Distance, Edge>;
  using word = path_word<Distance>;
  using slots = path_slots<entry>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  std::uint64_t* words; ///< one per vertex
  entry_lists<entry> lists;
  path_buckets<Distance> buckets;
  path_rules rules;
  path_control* control;
  grid_barrier barrier;
  Vertex source;
  Out* distances;
  Vertex* parents;    ///< null if not wanted, or if words have none
  path_frontier* log; ///< null if there is no log
  std::uint32_t log_size;

  EVENLY_FN slots lay_out(storage_layout& layout, block_shape) const {
    return {path_stage_slots<entry>::lay_out(layout, rules.stage, rules.buckets),
            layout.take<opened_buckets>(1)};
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    path_worker<Block, paths_kernel>(block, *this, place).run();
  }
};

} // namespace evenly::detail
