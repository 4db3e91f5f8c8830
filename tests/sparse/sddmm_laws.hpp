// SPDX-License-Identifier: Apache-2.0
// The laws of alpha X Y^T + beta M on every executor: of whole numbers, whose sums are exact, a value is that sum,
// rounded once; only the values of entries are written, and with the same bits again.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "sparse/products.hpp"
#include "sparse/spmm_laws.hpp"

namespace evenly::products {

template <class T, class From> std::vector<T> elements_as(const std::vector<From>& numbers) {
  std::vector<T> made;
  for (const From each : numbers) made.push_back(static_cast<T>(each));
  return made;
}

/// One product of the entries of `m` behind the first `skipped`, which belong to no row.
template <class Stored, class Value, class Offset, class Executor>
bool expect_sampled(const Executor& exec, const csr_matrix<float>& m, const dense_matrix<float>& x,
                    const dense_matrix<float>& y, detail::sum_number<Stored> alpha,
                    detail::sum_number<Stored> beta, int skipped, const std::string& where) {
  auto shifted = elements_as<Offset>(m.offsets);
  for (Offset& each : shifted) each += static_cast<Offset>(skipped);
  auto columns = m.columns;
  columns.insert(columns.begin(), static_cast<std::size_t>(skipped), 1 << 30);
  auto old = elements_as<Value>(m.values);
  old.insert(old.begin(), static_cast<std::size_t>(skipped), Value(7.0f));
  const auto offsets = to_executor(exec, shifted);
  const auto columns_on = to_executor(exec, columns);
  const auto values = to_executor(exec, old);
  const auto in_x = to_executor(exec, elements_as<Stored>(x.memory));
  const auto in_y = to_executor(exec, elements_as<Stored>(y.memory));
  auto out = to_executor(exec, std::vector<Value>(m.values.size() + 2, Value(5.0f)));
  const csr_view<Value, Offset> view{m.rows, m.cols, offsets.data(), columns_on.data(),
                                     beta == 0 ? nullptr : values.data()};
  const std::span<Value> to(out.data() + 1, m.values.size());
  sddmm(exec, view, x.at(static_cast<const Stored*>(in_x.data())),
        y.at(static_cast<const Stored*>(in_y.data())), to, alpha, beta);
  std::vector<Value> right{Value(5.0f)};
  for (int r = 0; r < m.rows; ++r)
    for (int k = m.offsets[static_cast<std::size_t>(r)]; k < m.offsets[static_cast<std::size_t>(r) + 1];
         ++k) {
      const auto at = static_cast<std::size_t>(k);
      double sum = 0;
      for (int j = 0; j < x.cols; ++j)
        sum += static_cast<double>(x(r, j)) * static_cast<double>(y(m.columns[at], j));
      const double before = beta == 0 ? 0 : static_cast<double>(m.values[at]);
      right.push_back(static_cast<Value>(static_cast<detail::sum_number<Stored>>(
          static_cast<double>(alpha) * sum + static_cast<double>(beta) * before)));
    }
  right.push_back(Value(5.0f));
  const auto found = to_host(exec, out);
  for (std::size_t i = 0; i < right.size(); ++i)
    if (bits_of(found[i]) != bits_of(right[i])) {
      ADD_FAILURE() << "entry " << i << " - 1 is " << static_cast<double>(found[i]) << ", not "
                    << static_cast<double>(right[i]) << "; " << where;
      return false;
    }
  return true;
}

/// Rows of all sizes: few entries, none, very many; most rows empty and together; no row or no entry.
inline std::vector<csr_matrix<float>> sampled_forms() {
  std::vector<int> mixed = power_law_sizes();
  std::vector<int> hollow(700, 0); // whole warps of them are jumped
  for (const std::size_t r : {3u, 4u, 40u, 350u, 351u, 352u, 698u}) hollow[r] = static_cast<int>(r % 5 + 1);
  std::vector<csr_matrix<float>> forms;
  forms.push_back(with_sizes<float>(mixed, 90, numbers::whole, 1));
  forms.push_back(with_sizes<float>(hollow, 90, numbers::whole, 2));
  forms.push_back(with_sizes<float>({700}, 5, numbers::whole, 3));
  forms.push_back(with_sizes<float>(std::vector<int>(300, 1), 7, numbers::whole, 4));
  forms.push_back(with_sizes<float>({0, 0, 0}, 4, numbers::whole, 5));
  forms.push_back(with_sizes<float>({}, 4, numbers::whole, 6));
  forms.push_back(with_sizes<float>({0, 0}, 0, numbers::whole, 7));
  return forms;
}

template <class Stored, class Value, class Offset = int, class Executor>
void expect_sampled_products(const Executor& exec, const std::vector<int>& widths, const std::string& name) {
  unsigned seed = 1;
  for (const auto& m : sampled_forms())
    for (const int width : widths)
      for (const int gap : {0, 8, 3}) {
        ++seed;
        const auto of_x = seed % 5 == 0 ? dense_layout::columns : dense_layout::rows;
        const auto of_y = seed % 7 == 0 ? dense_layout::columns : dense_layout::rows;
        const auto x = random_dense<float>(m.rows, width, of_x, gap, numbers::whole, seed);
        const auto y = random_dense<float>(m.cols, width, of_y, gap, numbers::whole, seed + 50);
        const std::string here = name + ", " + std::to_string(m.rows) + " rows, width " +
                                 std::to_string(width) + ", gap " + std::to_string(gap);
        const int skipped = static_cast<int>(seed % 3);
        if (!expect_sampled<Stored, Value, Offset>(exec, m, x, y, 1, 0, skipped, here)) return;
        if (!expect_sampled<Stored, Value, Offset>(exec, m, x, y, 2, -3, skipped, here)) return;
      }
}

/// A sum with NaN is NaN, one of infinities of one sign is infinite; an entry of other rows has neither.
template <class Executor> void expect_sampled_not_numbers(const Executor& exec) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const int width : {5, 32}) {
    dense_matrix<float> x(3, width, dense_layout::rows, 0, 1), y(3, width, dense_layout::rows, 0, 1);
    x(0, width - 1) = nan;
    x(1, 2) = inf;
    y(2, 2) = -1;
    const auto m = to_executor(exec, full<float>(3, 3, 1));
    const auto in_x = to_executor(exec, x.memory), in_y = to_executor(exec, y.memory);
    const auto out = to_executor(exec, std::vector<float>(9));
    auto plan = make_plan(exec, schedule_for_sums{}, rows_of(m.view()));
    sddmm(exec, plan, m.view(), x.at(in_x.data()), y.at(static_cast<const float*>(in_y.data())),
          {out.data(), 9});
    const auto found = to_host(exec, out);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(std::isnan(found[j]));
      EXPECT_EQ(found[3 + j], j == 2 ? -inf : inf);
      EXPECT_EQ(found[6 + j], static_cast<float>(width - (j == 2 ? 2 : 0)));
    }
  }
}

