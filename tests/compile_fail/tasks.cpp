// SPDX-License-Identifier: Apache-2.0
// Tasks and bodies.
//
// WRONG=1 says: a task must be trivially copyable
// WRONG=2 says: a body needs max_children, the maximum number of tasks that one call pushes, as in
// WRONG=3 says: a task must have at most 2,048 bytes, aligned to at most 16: store a pointer to larger data
// WRONG=4 says: a body must be trivially copyable, because it is copied to the device

#include <string>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/static_list.hpp"

#if !defined(WRONG)
#define WRONG 0
#endif
#if WRONG == 1
using task = std::string;
#elif WRONG == 3
struct task {
  char bytes[2049];
};
#else
using task = int;
#endif

struct body {
#if WRONG != 2
  static constexpr int max_children = 1;
#endif
#if WRONG == 4
  std::vector<int> owned;
#endif
  template <class Team, class Sink> void operator()(Team&, const task&, Sink&) const {}
};

void call() { evenly::run_tasks(evenly::cpu(), evenly::static_list{}, std::vector<task>(1), body{}); }
