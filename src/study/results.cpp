// SPDX-License-Identifier: Apache-2.0
#include "study/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace evenly::study {

constexpr int largest_block = 1024;

std::string identity(const study_workload& w) { return w.name; }
std::string identity(const study_run& r) {
  return fmt::format("{} of {} with {} in blocks of {}", r.op, r.workload, r.schedule, r.block_size);
}
std::string identity(const phase_run& r) {
  return fmt::format("{} {} of {} in blocks of {}", r.experiment, r.variant, r.workload, r.block_size);
}

std::string identity(const counted_run& r) {
  return fmt::format("counts of {} on {}", r.schedule, r.tiles_name);
}

namespace {

/// Quartiles of rounds. Absent if there was one round, and in files of earlier programs.
void quartiles(record& io, const char* from, const char* to, const timing& time, middle_half& middle) {
  if (io.reads() ? !io.has(from) : middle.from <= 0) return;
  io(from, middle.from);
  io(to, middle.to);
  io.require(middle.from > 0 && middle.from <= time.median, from, "must be positive and at most the median");
  io.require(middle.to >= time.median, to, "must be at least the median");
}

} // namespace

void fields(record& io, study_workload& w) {
  io("name", w.name);
  io("input", w.input);
  io("tiles", w.tiles);
  io("atoms", w.atoms);
  io("average", w.average);
  io("standard_deviation", w.deviation);
  io("longest", w.longest, 0, w.atoms);
  io("empty", w.empty, 0, w.tiles);
  const double average = w.tiles > 0 ? static_cast<double>(w.atoms) / static_cast<double>(w.tiles) : 0;
  io.require(std::abs(w.average - average) <= 1e-6 * average, "average",
             fmt::format("{} atoms in {} tiles are {:g} on average", w.atoms, w.tiles, average));
  io.require(static_cast<double>(w.longest) >= w.average * (1 - 1e-6), "longest",
             "the longest tile must not be shorter than the average");
  io.require(w.deviation <= static_cast<double>(w.longest), "standard_deviation",
             "the deviation of the sizes must not exceed the longest tile");
}

void fields(record& io, study_run& r) {
  io("workload", r.workload);
  io("op", r.op);
  io("schedule", r.schedule);
  io("block_size", r.block_size, 0, largest_block);
  io.object("parameters", [&](record& parameters) {
    if (!parameters.reads()) parameters.json() = json::object();
    for (auto& [key, value] : r.parameters) parameters(key.c_str(), value);
    if (parameters.reads())
      parameters.place().for_each_member([&](const std::string& key, const json_place& value) {
        constexpr int max = std::numeric_limits<int>::max();
        r.parameters.emplace_back(key, static_cast<int>(value.whole(-max, max)));
      });
  });
  io.outcome(r.error, r.time);
  quartiles(io, "ms_q1", "ms_q3", r.time, r.middle);
  if (io.reads() ? io.has("with_plan") : r.with_plan.has_value())
    io.object("with_plan", [&](record& inner) {
      if (io.reads()) r.with_plan.emplace();
      timing& time = *r.with_plan;
      inner("ms", time.median);
      inner("ms_min", time.min);
      inner("ms_max", time.max);
      inner.require(time.median > 0, "ms", "a time must be positive");
      inner.require(time.min <= time.median, "ms_min", "must be at most ms");
      inner.require(time.max >= time.median, "ms_max", "must be at least ms");
      quartiles(inner, "ms_q1", "ms_q3", time, r.with_plan_middle);
    });
  io("plan_ms", r.plan_ms);
  io("threads", r.threads);
  io("memory", r.memory);
  io("storage", r.storage);
}

void fields(record& io, phase_run& r) {
  io("workload", r.workload);
  io("experiment", r.experiment);
  io("variant", r.variant);
  io("block_size", r.block_size, 0, largest_block);
  io.outcome(r.error, r.time);
  quartiles(io, "ms_q1", "ms_q3", r.time, r.middle);
  io("threads", r.threads);
  if (io.reads() ? io.has("registers") : r.registers > 0) {
    io("registers", r.registers);
    io("spilled", r.spilled);
    io("storage", r.storage);
  }
}

void fields(record& io, counted_run& r) {
  io("tiles_name", r.tiles_name);
  io("schedule", r.schedule);
  io("error", r.error);
  io("tiles", r.tiles);
  io("atoms", r.atoms);
  io("longest", r.longest, 0, r.atoms);
  io("block_size", r.block_size, 0, largest_block);
  io("blocks", r.blocks);
  io("memory", r.memory);
  io("longest_warp", r.longest_warp);
  io.object("counts", [&](record& counts) {
    trace_counts::members([&](const char* name, auto member) { counts(name, r.counts.*member); });
  });
}

void fields(record& io, study_results& all) {
  const auto check = [&](const json_place& each, const auto& run) {
    if (find_in(all.workloads, run.workload) == nullptr)
      each.at("workload").fail("the workload is missing from the file");
    if constexpr (requires { run.op; })
      if (std::ranges::count(all.operations, run.op) == 0)
        each.at("op").fail("the operation is missing from the file");
  };
  head_fields(io, "mapping", all);
  io.list("operations", all.operations);
  io.list("workloads", all.workloads);
  if (io.reads()) io.list("results", all.runs, check);
  io.list("phases", all.phases, check);
  if (io.reads() ? io.has("counted") : !all.counted.empty()) io.list("counted", all.counted);
  if (io.reads() ? io.has("dynamic_parallelism") : !all.dynamic_parallelism.empty())
    io.list("dynamic_parallelism", all.dynamic_parallelism);
  if (io.reads() ? io.has("sizes_compiled") : all.sizes_compiled) io("sizes_compiled", all.sizes_compiled);
}

void merge(const study_file& file, study_results& all, study_results more) {
  file.add_runs(all.runs, std::move(more.runs),
                [](const study_run& run) { return run.op + " on " + run.workload; });
  file.add_runs(
      all.phases, std::move(more.phases), [](const phase_run& run) { return "phases on " + run.workload; },
      "are");
  file.add_new(all.counted, std::move(more.counted), "differs from that");
  file.add_new(all.dynamic_parallelism, std::move(more.dynamic_parallelism), "differs from that");
  all.sizes_compiled = all.sizes_compiled && more.sizes_compiled;
  file.add_new(all.workloads, std::move(more.workloads), "has other tiles than");
  file.add_new(all.operations, std::move(more.operations), "differs from that");
}

} // namespace evenly::study
