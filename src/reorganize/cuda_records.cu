// SPDX-License-Identifier: Apache-2.0
#include "reorganize/cuda_use.hpp"

namespace evenly::cli {

template std::string run_use_on_cuda<access_use::records>(const access_workload&, const arms_options&,
                                                          const take_result&);

} // namespace evenly::cli
