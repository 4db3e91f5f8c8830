// SPDX-License-Identifier: Apache-2.0
// The choice of a schedule: a pass over the tiles makes a summary of them, and a chooser decides by this summary.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Checks the laws of tile sets (work/tile_set.hpp) on the executor, in one pass, which finds the atoms too.

namespace evenly {

namespace detail {

/// The data that the host reads back from inspect_tiles.
template <tile_set Tiles> struct inspection {
  std::int64_t first_bad; ///< the first tile that breaks a law of tile_set.hpp; or the initial value, no_tile
  atom_type<Tiles> first;
  atom_type<Tiles> last;
  atom_type<Tiles> bad_begin;
  atom_type<Tiles> bad_end;
  std::int64_t squares; ///< sum of the squared sizes, if requested
};
inline constexpr std::int64_t no_tile = std::numeric_limits<std::int64_t>::max();

template <tile_set Tiles, bool WithSquares> struct inspect_tiles {
  /// Longer tiles count as this long, so that no sum overflows.
  static constexpr std::int64_t max_size = std::int64_t{1} << 20;

  Tiles tiles;
  std::int64_t tiles_per_block;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    const std::int64_t first = block.index() * tiles_per_block;
    const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
    std::int64_t bad = no_tile, squares = 0;
    for (std::int64_t i = first + block.rank(); i < last; i += block.size()) {
      const auto t = static_cast<tile>(i);
      const auto begin = tiles.begin(t);
      const auto end = tiles.end(t);
      const bool good = begin >= 0 && begin <= end && (i + 1 == tiles.tiles() || end == tiles.begin(t + 1));
      if (!good) bad = smaller(bad, i);
      if constexpr (WithSquares) {
        const std::int64_t size = good ? smaller<std::int64_t>(end - begin, max_size) : 0;
        squares += size * size;
      }
    }
    if constexpr (WithSquares) {
      const lanes<Block> warp = this_warp(block);
      squares = warp.reduce(squares, plus<std::int64_t>{});
      if (warp.rank() == 0) atomic_ref(result->squares).fetch_add(squares);
    }
    if (bad != no_tile) atomic_ref(result->first_bad).fetch_min(bad);
  }
};

/// Copies the data for the message, by one thread, after all of inspect_tiles is done.
template <tile_set Tiles> struct inspect_ends {
  Tiles tiles;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    if (block.rank() != 0) return;
    result->first = tiles.begin(0);
    result->last = tiles.end(static_cast<tile>(tiles.tiles() - 1));
    if (result->first_bad == no_tile) return;
    result->bad_begin = tiles.begin(static_cast<tile>(result->first_bad));
    result->bad_end = tiles.end(static_cast<tile>(result->first_bad));
  }
};

template <tile_set Tiles> std::string describe_bad_tile(const inspection<Tiles>& seen) {
  if constexpr (requires { Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end); }) {
    return Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end);
  } else {
    return detail::concat("tile ", seen.first_bad, " has atoms [", seen.bad_begin, ", ", seen.bad_end,
                          "): tiles must begin at 0 or later, not end before they begin, and "
                          "follow each other without gaps");
  }
}

/// The result of the check of tiles.
template <tile_set Tiles> struct known_tiles {
  extent<Tiles> all;
  double squares = -1; ///< sum of the squared sizes; below 0: unknown
};

/// A pass over begin and end.
template <bool WithSquares = false, class Executor, tile_set Tiles>
known_tiles<Tiles> inspect_offsets(const Executor& exec, const Tiles& tiles) {
  if (tiles.tiles() == 0) return {};
  inspection<Tiles> seen{};
  seen.first_bad = no_tile;
  const auto result = make_buffer<inspection<Tiles>>(exec, 1);
  exec.copy_from_host(result.data(), &seen, sizeof(seen));
  const std::int64_t per_block = items_per_block(exec, tiles.tiles(), WithSquares ? 8192 : 1024);
  launch(exec, {block_count(tiles.tiles(), per_block), 256},
         inspect_tiles<Tiles, WithSquares>{tiles, per_block, result.data()});
  launch(exec, {1, 1}, inspect_ends<Tiles>{tiles, result.data()});
  exec.copy_to_host(&seen, result.data(), sizeof(seen));
  if (seen.first_bad != no_tile) throw invalid_argument(describe_bad_tile<Tiles>(seen));
  return {{seen.first, static_cast<std::int64_t>(seen.last) - seen.first},
          WithSquares ? static_cast<double>(seen.squares) : -1};
}

