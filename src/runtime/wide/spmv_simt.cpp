// SPDX-License-Identifier: Apache-2.0
#include "runtime/spmv.hpp"

#include "evenly/execution/simt.hpp"

namespace evenly::detail {

template void plan_on<simt, std::int64_t>::spmv(const csr_view<float, std::int64_t>&, std::span<const float>,
                                                std::span<float>, float, float);
template void plan_on<simt, std::int64_t>::spmv(const csr_view<double, std::int64_t>&,
                                                std::span<const double>, std::span<double>, double, double);

} // namespace evenly::detail
