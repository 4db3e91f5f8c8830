// SPDX-License-Identifier: Apache-2.0
// A schedule of your own: thread i of n takes the tiles i, i + n, i + 2n, ... Every operation runs under it, and
// check_schedule says whether it is right.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "evenly/algorithms/check_schedule.hpp"
#include "evenly/algorithms/segments.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/whole_tile_mapping.hpp"
#include "evenly/sparse/operators.hpp"

/// What a kernel sees: all threads of a block call distribute(), and it calls the consumer for each tile.
template <evenly::tile_set Tiles> struct round_robin_mapping : evenly::whole_tile_mapping<Tiles> {
  int blocks;

  template <class Block, class Slots, class Consumer>
  EVENLY_FN void distribute(Block& block, const Slots&, Consumer& consumer) const {
    const std::int64_t threads = std::int64_t{blocks} * block.size();
    for (std::int64_t t = std::int64_t{block.index()} * block.size() + block.rank(); t < this->tiles.tiles();
         t += threads)
      consumer(evenly::sharing::team<1>{}, this->whole(static_cast<evenly::tile_type<Tiles>>(t)));
  }
};

/// What the host sees: parameters, and a launch for given tiles.
struct round_robin {
  int block_size = evenly::default_block_size;
  int blocks = 2;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("blocks", blocks);
  }
  template <class Executor, evenly::tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const evenly::extent<Tiles>&) const {
    return evenly::prepared(
        evenly::launch_of<round_robin_mapping<Tiles>>{{{tiles}, blocks}, {blocks, block_size}});
  }
};

int main() {
  if (const std::string fault = evenly::check_schedule(round_robin{}); !fault.empty()) {
    std::printf("%s\n", fault.c_str());
    return 1;
  }
  const evenly::csr_matrix<float> a{4, 4, {0, 2, 2, 3, 7}, {0, 3, 1, 0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}};
  const std::vector<float> x{1, 10, 100, 1000};
  const auto under = evenly::with(round_robin{.block_size = 1}); // two threads for four rows
  std::vector<float> y(4), on_simt(4);
  evenly::spmv(a, x, y, under);
  evenly::spmv(a, x, on_simt, evenly::on(evenly::simt()).with(round_robin{.block_size = 1}));
  const auto sums = evenly::segmented_reduce(a.values, a.offsets, under);
  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} && on_simt == y && sums == std::vector<float>{3, 0, 3, 22}
             ? 0
             : 1;
}
