// SPDX-License-Identifier: Apache-2.0
// The bench of the cpu executor: the schedules, compared with loops over rows.
#include <memory>
#include <variant>

#include "benches/segments_on.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/host_timer.hpp"
#include "measure/loops_beside.hpp"
#include "measure/work_on.hpp"

namespace evenly::measure {

namespace {

template <class Value>
void run_loop(const on_device<cpu, spmv_problem<Value>>& data, row_distribution distribution, int threads) {
  multiply_rows(data.a(), data.x().data(), data.out().data(), distribution, threads);
}
void run_loop(const on_device<cpu, expand_problem>& data, row_distribution distribution, int threads) {
  write_rows(data.offsets(), data.out().data(), distribution, threads);
}
void run_loop(const on_device<cpu, update_problem>& data, row_distribution distribution, int threads) {
  update_rows(data.offsets(), data.out().data(), distribution, threads);
}
void run_loop(const on_device<cpu, segments_problem>& data, row_distribution distribution, int threads) {
  const auto run = data.scans ? scan_rows : sum_rows;
  run(data.offsets(), data.values().data(), data.out().data(), distribution, threads);
}

} // namespace

bench make_cpu_bench(const problem& p, const bench_options& options) {
  return std::visit(
      [&]<class Problem>(const Problem& each) {
        const auto work = std::make_shared<work_on<cpu, Problem>>(cpu(options.threads), each);
        bench made =
            schedule_bench(std::make_unique<host_timer>(work->exec().threads()), work,
                           loops_beside(work, [](const auto& data, row_distribution distribution,
                                                 int threads) { run_loop(data, distribution, threads); }));
        if constexpr (requires { work->data().x(); })
          made.for_peers =
              peers::vector_product{work->data().a(), work->data().x().data(), work->data().out().data()};
        return made;
      },
      p);
}

} // namespace evenly::measure