/// Checks the laws of tile_set.hpp and returns the range of atoms. Synchronises. One coalesced pass over the offsets,
/// unless the tile set has its own check. Requires tiles() >= 0.
template <class Executor, tile_set Tiles> extent<Tiles> inspect(const Executor& exec, const Tiles& tiles) {
  if constexpr (requires { require_laws(exec, tiles); }) {
    require_laws(exec, tiles);
    return {tiles.first_atom(), tiles.atoms()};
  } else {
    return inspect_offsets(exec, tiles).all;
  }
}

/// The same for a schedule, with the sum of squared sizes if the schedule uses it. The sum needs one more atomic
/// operation per 1,024 tiles and larger blocks, so other schedules do without.
template <class Schedule, class Executor, tile_set Tiles>
known_tiles<Tiles> inspect_for(const Schedule& schedule, const Executor& exec, const Tiles& tiles) {
  if constexpr (!Executor::serial_blocks && requires {
                  { schedule.wants_squares() } -> std::same_as<bool>;
                })
    if constexpr (!requires { require_laws(exec, tiles); })
      if (schedule.wants_squares()) return inspect_offsets<true>(exec, tiles);
  return {inspect(exec, tiles)};
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
// tile_summary: the distribution of tile sizes in some twenty numbers, computed in one pass over the tiles on their
// executor. Choosers use it (schedules/plan.hpp).
//
// All numbers are sums and maxima of integers, so they are the same on every executor and in every run.

/// The distribution of tile sizes. A tile's size is its number of atoms.
struct tile_summary {
  static constexpr int size_classes = 12;
  static constexpr int tiles_of_group = 32;
  static constexpr int tiles_of_block = 256;

  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  std::int64_t longest = 0;
  std::int64_t empty = 0;
  double squares = 0;          ///< the sum of the squared sizes
  std::int64_t warp_steps = 0; ///< longest of each 32 tiles, summed: steps of warps with a thread per tile
  std::int64_t rounds8 = 0;    ///< sum of ceil(size / 8): the steps of groups of 8 threads with one tile each
  std::int64_t rounds32 = 0;   ///< the same for groups of 32
  std::int64_t heaviest_block = 0; ///< maximum atoms of tiles [256 k, 256 (k + 1)), over all k
  /// Numbers of tiles with 0, 1, 2 to 3, 4 to 7 ... 128 to 255, 256 to 1,023, 1,024 to 4,095, and more atoms.
  std::array<std::int64_t, size_classes> classes = {};

  bool operator==(const tile_summary&) const = default;
};

namespace detail {

/// The index of a size in tile_summary::classes.
EVENLY_FN constexpr int class_of_size(std::uint64_t size) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) // without a branch: on cpu this is most of the pass
  const int width = size == 0 ? 0 : smaller(13, 64 - __builtin_clzll(size));
#else
  int width = 0;
  for (std::uint64_t rest = size; rest != 0 && width < 13; rest >>= 1) ++width;
#endif
  return width <= 8 ? width : smaller(11, 9 + (width - 9) / 2);
}

/// The numbers that kernels add up, each in a 64-bit integer. Squares are products of 32-bit integers, summed in two
/// halves.
struct summary_part {
  enum : int {
    warp_steps,
    rounds8,
    rounds32,
    squares_low,
    squares_high,
    broken, ///< tiles that break a law of tile_set.hpp
    first_class,
    sums = first_class + tile_summary::size_classes,
    longest = sums,
    heaviest_block,
    count,
    first_atom = count, ///< of the first tile, and the end of the last: written by one thread each
    last_atom,
    room
  };
};

/// The numbers that one thread has counted.
template <bool IsSerial> class size_tally {
 public:
  std::uint64_t of[summary_part::count] = {};

  EVENLY_FN void add(std::uint64_t size) {
    constexpr std::uint64_t half = (std::uint64_t{1} << 32) - 1;
    of[summary_part::rounds8] += (size + 7) / 8;
    of[summary_part::rounds32] += (size + 31) / 32;
    const std::uint64_t square = smaller(size, half) * smaller(size, half);
    of[summary_part::squares_low] += square & half;
    of[summary_part::squares_high] += square >> 32;
    of[summary_part::longest] = larger(of[summary_part::longest], size);
    const int c = class_of_size(size);
    if constexpr (IsSerial) {
      ++of[summary_part::first_class + c];
    } else { // in registers: an indexed array would be in memory
      const std::uint64_t one = std::uint64_t{1} << (16 * (c % 4));
      packed_[0] += c / 4 == 0 ? one : 0;
      packed_[1] += c / 4 == 1 ? one : 0;
      packed_[2] += c / 4 == 2 ? one : 0;
    }
  }
  /// Call it after the last tile. Requires at most max_tiles tiles.
  EVENLY_FN void finish() {
    if constexpr (!IsSerial) {
      EVENLY_UNROLL
      for (int c = 0; c < tile_summary::size_classes; ++c)
        of[summary_part::first_class + c] = packed_[c / 4] >> (16 * (c % 4)) & 0xffff;
    }
  }
  static constexpr std::int64_t max_tiles = (1 << 16) - 1;

 private:
  std::uint64_t packed_[3] = {};
};

