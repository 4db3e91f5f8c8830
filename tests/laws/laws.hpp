// SPDX-License-Identifier: Apache-2.0
// The laws: what holds for every schedule under every skeleton, on every executor. battery.hpp puts many instances
// through them. Those that check_schedule checks too are in evenly/algorithms/detail/laws.hpp.
//
// For a tile set of n tiles, whose atoms are numbered from the first:
//   1. for_each_atom visits each atom exactly once, and names the tile that it belongs to and its rank in that tile.
//   2. reduce_tiles stores each tile exactly once, an empty one with the monoid's identity.
//   3. A second run of the same plan, and a run of a second plan, give the same bits, in floating point too.
//   4. Nothing is written outside the outputs: guard elements on both sides stay as they were.
//   5. A tile's values are combined in atom order, each once, unless the monoid is marked as commutative.
//   6. A float result is within k n eps sum|terms| of a sum in double precision, where n is the tile's size; for tiles
//      of more than 256 atoms the root of n.
//   7. expand writes each atom's tile.
//   8. Functions are called in every way that is offered: visit(tile, atom, rank), visit(tile, atom),
//      map(tile, atom, rank), map(tile, atom) and map(atom). Tiles and atoms that are handed out together belong
//      together.
//   9. scan_tiles stores each atom exactly once, with what its tile's atoms up to it combine to,
//      scan_tiles_exclusive with what those before it do; also where values are replaced by their prefixes. Laws
//      3 to 6 and 8 hold for them too.
// A plan that has run one skeleton runs any other: one plan goes through all of them here.
//
// What fails is reported as a violation, not as a failed assertion, so that a test can show that broken schedules are
// found out (broken_test.cpp).
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/algorithms/detail/laws.hpp"
#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

template <class Tile, class Atom> struct note_visit_and_rank {
  Atom first;
  notes<visit_note> seen;
  EVENLY_FN void operator()(Tile t, Atom a, Atom rank) const {
    note_visit<Tile, Atom>{first, seen}(t, a);
    seen[static_cast<std::int64_t>(a) - first].rank = static_cast<int>(rank);
  }
};

/// By atom, where note_store goes by tile.
template <class T, class Atom> struct note_prefix {
  Atom first;
  notes<store_note<T>> stored;
  EVENLY_FN void operator()(Atom a, T value) const {
    note_store<T, std::int64_t>{stored}(static_cast<std::int64_t>(a) - first, value);
  }
};

/// Reads and replaces an atom's value.
template <class T, class Atom> struct value_in_memory {
  Atom first;
  notes<T> values;
  EVENLY_FN T operator()(Atom a) const { return values[static_cast<std::int64_t>(a) - first]; }
  EVENLY_FN void operator()(Atom a, T value) const { values[static_cast<std::int64_t>(a) - first] = value; }
};

/// (Tile, atom) -> value. Counts calls with a tile that has not got the atom.
template <class Monoid, tile_set Tiles> struct value_of_tile_and_atom {
  Tiles tiles;
  notes<int> strangers;
  EVENLY_FN typename Monoid::value_type operator()(tile_type<Tiles> t, atom_type<Tiles> a) const {
    if (t < 0 || t >= tiles.tiles() || a < tiles.begin(t) || a >= tiles.end(t))
      atomic_ref(strangers[0]).fetch_add(1);
    return Monoid::of(static_cast<std::uint64_t>(a) + (static_cast<std::uint64_t>(t) << 40));
  }
};

/// The same of (tile, atom, rank). Counts calls with another rank too.
template <class Monoid, tile_set Tiles> struct value_of_tile_atom_and_rank {
  value_of_tile_and_atom<Monoid, Tiles> value;
  EVENLY_FN typename Monoid::value_type operator()(tile_type<Tiles> t, atom_type<Tiles> a,
                                                   atom_type<Tiles> rank) const {
    if (rank != a - value.tiles.begin(t)) atomic_ref(value.strangers[0]).fetch_add(1);
    return value(t, a);
  }
};

