// SPDX-License-Identifier: Apache-2.0
// simt_engines: the engines of one executor. Copies of the executor share them, and a launch takes one per
// operating-system thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "evenly/simulator/detail/engine.hpp"

namespace evenly::detail {

/// The engines of one executor that are not in use. Safe to call from several threads.
class simt_engines {
 public:
  explicit simt_engines(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  /// Runs blocks on an engine that no other call uses.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    const auto give_back = [this](simt_engine* engine) { keep(engine); };
    const std::unique_ptr<simt_engine, decltype(give_back)> engine(take().release(), give_back);
    engine->run(job, launch, first, count, position);
  }
  /// Returns the number of launches before this one.
  std::uint64_t next_launch() { return launches_++; }

 private:
  std::unique_ptr<simt_engine> take() {
    {
      const std::lock_guard lock(guard_);
      if (!idle_.empty()) {
        auto taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
      }
    }
    return std::make_unique<simt_engine>(stack_bytes_);
  }
  void keep(simt_engine* engine) {
    const std::lock_guard lock(guard_);
    idle_.emplace_back(engine);
  }

  std::size_t stack_bytes_;
  std::mutex guard_;
  std::vector<std::unique_ptr<simt_engine>> idle_;
  std::atomic<std::uint64_t> launches_{0};
};

} // namespace evenly::detail
