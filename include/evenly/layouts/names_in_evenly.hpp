// SPDX-License-Identifier: Apache-2.0
// Deprecated: the names of this folder in namespace evenly, as in earlier releases. For programs that still use them;
// evenly/evenly.hpp does not include this header.
#pragma once

#include "evenly/layouts/choice/estimates.hpp"
#include "evenly/layouts/choice/forecast.hpp"
#include "evenly/layouts/hilbert.hpp"
#include "evenly/layouts/pipeline.hpp"
#include "evenly/layouts/registry.hpp"
#include "evenly/layouts/store.hpp"

namespace evenly {

using layouts::access_case, layouts::access_demand, layouts::access_forecast, layouts::access_kernel,
    layouts::access_objective, layouts::access_pipeline, layouts::access_plan, layouts::access_rates,
    layouts::access_sample, layouts::access_shape, layouts::accumulate, layouts::accumulate_view,
    layouts::accumulates, layouts::arm_estimate, layouts::arm_trials, layouts::by_frequency,
    layouts::by_neighbours, layouts::by_smallest, layouts::by_working_sets, layouts::choice_of_paper,
    layouts::choose_way, layouts::commit, layouts::commits, layouts::duplicate, layouts::duplicate_view,
    layouts::estimate_unsampled, layouts::first_access, layouts::for_each_graph_layout, layouts::for_each_job,
    layouts::for_each_layout, layouts::for_some_jobs, layouts::forecast, layouts::hidden_share,
    layouts::hilbert, layouts::hilbert_place, layouts::hubs_first, layouts::identity_order,
    layouts::index_list, layouts::indexed_view, layouts::layout_estimate, layouts::layout_model,
    layouts::layout_trials, layouts::loads_under_way, layouts::make_access_plan, layouts::make_store_plan,
    layouts::no_source, layouts::none, layouts::opened_arrays, layouts::order_cost, layouts::order_of,
    layouts::ordered_source, layouts::pad, layouts::pad_design, layouts::paper_choice,
    layouts::paper_question, layouts::permute, layouts::pipeline_choice, layouts::pipeline_counts,
    layouts::pipeline_times, layouts::pipeline_way, layouts::planned_trial, layouts::position_loads,
    layouts::position_range, layouts::positions_of_warp, layouts::predicted_run, layouts::propagated,
    layouts::rates_of_h200, layouts::rates_of_two_cores, layouts::reorder, layouts::reverse_cuthill_mckee,
    layouts::runs_without_plan, layouts::sample_blocks, layouts::sample_clusters, layouts::share,
    layouts::share_accumulate, layouts::share_view, layouts::some_jobs_view, layouts::sort_threads,
    layouts::store_each, layouts::store_plan, layouts::stored_under_way, layouts::takes_no_slots,
    layouts::unsampled_estimate, layouts::warps_in;

} // namespace evenly
