// SPDX-License-Identifier: Apache-2.0
// A GPU runs kernels that simt counts unchanged: traced() gives the plain pointer, a counted monoid is the monoid.

#include <numeric>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/trace/counted.hpp"
#include "trace/accesses.hpp"

namespace evenly {
namespace {

static_assert(std::is_same_v<decltype(traced(std::declval<cuda_block<0>&>(), std::declval<const float*>())),
                             const float*>);

TEST(ReducedTraced, KernelsOfTheTableAreRight) {
  const cuda exec;
  accesses::each(
      exec, [&](const std::string& name, const launch_shape& shape, const auto& kernel, const trace_counts&) {
        EXPECT_TRUE(accesses::runs_right(exec, shape, kernel)) << name;
      });
}

struct add_counted {
  const int* from;
  int* to;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const counted op{plus<int>{}};
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    const long long i = block.rank();
    out[i] = op(in[i], in[block.size() - 1 - i]);
    out[i] += op.identity() + 1;
  }
};

TEST(ReducedTraced, CountedOperationsAreTheOperations) {
  const cuda exec;
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto in = to_executor(exec, numbers);
  const auto out = make_buffer<int>(exec, 100);
  launch(exec, {1, 100}, add_counted{in.data(), out.data()});
  EXPECT_EQ(to_host(exec, out), std::vector<int>(100, 100));
}

} // namespace
} // namespace evenly
