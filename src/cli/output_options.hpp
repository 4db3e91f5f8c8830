// SPDX-License-Identifier: Apache-2.0
// The files of output options: a wrong ending, or one file for two outputs, is refused before anything is done.
#pragma once

#include <span>
#include <string>

#include "cli/option_effects.hpp"

namespace evenly::cli {

/// Throws usage_error if the file of an output option (-o, --parents, --json, ...) of `command` has the ending of a
/// format that is not written there.
void check_output_endings(const std::string& command, std::span<const given_option> given);

/// Throws usage_error if two output options name one file, or standard output.
void check_outputs_apart(const std::string& command, std::span<const given_option> given);

} // namespace evenly::cli
