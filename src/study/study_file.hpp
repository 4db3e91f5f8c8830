// SPDX-License-Identifier: Apache-2.0
// Files of results, which all studies share: what they record about the machine, and how several files are combined.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "study/record.hpp"

namespace evenly::study {

/// The machine and the program.
struct study_head {
  std::string cpu;
  int cores = 0;
  std::string gpu; ///< empty if no GPU was used
  std::string date;
  std::string commit;
  std::string earlier_commit; ///< commit of earlier results that were resumed, if it differs
  std::string executor;       ///< cpu, simt or cuda
  std::string place;
  bool quick = false;
};
void machine_fields(record& io, study_head& head);
void head_fields(record& io, std::string study, study_head& head);

/// The element with this identity; null if there is none.
template <class Each> const Each* find_in(const std::vector<Each>& all, std::string_view name) {
  const auto found = std::ranges::find_if(all, [&](const Each& each) { return identity(each) == name; });
  return found == all.end() ? nullptr : &*found;
}

template <class Run> const Run* address_of(const Run& run) { return &run; }
template <class Run> const Run* address_of(const Run* run) { return run; }

/// The first run with the lowest value(run) among those with wanted(run); null if there is none. `runs`: of runs or of
/// pointers.
template <class Runs, class Wanted, class Value>
auto lowest(const Runs& runs, const Wanted& wanted, const Value& value) {
  decltype(address_of(*std::begin(runs))) found = nullptr;
  for (const auto& each : runs)
    if (const auto* const run = address_of(each);
        wanted(*run) && (found == nullptr || std::invoke(value, *run) < std::invoke(value, *found)))
      found = run;
  return found;
}
inline constexpr auto median_ms = [](const auto& run) { return run.time.median; };

/// A file of study results; `-` is standard input.
class study_file {
 public:
  explicit study_file(const std::string& path);

  /// read(place) for the whole document. Throws io::file_error with the path.
  template <class Read> auto read(const Read& read) const {
    try {
      return read(json_place(contents_));
    } catch (const io::file_error& e) {
      refuse(std::string("not a file of study results: ") + e.what());
    }
  }
  [[noreturn]] void refuse(std::string_view why) const;

  /// Refuses results of another machine or program.
  void require_same(const study_head& here, const study_head& before) const;
  /// Appends new elements. Refuses an element that is `different`: it has the identity of another one of previous
  /// files.
  template <class Each>
  void add_new(std::vector<Each>& all, std::vector<Each> more, std::string_view different) const {
    for (Each& each : more) {
      const Each* const before = find_in(all, identity(each));
      if (before == nullptr)
        all.push_back(std::move(each));
      else if (to_json(*before) != to_json(each))
        refuse(fmt::format("{} {} in a previous file", host::printable(identity(each)), different));
    }
  }
  /// Appends runs. Refuses those with a key that previous files have.
  template <class Run, class Key>
  void add_runs(std::vector<Run>& all, std::vector<Run> more, const Key& key,
                std::string_view is = "is") const {
    std::set<std::string> known;
    for (const Run& run : all) known.insert(key(run));
    for (const Run& run : more)
      if (known.contains(key(run)))
        refuse(fmt::format("{} {} also in a previous file", host::printable(key(run)), is));
    std::ranges::move(more, std::back_inserter(all));
  }

 private:
  std::string path_;
  json::value contents_;
};

/// Reads files with the members of `Results` and its runs, and ignores others. Throws io::file_error if a file is
/// missing, has another form, or has impossible values (with their position and the rule); and if files contradict each
/// other: different executors or programs, inputs that differ, or a run that appears twice.
template <class Results> Results read_results(const std::vector<std::string>& paths) {
  Results all;
  for (const std::string& path : paths) {
    const study_file file(path);
    Results more = file.read(from_json<Results>);
    if (&path == &paths.front()) {
      all = std::move(more);
      continue;
    }
    file.require_same(more, all);
    merge(file, all, std::move(more));
  }
  return all;
}

} // namespace evenly::study
