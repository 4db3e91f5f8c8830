// SPDX-License-Identifier: Apache-2.0
// Multi-phase mapping in separate stages, on any executor with blocks of many threads. Implements phases.hpp.
//
// A stage is left out by stopping the schedule's kernel after the previous stages. A run-time argument selects the last
// stage, so all variants are the same code, with the same registers and shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "measure/work_on.hpp"
#include "study/technique_bench.hpp"

namespace evenly::study {

using measure::timer;

enum class stage { load, search, store };

/// The mapping of multi_phase, up to and including the stage `last`. The whole of it is the schedule's own code.
template <tile_set Tiles, int Items, int Searches>
struct staged_mapping : multi_phase_mapping<Tiles, Items, Searches> {
  using base = multi_phase_mapping<Tiles, Items, Searches>;
  stage last;

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const typename base::slots& place, Consumer& consumer) const {
    const std::int64_t end = this->distributed.first_chunk(block.index() + 1);
    for (std::int64_t chunk = this->distributed.first_chunk(block.index()); chunk < end; ++chunk) {
      typename base::template expansion<Block> here(block, *this, place, chunk);
      here.load();
      block.sync();
      if (last != stage::load) here.search();
      block.sync();
      if (last == stage::store)
        for (int part = 0; part < here.parts(); ++part)
          consumer(sharing::striped_run<Items>{}, here.part(part));
      if (chunk + 1 < end) block.sync();
    }
  }
};

struct staged_multi_phase {
  int block_size = default_block_size;
  stage last = stage::store;

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
               const planning& how) const {
    return staged(multi_phase<>{.block_size = block_size}.prepare(exec, tiles, all, how));
  }

 private:
  template <tile_set Tiles, int Items, int Searches, class Starts>
  auto staged(prepared_launch<multi_phase_mapping<Tiles, Items, Searches>, Starts> whole) const {
    return prepared(launch_of<staged_mapping<Tiles, Items, Searches>>{{whole.launch.mapping, last},
                                                                      whole.launch.shape,
                                                                      whole.launch.max_blocks},
                    std::move(std::get<0>(whole.owned)));
  }
};

