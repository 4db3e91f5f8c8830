// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace evenly::measure {

enum class executor_kind { cpu, simt, cuda };

/// The spelling of the command line.
std::string name_of(executor_kind kind);

} // namespace evenly::measure
