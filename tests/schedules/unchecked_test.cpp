// SPDX-License-Identifier: Apache-2.0
// A unit that is not checked, in a program that is (execution/memory.hpp): called by checked_and_unchecked_test.cpp.
#undef EVENLY_CHECKED
#define EVENLY_CHECKED 0
#include "schedules/unchecked.hpp"

#include "evenly/algorithms/for_each_atom.hpp"

namespace evenly {

void visit_unchecked(const cpu& exec, shared_plan& plan, count_visits visit) {
  for_each_atom(exec, plan, visit);
}

int sum_unchecked(const cpu& exec, const int* from, int count, workspace& memory) {
  int sum = 0;
  reduce(exec, from, count, plus<int>{}, &sum, memory);
  return sum;
}

} // namespace evenly
