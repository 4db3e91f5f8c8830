// SPDX-License-Identifier: Apache-2.0
// Bodies that wait for their children.
//
// WRONG=1 says: a joining body needs a member type result, the value that a task returns to its parent
// WRONG=2 says: a result must be trivially copyable and default-constructible, aligned to at most 16
// WRONG=3 says: the form of a joining body must be each_thread or in_step, with one task per thread
// WRONG=4 says: a joining body needs max_children, the maximum number of tasks that one call pushes, below 32,768
// WRONG=5 says: a call must not push more than the body's max_children

#include <string>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/tasks/fork_join.hpp"
#include "evenly/tasks/static_list.hpp"

#if !defined(WRONG)
#define WRONG 0
#endif

struct body {
#if WRONG != 4
  static constexpr int max_children = 1;
#endif
#if WRONG == 2
  using result = std::string;
#elif WRONG != 1
  using result = int;
#endif
#if WRONG == 3
  using form = evenly::tasks::each_warp;
#endif
  template <class Team, class Sink> void operator()(Team&, int task, Sink& sink) const {
#if WRONG == 5
    sink.fork_join(task, task - 1, task - 2);
#else
    sink.fork_join(task, task - 1);
#endif
  }
  template <class Team, class Results, class Sink> void resume(Team&, int, const Results&, Sink&) const {}
};

void call() {
  std::vector<int> found(1);
  evenly::run_fork_join(evenly::cpu(), evenly::static_list{}, std::vector<int>(1), body{}, found);
}
