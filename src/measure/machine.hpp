// SPDX-License-Identifier: Apache-2.0
// Machine, date and program of a measurement.
#pragma once

#include <span>
#include <string>

namespace evenly::measure {

std::string cpu_model();
int cpu_cores();       ///< available to this process
std::string utc_now(); ///< 2026-01-31T23:59:59Z
std::string commit();  ///< the full hash of the program's source, with -dirty if it was changed; or unknown
std::string version(); ///< the version of the program and the origin of its source

/// The command line of the program, quoted for a shell; empty until it is stored.
std::string command_line();
void remember_command_line(std::span<char* const> words);

/// One line for the CPU and one per GPU, or one with the reason why there is none. Does not throw if CUDA is broken.
std::string devices();
std::string gpus(); ///< only the lines of GPUs

} // namespace evenly::measure
