// SPDX-License-Identifier: Apache-2.0
// The recording consumer is that of for_each_atom, with a function that knows its thread, so the visit of atoms is not
// implemented twice. A wrapper of the executor's block counts barriers.
#include "draw/recording.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <source_location>
#include <utility>

#include <fmt/format.h>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/settings.hpp"

namespace evenly::draw {
namespace {

using tiles_type = csr_tile_set<int>;

// --- ways of sharing, in words, for a block of this shape
// -----------------------------------------------------------------------------

/// Number of threads in a team of this form.
template <template <int> class Form, int G> int threads_of(const Form<G>& form, block_shape shape) {
  if constexpr (G == any_size)
    return group_layout::of(form.size, shape).size;
  else
    return team_size(G, shape);
}

template <int G> std::string in_words(sharing::team<G> form, block_shape shape) {
  const int size = threads_of(form, shape);
  if (size == 1) return "a tile per thread";
  if (G == whole_block) return "a tile per block";
  return fmt::format("a tile per group of {}", size);
}
inline std::string in_words(sharing::piece, block_shape) { return "a piece of a tile per block"; }
template <int Items> std::string in_words(sharing::blocked_run<Items>, block_shape) {
  return "a run of atoms and tile ends";
}
template <int Items> std::string in_words(sharing::striped_run<Items>, block_shape) {
  return "a run of atoms, interleaved";
}
template <bool Cut> std::string in_words(sharing::run<Cut>, block_shape) {
  return "a run of atoms per thread";
}
template <int G> std::string in_words(sharing::batch<G> form, block_shape shape) {
  return fmt::format("whole tiles, {} atoms at a time", threads_of(form, shape));
}

// --- recording
// ------------------------------------------------------------------------------------------------------------

/// The time of a visit within its block: visits of different threads at the same moment are one step.
struct moment {
  int epoch = 0;   ///< barriers that the block had passed when the part began
  int sharing = 0; ///< index of the sharing, in order of appearance in the block
  int part = 0;    ///< parts that the thread had taken before in this epoch
  int visit = 0;   ///< atoms that the thread had taken before in this part

  auto operator<=>(const moment&) const = default;
};

/// The visits of a block.
struct block_log {
  struct entry {
    moment when;
    int thread;
    recorded_visit what;
  };
  std::vector<std::string> sharings;
  std::vector<entry> entries;

  int number_of(const std::string& sharing) {
    const auto found = std::ranges::find(sharings, sharing);
    const auto number = static_cast<int>(found - sharings.begin());
    if (found == sharings.end()) sharings.push_back(sharing);
    return number;
  }
};

/// The function for for_each_atom, for one thread.
struct note_visit {
  block_log* log;
  moment* now;
  int thread;

  void operator()(int tile, int atom) const {
    log->entries.push_back({*now, thread, {tile, atom}});
    ++now->visit;
  }
};

/// An executor's block that counts the barriers of its thread.
template <class Block> class watched : public Block {
 public:
  explicit watched(const Block& block) : Block(block) {}

  void sync(std::source_location where = std::source_location::current()) const {
    Block::sync(where);
    ++epoch_;
  }
  int epoch() const { return epoch_; }

 private:
  mutable int epoch_ = 0;
};

struct recording_consumer {
  using visiting = for_each_atom_consumer<tiles_type, note_visit>;
  [[maybe_unused]] static constexpr bool is_copyable = true;

  tiles_type tiles;
  block_log* logs; ///< one per block

  template <class Form> static constexpr bool takes = true;

  template <class Forms> static constexpr auto lay_out(Forms, storage_layout& layout, block_shape shape) {
    return lowering_slots<int>::lay_out<visiting, Forms>(layout, shape);
  }

