// SPDX-License-Identifier: Apache-2.0
// The bench of the cpu executor: the schedules, and loops over rows beside them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/host_bench.hpp"

namespace evenly::cli {

template <class Value>
void run_loop(const placed<cpu, spmv_problem<Value>>& data, row_dealing dealing, int threads) {
  multiply_rows(data.a(), data.x().data(), data.out().data(), dealing, threads);
}
inline void run_loop(const placed<cpu, expand_problem>& data, row_dealing dealing, int threads) {
  write_rows(data.offsets(), data.out().data(), dealing, threads);
}
inline void run_loop(const placed<cpu, update_problem>& data, row_dealing dealing, int threads) {
  update_rows(data.offsets(), data.out().data(), dealing, threads);
}

template <class Problem> class cpu_bench : public registry_bench<host_bench<cpu, Problem>> {
 public:
  using registry_bench<host_bench<cpu, Problem>>::registry_bench;

  std::vector<candidate> candidates(int block_size) override {
    auto all = registry_bench<host_bench<cpu, Problem>>::candidates(block_size);
    all.push_back(loop("serial", "loop, one thread", row_dealing::one_thread));
    all.push_back(loop("openmp_static", "loop, OpenMP static", row_dealing::even));
    all.push_back(
        loop("openmp_dynamic", fmt::format("loop, OpenMP dynamic,{}", dynamic_rows), row_dealing::dynamic));
    return all;
  }

 private:
  candidate loop(const char* name, const std::string& title, row_dealing dealing) {
    candidate made{.name = name, .title = title};
    if (dealing != row_dealing::one_thread) made.afterwards = let_threads_sleep;
    made.prepare = [this, dealing]() -> prepared_run {
      return {[this, dealing] { run_loop(this->data(), dealing, this->threads()); }};
    };
    return made;
  }
};

template <class Problem>
std::unique_ptr<bench> make_cpu_bench(const Problem& p, const bench_options& options) {
  return std::make_unique<cpu_bench<Problem>>(cpu(options.threads), p, options);
}

} // namespace evenly::cli