// --- the laws ---

/// The other laws on one tile set.
template <class Executor> class judge : public basic_judge<Executor> {
  using basic_judge<Executor>::exec_, basic_judge<Executor>::found_, basic_judge<Executor>::offsets_;
  using basic_judge<Executor>::atoms, basic_judge<Executor>::tiles, basic_judge<Executor>::name;
  using basic_judge<Executor>::for_each_pair, basic_judge<Executor>::key;

 public:
  template <class Note> using run_of = typename basic_judge<Executor>::template run_of<Note>;
  /// The same, under the plan of all laws or a second one.
  template <class Note> using run_under = std::function<void(bool second_plan, const notes<Note>&)>;
  /// Runs a skeleton that counts the calls of map with a tile that does not have the atom.
  template <class Note>
  using run_watched = std::function<void(const notes<Note>&, const notes<int>& strangers)>;
  template <class Monoid> using stored = store_note<typename Monoid::value_type>;

  using basic_judge<Executor>::basic_judge;

  /// Laws 4 and 7.
  template <class Tile> void expansion(const std::function<void(std::span<Tile>)>& run) const {
    guarded<Tile> tile_of(exec_, atoms(), Tile{-1});
    run(tile_of.span());
    const auto got = tile_of.read(exec_, "expand", found_);
    for_each_pair([&](std::int64_t t, std::int64_t k) {
      if (got[k] != t)
        found_.report(expands, "expand",
                      name(t, k) + " has tile_of " + std::to_string(static_cast<std::int64_t>(got[k])));
    });
  }

  /// Laws 2, 4, 5 and 8.
  template <class Monoid>
  void reduction_by_tile_and_atom(const std::string& skeleton, const run_watched<stored<Monoid>>& run) const {
    guarded<int> strangers(exec_, 1, 0);
    const auto got =
        this->template reduced<Monoid>(skeleton, [&](const auto& out) { run(out, strangers.view()); });
    this->template compare_values<Monoid>(skeleton, got, true);
    report_strangers(skeleton, strangers);
  }

  /// Law 9, with 4 and 5.
  template <class Monoid>
  void scan_by_atom(const std::string& skeleton, const run_of<stored<Monoid>>& run) const {
    guarded<stored<Monoid>> out(exec_, atoms(), {});
    run(out.view());
    compare_prefixes<Monoid>(skeleton, out, true, false);
  }
  /// Law 9, with 4, 5 and 8.
  template <class Monoid>
  void exclusive_scan_by_tile_and_atom(const std::string& skeleton,
                                       const run_watched<stored<Monoid>>& run) const {
    guarded<int> strangers(exec_, 1, 0);
    guarded<stored<Monoid>> out(exec_, atoms(), {});
    run(out.view(), strangers.view());
    compare_prefixes<Monoid>(skeleton, out, false, true);
    report_strangers(skeleton, strangers);
  }

  /// Law 9 in place, with 3, 4 and 6.
  void float_prefixes(const std::string& skeleton, const run_under<float>& run) const {
    const auto scanned = [&](bool second_plan) {
      const guarded<float> values(exec_, atoms(), [&](std::int64_t k) {
        return float_sum::of(static_cast<std::uint64_t>(offsets_.front() + k));
      });
      run(second_plan, values.view());
      return values.read(exec_, skeleton, found_);
    };
    const auto once = scanned(false);
    for (std::int64_t t = 0; t < tiles(); ++t)
      for_each_partial_sum(t, [&](std::int64_t k, double want, double magnitude, double size) {
        if (!(std::abs(once[k] - want) <= rounding(size, magnitude)))
          found_.report(rounding_bound, skeleton,
                        name(t, k) + " has " + std::to_string(once[k]) + ", not " + std::to_string(want));
      });
    const auto differ = [&](const std::vector<float>& again, const char* when) {
      for_each_pair([&](std::int64_t t, std::int64_t k) {
        if (std::memcmp(&again[k], &once[k], sizeof(float)) != 0)
          found_.report(repeats, skeleton, name(t, k) + " has other bits " + when);
      });
    };
    differ(scanned(false), "in the second run");
    differ(scanned(true), "under a second plan");
  }

  /// Laws 2, 3, 4 and 6.
  void float_sums(const std::string& skeleton, const run_under<store_note<float>>& run) const {
    const auto summed = [&](bool second_plan) {
      return this->template reduced<float_sum>(skeleton, [&](const auto& out) { run(second_plan, out); });
    };
    const auto once = summed(false);
    for (std::int64_t t = 0; t < tiles(); ++t) compare_sum(skeleton, t, once[t]);
    const auto differ = [&](const std::vector<float>& again, const char* when) {
      for (std::int64_t t = 0; t < tiles(); ++t)
        if (std::memcmp(&again[t], &once[t], sizeof(float)) != 0)
          found_.report(repeats, skeleton, name(t) + " has other bits " + when);
    };
    differ(summed(false), "in the second run");
    differ(summed(true), "under a second plan");
  }

 private:
  /// The same for prefixes.
  template <class Monoid>
  void compare_prefixes(const std::string& skeleton, const guarded<stored<Monoid>>& out, bool inclusive,
                        bool by_tile) const {
    const Monoid op;
    const auto got = out.read(exec_, skeleton, found_);
    for (std::int64_t t = 0; t < tiles(); ++t) {
      typename Monoid::value_type before = op.identity();
      for (std::int64_t a = offsets_[t]; a < offsets_[t + 1]; ++a) {
        const auto with = op(before, Monoid::of(key(t, a, by_tile)));
        const auto& want = inclusive ? with : before;
        const std::int64_t k = a - offsets_.front();
        if (got[k].times != 1)
          found_.report(prefixes, skeleton,
                        name(t, k) + " stored " + std::to_string(got[k].times) + " times");
        else if (std::memcmp(got[k].bytes, &want, sizeof(want)) != 0)
          found_.report(prefixes, skeleton, name(t, k) + " has another prefix");
        before = with;
      }
    }
  }

  void report_strangers(const std::string& skeleton, const guarded<int>& strangers) const {
    const int calls = strangers.read(exec_, skeleton, found_)[0];
    if (calls > 0)
      found_.report(belongs_together, skeleton,
                    std::to_string(calls) +
                        " calls of map with a tile that does not have the atom, or has it at another rank");
  }

  /// Calls body(k, sum, magnitude, size) for the first 1, 2, ... atoms of a tile; k is the last one's number.
  template <class Body> void for_each_partial_sum(std::int64_t t, const Body& body) const {
    double sum = 0, magnitude = 0;
    for (std::int64_t a = offsets_[t]; a < offsets_[t + 1]; ++a) {
      const double term = float_sum::of(static_cast<std::uint64_t>(a));
      sum += term;
      magnitude += std::abs(term);
      body(a - offsets_.front(), sum, magnitude, static_cast<double>(a + 1 - offsets_[t]));
    }
  }

  /// What a float sum of `size` terms may be off by.
  static double rounding(double size, double magnitude) {
    constexpr double k = 2;
    return k * (size > 256 ? std::sqrt(size) : size) * std::numeric_limits<float>::epsilon() * magnitude;
  }

  void compare_sum(const std::string& skeleton, std::int64_t t, float got) const {
    double want = 0, bound = 0;
    for_each_partial_sum(t, [&](std::int64_t, double sum, double magnitude, double size) {
      want = sum;
      bound = rounding(size, magnitude);
    });
    if (!(std::abs(got - want) <= bound))
      found_.report(rounding_bound, skeleton,
                    name(t) + " is " + std::to_string(got) + ", not " + std::to_string(want) + " within " +
                        std::to_string(bound));
  }
};

