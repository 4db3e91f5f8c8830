// SPDX-License-Identifier: Apache-2.0
// What an executor is made of: a plan takes nothing less.
//
// WRONG=1 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=2 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=3 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=4 says: a plan needs an executor with the members that execution/executor.hpp requires

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/uniform.hpp"

/// cpu, but for what is missing.
struct almost {
  evenly::cpu inner;
  static constexpr bool serial_blocks = true;
#if WRONG != 1
  static constexpr bool on_host = true;
#endif
#if WRONG != 2
  std::pmr::memory_resource* resource() const { return inner.resource(); }
#endif
  int threads() const { return inner.threads(); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    inner.copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    inner.copy_from_host(to, from, bytes);
  }
#if WRONG != 3
  void fill_zero(void* to, std::size_t bytes) const { inner.fill_zero(to, bytes); }
#endif
  auto record() const { return inner.record(); }
  void wait(const evenly::host_event& event) const { inner.wait(event); }
};

#if WRONG != 4
template <class Kernel>
void launch(const almost& exec, const evenly::launch_shape& shape, const Kernel& kernel) {
  launch(exec.inner, shape, kernel);
}
#endif
template <class Kernel> int resident_blocks(const almost& exec, const Kernel& kernel, int block_size) {
  return resident_blocks(exec.inner, kernel, block_size);
}

int main() {
  const almost exec;
  const auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::uniform_tiles(3, 2));
  return static_cast<int>(plan.atoms()) - 6;
}
