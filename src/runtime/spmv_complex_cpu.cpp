// SPDX-License-Identifier: Apache-2.0
#include "runtime/spmv.hpp"

#include "evenly/execution/cpu.hpp"

namespace evenly::detail {

template void plan_on<cpu, int>::spmv(const csr_view<std::complex<double>, int>&,
                                      std::span<const std::complex<double>>, std::span<std::complex<double>>,
                                      std::complex<double>, std::complex<double>);

} // namespace evenly::detail
