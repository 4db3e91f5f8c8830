// SPDX-License-Identifier: Apache-2.0
#include "study_kernels/compiled_bench.hpp"

#include <memory>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "study/technique_bench.hpp"

namespace evenly::study {

using measure::device_timer;
using work_type = work_on<cuda, update_problem>;

extern template std::vector<candidate> compiled_techniques<cuda, 64>(const std::shared_ptr<work_type>&);
extern template std::vector<candidate> compiled_techniques<cuda, 128>(const std::shared_ptr<work_type>&);
extern template std::vector<candidate> compiled_techniques<cuda, 256>(const std::shared_ptr<work_type>&);
extern template std::vector<candidate> compiled_techniques<cuda, 512>(const std::shared_ptr<work_type>&);

bench make_compiled_bench(const update_problem& p, const bench_options& options) {
  const auto work = std::make_shared<work_type>(cuda(), p);
  return {std::make_unique<device_timer>(options.warm), work, [work](int block_size) {
            switch (block_size) {
            case 64:
              return compiled_techniques<cuda, 64>(work);
            case 256:
              return compiled_techniques<cuda, 256>(work);
            case 512:
              return compiled_techniques<cuda, 512>(work);
            default:
              return compiled_techniques<cuda, 128>(work);
            }
          }};
}

} // namespace evenly::study
