// SPDX-License-Identifier: Apache-2.0
// Multi-phase mapping taken apart, on any executor with blocks of many threads. What study_phases.hpp offers.
//
// A stage is left out by a kernel that stops after those before it: one that is told at run time how far to go, so that
// all are the same code, with the same registers and storage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/detail/chunk_starts.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "measure/executor_bench.hpp"

namespace evenly::cli {

enum class stage { load, search, store };

/// The expansion of multi_phase up to and including `last`, for a visit(tile, atom) of each atom.
template <class Mapping, class Visit> struct staged_expansion {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;

  Mapping mapping;
  Visit visit;
  stage last;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape shape) {
    return Mapping::lay_out(layout, shape);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const std::int64_t end = mapping.dealt.first_chunk(block.index() + 1);
    for (std::int64_t chunk = mapping.dealt.first_chunk(block.index()); chunk < end; ++chunk) {
      typename Mapping::template expansion<Block> here(block, mapping, place, chunk);
      here.load();
      block.sync();
      if (last != stage::load) here.search();
      block.sync();
      if (last == stage::store)
        for (int part = 0; part < here.parts(); ++part) {
          const auto run = here.part(part);
          if (part > 0) block.sync();
          run.for_each([&](int k, typename Mapping::tile t) { visit(t, run.first_atom + k); });
        }
      if (chunk + 1 < end) block.sync();
    }
  }
};

/// Base: a bench of update_problem that times runs, without candidates.
template <class Base> class phase_bench : public Base {
 public:
  using Base::Base;

  std::vector<candidate> candidates(int block_size) override {
    std::vector<candidate> all;
    if (block_size > 0) {
      multi_phase<> schedule;
      schedule.block_size = block_size;
      all.push_back(partition("block_size", "partition", schedule));
      all.push_back(whole("block_size", "expansion", schedule));
      return all;
    }
    add_supplies(all);
    add_stages(all);
    add_searches(all, std::make_integer_sequence<int, 8>{});
    for (const auto& [title, kind] :
         {std::pair("binary", search_kind::binary), std::pair("interpolation", search_kind::interpolation)}) {
      multi_phase<> schedule;
      schedule.search = kind;
      all.push_back(partition("partition", title, schedule));
    }
    return all;
  }

 private:
  template <int Items, int Searches>
  static std::integral_constant<int, Items> items_of(const multi_phase<Items, Searches>&);
  static constexpr int items = decltype(items_of(multi_phase<>{}))::value;

  template <class Schedule>
  candidate whole(const char* experiment, const std::string& title, const Schedule& schedule) {
    candidate made = this->make_candidate(experiment, schedule);
    made.title = title;
    return made;
  }

  void add_supplies(std::vector<candidate>& all) {
    for (const auto& [title, supply] :
         {std::pair("per_chunk", block_supply::per_chunk), std::pair("resident", block_supply::resident),
          std::pair("several_per_resident", block_supply::several_per_resident)}) {
      multi_phase<> schedule;
      schedule.supply = supply;
      all.push_back(whole("supply", title, schedule));
    }
  }

  template <int... Before>
  void add_searches(std::vector<candidate>& all, std::integer_sequence<int, Before...>) {
    (all.push_back(whole("searches", std::to_string(Before + 1), multi_phase<items, Before + 1>{})), ...);
  }

  void add_stages(std::vector<candidate>& all) {
    all.push_back(stages("load", stage::load));
    all.push_back(stages("load and search", stage::search));
    all.push_back(stages("whole", stage::store));
  }

  extent<csr_tile_set<int>> atoms() const {
    return {0, static_cast<std::int64_t>(this->data().out().size())};
  }

  candidate stages(const char* title, stage last) {
    candidate made{.name = "stages", .title = title};
    made.prepare = [this, last] { return this->prepare_stages(last); };
    if (last != stage::store) made.first_error = [this] { return this->first_visited(); };
    return made;
  }

  prepared_run prepare_stages(stage last) {
    auto made = make_plan(this->exec(), multi_phase<>{}, this->data().tiles());
    const auto plan = std::make_shared<decltype(made)>(std::move(made));
    const auto& only = plan->launch();
    const launch_shape shape = only.shape;
    const staged_expansion<std::decay_t<decltype(only.mapping)>, add_tile> kernel{only.mapping,
                                                                                  this->data().visit(), last};
    return {[this, plan, shape, kernel] { launch(this->exec(), shape, kernel); },
            {{shape.blocks, shape.block_size}}};
  }

  /// What stages that were left out must not have done.
  std::optional<std::string> first_visited() {
    const std::vector<int> numbers = to_host(this->exec(), std::span<const int>(this->data().out()));
    for (std::size_t a = 0; a < numbers.size(); ++a)
      if (numbers[a] != Base::placed_problem::poison)
        return "atom " + std::to_string(a) + " was visited, though that stage was left out";
    return {};
  }

  /// The partition alone, into a table that is there.
  candidate partition(const char* experiment, const char* title, const multi_phase<>& schedule) {
    candidate made{.name = experiment, .title = title};
    const auto dealt = schedule.deal(this->exec(), this->data().tiles(), atoms()).atoms;
    const std::int64_t entries = dealt.chunks > 0 ? dealt.chunks + 1 : 0;
    const auto starts =
        std::make_shared<buffer<int>>(make_buffer<int>(this->exec(), static_cast<std::size_t>(entries)));
    const launch_shape shape{block_count(entries, partition_block), partition_block};
    made.prepare = [this, schedule, dealt, starts, shape]() -> prepared_run {
      const bool interpolate = schedule.search == search_kind::interpolation;
      return {[=, this] {
                launch(this->exec(), shape,
                       partition_atoms<csr_tile_set<int>>{dealt, interpolate, starts->data()});
              },
              {{shape.blocks, shape.block_size}}};
    };
    made.first_error = [this, dealt, starts] { return first_wrong_start(dealt, *starts); };
    return made;
  }
  static constexpr int partition_block = 128;

  std::optional<std::string> first_wrong_start(const even_atoms<csr_tile_set<int>>& dealt,
                                               const buffer<int>& starts) {
    const std::vector<int> offsets = to_host(this->exec(), this->data().offsets());
    const std::vector<int> found = to_host(this->exec(), starts);
    for (std::size_t c = 0; c < found.size(); ++c) {
      const std::int64_t atom =
          std::min(static_cast<std::int64_t>(c) * dealt.atoms_per_chunk, dealt.all.atoms - 1);
      const auto tile = static_cast<std::size_t>(found[c]);
      if (tile + 1 >= offsets.size() || offsets[tile] > atom || offsets[tile + 1] <= atom)
        return "the partition says that atom " + std::to_string(atom) + " is in tile " +
               std::to_string(found[c]);
    }
    return {};
  }
};

} // namespace evenly::cli