/// A law of adjoint maps: the sum of N's values times (X Y^T at N's entries) is the sum of X times N Y.
template <class Executor> void expect_adjoint_of_spmm(const Executor& exec, int width) {
  const auto m = with_sizes<double>(power_law_sizes(), 64, numbers::whole, 8);
  const auto x = random_dense<double>(m.rows, width, dense_layout::rows, 0, numbers::whole, 9);
  const auto y = random_dense<double>(m.cols, width, dense_layout::rows, 0, numbers::whole, 10);
  const auto on = to_executor(exec, m);
  const auto in_x = to_executor(exec, x.memory), in_y = to_executor(exec, y.memory);
  const auto sampled = to_executor(exec, std::vector<double>(m.values.size()));
  const auto product = to_executor(exec, std::vector<double>(x.memory.size()));
  const dense_view<const double> of_x = x.at(static_cast<const double*>(in_x.data()));
  const dense_view<const double> of_y = y.at(static_cast<const double*>(in_y.data()));
  sddmm(exec, on.view(), of_x, of_y, {sampled.data(), sampled.size()});
  spmm(exec, schedule_for_sums{}, on.view(), of_y, dense_rows(m.rows, width, product.data()));
  const auto entries = to_host(exec, sampled), elements = to_host(exec, product);
  double of_entries = 0, of_elements = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) of_entries += m.values[k] * entries[k];
  for (std::size_t i = 0; i < elements.size(); ++i) of_elements += x.memory[i] * elements[i];
  EXPECT_EQ(of_entries, of_elements);
  EXPECT_NE(of_entries, 0);
}

/// Of real numbers, whose sums are rounded.
template <class Executor> std::vector<float> sampled_reals(const Executor& exec, int width, int times = 1) {
  const auto m = to_executor(exec, with_sizes<float>(power_law_sizes(), 50, numbers::real, 3));
  const auto x = random_dense<float>(m.rows, width, dense_layout::rows, 0, numbers::real, 4);
  const auto y = random_dense<float>(m.cols, width, dense_layout::rows, 0, numbers::real, 5);
  const auto in_x = to_executor(exec, x.memory), in_y = to_executor(exec, y.memory);
  for (int i = 0; i < times; ++i) // in place
    sddmm(exec, m.view(), x.at(in_x.data()), y.at(static_cast<const float*>(in_y.data())),
          {m.values.data(), m.values.size()}, 1, 0.5f);
  return to_host(exec, m.values);
}

} // namespace evenly::products
