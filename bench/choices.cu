// SPDX-License-Identifier: Apache-2.0
// The GPU's side of bench_choices.
#include "choices.hpp"

#include <memory>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"

namespace evenly::bench {

std::vector<study::choice_operation> choice_operations_on_gpu() {
  static const cuda exec;
  return choice_operations_on(exec, 0,
                              [] { return std::make_unique<measure::device_timer>(false, exec.stream()); });
}

} // namespace evenly::bench