  template <class Block, class Slots, class Forms> class worker {
   public:
    static constexpr bool wants_empty_tiles = false;

    worker(const recording_consumer& consumer, Block& block, const Slots& slots)
        : block_(block), log_(consumer.logs[block.index()]),
          visiting_{consumer.tiles, {&log_, &now_, block.rank()}}, inner_{visiting_, block_, none_},
          lowered_{inner_, block_, slots} {}
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    template <class Sharing, class Part> void operator()(Sharing how, const Part& part) {
      const bool same_epoch = parts_ > 0 && now_.epoch == block_.epoch();
      parts_ = same_epoch ? parts_ + 1 : 1;
      now_ = {block_.epoch(), log_.number_of(in_words(how, block_.shape())), parts_ - 1, 0};
      lowered_(how, part);
    }

   private:
    Block& block_;
    block_log& log_;
    moment now_;
    int parts_ = 0; ///< taken in now_.epoch
    visiting visiting_;
    no_slots none_;
    typename visiting::template worker<Block, no_slots, lowered_forms<visiting, Forms>> inner_;
    lowering<visiting, decltype(inner_), Block, Slots> lowered_;
  };
};

/// A launch of a schedule with counted barriers.
template <class Mapping> struct recording_kernel {
  static constexpr bool is_copyable = true;

  skeleton_kernel<Mapping, recording_consumer> kernel;

  auto lay_out(storage_layout& layout, block_shape shape) const { return kernel.lay_out(layout, shape); }
  template <class Block> void operator()(Block& block) const {
    watched<Block> seen(block);
    kernel(seen);
  }
};

/// Sorts the moments of a block into steps; a phase is a sequence of steps with one sharing.
recorded_block in_steps(int index, int block_size, const block_log& log) {
  recorded_block block{index, {}};
  std::map<moment, std::vector<recorded_visit>> steps;
  for (const auto& [when, thread, what] : log.entries) {
    auto& step = steps[when];
    step.resize(static_cast<std::size_t>(block_size));
    step[static_cast<std::size_t>(thread)] = what;
  }
  for (auto& [when, step] : steps) {
    const std::string& sharing = log.sharings[static_cast<std::size_t>(when.sharing)];
    if (block.phases.empty() || block.phases.back().sharing != sharing) block.phases.push_back({sharing, {}});
    block.phases.back().steps.push_back(std::move(step));
  }
  return block;
}

template <class Mapping>
recorded_launch record_launch(const simt& exec, const launch_of<Mapping>& each, const tiles_type& tiles) {
  std::vector<block_log> logs(static_cast<std::size_t>(each.shape.blocks));
  launch(exec, each.shape, recording_kernel<Mapping>{{each.mapping, {tiles, logs.data()}}});
  recorded_launch recorded{each.shape.block_size, {}};
  for (std::size_t b = 0; b < logs.size(); ++b)
    recorded.blocks.push_back(in_steps(static_cast<int>(b), recorded.block_size, logs[b]));
  return recorded;
}

template <class Schedule>
recorded_run record(const simt& exec, const Schedule& schedule, const tiles_type& tiles) {
  recorded_run run;
  schedule.parameters([&](const char* name, const auto& value) {
    run.parameters.emplace_back(name, fmt::format("{}", value));
  });
  const auto plan = make_plan(exec, schedule, tiles);
  run.launches.push_back(record_launch(exec, plan.launch(), tiles));
  return run;
}

// --- schedules for pictures
// -------------------------------------------------------------------------------------------------

/// Small, so that a small example needs several blocks.
constexpr int items_in_pictures = 2;
constexpr int searches_in_pictures = 2;

/// Whether the parameters of a schedule are counts per thread instead of group sizes.
template <class Schedule> bool counts_by_thread(const Schedule& schedule) {
  bool has = false;
  schedule.parameters(
      [&](std::string_view name, const auto&) { has = has || name.ends_with("_per_thread"); });
  return has;
}

/// Calls visit with the schedule adapted to a picture.
template <class Schedule, class Visit> void with_few_items(const Schedule& schedule, const Visit& visit) {
  visit(schedule);
}
template <template <int> class Schedule, int Items, class Visit>
void with_few_items(const Schedule<Items>& schedule, const Visit& visit) {
  if (counts_by_thread(schedule))
    visit(Schedule<items_in_pictures>{});
  else
    visit(schedule);
}
template <template <int, int> class Schedule, int Items, int Searches, class Visit>
void with_few_items(const Schedule<Items, Searches>&, const Visit& visit) {
  visit(Schedule<items_in_pictures, searches_in_pictures>{});
}

/// Tiles with more atoms than a block has threads are long. Tiles with half as many are processed by a warp if the
/// schedule has that choice.
template <class Schedule> void set_sizes(Schedule& schedule, const any_schedule& chosen, int block_size) {
  schedule.block_size = block_size;
  if constexpr (requires { schedule.group = 1; })
    if (!chosen.is_set("g")) schedule.group = 3; // differs from all compile-time group sizes
  if constexpr (requires { schedule.long_tile; })
    if (!chosen.is_set("long_tile")) schedule.long_tile = block_size;
  if constexpr (requires { schedule.warp_threshold; })
    if (!chosen.is_set("warp_threshold")) schedule.warp_threshold = std::max(1, block_size / 2);
}

} // namespace

recorded_run record_schedule(const any_schedule& chosen, std::span<const int> offsets, int block_size,
                             int warp_size) {
  const simt exec({.warp_size = warp_size, .threads = 1}); // one thread: always in the same order
  recorded_run run;
  detail::with_schedule(chosen, [&](const auto& known) {
    with_few_items(known, [&](auto drawn) {
      set_sizes(drawn, chosen, block_size);
      run = record(exec, drawn, csr_tiles(offsets));
    });
  });
  return run;
}

} // namespace evenly::draw
