// SPDX-License-Identifier: Apache-2.0
// Times synchronous runs on the cores of this machine, for cpu and simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "measure/bench.hpp"
#include "measure/work_on.hpp"

namespace evenly::measure {

template <> inline cpu on_memory(const cpu& exec, std::pmr::memory_resource* memory) {
  return cpu(exec.threads(), memory);
}
template <> inline simt on_memory(const simt& exec, std::pmr::memory_resource* memory) {
  return simt(exec.options(), memory);
}

template <> inline cpu make_executor(const bench_options& options) { return cpu(options.threads); }
template <> inline simt make_executor(const bench_options& options) {
  return simt({.seed = options.seed, .threads = options.threads, .trace = options.trace});
}

/// Milliseconds from the start of run() to its end.
double time_on_host(const std::function<void()>& run);

class host_timer : public timer {
 public:
  /// For runs on `threads` threads. `simulated`: on simt, whose times are simulated.
  explicit host_timer(int threads, bool simulated = false) : threads_(threads), simulated_(simulated) {}

  std::string place() const override;
  int threads() const override { return threads_; }
  double time_once(const std::function<void()>& run) override { return time_on_host(run); }
  std::function<void()> copy(std::int64_t bytes) override;
  std::function<void()> fill(std::int64_t bytes) override;
  std::function<void()> compute(double ms) override;

 private:
  int threads_;
  bool simulated_;
};

inline std::unique_ptr<timer> make_timer(const cpu& exec, const bench_options&) {
  return std::make_unique<host_timer>(exec.threads());
}
inline std::unique_ptr<timer> make_timer(const simt& exec, const bench_options&) {
  return std::make_unique<host_timer>(exec.threads(), true);
}

} // namespace evenly::measure