/// Runs the skeletons under one plan; the judge compares what they do with what the tile set's offsets say.
template <class Executor, class Schedule, tile_set Tiles> class examination {
 public:
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  /// `offsets`: those of `tiles`, on the host.
  examination(const Executor& exec, const Schedule& schedule, const Tiles& tiles,
              const std::vector<std::int64_t>& offsets, findings& found)
      : exec_(exec), schedule_(schedule), tiles_(tiles), first_(static_cast<atom>(offsets.front())),
        plan_(make_plan(exec, schedule, tiles)), judge_(exec, offsets, found) {}

  void visits() {
    judge_.visits("for_each_atom of visit(tile, atom)", false, [&](const notes<visit_note>& seen) {
      for_each_atom(exec_, plan_, note_visit<tile, atom>{first_, seen});
    });
  }
  void visits_with_rank() {
    judge_.visits("for_each_atom of visit(tile, atom, rank)", true, [&](const notes<visit_note>& seen) {
      for_each_atom(exec_, plan_, note_visit_and_rank<tile, atom>{first_, seen});
    });
  }

  void expansion() {
    judge_.template expansion<tile>([&](std::span<tile> tile_of) { expand(exec_, plan_, tile_of); });
  }

  template <class Monoid> void reduction_by_atom() {
    judge_.template reduction_by_atom<Monoid>(
        std::string("reduce_tiles of map(atom), ") + Monoid::name,
        [&](const notes<stored<Monoid>>& out) { reduce_by_atom<Monoid>(plan_, out); });
  }
  template <class Monoid> void reduction_by_tile_and_atom() {
    judge_.template reduction_by_tile_and_atom<Monoid>(
        std::string("reduce_tiles of map(tile, atom), ") + Monoid::name,
        [&](const notes<stored<Monoid>>& out, const notes<int>& strangers) {
          reduce_tiles(exec_, plan_, value_of_tile_and_atom<Monoid, Tiles>{tiles_, strangers}, Monoid{},
                       note_store<typename Monoid::value_type, tile>{out});
        });
  }
  template <class Monoid> void reduction_by_rank() {
    judge_.template reduction_by_tile_and_atom<Monoid>(
        std::string("reduce_tiles of map(tile, atom, rank), ") + Monoid::name,
        [&](const notes<stored<Monoid>>& out, const notes<int>& strangers) {
          reduce_tiles(exec_, plan_, value_of_tile_atom_and_rank<Monoid, Tiles>{{tiles_, strangers}},
                       Monoid{}, note_store<typename Monoid::value_type, tile>{out});
        });
  }
  void float_sums() {
    judge_.float_sums("reduce_tiles of map(atom), float sums",
                      [&](bool second_plan, const notes<store_note<float>>& out) {
                        under(second_plan, [&](auto& plan) { reduce_by_atom<float_sum>(plan, out); });
                      });
  }

  template <class Monoid> void scan_by_atom() {
    judge_.template scan_by_atom<Monoid>(
        std::string("scan_tiles of map(atom), ") + Monoid::name, [&](const notes<stored<Monoid>>& out) {
          scan_tiles(exec_, plan_, value_of_atom<Monoid, atom>{}, Monoid{}, noting_prefixes<Monoid>(out));
        });
  }
  template <class Monoid> void exclusive_scan_by_tile_and_atom() {
    judge_.template exclusive_scan_by_tile_and_atom<Monoid>(
        std::string("scan_tiles_exclusive of map(tile, atom, rank), ") + Monoid::name,
        [&](const notes<stored<Monoid>>& out, const notes<int>& strangers) {
          scan_tiles_exclusive(exec_, plan_, value_of_tile_atom_and_rank<Monoid, Tiles>{{tiles_, strangers}},
                               Monoid{}, noting_prefixes<Monoid>(out));
        });
  }
  void float_prefixes() {
    judge_.float_prefixes(
        "scan_tiles in place, float sums", [&](bool second_plan, const notes<float>& values) {
          const value_in_memory<float, atom> in_place{first_, values};
          under(second_plan, [&](auto& plan) { scan_tiles(exec_, plan, in_place, float_sum{}, in_place); });
        });
  }

 private:
  template <class Monoid> using stored = store_note<typename Monoid::value_type>;
  using plan_type = plan<Executor, Schedule, Tiles>;

  /// Calls run(plan), with the plan of all laws or a second one.
  template <class Run> void under(bool second_plan, const Run& run) {
    if (!second_plan) return run(plan_);
    plan_type second = make_plan(exec_, schedule_, tiles_);
    run(second);
  }
  template <class Monoid> void reduce_by_atom(plan_type& plan, const notes<stored<Monoid>>& out) {
    reduce_tiles(exec_, plan, value_of_atom<Monoid, atom>{}, Monoid{},
                 note_store<typename Monoid::value_type, tile>{out});
  }
  template <class Monoid>
  note_prefix<typename Monoid::value_type, atom> noting_prefixes(const notes<stored<Monoid>>& out) const {
    return {first_, out};
  }

  const Executor& exec_;
  const Schedule& schedule_;
  const Tiles& tiles_;
  atom first_;
  plan_type plan_;
  judge<Executor> judge_;
};

