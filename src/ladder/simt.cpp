// SPDX-License-Identifier: Apache-2.0
#include "ladder/bench.hpp"
#include "measure/bench_simt.hpp"

namespace evenly::cli {
namespace {

template <class T> class simt_ladder : public ladder_bench<host_bench<simt, ladder_problem<T>>, T> {
 public:
  using base = host_bench<simt, ladder_problem<T>>;
  using ladder_bench<base, T>::ladder_bench;
  std::string place() const override { return "simulated on " + base::place(); }
};

} // namespace

std::unique_ptr<bench> make_simt_ladder(const any_ladder_problem& any, const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return std::visit(
      [&]<class T>(const ladder_problem<T>& p) -> std::unique_ptr<bench> {
        return std::make_unique<simt_ladder<T>>(exec, p, options);
      },
      any);
}

} // namespace evenly::cli
