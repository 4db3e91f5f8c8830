// SPDX-License-Identifier: Apache-2.0
// The schedules of `evenly spmm`, and of `evenly compare` with spmm or with formats other than csr.
#pragma once

#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"

namespace evenly::sparse {

std::vector<any_schedule> spmm_schedules();

/// Throws usage_error for any other schedule. `what` needs one of these.
void require_few(const std::vector<any_schedule>& chosen, const std::string& what);
/// The same, but also allows automatic, which chooses one of these.
void require_few_or_automatic(std::vector<any_schedule> chosen, const std::string& what);

} // namespace evenly::sparse
