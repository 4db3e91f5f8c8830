// SPDX-License-Identifier: Apache-2.0
// What values are combined by, and which values can be.
//
// WRONG=1 says: the operation must be a monoid, such as evenly::plus<float>{}: from std::plus, a lambda or another
// WRONG=2 says: evenly::monoid_of(function, identity) makes one
// WRONG=3 says: evenly::monoid_of(function, identity) makes one
// WRONG=4 says: evenly::monoid_of(function, identity) makes one
// WRONG=5 says: the monoid's value_type would truncate values, as int does for float or std::int64_t: use plus<float>
// WRONG=6 says: the monoid's value_type would truncate values, as int does for float or std::int64_t: use plus<float>
// WRONG=7 says: the monoid's value_type would truncate values, as int does for float or std::int64_t: use plus<float>
// WRONG=8 says: values must be trivially copyable: replace std::pair, std::string and similar types by your own
// WRONG=9 says: values must be aligned to at most 16 bytes, as shared memory is
// WRONG=10 says: the identity of monoid_of sets the type of the values: use 0.0f for float and std::int64_t{0} for
// WRONG=11 says: the function of monoid_of must be trivially copyable, because it is copied to the device
// WRONG=12 says: the function of monoid_of(function, identity) must accept two values of the identity's type and
// WRONG=13 says: the identity of monoid_of sets the type of the values: use 0.0f for float and std::int64_t{0} for

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"

int main() {
  const evenly::cpu exec;
  const std::vector<float> x{1, 2, 3};
  const std::vector<std::int64_t> wide{1, 2, 3};
  std::vector<float> y(3);
  float sum = evenly::reduce(exec, x.data(), 3, evenly::monoid_of(std::plus<>{}, 0.0f));
  sum += evenly::reduce(exec, wide.data(), 3, evenly::plus<float>{}); // rounds
  evenly::inclusive_scan(exec, x.data(), 3, evenly::monoid_of([](float a, float b) { return a + b; }, 0.0f),
                         y.data());
#if WRONG == 1
  evenly::reduce(exec, x.data(), 3, std::plus<float>{});
#elif WRONG == 2
  sum += evenly::reduce(exec, std::span<const float>(x), std::plus<>{});
#elif WRONG == 3
  evenly::inclusive_scan(exec, x.data(), 3, [](float a, float b) { return a + b; }, y.data());
#elif WRONG == 4
  evenly::exclusive_scan(exec, x.data(), 3, std::plus<>{}, y.data());
#elif WRONG == 5
  evenly::reduce(exec, x.data(), 3, evenly::plus<int>{});
#elif WRONG == 6
  std::vector<int> ints(3);
  evenly::inclusive_scan(exec, x.data(), 3, evenly::plus<int>{}, ints.data());
#elif WRONG == 7
  evenly::reduce(exec, wide.data(), 3, evenly::plus<int>{});
#elif WRONG == 8
  const std::vector<std::pair<int, float>> pairs(3);
  evenly::reduce(exec, pairs.data(), 3, evenly::monoid_of([](auto a, auto) { return a; }, pairs[0]));
#elif WRONG == 9
  struct alignas(32) four_doubles {
    double of[4];
  };
  const std::vector<four_doubles> many(3);
  evenly::reduce(exec, many.data(), 3, evenly::monoid_of([](auto a, auto) { return a; }, many[0]));
#elif WRONG == 10
  evenly::monoid_of([](float a, float b) { return a + b; }, 0);
#elif WRONG == 11
  evenly::monoid_of([name = std::string("sum")](float a, float b) { return a + b; }, 0.0f);
#elif WRONG == 12
  evenly::monoid_of([](float a) { return a; }, 0.0f);
#elif WRONG == 13
  evenly::reduce(exec, wide.data(), 3,
                 evenly::monoid_of([](int a, int b) { return std::int64_t{a} + b; }, 0));
#endif
  return sum == 12 ? 0 : 1;
}
