// SPDX-License-Identifier: Apache-2.0
// The results of a command as a page, from the object that --json writes.
#pragma once

#include <string>

#include "json/value.hpp"
#include "measure/result_file.hpp"

namespace evenly::report {

using measure::result_file;

/// A page of an object with machine, date, commit, results (each with ok and a name: schedule, version, pool or layout)
/// and failed. Results with equal workload, operation, executor and type form a group: charts of the times with their
/// spread, of the bandwidth, and of the counts on simt, if the results have such numbers, and a table of all members.
/// Optional members:
///   sizes       a list of {input, tiles: [{from, to, tiles}]}: the number of tiles by size
///   residuals   a list of numbers: the residuals of a solver by iterations
///   frontiers   a list of {vertices, edges}: the frontiers of a search, in order
/// Optional member of a result: timeline, {ms_of_part, busy: [[percent of a group of workers in a part of the run]]}.
/// Throws plotter_error.
std::string results_page(const json::value& all);

/// Makes `file` write such a page to `path`; nothing for an empty path. `more`: additional members of the page. Throws
/// output_error if the file cannot be written, plotter_error without gnuplot.
void report_results(result_file& file, const std::string& path, const result_file::object_maker& more = {});

} // namespace evenly::report
