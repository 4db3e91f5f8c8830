// SPDX-License-Identifier: Apache-2.0
// The bench of the simulated GPU. It is for checking: its times are those of the simulation.
#pragma once

#include <memory>
#include <memory_resource>
#include <string>

#include "evenly/execution/simt.hpp"
#include "measure/host_bench.hpp"

namespace evenly::cli {

template <> inline simt on_memory(const simt& exec, std::pmr::memory_resource* memory) {
  return simt(exec.options(), memory);
}

template <class Problem> class simt_bench : public registry_bench<host_bench<simt, Problem>> {
 public:
  using registry_bench<host_bench<simt, Problem>>::registry_bench;

  std::string place() const override { return "simulated on " + host_bench<simt, Problem>::place(); }
};

template <class Problem>
std::unique_ptr<bench> make_simt_bench(const Problem& p, const bench_options& options) {
  return std::make_unique<simt_bench<Problem>>(simt({.seed = options.seed, .threads = options.threads}), p,
                                               options);
}

} // namespace evenly::cli
