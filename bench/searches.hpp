// SPDX-License-Identifier: Apache-2.0
// The searches that bench_tasks and bench_tasks_cpu know by name.
#pragma once

#include <string>
#include <string_view>

#include "evenly/core/errors.hpp"

namespace evenly::bench {

struct search {
  const char* name;
  const char* workload; ///< as `evenly tasks` takes it
};
inline constexpr search searches[] = {{"fib:n=25", "fib:n=25"},
                                      {"fib:n=35", "fib:n=35"},
                                      {"fib:n=40", "fib:n=40"},
                                      {"fib:n=35,join=1", "fib:n=35,join=1"},
                                      {"nqueens:n=12", "nqueens:n=12"},
                                      {"nqueens:n=14", "nqueens:n=14"},
                                      {"uts:T1", "uts:t=geo,a=fixed,d=10,b=4,r=19"},
                                      {"uts:T1L", "uts:t=geo,a=fixed,d=13,b=4,r=29"}};

inline search find_search(std::string_view name) {
  for (const search& each : searches)
    if (name == each.name) return each;
  throw invalid_argument("there is no search " + std::string(name));
}

} // namespace evenly::bench
