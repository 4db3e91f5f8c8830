// SPDX-License-Identifier: Apache-2.0
// The laws of share_accumulate: y[P[r * T + t]] gets every increment once; sums of floating-point numbers have the same
// bits in every run and under every plan of the same arguments; other elements keep their values.
#pragma once

#include <gtest/gtest.h>

#include "layouts/layout_laws.hpp"

namespace evenly::laws {

using namespace layouts;

/// x[t] times a factor of r.
template <class T> struct scaled_value {
  const T* x;
  template <class Block> EVENLY_FN T operator()(Block&, std::int64_t t, std::int64_t r) const {
    return x[t] * static_cast<T>(r % 3 + 1);
  }
};

template <class T, class Executor>
std::vector<T> accumulated(const Executor& exec, const named_references& of, const std::vector<T>& x,
                           int block, std::size_t storage) {
  access_shape shape = of.shape;
  shape.block = block;
  shape.element_bytes = sizeof(T);
  const auto p = to_executor(exec, of.p);
  const auto values = to_executor(exec, x);
  const auto y = to_executor(exec, std::vector<T>(static_cast<std::size_t>(shape.elements), T{5}));
  const index_list<int> list(p);
  const auto plan = make_access_plan(exec, list, shape, access_objective{}, share_accumulate{storage});
  const auto updates = make_buffer<T>(exec, static_cast<std::size_t>(plan.arrays().updates));
  workspace memory;
  accumulate(exec, plan, list, scaled_value<T>{values.data()}, plus<T>{}, y.data(), updates.data(), memory);
  return to_host(exec, y);
}

template <class Executor>
void expect_sums(const Executor& exec, int block,
                 const std::vector<named_references>& references = adversarial_references()) {
  for (const named_references& of : references)
    for (const std::size_t storage : {std::size_t{65536}, std::size_t{8} * 2 * block}) {
      std::vector<std::int64_t> x, want(static_cast<std::size_t>(of.shape.elements), 5);
      for (std::int64_t t = 0; t < of.shape.threads; ++t) x.push_back(at_random(t, 1000));
      for (std::size_t i = 0; i < of.p.size(); ++i) {
        const auto threads = static_cast<std::size_t>(of.shape.threads);
        want[static_cast<std::size_t>(of.p[i])] +=
            x[i % threads] * static_cast<std::int64_t>(i / threads % 3 + 1);
      }
      EXPECT_EQ(accumulated(exec, of, x, block, storage), want) << of.name << ", blocks of " << block;
    }
}

/// On executors that are to have the same bits.
template <class One, class Other> void expect_same_bits(const One& one, const Other& other, int block) {
  for (const named_references& of : adversarial_references()) {
    std::vector<float> x;
    for (std::int64_t t = 0; t < of.shape.threads; ++t)
      x.push_back(1.0f / static_cast<float>(at_random(t, 1000) + 1));
    const std::vector<float> first = accumulated(one, of, x, block, 65536),
                             second = accumulated(other, of, x, block, 65536);
    EXPECT_TRUE(first.empty() || std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) == 0)
        << of.name;
  }
}

} // namespace evenly::laws
