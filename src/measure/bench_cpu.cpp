// SPDX-License-Identifier: Apache-2.0
// The bench of the cpu executor: the schedules, and loops over rows beside them.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "measure/baselines_openmp.hpp"
#include "measure/host_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::cli {
namespace {

template <class Value>
void run_loop(const placed<cpu, spmv_problem<Value>>& data, row_dealing dealing, int threads) {
  multiply_rows(data.a(), data.x().data(), data.out().data(), dealing, threads);
}
void run_loop(const placed<cpu, expand_problem>& data, row_dealing dealing, int threads) {
  write_rows(data.offsets(), data.out().data(), dealing, threads);
}
void run_loop(const placed<cpu, update_problem>& data, row_dealing dealing, int threads) {
  update_rows(data.offsets(), data.out().data(), dealing, threads);
}

template <class Work>
candidate loop(const std::shared_ptr<Work>& work, const char* name, const std::string& title,
               row_dealing dealing) {
  candidate made{.name = name, .title = title};
  if (dealing != row_dealing::one_thread) made.afterwards = let_threads_sleep;
  made.prepare = [work, dealing]() -> prepared_run {
    return {[work, dealing] { run_loop(work->data(), dealing, work->exec().threads()); }};
  };
  return made;
}

} // namespace

bench make_cpu_bench(const problem& p, const bench_options& options) {
  return std::visit(
      [&]<class Problem>(const Problem& each) {
        const auto work = std::make_shared<work_on<cpu, Problem>>(cpu(options.threads), each);
        return schedule_bench(
            std::make_unique<host_timer>(work->exec().threads()), work,
            {loop(work, "serial", "loop, one thread", row_dealing::one_thread),
             loop(work, "openmp_static", "loop, OpenMP static", row_dealing::even),
             loop(work, "openmp_dynamic", fmt::format("loop, OpenMP dynamic,{}", dynamic_rows),
                  row_dealing::dynamic)});
      },
      p);
}

} // namespace evenly::cli
