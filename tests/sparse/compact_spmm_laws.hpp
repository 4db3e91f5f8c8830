// SPDX-License-Identifier: Apache-2.0
// The laws of C = alpha A B + beta C where numbers have 16 bits or A no values, on every executor: of whole numbers,
// whose sums are exact in float, an element of C is that sum, rounded once; nothing else is touched.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/compact_spmm.hpp"
#include "sparse/spmm_laws.hpp"

namespace evenly::products {

template <class T> std::vector<T> stored_as(const std::vector<float>& numbers) {
  std::vector<T> made;
  for (const float each : numbers) made.push_back(static_cast<T>(each));
  return made;
}
template <class T> std::uint32_t stored_bits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else
    return value.bits;
}

/// B as ValueB, C as ValueC. `before`: what C holds.
template <class ValueB, class ValueC, class Executor, class Schedule, class View>
bool expect_stored_product(const Executor& exec, const Schedule& schedule, const View& view,
                           const csr_matrix<float>& a, const dense_matrix<float>& b,
                           const dense_matrix<float>& before, float alpha, float beta,
                           const std::string& where) {
  const auto in = to_executor(exec, stored_as<ValueB>(b.memory));
  const auto old = stored_as<ValueC>(before.memory);
  auto out = to_executor(exec, old);
  spmm(exec, schedule, view, b.at(static_cast<const ValueB*>(in.data())), before.at(out.data()), alpha, beta);
  std::vector<ValueC> right = old;
  auto places = before;
  for (int r = 0; r < a.rows; ++r)
    for (int j = 0; j < b.cols; ++j) {
      float sum = 0;
      for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k] * b(a.columns[k], j);
      const auto at = static_cast<std::size_t>(&places(r, j) - places.memory.data());
      right[at] = static_cast<ValueC>(alpha * sum + (beta == 0 ? 0 : beta * static_cast<float>(old[at])));
    }
  const auto found = to_host(exec, out);
  for (std::size_t i = 0; i < right.size(); ++i)
    if (stored_bits(found[i]) != stored_bits(right[i])) {
      ADD_FAILURE() << "C.memory[" << i << "] = " << static_cast<float>(found[i]) << ", not "
                    << static_cast<float>(right[i]) << "; " << where;
      return false;
    }
  return true;
}

template <class ValueB, class ValueC, class Executor, class Schedule, class View>
void expect_stored_in_all_layouts(const Executor& exec, const Schedule& schedule, const View& view,
                                  const csr_matrix<float>& a, const std::vector<int>& widths,
                                  const std::string& where) {
  unsigned seed = 1;
  for (const int width : widths)
    for (const dense_layout of_b : layouts)
      for (const dense_layout of_c : layouts) {
        ++seed;
        const int gap = static_cast<int>(seed / 2 % 3) * (seed % 4 == 1 ? 1 : 4);
        const auto b = random_dense<float>(a.cols, width, of_b, gap, numbers::whole, seed);
        const dense_matrix<float> none(a.rows, width, of_c, gap, std::numeric_limits<float>::quiet_NaN());
        const auto some = random_dense<float>(a.rows, width, of_c, gap, numbers::whole, seed + 100);
        const std::string here = name_of(of_b, of_c, width, gap) + "; " + where;
        if (!expect_stored_product<ValueB, ValueC>(exec, schedule, view, a, b, none, 1, 0, here)) return;
        if (!expect_stored_product<ValueB, ValueC>(exec, schedule, view, a, b, some, 2, -3, here)) return;
      }
}

/// Values of 16 bits and none, B and C of 16 bits and of floats.
template <class Executor, class Schedule>
void expect_stored_products(const Executor& exec, const Schedule& schedule, const std::vector<int>& widths,
                            const std::string& name) {
  for_each_form<float>(numbers::whole, [&](const std::string& form, const csr_matrix<float>& a) {
    const std::string where = name + ", " + form;
    const auto on_exec = to_executor(exec, a);
    const auto halves = to_narrow<half>(exec, on_exec.view());
    const auto brains = to_narrow<bfloat16>(exec, on_exec.view());
    const auto of_halves = with_values(on_exec.view(), halves.data());
    const auto of_brains = with_values(on_exec.view(), brains.data());
    csr_matrix<float> ones = a;
    ones.values.assign(a.values.size(), 1);
    expect_stored_in_all_layouts<half, half>(exec, schedule, of_halves, a, widths,
                                             "half, half, half, " + where);
    expect_stored_in_all_layouts<half, float>(exec, schedule, of_halves, a, widths,
                                              "half, half, float, " + where);
    expect_stored_in_all_layouts<float, bfloat16>(exec, schedule, of_brains, a, widths,
                                                  "bfloat16, float, bfloat16, " + where);
    expect_stored_in_all_layouts<float, float>(exec, schedule, pattern_of<float>(on_exec.view()), ones,
                                               widths, "pattern, float, float, " + where);
  });
}

} // namespace evenly::products
