// SPDX-License-Identifier: Apache-2.0
// The bench of the cpu executor: the schedules, and straight OpenMP loops over rows beside them.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/baselines_openmp.hpp"
#include "cli/host_bench.hpp"
#include "evenly/execution/cpu.hpp"

namespace evenly::cli {
namespace {

template <class Value>
void run_loop(const placed<cpu, spmv_problem<Value>>& data, row_dealing dealing, int threads) {
  multiply_rows(data.a(), data.x().data(), data.out().data(), dealing, threads);
}
void run_loop(const placed<cpu, expand_problem>& data, row_dealing dealing, int threads) {
  write_rows(data.offsets(), data.out().data(), dealing, threads);
}

template <class Problem> class cpu_bench : public host_bench<cpu, Problem> {
 public:
  using host_bench<cpu, Problem>::host_bench;

  std::vector<candidate> candidates() override {
    auto all = host_bench<cpu, Problem>::candidates();
    all.push_back(loop("openmp_static", "straight loop, OpenMP static", row_dealing::even));
    all.push_back(loop("openmp_dynamic", fmt::format("straight loop, OpenMP dynamic,{}", dynamic_rows),
                       row_dealing::dynamic));
    return all;
  }

 private:
  candidate loop(const char* name, const std::string& title, row_dealing dealing) {
    candidate made{.name = name, .title = title};
    made.prepare = [this, dealing]() -> std::function<void()> {
      return [this, dealing] { run_loop(this->data(), dealing, this->threads()); };
    };
    return made;
  }
};

} // namespace

std::unique_ptr<bench> make_cpu_bench(const problem& p, const bench_options& options) {
  return make_bench_for<cpu_bench>(cpu(options.threads), p, options);
}

} // namespace evenly::cli