/// Each block has consecutive tiles, a multiple of tiles_of_block. If warps are as wide as groups of tiles, a thread
/// has one tile at a time, otherwise a group. `parts`: summary_part::room numbers, all 0 before.
template <tile_set Tiles, bool ChecksLaws> struct summarize_kernel {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = 256;

  Tiles tiles;
  std::int64_t tiles_per_block;
  std::uint64_t* parts;

  struct slots {
    slot<std::uint64_t> of_warps;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<std::uint64_t>(shape.warps() * summary_part::count)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const std::int64_t first = block.index() * tiles_per_block;
    const std::int64_t end = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
    size_tally<Block::is_serial> mine;
    if constexpr (Block::is_serial) {
      add_groups(mine, first, end, 0, 1);
      for (int k = 0; k < summary_part::count; ++k) add_to(k, mine.of[k]);
    } else {
      constexpr int group = tile_summary::tiles_of_group;
      if (block.shape().warp == group && block.size() % group == 0)
        add_tiles(block, mine, first, end);
      else
        add_groups(mine, first, end, block.rank(), block.size());
      mine.finish();
      combine(block, place, mine);
    }
  }

 private:
  /// Returns the size of a tile; 0 for a tile that breaks a law.
  template <class Tally> EVENLY_FN std::uint64_t see(Tally& mine, std::int64_t i) const {
    const auto t = static_cast<tile>(i);
    const atom begin = tiles.begin(t), end = tiles.end(t);
    bool good = begin >= 0 && begin <= end;
    if constexpr (ChecksLaws) good = good && (i + 1 == tiles.tiles() || end == tiles.begin(t + 1));
    mine.of[summary_part::broken] += good ? 0 : 1;
    if (i % tile_summary::tiles_of_block == 0) {
      const auto last = smaller<std::int64_t>(i + tile_summary::tiles_of_block, tiles.tiles()) - 1;
      const atom past = tiles.end(static_cast<tile>(last));
      std::uint64_t& heaviest = mine.of[summary_part::heaviest_block];
      if (past > begin) heaviest = larger(heaviest, static_cast<std::uint64_t>(past - begin));
    }
    if (i == 0) parts[summary_part::first_atom] = static_cast<std::uint64_t>(begin);
    if (i + 1 == tiles.tiles()) parts[summary_part::last_atom] = static_cast<std::uint64_t>(end);
    const std::uint64_t size = good ? static_cast<std::uint64_t>(end - begin) : 0;
    mine.add(size);
    return size;
  }

  template <class Tally>
  EVENLY_FN void add_groups(Tally& mine, std::int64_t first, std::int64_t end, int rank, int size) const {
    constexpr int group = tile_summary::tiles_of_group;
    for (std::int64_t begin = first + std::int64_t{rank} * group; begin < end;
         begin += std::int64_t{size} * group) {
      std::uint64_t longest = 0;
      for (std::int64_t i = begin; i < smaller(begin + group, end); ++i)
        longest = larger(longest, see(mine, i));
      mine.of[summary_part::warp_steps] += longest;
    }
  }

  template <class Block, class Tally>
  EVENLY_FN void add_tiles(Block& block, Tally& mine, std::int64_t first, std::int64_t end) const {
    const lanes<Block> warp = this_warp(block);
    for (std::int64_t begin = first + block.rank() - warp.rank(); begin < end; begin += block.size()) {
      const std::int64_t i = begin + warp.rank();
      const std::uint64_t size = i < end ? see(mine, i) : 0;
      const std::uint64_t longest = warp.reduce(size, maximum<std::uint64_t>{});
      if (warp.rank() == 0) mine.of[summary_part::warp_steps] += longest;
    }
  }

  EVENLY_FN void add_to(int k, std::uint64_t value) const {
    if (value == 0) return;
    if (k < summary_part::sums)
      atomic_ref(parts[k]).fetch_add(value, order::relaxed{});
    else
      atomic_ref(parts[k]).fetch_max(value, order::relaxed{});
  }

  template <class Op, class Block>
  EVENLY_FN static std::uint64_t of_warp(const lanes<Block>& warp, std::uint64_t value) {
    if ((warp.size() & (warp.size() - 1)) == 0) return warp.reduce(value, Op{});
    return warp.shuffle(warp.scan(value, Op{}), warp.size() - 1);
  }
  template <class Block, class Tally>
  EVENLY_FN void combine(Block& block, const slots& place, const Tally& mine) const {
    const lanes<Block> warp = this_warp(block);
    const auto of_warps = block.storage(place.of_warps);
    EVENLY_UNROLL
    for (int k = 0; k < summary_part::count; ++k) {
      const std::uint64_t all = k < summary_part::sums ? of_warp<plus<std::uint64_t>>(warp, mine.of[k])
                                                       : of_warp<maximum<std::uint64_t>>(warp, mine.of[k]);
      if (warp.rank() == 0) of_warps[warp_of(block) * summary_part::count + k] = all;
    }
    block.sync();
    for (int k = block.rank(); k < summary_part::count; k += block.size()) {
      std::uint64_t all = 0;
      for (int w = 0; w < block.shape().warps(); ++w) {
        const std::uint64_t one = of_warps[w * summary_part::count + k];
        all = k < summary_part::sums ? all + one : larger(all, one);
      }
      add_to(k, all);
    }
  }
};

