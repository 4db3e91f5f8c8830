// SPDX-License-Identifier: Apache-2.0
#include "runtime/make_plan_erased.hpp"

namespace evenly::detail {

template std::unique_ptr<plan_interface<std::int64_t>>
make_plan_erased(const any_executor&, const any_schedule&, const csr_tile_set<std::int64_t>&, work_kind);

} // namespace evenly::detail
