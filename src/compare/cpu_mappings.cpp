// SPDX-License-Identifier: Apache-2.0
// What a schedule hands out is noted by a consumer that keeps a hash of each block's parts, in order.
#include "compare/cpu_mappings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::cli {
namespace {

/// Makes one number of many, which depends on their order.
class digest {
 public:
  void add(std::int64_t number) {
    value_ = std::rotl(value_ ^ static_cast<std::uint64_t>(number), 23) * 0x9e3779b97f4a7c15;
  }
  bool operator==(const digest&) const = default;

 private:
  std::uint64_t value_ = 1;
};

using tiles_type = decltype(csr_tiles(std::declval<std::span<const int>&>()));

/// The forms that a part can have on a serial block: for each a skeleton has code of its own.
enum form : std::int64_t { whole_tile, piece_of_tile, run, batch };

struct noting_consumer {
  static constexpr bool parts_checked = true;
  template <class Form> static constexpr bool takes = true;

  digest* blocks;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;
    static constexpr bool runs_need_no_storage = true;

    const noting_consumer& to;
    Block& block;
    const Slots& none;
    digest seen = {};

    void note(form kind, std::initializer_list<std::int64_t> numbers) {
      seen.add(kind);
      for (const std::int64_t each : numbers) seen.add(each);
    }
    template <int G> void operator()(sharing::team<G>, const team_part<int, int>& part) {
      note(whole_tile, {part.tile, part.begin, part.end});
    }
    void operator()(sharing::piece, const piece_part<tiles_type>& part) {
      note(piece_of_tile, {part.tile, part.begin, part.end});
    }
    template <int Items> void operator()(sharing::blocked_run<Items>, const run_chunk<tiles_type>& part) {
      note(run, {part.first_tile, part.last_tile, part.first_atom, part.last_atom});
    }
    template <bool Cut, class Run> void operator()(sharing::run<Cut>, const Run& part) {
      part.for_each([&](int tile, int atom) { note(run, {tile, atom}); });
    }
    template <int G, class Run> void operator()(sharing::batch<G>, const Run& part) {
      part.for_each([&](bool, int tile, int atom, bool) { note(batch, {tile, atom}); });
    }
    void finish() { to.blocks[block.index()] = seen; }
  };
};

/// Block after block, and of how many may cut tiles.
template <class Schedule>
std::vector<digest> parts_of(const cpu& exec, const Schedule& schedule, std::span<const int> offsets) {
  std::vector<digest> all;
  const auto plan = make_plan(exec, schedule, csr_tiles(offsets));
  const auto& launch = plan.launch();
  all.emplace_back().add(
      cutting_blocks(launch)); // there a skeleton looks for what other blocks have of a tile
  std::vector<digest> blocks(static_cast<std::size_t>(launch.shape.blocks));
  launch_skeleton(exec, launch, noting_consumer{blocks.data()});
  all.insert(all.end(), blocks.begin(), blocks.end());
  return all;
}

} // namespace

std::vector<std::vector<std::string>> same_on_cpu(std::span<const int> offsets, int threads) {
  const cpu exec(threads);
  std::vector<std::vector<std::string>> groups;
  std::vector<std::vector<digest>> parts; // of each group
  for_each_schedule([&](const char* name, const auto& schedule) {
    std::vector<digest> mine = parts_of(exec, schedule, offsets);
    const auto known = static_cast<std::size_t>(std::ranges::find(parts, mine) - parts.begin());
    if (known == parts.size()) {
      parts.push_back(std::move(mine));
      groups.emplace_back();
    }
    groups[known].emplace_back(name);
  });
  return groups;
}

} // namespace evenly::cli
