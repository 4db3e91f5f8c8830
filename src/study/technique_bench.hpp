// SPDX-License-Identifier: Apache-2.0
// Techniques on the paper's operation, each with a kernel that is compiled for one block size only.
//
// A run starts with the plan's memory in place. plan_and_run() also makes the plan, without a check of the tiles and
// with the number of atoms known, as in the paper.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#if defined(__CUDACC__)
#include "evenly/execution/cuda.hpp"
#endif
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/registry.hpp"
#include "measure/work_on.hpp"
#include "runtime/add_tile.hpp"
#include "study/mapping_forms.hpp"
#include "study/phases.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::candidate, measure::launch_note, measure::prepared_run,
    measure::update_problem, measure::work_on;

/// `Size` 0: for any block size.
template <class Kernel, int Size> struct compiled_kernel : Kernel {
  static constexpr int tuned_block_size = Size;
  static constexpr bool only_tuned_size = true;
};
template <class Kernel> struct compiled_kernel<Kernel, 0> : Kernel {};

/// The facts of a kernel. Registers and local memory are known on a GPU only.
template <class Executor, class Kernel> kernel_facts facts_of([[maybe_unused]] int block_size) {
#if defined(__CUDACC__)
  if constexpr (std::same_as<Executor, cuda>) {
    cudaFuncAttributes found{};
    EVENLY_CUDA_CHECK(cudaFuncGetAttributes(&found, detail::function_for<Kernel>(block_size)));
    return {found.numRegs, static_cast<int>(found.localSizeBytes)};
  }
#endif
  return {};
}

/// A plan of a technique, and its run.
template <class Executor, class Schedule, int Size> class technique {
 public:
  using work_type = work_on<Executor, update_problem>;
  using tiles_type = csr_tiles_on<Executor, int>;

  technique(std::shared_ptr<work_type> work, const Schedule& schedule)
      : work_(std::move(work)), prepared_(prepare(*work_, schedule)) {}

  void run() const {
    const auto& launch_made = prepared_.launch;
    if (launch_made.shape.blocks == 0) return;
    detail::note_parts(work_->exec(), tiles_of(*work_), visit());
    launch(work_->exec(), launch_made.shape, kernel());
  }
  launch_note note() const {
    const launch_shape shape = prepared_.launch.shape;
    return {shape.blocks, shape.block_size, storage_bytes(kernel(), work_->exec().shape_of(shape.block_size)),
            cutting_blocks(prepared_.launch)};
  }
  kernel_facts facts() const {
    return facts_of<Executor, decltype(kernel())>(prepared_.launch.shape.block_size);
  }

 private:
  using visit_type = detail::add_tile<int, Executor>;

  static tiles_type tiles_of(const work_type& work) { return tiles_type(work.data().tiles()); }
  static auto prepare(const work_type& work, const Schedule& schedule) {
    const tiles_type tiles = tiles_of(work);
    const auto atoms = static_cast<std::int64_t>(work.data().out().size());
    return detail::prepare(schedule, work.exec(), tiles, extent<tiles_type>{0, atoms},
                           planning{{tiles.tiles(), atoms}, true});
  }
  visit_type visit() const { return {work_->data().out().data(), 0}; }
  auto kernel() const {
    using mapping = std::remove_cvref_t<decltype(prepared_.launch.mapping)>;
    using consumer = for_each_atom_consumer<tiles_type, visit_type>;
    using kernel_type = skeleton_kernel<mapping, consumer>;
    return compiled_kernel<kernel_type, Size>{
        kernel_type{prepared_.launch.mapping, consumer{tiles_of(*work_), visit()}}};
  }

  std::shared_ptr<work_type> work_;
  decltype(prepare(std::declval<const work_type&>(), std::declval<const Schedule&>())) prepared_;
};

/// `facts`: null, or written when the candidate is prepared.
template <int Size, class Executor, class Schedule>
candidate technique_candidate(const std::shared_ptr<work_on<Executor, update_problem>>& work,
                              const std::string& name, Schedule schedule, int block_size,
                              kernel_facts* facts = nullptr) {
  schedule.block_size = block_size;
  using made_type = technique<Executor, Schedule, Size>;
  candidate made{
      .name = name, .title = name, .is_schedule = true, .parameters = {{"block_size", block_size}}};
  made.prepare = [work, schedule, facts]() -> prepared_run {
    const auto plan = std::make_shared<made_type>(work, schedule);
    if (facts != nullptr) *facts = plan->facts();
    return {[plan] { plan->run(); }, {plan->note()}};
  };
  return made;
}

/// visit(name, schedule) for the paper's own forms.
template <class Visit> void for_each_paper_form(Visit&& visit) {
  visit("paper_direct_search", paper_direct_search{});
  visit("paper_block_search", paper_block_search{});
  visit("paper_cta_warp_scan", paper_cta_warp_scan{});
}
/// The same for multi_phase without one optimization.
template <class Visit> void for_each_ablation(Visit&& visit) {
  visit("nothing", ablated_multi_phase<optimization::all>{});
  visit("unrolling", ablated_multi_phase<optimization::unrolling>{});
  visit("prefetching", ablated_multi_phase<optimization::prefetching>{});
  visit("vectors", ablated_multi_phase<optimization::vectors>{});
  visit("warp barriers", ablated_multi_phase<optimization::warp_barriers>{});
}

/// Of all schedules and the paper's forms, in blocks of `Size` threads.
template <class Executor, int Size>
std::vector<candidate> compiled_techniques(const std::shared_ptr<work_on<Executor, update_problem>>& work) {
  std::vector<candidate> all;
  const auto add = [&](const char* name, const auto& schedule) {
    all.push_back(technique_candidate<Size>(work, name, schedule, Size));
  };
  for_each_schedule(add);
  for_each_paper_form(add);
  return all;
}

} // namespace evenly::study
