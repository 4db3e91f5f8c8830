// SPDX-License-Identifier: Apache-2.0
// A bench whose runs end when they return, on this machine's cores: cpu and simt.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "measure/executor_bench.hpp"

namespace evenly::cli {

template <> inline cpu on_memory(const cpu& exec, std::pmr::memory_resource* memory) {
  return cpu(exec.threads(), memory);
}

template <class Executor, class Problem> class host_bench : public executor_bench<Executor, Problem> {
 public:
  using executor_bench<Executor, Problem>::executor_bench;

  std::string place() const override {
    return fmt::format("{} {}", threads(), threads() == 1 ? "thread" : "threads");
  }
  int threads() const override { return this->exec().threads(); }

  double time_once(const std::function<void()>& run) override {
    const auto start = std::chrono::steady_clock::now();
    run();
    const auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(end - start).count();
  }

  std::function<void()> copy(std::int64_t bytes) override {
    const auto half = static_cast<std::size_t>(std::max<std::int64_t>(bytes / 2, 1));
    const auto from = std::make_shared<std::vector<std::byte>>(half, std::byte{1});
    const auto to = std::make_shared<std::vector<std::byte>>(half);
    return [=, this] {
      for_parts(half, [&](std::size_t begin, std::size_t size) {
        std::memcpy(to->data() + begin, from->data() + begin, size);
      });
    };
  }

  std::function<void()> fill(std::int64_t bytes) override {
    const auto to = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
    return [=, this] {
      for_parts(to->size(),
                [&](std::size_t begin, std::size_t size) { std::memset(to->data() + begin, 0, size); });
    };
  }

 private:
  /// Calls body(begin, size), on all threads, for parts that make up `bytes` bytes.
  template <class Body> void for_parts(std::size_t bytes, const Body& body) const {
    const auto most = ceil_div<std::size_t>(bytes, 65536);
    const auto parts = std::min(most, static_cast<std::size_t>(8 * threads()));
    launch(cpu(threads()), {.blocks = static_cast<int>(parts)}, [&](const cpu_block& block) {
      const auto begin = bytes * static_cast<std::size_t>(block.index()) / parts;
      body(begin, bytes * static_cast<std::size_t>(block.index() + 1) / parts - begin);
    });
  }
};

} // namespace evenly::cli
