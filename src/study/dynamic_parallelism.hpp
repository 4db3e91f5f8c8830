// SPDX-License-Identifier: Apache-2.0
// Times of kernels that start kernels (dynamic parallelism), from the committed benchmark of decision 6: the program
// that measured them needed separately linked device code.
#pragma once

#include <string>
#include <vector>

#include "study/record.hpp"

namespace evenly::study {

struct dynamic_run {
  std::string workload;
  std::string where;     ///< the GPU and the commit
  double with_ms = 0;    ///< groups that start a kernel for each long tile
  double without_ms = 0; ///< the fastest of: groups alone, a second kernel, a plan
};
std::string identity(const dynamic_run& run);
void fields(record& io, dynamic_run& run);

/// The runs in dynamic-phase-h200.json in the first of the folders with such a file; empty if there is none. Throws
/// io::file_error if the file has another form.
std::vector<dynamic_run> read_dynamic_parallelism(const std::vector<std::string>& folders);

} // namespace evenly::study
