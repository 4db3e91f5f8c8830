// SPDX-License-Identifier: Apache-2.0
// What launches on the simulated GPU asked of memory, put into words: as a page of text, as JSON, and as a page of
// HTML.
//
//   trace counts{keep_profiles{}};
//   const simt exec({.trace = &counts});
//   ... whatever is not to be explained ...
//   print(stdout, page_of(explain("my kernel", counts, [&] { launch(exec, shape, kernel); })));
//
// The kernel reads and writes memory through traced() (block/memory_view.hpp), or as trace/counted_memory.hpp says.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evenly/trace/trace.hpp"

namespace evenly::cli {

struct explanation {
  std::string subject; ///< a title: what was run, and under which schedule
  std::vector<launch_profile> launches;
  std::string choice = {}; ///< why that schedule, if `automatic` chose it

  trace_counts totals() const;
};

/// Calls run(), whose launches are those of executors with `counts`, which keeps profiles.
explanation explain(const std::string& subject, trace& counts, const std::function<void()>& run);

/// Lines of up to 100 columns, with a newline at the end of each.
std::string page_of(const explanation& all);

/// An element for each launch: its shape, counts, sites, and what its warps, blocks and slots of a multiprocessor had
/// to do.
nlohmann::ordered_json json_of(const launch_profile& launch);

/// A whole file, which needs no other.
std::string html_of(const explanation& all);

// What the three have in common.

/// `spmv.hpp:42:50`: file without folders, line, column.
std::string place_of(const site_profile& site);
/// load, store, storage load, storage store or atomic.
std::string kind_of(const site_profile& site);
/// Bytes wanted over bytes moved, of loads and stores; 1 where nothing was moved.
double used_part(const trace_counts& counts);
/// Sectors beyond the least that such requests could have had.
std::int64_t sectors_too_many(const trace_counts& counts);
/// Loads and stores of memory with such sectors, those with most first.
std::vector<site_profile> scattered_sites(const launch_profile& launch);
/// Lanes for a request, over those of a warp.
double active_part(const trace_counts& counts, int warp_size);

} // namespace evenly::cli
