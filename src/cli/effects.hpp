// SPDX-License-Identifier: Apache-2.0
// Checks of options against each other and against the input files. All functions throw usage_error.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace evenly::cli {

/// Refuses an output whose ending promises an unsupported format, and two outputs to the same file.
void check_outputs(const command& of);

/// Refuses an option that has no effect on any of `executors`. `doing`: the activity of the command, for the message.
/// `chosen`: whether the user named the executors.
void refuse_without_effect(const command& of, std::string_view doing,
                           const std::vector<executor_kind>& executors, bool chosen = true);
/// The same for one executor: the chosen or the default one.
void refuse_without_effect(const command& of, std::string_view doing, std::optional<executor_kind> chosen);

/// Refuses `options` if inputs are given and none of them is a file.
void require_files(const command& of, const std::vector<std::string>& inputs,
                   std::initializer_list<std::string_view> options = {"--format", "--columns", "--renumber",
                                                                      "--frame"});

/// Refuses a second `-` among the inputs.
void refuse_second_standard_input(const std::vector<std::string>& inputs);

/// Refuses outputs of `of` that are also in `inputs`.
void refuse_outputs_over(const command& of, const std::vector<std::string>& inputs);

} // namespace evenly::cli
