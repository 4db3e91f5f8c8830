// SPDX-License-Identifier: Apache-2.0
#include "measure/host_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "evenly/core/index.hpp"
#include "measure/text.hpp"

namespace evenly::measure {
namespace {

/// Calls body(begin, size) on all threads, for parts of `bytes` bytes.
template <class Body> void for_parts(int threads, std::size_t bytes, const Body& body) {
  const auto max = ceil_div<std::size_t>(bytes, 65536);
  const auto parts = std::min(max, static_cast<std::size_t>(8 * threads));
  launch(cpu(threads), {.blocks = static_cast<int>(parts)}, [&](const cpu_block& block) {
    const auto begin = bytes * static_cast<std::size_t>(block.index()) / parts;
    body(begin, bytes * static_cast<std::size_t>(block.index() + 1) / parts - begin);
  });
}

/// Processor time of the calling thread in milliseconds.
double processor_ms() {
  std::timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

} // namespace

double time_on_host(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

std::string host_timer::place() const {
  return (simulated_ ? "simulated on " : "") + with_noun(threads_, "thread");
}

std::function<void()> host_timer::copy(std::int64_t bytes) {
  const auto half = static_cast<std::size_t>(std::max<std::int64_t>(bytes / 2, 1));
  const auto from = std::make_shared<std::vector<std::byte>>(half, std::byte{1});
  const auto to = std::make_shared<std::vector<std::byte>>(half);
  return [=, threads = threads_] {
    for_parts(threads, half, [&](std::size_t begin, std::size_t size) {
      std::memcpy(to->data() + begin, from->data() + begin, size);
    });
  };
}

std::function<void()> host_timer::fill(std::int64_t bytes) {
  const auto to = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  return [=, threads = threads_] {
    for_parts(threads, to->size(),
              [&](std::size_t begin, std::size_t size) { std::memset(to->data() + begin, 0, size); });
  };
}

std::function<void()> host_timer::compute(double ms) {
  if (simulated_) return {};
  const int cores = cpu().threads();
  return [=, threads = std::min(threads_, cores)] { // more threads than cores would delay each other
    launch(cpu(threads), {.blocks = threads}, [=](const cpu_block&) {
      for (const double end = processor_ms() + ms; processor_ms() < end;) {
      }
    });
  };
}

} // namespace evenly::measure