/// Which skeletons a battery runs, a bit each: what they cost is mostly compile time, so files share them out.
namespace depth {
enum : unsigned {
  ranks = 1 << 0,     ///< for_each_atom of visit(tile, atom, rank)
  visits = 1 << 1,    ///< of visit(tile, atom)
  expansion = 1 << 2, ///< expand
  stretches =
      1 << 3,     ///< reduce_tiles of map(tile, atom): values of 12 bytes, a sequence that must stay in order
  words = 1 << 4, ///< of map(tile, atom, rank): of 8 bytes, in any order
  matrices = 1 << 5,  ///< of map(tile, atom): of 20 bytes
  maps = 1 << 6,      ///< of map(atom): of 8 bytes, in order
  bytes = 1 << 7,     ///< of map(atom): of 1 byte, in order
  floats = 1 << 8,    ///< of map(atom): sums whose bits repeat
  scan = 1 << 9,      ///< scan_tiles_exclusive, with values of 12 bytes
  in_place = 1 << 10, ///< scan_tiles in place, with values of 4

  every = ranks | stretches | maps |
          scan,              ///< those for every line of the registry; others are for one of each header
  basic = ranks | stretches, ///< one of each kind
  whole = basic | visits | expansion | words | maps | floats,
  sizes = stretches | matrices | maps | bytes | floats, ///< what blocks leave to each other
  scans = scan | in_place
};
} // namespace depth

