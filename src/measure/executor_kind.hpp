// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace evenly::measure {

enum class executor_kind { cpu, simt, cuda };

/// As users say it.
std::string name_of(executor_kind kind);

} // namespace evenly::measure
