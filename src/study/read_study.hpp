// SPDX-License-Identifier: Apache-2.0
// The common JSON of all studies: the machine, the outcome of a run, and the reading of files.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "study/json_place.hpp"

namespace evenly::study {

using measure::timing;

/// Adds ok, the error if there is one, and the times, which are null after an error.
void add_outcome(json::value& object, const std::optional<std::string>& error, const timing& time);

template <class Run> void read_outcome(const json_place& from, Run& r) {
  if (!from.at("ok").truth()) {
    r.error = from.has("error") ? from.at("error").text() : "failed";
    for (const char* key : {"ms", "ms_min", "ms_max"})
      if (!from.at(key).is_null()) from.at(key).fail("must be null for a run that is not ok");
    return;
  }
  if (from.has("error")) from.at("error").fail("must be null for a run that is ok");
  r.time = {from.at("ms").real(), from.at("ms_min").real(), from.at("ms_max").real()};
  if (!(r.time.median > 0)) from.at("ms").fail("a time must be positive");
  if (r.time.min > r.time.median) from.at("ms_min").fail("must be at most ms");
  if (r.time.max < r.time.median) from.at("ms_max").fail("must be at least ms");
}

/// The members about machine and program. Results: with cpu, cores, gpu, date, commit, executor, place, quick.
template <class Results> json::value head_json(const char* study, const Results& r) {
  json::value machine{{"cpu", r.cpu}, {"cores", r.cores}};
  if (!r.gpu.empty()) machine["gpu"] = r.gpu;
  return {{"study", study},         {"machine", machine}, {"date", r.date},  {"commit", r.commit},
          {"executor", r.executor}, {"place", r.place},   {"quick", r.quick}};
}
template <class Results> void read_head(const json_place& from, const std::string& study, Results& r) {
  if (from.at("study").text() != study) from.at("study").fail("must be " + study);
  const json_place machine = from.at("machine");
  r.cpu = machine.at("cpu").text();
  r.cores = static_cast<int>(machine.at("cores").whole(1, std::numeric_limits<int>::max()));
  if (machine.has("gpu")) r.gpu = machine.at("gpu").text();
  r.date = from.at("date").text();
  r.commit = from.at("commit").text();
  r.executor = from.at("executor").text();
  if (r.executor != "cpu" && r.executor != "simt" && r.executor != "cuda")
    from.at("executor").fail("must be one of cpu, simt, cuda");
  r.place = from.at("place").text();
  r.quick = from.at("quick").truth();
}

/// The name of a file in messages.
std::string shown(const std::string& path);
/// Throws file_error if the file is missing or is not JSON.
json::value parse_study(const std::string& path);
[[noreturn]] void refuse_study(const std::string& path, std::string_view why);

/// Calls from_json(json_place) with the file's JSON, and adds the file name to its file_error.
template <class Results, class FromJson>
Results read_study(const std::string& path, const FromJson& from_json) {
  const json::value found = parse_study(path);
  try {
    return from_json(json_place(found));
  } catch (const io::file_error& e) {
    refuse_study(path, e.what());
  }
}

} // namespace evenly::study
