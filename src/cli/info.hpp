// SPDX-License-Identifier: Apache-2.0
// evenly info: the figures of one input.
#pragma once

#include <string>

#include "evenly/io/read_options.hpp"

namespace evenly::cli {

/// Prints the figures of a file or generator for people, or as one JSON object. Throws evenly::error.
void print_info(const std::string& file_or_generator, const io::read_options& how, bool json);

} // namespace evenly::cli
