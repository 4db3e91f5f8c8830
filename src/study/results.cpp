// SPDX-License-Identifier: Apache-2.0
#include "study/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "json/value.hpp"
#include "study/json_place.hpp"
#include "study/read_study.hpp"

namespace evenly::study {

using measure::operation;

namespace {

json::value as_json(const study_workload& w) {
  return {{"name", w.name},       {"input", w.input},     {"tiles", w.tiles},
          {"atoms", w.atoms},     {"average", w.average}, {"standard_deviation", w.deviation},
          {"longest", w.longest}, {"empty", w.empty}};
}

json::value as_json(const phase_run& r) {
  json::value object{{"workload", r.workload},
                     {"experiment", r.experiment},
                     {"variant", r.variant},
                     {"block_size", r.block_size}};
  add_outcome(object, r.error, r.time);
  object["threads"] = r.threads;
  return object;
}

template <class Each> json::value list_of(const std::vector<Each>& all) {
  auto list = json::array();
  for (const Each& each : all) list.push_back(as_json(each));
  return list;
}

// --- reading, with what cannot be measured refused

constexpr int largest_block = 1024;

study_workload read_workload(const json_place& from) {
  study_workload w{.name = from.at("name").text(), .input = from.at("input").text()};
  w.tiles = from.at("tiles").whole(0);
  w.atoms = from.at("atoms").whole(0);
  w.average = from.at("average").real();
  w.deviation = from.at("standard_deviation").real();
  w.longest = from.at("longest").whole(0, w.atoms);
  w.empty = from.at("empty").whole(0, w.tiles);
  const double average = w.tiles > 0 ? static_cast<double>(w.atoms) / static_cast<double>(w.tiles) : 0;
  if (std::abs(w.average - average) > 1e-6 * average)
    from.at("average").fail(
        fmt::format("{} atoms in {} tiles are {:g} on average", w.atoms, w.tiles, average));
  if (static_cast<double>(w.longest) < w.average * (1 - 1e-6))
    from.at("longest").fail("the longest tile must not be shorter than the average");
  if (w.deviation > static_cast<double>(w.longest))
    from.at("standard_deviation").fail("the deviation of the sizes must not exceed the longest tile");
  return w;
}

study_run read_run(const json_place& from) {
  study_run r{.workload = from.at("workload").text(),
              .op = from.at("op").text(),
              .schedule = from.at("schedule").text(),
              .block_size = static_cast<int>(from.at("block_size").whole(0, largest_block))};
  from.at("parameters").for_each_member([&](const std::string& key, const json_place& value) {
    constexpr int max = std::numeric_limits<int>::max();
    r.parameters.emplace_back(key, static_cast<int>(value.whole(-max, max)));
  });
  read_outcome(from, r);
  r.plan_ms = from.at("plan_ms").real();
  r.threads = from.at("threads").whole(0);
  r.memory = static_cast<std::size_t>(from.at("memory").whole(0));
  r.storage = static_cast<std::size_t>(from.at("storage").whole(0));
  return r;
}

phase_run read_phase(const json_place& from) {
  phase_run r{.workload = from.at("workload").text(),
              .experiment = from.at("experiment").text(),
              .variant = from.at("variant").text(),
              .block_size = static_cast<int>(from.at("block_size").whole(0, largest_block))};
  read_outcome(from, r);
  r.threads = from.at("threads").whole(0);
  return r;
}

/// The key that distinguishes a result from others.
std::string identity(const study_workload& w) { return w.name; }
std::string identity(const std::string& operation) { return operation; }
std::string identity(const study_run& r) {
  return fmt::format("{} of {} with {} in blocks of {}", r.op, r.workload, r.schedule, r.block_size);
}
std::string identity(const phase_run& r) {
  return fmt::format("{} {} of {} in blocks of {}", r.experiment, r.variant, r.workload, r.block_size);
}

/// Calls read(place) for each element; refuses duplicates.
template <class Each, class Read> std::vector<Each> read_list(const json_place& from, const Read& read) {
  std::vector<Each> all;
  std::set<std::string> known;
  from.for_each([&](const json_place& each) {
    all.push_back(read(each));
    if (!known.insert(identity(all.back())).second) each.fail(identity(all.back()) + " appears twice");
  });
  return all;
}

bool has_workload(const study_results& r, const std::string& name) {
  return std::ranges::find(r.workloads, name, &study_workload::name) != r.workloads.end();
}

void check_workload(const study_results& all, const json_place& run) {
  if (!has_workload(all, run.at("workload").text()))
    run.at("workload").fail("the workload is missing from the file");
}

study_results from_json(const json_place& from) {
  study_results r;
  read_head(from, "mapping", r);
  r.operations =
      read_list<std::string>(from.at("operations"), [](const json_place& each) { return each.text(); });
  r.workloads = read_list<study_workload>(from.at("workloads"), read_workload);
  r.runs = read_list<study_run>(from.at("results"), [&](const json_place& each) {
    check_workload(r, each);
    study_run run = read_run(each);
    if (std::ranges::count(r.operations, run.op) == 0)
      each.at("op").fail("the operation is missing from the file");
    return run;
  });
  r.phases = read_list<phase_run>(from.at("phases"), [&](const json_place& each) {
    check_workload(r, each);
    return read_phase(each);
  });
  return r;
}

/// Throws file_error unless `more` has the same machine and program as `all`, and other results.
void check_fit(const study_results& all, const study_results& more, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw io::file_error(fmt::format("{}: {}", shown(path), why));
  };
  if (more.executor != all.executor || more.place != all.place || more.commit != all.commit ||
      more.quick != all.quick)
    refuse("measured on another machine or by another program than the previous files");
  for (const study_run& run : more.runs)
    for (const study_run& known : all.runs)
      if (run.workload == known.workload && run.op == known.op)
        refuse(fmt::format("{} on {} is also in a previous file", host::printable(run.op),
                           host::printable(run.workload)));
  for (const phase_run& run : more.phases)
    if (std::ranges::find(all.phases, run.workload, &phase_run::workload) != all.phases.end())
      refuse(fmt::format("phases on {} are also in a previous file", host::printable(run.workload)));
  for (const study_workload& w : more.workloads)
    for (const study_workload& known : all.workloads)
      if (w.name == known.name && as_json(w) != as_json(known))
        refuse(fmt::format("{} has other tiles than in a previous file", host::printable(w.name)));
}

void add(study_results& all, study_results more) {
  for (study_workload& w : more.workloads)
    if (!has_workload(all, w.name)) all.workloads.push_back(std::move(w));
  for (std::string& op : more.operations)
    if (std::ranges::count(all.operations, op) == 0) all.operations.push_back(std::move(op));
  std::ranges::move(more.runs, std::back_inserter(all.runs));
  std::ranges::move(more.phases, std::back_inserter(all.phases));
}

} // namespace

json::value to_json(const study_run& r) {
  auto parameters = json::object();
  for (const auto& [key, value] : r.parameters) parameters[key] = value;
  json::value object{{"workload", r.workload},
                     {"op", r.op},
                     {"schedule", r.schedule},
                     {"block_size", r.block_size},
                     {"parameters", parameters}};
  add_outcome(object, r.error, r.time);
  object["plan_ms"] = r.plan_ms;
  object["threads"] = r.threads;
  object["memory"] = r.memory;
  object["storage"] = r.storage;
  return object;
}

json::value without_runs(const study_results& r) {
  json::value head = head_json("mapping", r);
  head["operations"] = r.operations;
  head["workloads"] = list_of(r.workloads);
  head["phases"] = list_of(r.phases);
  return head;
}

study_results read_results(const std::vector<std::string>& paths) {
  study_results all;
  for (const std::string& path : paths) {
    study_results more = read_study<study_results>(path, from_json);
    if (&path == &paths.front()) {
      all = std::move(more);
      continue;
    }
    check_fit(all, more, path);
    add(all, std::move(more));
  }
  return all;
}

} // namespace evenly::study
