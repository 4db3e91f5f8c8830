// SPDX-License-Identifier: Apache-2.0
// What a command measured, as a page: made of the same object that --json writes.
#pragma once

#include <string>

#include "json/value.hpp"
#include "measure/result_file.hpp"

namespace evenly::report {

using measure::result_file;

/// A page of an object with machine, date, commit, results (each with a name under schedule, version, pool or layout,
/// and ok) and failed. Results of one workload, operation, executor and type make a group: charts of time with its
/// spread, of bandwidth, and of counts on simt, each where results have such numbers, and a table of all that was
/// found. Optional members:
///   sizes       a list of {input, tiles: [{from, to, tiles}]}: how many tiles of an input have how many atoms
///   frontiers   a list of {vertices, edges}: the frontiers of a search, in order
/// Throws plotter_error.
std::string results_page(const json::value& all);

/// Has `file` write such a page to `path`; nothing for an empty path. `more`: members that the page has besides. Throws
/// output_error if nothing can be written, plotter_error without gnuplot.
void report_results(result_file& file, const std::string& path, const result_file::object_maker& more = {});

} // namespace evenly::report