/// Returns the tiles per block. Blocks are large if there are many tiles, since each block ends with additions to the
/// same numbers.
template <class Executor> std::int64_t tiles_per_summary_block(const Executor& exec, std::int64_t tiles) {
  constexpr std::int64_t whole = tile_summary::tiles_of_block;
  const std::int64_t wanted =
      smaller<std::int64_t>(larger<std::int64_t>(ceil_div<std::int64_t>(tiles, 1024), 1024),
                            size_tally<false>::max_tiles / whole * whole);
  const std::int64_t each = Executor::serial_blocks ? items_per_block(exec, tiles, wanted) : wanted;
  return ceil_div(each, whole) * whole;
}

/// A summary, with the range of atoms, and whether all checked tiles keep the laws.
template <tile_set Tiles> struct summarized_tiles {
  tile_summary of;
  extent<Tiles> all;
  bool keep_laws = true;
};

/// Synchronises.
template <bool ChecksLaws, class Executor, tile_set Tiles>
summarized_tiles<Tiles> summarize(const Executor& exec, const Tiles& tiles) {
  const std::int64_t count = tiles.tiles();
  if (count == 0) return {};
  const auto parts = make_buffer<std::uint64_t>(exec, summary_part::room);
  exec.fill_zero(parts.data(), summary_part::room * sizeof(std::uint64_t));
  using kernel = summarize_kernel<Tiles, ChecksLaws>;
  const std::int64_t each = tiles_per_summary_block(exec, count);
  launch(exec, {block_count(count, each), kernel::tuned_block_size}, kernel{tiles, each, parts.data()});
  std::array<std::uint64_t, summary_part::room> of{};
  exec.copy_to_host(of.data(), parts.data(), sizeof(of));
  const auto part = [&](int k) { return static_cast<std::int64_t>(of[static_cast<std::size_t>(k)]); };
  summarized_tiles<Tiles> found{
      .of = {.tiles = count,
             .atoms = part(summary_part::last_atom) - part(summary_part::first_atom),
             .longest = part(summary_part::longest),
             .empty = part(summary_part::first_class),
             .squares = static_cast<double>(of[summary_part::squares_high]) * 0x1p32 +
                        static_cast<double>(of[summary_part::squares_low]),
             .warp_steps = part(summary_part::warp_steps),
             .rounds8 = part(summary_part::rounds8),
             .rounds32 = part(summary_part::rounds32),
             .heaviest_block = part(summary_part::heaviest_block)},
      .all = {static_cast<atom_type<Tiles>>(part(summary_part::first_atom)), 0},
      .keep_laws = of[summary_part::broken] == 0};
  found.all.atoms = found.of.atoms;
  for (int c = 0; c < tile_summary::size_classes; ++c)
    found.of.classes[static_cast<std::size_t>(c)] = part(summary_part::first_class + c);
  return found;
}

/// Does the work of inspect and summarises the tiles: in one pass for both, unless the tile set has its own check.
template <class Executor, tile_set Tiles>
summarized_tiles<Tiles> inspect_and_summarize(const Executor& exec, const Tiles& tiles) {
  if constexpr (requires { require_laws(exec, tiles); }) {
    require_laws(exec, tiles);
    return summarize<false>(exec, tiles);
  } else {
    const auto found = summarize<true>(exec, tiles);
    if (!found.keep_laws) inspect_offsets(exec, tiles); // names the first such tile
    return found;
  }
}

} // namespace detail

