// SPDX-License-Identifier: Apache-2.0
// plan_on: visits of atoms.
#pragma once

#include <string>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/errors.hpp"
#include "runtime/add_tile.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::detail {

template <class Executor, class Offset> void plan_on<Executor, Offset>::expand(std::span<int> tile_of) {
  with_plan([&](auto& plan) { evenly::expand(exec_, plan, tile_of); });
}

template <class Executor, class Offset> void plan_on<Executor, Offset>::update(std::span<int> numbers) {
  with_plan([&](auto& plan) {
    require(numbers.size() == static_cast<std::size_t>(plan.atoms()), [&] {
      return "numbers has " + std::to_string(numbers.size()) + " elements: update needs one for each of " +
             std::to_string(plan.atoms()) + " atoms";
    });
    for_each_atom(exec_, plan, add_tile<Offset, Executor>{numbers.data(), plan.first_atom()});
  });
}

/// Bytes of shared memory per block for visits of atoms under this launch.
template <class Tiles, class Launch> std::size_t storage_of_visits(const Launch& each, block_shape shape) {
  using consumer = for_each_atom_consumer<Tiles, add_tile<atom_type<Tiles>>>;
  return storage_bytes(skeleton_kernel<typename Launch::mapping_type, consumer>{each.mapping, {}}, shape);
}

template <class Executor, class Offset> planned_launch plan_on<Executor, Offset>::launch() const {
  planned_launch only;
  with_plan([&](const auto& plan) {
    const auto& each = plan.launch();
    const int block_size = Executor::serial_blocks ? 1 : each.shape.block_size;
    const block_shape shape{block_size, Executor::serial_blocks ? 1 : 32};
    only = {each.shape.blocks, block_size, cutting_blocks(each), storage_of_visits<tiles_type>(each, shape)};
  });
  return only;
}

} // namespace evenly::detail
