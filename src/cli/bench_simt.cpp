// SPDX-License-Identifier: Apache-2.0
// The bench of the simulated GPU. It is for checking: its times are those of the simulation.
#include <memory>
#include <string>

#include "cli/host_bench.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly::cli {
namespace {

template <class Problem> class simt_bench : public host_bench<simt, Problem> {
 public:
  using host_bench<simt, Problem>::host_bench;

  std::string place() const override { return "simulated on " + host_bench<simt, Problem>::place(); }
};

} // namespace

std::unique_ptr<bench> make_simt_bench(const problem& p, const bench_options& options) {
  return make_bench_for<simt_bench>(simt({.seed = options.seed, .threads = options.threads}), p, options);
}

} // namespace evenly::cli