/// Returns the summary of `tiles`. Requires that the tiles keep the laws of tile_set.hpp. Allocates a buffer on the
/// executor, and synchronises. Cost: a pass over begin and end of all tiles.
template <class Executor, tile_set Tiles>
requires(!sized_on_device<Tiles>)
tile_summary summarize_tiles(const Executor& exec, const Tiles& tiles) {
  return detail::summarize<false>(exec, tiles).of;
}

// ---------------------------------------------------------------------------------------------------------------------
// A chooser takes the place of a schedule. It names several schedules, chooses one when a plan is made, and explains
// the choice.
//
//   auto plan = make_plan(exec, automatic{}, tiles);    // schedules/automatic.hpp
//   reduce_tiles(exec, plan, map, op, store);           // under the chosen schedule
//   plan.explain();                                     // "merge_path: ..."
//
// A chooser is a plain struct of parameters with these members:
//   template <class Executor> auto candidates(const Executor&) const -> std::tuple<named_schedule<S>...>
//                                                 the schedules to choose from. All work under its plans is compiled
//                                                 for each, so the list should be short
//   bool wants_sizes(std::int64_t atoms) const    whether it uses the distribution of sizes for `atoms` atoms
//   template <class Executor> choice choose(const Executor&, const choice_facts&) const
//                                                 equal facts give equal choices
//   std::optional<work_kind> work                 optional: the work that will run under the plan
//   template <class Executor> std::vector<std::size_t> rank(const Executor&, const choice_facts&) const
//                                                 optional: the indices of candidates, the one that choose returns
//                                                 first. Calls that plan and run use it, since they explain nothing

/// The kinds of work under a plan, by the data read and written.
enum class work_kind {
  sums,          ///< a value read per atom, one written per tile
  gathered_sums, ///< the same, plus a gathered value per atom, as in sparse matrix times vector
  wide_sums,     ///< a gathered row of values per atom, a row written per tile
  prefixes,      ///< a value read per atom, and one written
  visits         ///< a value written per atom
};

/// A schedule and its name.
template <class Schedule> struct named_schedule {
  const char* name;
  Schedule schedule;
};

/// The facts that a choice is based on.
struct choice_facts {
  tile_summary tiles; ///< if is_summarized is false, only the numbers of tiles and atoms are set
  bool is_summarized = false;
  bool is_for_one_run = false; ///< one call makes and uses the plan
};

/// The index of a schedule among the candidates, and one sentence with the figures that decided.
struct choice {
  std::size_t index = 0;
  std::string why;
};

namespace detail {

/// A placeholder executor for testing choosers.
struct any_candidate_executor {
  static constexpr bool on_host = true;
  static constexpr bool serial_blocks = true;
  int threads() const { return 1; }
};

} // namespace detail

/// A type with the members in the head of this section.
template <class C>
concept chooser = std::copyable<C> && requires(const C& of, const detail::any_candidate_executor& exec,
                                               const choice_facts& facts, std::int64_t atoms) {
  of.candidates(exec);
  { of.wants_sizes(atoms) } -> std::same_as<bool>;
  { of.choose(exec, facts) } -> std::same_as<choice>;
};

/// A chooser for plans that run once. Its candidates are `once<Schedule>` for each candidate of the chooser `of`.
template <chooser Chooser> struct once_chosen {
  Chooser of;

  template <class Executor> auto candidates(const Executor& exec) const {
    return std::apply(
        []<class... S>(const named_schedule<S>&... each) {
          return std::tuple{named_schedule<once<S>>{each.name, once<S>{each.schedule}}...};
        },
        of.candidates(exec));
  }
  bool wants_sizes(std::int64_t atoms) const { return of.wants_sizes(atoms); }
  template <class Executor> choice choose(const Executor& exec, choice_facts facts) const {
    facts.is_for_one_run = true;
    if constexpr (requires { of.rank(exec, facts); })
      return {of.rank(exec, facts).front(), {}};
    else
      return of.choose(exec, facts);
  }
};

namespace detail {

/// Sets the work of `chosen` to `work`, if it has such a member and it is unset.
template <class Schedule> Schedule with_work_kind(Schedule chosen, work_kind work) {
  if constexpr (requires { chosen.work = std::optional<work_kind>(work); })
    if (!chosen.work) chosen.work = work;
  return chosen;
}

} // namespace detail
} // namespace evenly
