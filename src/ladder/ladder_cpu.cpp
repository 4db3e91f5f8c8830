// SPDX-License-Identifier: Apache-2.0
// The ladders on the cores of this machine, with the parallel algorithms of oneTBB and the standard library as
// baselines.
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

#include "ladder/ladder_bench.hpp"
#include "measure/host_timer.hpp"

namespace evenly::ladder {

using measure::host_timer;

namespace {

template <class T> T tbb_sum(const T* in, std::int64_t n) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, n), T{},
      [=](const auto& range, T sum) {
        for (std::int64_t i = range.begin(); i < range.end(); ++i) sum += in[i];
        return sum;
      },
      std::plus<T>());
}

template <class T> void tbb_scan(const T* in, std::int64_t n, ladder::prefixes kind, T* out) {
  tbb::parallel_scan(
      tbb::blocked_range<std::int64_t>(0, n), T{},
      [=](const auto& range, T sum, bool last) {
        for (std::int64_t i = range.begin(); i < range.end(); ++i) {
          const T before = sum;
          sum += in[i];
          if (last) out[i] = kind == ladder::prefixes::inclusive ? sum : before;
        }
        return sum;
      },
      std::plus<T>());
}

template <class T> void std_scan(const T* in, std::int64_t n, ladder::prefixes kind, T* out) {
  if (kind == ladder::prefixes::inclusive)
    std::inclusive_scan(std::execution::par, in, in + n, out);
  else
    std::exclusive_scan(std::execution::par, in, in + n, out, T{});
}

template <class T>
std::vector<candidate> others(const std::shared_ptr<ladder_work<cpu, T>>& work, const ladder_problem<T>& p) {
  const T* const in = work->data().in();
  T* const out = work->data().out().data();
  const std::int64_t n = p.n();
  const ladder::prefixes kind = p.prefix;
  const auto on_tbb = [&](const char* name,
                          std::function<void()> run) { // with as many threads as the versions
    return ladder_candidate(work, p, name, [run, threads = work->exec().threads()]() -> prepared_run {
      const auto arena = std::make_shared<tbb::task_arena>(threads);
      return {[arena, run] { arena->execute(run); }};
    });
  };
  if (p.kind == ladder_kind::reduce)
    return {on_tbb("tbb::parallel_reduce", [=] { *out = tbb_sum(in, n); }),
            on_tbb("std::reduce(par)", [=] { *out = std::reduce(std::execution::par, in, in + n); })};
  if (p.kind == ladder_kind::scan)
    return {on_tbb("tbb::parallel_scan", [=] { tbb_scan(in, n, kind, out); }),
            on_tbb("std::scan(par)", [=] { std_scan(in, n, kind, out); })};
  return {};
}

} // namespace

bench make_cpu_ladder(const any_ladder_problem& any, const bench_options& options) {
  return std::visit(
      [&]<class T>(const ladder_problem<T>& p) {
        const auto work = std::make_shared<ladder_work<cpu, T>>(cpu(options.threads), p);
        return version_bench(std::make_unique<host_timer>(work->exec().threads()), work, p, others(work, p));
      },
      any);
}

} // namespace evenly::ladder
