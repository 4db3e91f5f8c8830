// SPDX-License-Identifier: Apache-2.0
// Where and when a result was measured, and with which program.
#pragma once

#include <span>
#include <string>

namespace evenly::measure {

std::string cpu_model();
int cpu_cores();       ///< that this process may use
std::string utc_now(); ///< 2026-01-31T23:59:59Z
std::string commit(); ///< the full hash of the program's source, with -dirty where it was changed; or unknown
std::string version(); ///< the program's, and where its source comes from

/// The words of the program's command line, as a shell takes them; empty until they are remembered.
std::string command_line();
void remember_command_line(std::span<char* const> words);

/// A line for the CPU and one for each GPU, or one that says why there is none. Throws nothing where CUDA is broken.
std::string devices();
std::string gpus(); ///< the latter

} // namespace evenly::measure
