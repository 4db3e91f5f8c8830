// SPDX-License-Identifier: Apache-2.0
#include "cli/study_results.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/errors.hpp"

namespace evenly::cli {
namespace {

using json = nlohmann::ordered_json;

json number_if(bool known, double number) { return known ? json(number) : json(nullptr); }

void add_outcome(json& object, const std::optional<std::string>& error, const timing& time) {
  object["ok"] = !error;
  if (error) object["error"] = *error;
  object["ms"] = number_if(!error, time.median);
  object["ms_min"] = number_if(!error, time.least);
  object["ms_max"] = number_if(!error, time.most);
}

json as_json(const study_workload& w) {
  return {{"name", w.name},       {"input", w.input},     {"tiles", w.tiles},
          {"atoms", w.atoms},     {"average", w.average}, {"standard_deviation", w.deviation},
          {"longest", w.longest}, {"empty", w.empty}};
}

json as_json(const study_run& r) {
  auto parameters = json::object();
  for (const auto& [key, value] : r.parameters) parameters[key] = value;
  json object{{"workload", r.workload},
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

json as_json(const phase_run& r) {
  json object{{"workload", r.workload},
              {"experiment", r.experiment},
              {"variant", r.variant},
              {"block_size", r.block_size}};
  add_outcome(object, r.error, r.time);
  object["threads"] = r.threads;
  return object;
}

template <class Each> json list_of(const std::vector<Each>& all) {
  auto list = json::array();
  for (const Each& each : all) list.push_back(as_json(each));
  return list;
}

template <class T> void get(const json& object, const char* key, T& value) {
  value = object.at(key).template get<T>();
}

template <class Run> void get_outcome(const json& object, Run& r) {
  if (!object.at("ok").get<bool>()) {
    r.error = object.value("error", "failed");
    return;
  }
  get(object, "ms", r.time.median);
  get(object, "ms_min", r.time.least);
  get(object, "ms_max", r.time.most);
  if (!(std::isfinite(r.time.median) && r.time.median > 0))
    throw io::file_error(fmt::format("ms = {}: a time must be positive", r.time.median));
}

void read(const json& object, study_workload& w) {
  get(object, "name", w.name);
  get(object, "input", w.input);
  get(object, "tiles", w.tiles);
  get(object, "atoms", w.atoms);
  get(object, "average", w.average);
  get(object, "standard_deviation", w.deviation);
  get(object, "longest", w.longest);
  get(object, "empty", w.empty);
}

void read(const json& object, study_run& r) {
  get(object, "workload", r.workload);
  get(object, "op", r.op);
  get(object, "schedule", r.schedule);
  get(object, "block_size", r.block_size);
  for (const auto& [key, value] : object.at("parameters").items())
    r.parameters.emplace_back(key, value.get<int>());
  get_outcome(object, r);
  get(object, "plan_ms", r.plan_ms);
  get(object, "threads", r.threads);
  get(object, "memory", r.memory);
  get(object, "storage", r.storage);
}

void read(const json& object, phase_run& r) {
  get(object, "workload", r.workload);
  get(object, "experiment", r.experiment);
  get(object, "variant", r.variant);
  get(object, "block_size", r.block_size);
  get_outcome(object, r);
  get(object, "threads", r.threads);
}

template <class Each> void read_list(const json& object, const char* key, std::vector<Each>& all) {
  for (const json& each : object.at(key)) {
    all.emplace_back();
    read(each, all.back());
  }
}

study_results from_json(const json& object) {
  study_results r;
  if (object.at("study").get<std::string>() != "mapping") throw io::file_error("study: must be mapping");
  const json& machine = object.at("machine");
  get(machine, "cpu", r.cpu);
  get(machine, "cores", r.cores);
  r.gpu = machine.value("gpu", "");
  get(object, "date", r.date);
  get(object, "commit", r.commit);
  get(object, "executor", r.executor);
  get(object, "place", r.place);
  get(object, "quick", r.quick);
  get(object, "operations", r.operations);
  read_list(object, "workloads", r.workloads);
  read_list(object, "results", r.runs);
  read_list(object, "phases", r.phases);
  return r;
}

study_results read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw io::file_error(fmt::format("{}: {}", io::printable(path), std::strerror(errno)));
  try {
    return from_json(json::parse(file));
  } catch (const json::exception& e) {
    throw io::file_error(
        fmt::format("{}: not the results of a study: {}", io::printable(path), io::printable(e.what())));
  } catch (const io::file_error& e) {
    throw io::file_error(fmt::format("{}: not the results of a study: {}", io::printable(path), e.what()));
  }
}

bool has_workload(const study_results& r, const std::string& name) {
  return std::ranges::find(r.workloads, name, &study_workload::name) != r.workloads.end();
}

/// Throws file_error unless `more` was measured as `all` was, and something else.
void check_fit(const study_results& all, const study_results& more, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw io::file_error(fmt::format("{}: {}", io::printable(path), why));
  };
  if (more.executor != all.executor || more.place != all.place || more.commit != all.commit ||
      more.quick != all.quick)
    refuse("measured elsewhere or by another program than the files before it");
  for (const study_run& run : more.runs)
    for (const study_run& known : all.runs)
      if (run.workload == known.workload && run.op == known.op)
        refuse(fmt::format("{} on {} is in a file before it, too", run.op, run.workload));
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

json to_json(const study_results& r) {
  json machine{{"cpu", r.cpu}, {"cores", r.cores}};
  if (!r.gpu.empty()) machine["gpu"] = r.gpu;
  return {{"study", "mapping"},         {"machine", machine},         {"date", r.date},
          {"commit", r.commit},         {"executor", r.executor},     {"place", r.place},
          {"quick", r.quick},           {"operations", r.operations}, {"workloads", list_of(r.workloads)},
          {"results", list_of(r.runs)}, {"phases", list_of(r.phases)}};
}

study_results read_results(const std::vector<std::string>& paths) {
  study_results all;
  for (const std::string& path : paths) {
    study_results more = read_file(path);
    if (&path == &paths.front()) {
      all = std::move(more);
      continue;
    }
    check_fit(all, more, path);
    add(all, std::move(more));
  }
  return all;
}

} // namespace evenly::cli