/// All laws for one schedule and one tile set. `offsets`: those of `tiles`, on the host. `quick`: of the skeletons,
/// only those of depth::basic, without compiling more.
template <unsigned Depth, class Executor, class Schedule, tile_set Tiles>
void check_laws(const Executor& exec, const Schedule& schedule, const Tiles& tiles,
                const std::vector<std::int64_t>& offsets, findings& found, bool quick = false) {
  if (quick && (Depth & depth::basic) == 0) return;
  examination<Executor, Schedule, Tiles> exam(exec, schedule, tiles, offsets, found);
  if constexpr (Depth & depth::stretches) exam.template reduction_by_tile_and_atom<stretches>();
  if constexpr (Depth & depth::ranks) exam.visits_with_rank();
  if (quick) return;
  if constexpr (Depth & depth::maps) exam.template reduction_by_atom<affine_maps>();
  if constexpr (Depth & depth::floats) exam.float_sums();
  if constexpr (Depth & depth::visits) exam.visits();
  if constexpr (Depth & depth::expansion) exam.expansion();
  if constexpr (Depth & depth::words) exam.template reduction_by_rank<word_sum>();
  if constexpr (Depth & depth::bytes) exam.template reduction_by_atom<latest_byte>();
  if constexpr (Depth & depth::matrices) exam.template reduction_by_tile_and_atom<matrices>();
  if constexpr (Depth & depth::scan) exam.template exclusive_scan_by_tile_and_atom<stretches>();
  if constexpr (Depth & depth::in_place) exam.float_prefixes();
}

} // namespace evenly::laws