/// The experiments on one problem, as the candidates of a bench.
template <class Executor> class phase_experiments {
 public:
  using work_type = work_on<Executor, update_problem>;

  phase_experiments(std::shared_ptr<work_type> work, phase_facts& facts)
      : work_(std::move(work)), facts_(&facts) {}

  std::vector<candidate> candidates(int block_size) const {
    std::vector<candidate> all;
    if (block_size > 0) {
      multi_phase<> schedule;
      schedule.block_size = block_size;
      all.push_back(partition("block_size", "partition", schedule));
      all.push_back(whole<0>("block_size", "expansion", schedule));
      return all;
    }
    add_supplies(all);
    add_stages(all);
    add_searches(all, std::make_integer_sequence<int, 8>{});
    for_each_ablation(
        [&](const char* title, const auto& schedule) { all.push_back(whole("without", title, schedule)); });
    for (const auto& [title, kind] :
         {std::pair("binary", search_kind::binary), std::pair("interpolation", search_kind::interpolation)}) {
      multi_phase<> schedule;
      schedule.search = kind;
      all.push_back(partition("partition", title, schedule));
    }
    return all;
  }

 private:
  /// All kernels are for the default block size only, unless they are measured with others.
  template <int Size = default_block_size, class Schedule>
  candidate whole(const char* experiment, const std::string& title, const Schedule& schedule) const {
    kernel_facts& facts = (*facts_)[std::string(experiment) + ' ' + title];
    candidate made = technique_candidate<Executor::on_host ? 0 : Size>(work_, experiment, schedule,
                                                                       schedule.block_size, &facts);
    made.title = title;
    return made;
  }

  template <int Items, int Searches>
  static std::integral_constant<int, Items> items_of(const multi_phase<Items, Searches>&);
  static constexpr int items = decltype(items_of(multi_phase<>{}))::value;

  /// Few, so that large workloads have more chunks than 32 times the resident blocks: otherwise two shapes are the
  /// same.
  static constexpr int supply_items = 4;
  void add_supplies(std::vector<candidate>& all) const {
    for (const auto& [title, supply] :
         {std::pair("per_chunk", block_supply::per_chunk), std::pair("resident", block_supply::resident),
          std::pair("several_per_resident", block_supply::several_per_resident)}) {
      multi_phase<supply_items> schedule;
      schedule.supply = supply;
      all.push_back(whole("supply", title, schedule));
    }
  }

  template <int... Before>
  void add_searches(std::vector<candidate>& all, std::integer_sequence<int, Before...>) const {
    (all.push_back(whole("searches", std::to_string(Before + 1), multi_phase<items, Before + 1>{})), ...);
  }

  void add_stages(std::vector<candidate>& all) const {
    all.push_back(stages("load", stage::load));
    all.push_back(stages("load and search", stage::search));
    all.push_back(stages("whole", stage::store));
  }

  extent<csr_tile_set<int>> atoms() const {
    return {0, static_cast<std::int64_t>(work_->data().out().size())};
  }

  candidate stages(const char* title, stage last) const {
    candidate made = whole("stages", title, staged_multi_phase{.last = last});
    if (last != stage::store) made.first_error = [self = *this] { return self.first_visited(); };
    return made;
  }

  /// Checks that omitted stages had no effect.
  std::optional<std::string> first_visited() const {
    const std::vector<int> numbers = to_host(work_->exec(), std::span<const int>(work_->data().out()));
    for (std::size_t a = 0; a < numbers.size(); ++a)
      if (numbers[a] != work_type::device_problem::poison)
        return "atom " + std::to_string(a) + " was visited, although that stage was omitted";
    return {};
  }

  /// The partition alone, into an existing table.
  candidate partition(const char* experiment, const char* title, const multi_phase<>& schedule) const {
    candidate made{.name = experiment, .title = title};
    const auto distributed = schedule.distribute_for(work_->exec(), work_->data().tiles(), atoms(), {}).atoms;
    const std::int64_t entries = distributed.chunks > 0 ? distributed.chunks + 1 : 0;
    const auto starts =
        std::make_shared<buffer<int>>(make_buffer<int>(work_->exec(), static_cast<std::size_t>(entries)));
    const launch_shape shape{block_count(entries, partition_block), partition_block};
    made.prepare = [work = work_, schedule, distributed, starts, shape]() -> prepared_run {
      const bool interpolate = schedule.search == search_kind::interpolation;
      return {[=] {
                launch(work->exec(), shape,
                       partition_atoms<csr_tile_set<int>>{distributed, interpolate, starts->data()});
              },
              {{shape.blocks, shape.block_size}}};
    };
    made.first_error = [self = *this, distributed, starts] {
      return self.first_wrong_start(distributed, *starts);
    };
    return made;
  }
  static constexpr int partition_block = 128;

  std::optional<std::string> first_wrong_start(const even_atoms<csr_tile_set<int>>& distributed,
                                               const buffer<int>& starts) const {
    const std::vector<int> offsets = to_host(work_->exec(), work_->data().offsets());
    const std::vector<int> found = to_host(work_->exec(), starts);
    for (std::size_t c = 0; c < found.size(); ++c) {
      const std::int64_t atom =
          std::min(static_cast<std::int64_t>(c) * distributed.atoms_per_chunk, distributed.all.atoms - 1);
      const auto tile = static_cast<std::size_t>(found[c]);
      if (tile + 1 >= offsets.size() || offsets[tile] > atom || offsets[tile + 1] <= atom)
        return "the partition says that atom " + std::to_string(atom) + " is in tile " +
               std::to_string(found[c]);
    }
    return {};
  }

  std::shared_ptr<work_type> work_;
  phase_facts* facts_;
};

/// A bench of the experiments.
template <class Executor>
bench phase_bench(std::unique_ptr<timer> time, const Executor& exec, const update_problem& p,
                  phase_facts& facts) {
  const auto work = std::make_shared<work_on<Executor, update_problem>>(exec, p);
  return {std::move(time), work, [all = phase_experiments<Executor>(work, facts)](int block_size) {
            return all.candidates(block_size);
          }};
}

} // namespace evenly::study
