// SPDX-License-Identifier: Apache-2.0
// The ladders on the cores of this machine, and oneTBB's and the standard library's parallel algorithms beside them.
#include <execution>
#include <functional>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

#include "ladder/bench.hpp"
#include "measure/host_bench.hpp"

namespace evenly::cli {
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

template <class T> class cpu_ladder : public ladder_bench<host_bench<cpu, ladder_problem<T>>, T> {
 public:
  using base = ladder_bench<host_bench<cpu, ladder_problem<T>>, T>;
  using base::base;

  std::vector<candidate> candidates(int block_size) override {
    auto all = base::candidates(block_size);
    const T* const in = this->data().in();
    T* const out = this->data().out().data();
    const std::int64_t n = this->problem().n();
    const ladder::prefixes kind = this->problem().prefix;
    if (this->problem().kind == ladder_kind::reduce) {
      all.push_back(on_tbb("tbb::parallel_reduce", [=] { *out = tbb_sum(in, n); }));
      all.push_back(on_tbb("std::reduce(par)", [=] { *out = std::reduce(std::execution::par, in, in + n); }));
    } else if (this->problem().kind == ladder_kind::scan) {
      all.push_back(on_tbb("tbb::parallel_scan", [=] { tbb_scan(in, n, kind, out); }));
      all.push_back(on_tbb("std::scan(par)", [=] { std_scan(in, n, kind, out); }));
    }
    return all;
  }

 private:
  /// With as many threads as the rungs have.
  candidate on_tbb(const char* name, std::function<void()> run) {
    return this->other(name, [this, run] {
      const auto arena = std::make_shared<tbb::task_arena>(this->threads());
      return [arena, run] { arena->execute(run); };
    });
  }
};

} // namespace

std::unique_ptr<bench> make_cpu_ladder(const any_ladder_problem& any, const bench_options& options) {
  return std::visit(
      [&]<class T>(const ladder_problem<T>& p) -> std::unique_ptr<bench> {
        return std::make_unique<cpu_ladder<T>>(cpu(options.threads), p, options);
      },
      any);
}

} // namespace evenly::cli
