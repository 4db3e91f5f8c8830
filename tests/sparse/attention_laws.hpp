// SPDX-License-Identifier: Apache-2.0
// The laws of graph attention on every executor: output, logarithms of sums and gradients are those of a slow reference
// in double, nothing else is written, and the bits repeat. The reference itself is compared with differences.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/attention.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

/// The operands of a layer in double, without gaps; the gradients of sum(out * seed) have the same form.
struct attention_layer {
  int heads = 1, width = 0, of_scores = 0; ///< of_scores: numbers of a head
  double factor = 1;
  std::vector<double> rows, columns, v, seed;
};
struct attention_result {
  std::vector<double> out, log_sums, rows, columns, v;
};

inline double score_of(const attention_layer& of, bool dots, int i, int j, int h, double* slope) {
  double sum = 0;
  const auto at = [&](int line, int c) {
    return (static_cast<std::size_t>(line) * of.heads + h) * of.of_scores + c;
  };
  for (int c = 0; c < of.of_scores; ++c)
    sum += dots ? of.rows[at(i, c)] * of.columns[at(j, c)] : of.rows[at(i, c)] + of.columns[at(j, c)];
  *slope = dots || sum <= 0 ? of.factor : 1;
  return *slope * sum;
}

/// Slow and simple.
inline attention_result reference_attention(const csr_matrix<float>& m, const attention_layer& of,
                                            bool dots) {
  attention_result to{std::vector<double>(of.seed.size()),
                      {},
                      std::vector<double>(of.rows.size()),
                      std::vector<double>(of.columns.size()),
                      std::vector<double>(of.v.size())};
  for (int i = 0; i < m.rows; ++i)
    for (int h = 0; h < of.heads; ++h) {
      const int begin = m.offsets[i], end = m.offsets[i + 1];
      std::vector<double> share, slope, gradient;
      double max = -std::numeric_limits<double>::infinity(), total = 0, delta = 0;
      for (int k = begin; k < end; ++k) {
        slope.push_back(0);
        share.push_back(score_of(of, dots, i, m.columns[k], h, &slope.back()));
        max = std::fmax(max, share.back());
      }
      for (double& each : share) total += each = std::exp(each - max);
      to.log_sums.push_back(begin == end ? max : max + std::log(total));
      const auto feature = [&](int line, int c) {
        return (static_cast<std::size_t>(line) * of.heads + h) * of.width + c;
      };
      for (int k = begin; k < end; ++k) {
        double product = 0;
        share[k - begin] /= total;
        for (int c = 0; c < of.width; ++c) {
          to.out[feature(i, c)] += share[k - begin] * of.v[feature(m.columns[k], c)];
          to.v[feature(m.columns[k], c)] += share[k - begin] * of.seed[feature(i, c)];
          product += of.seed[feature(i, c)] * of.v[feature(m.columns[k], c)];
        }
        gradient.push_back(product);
        delta += share[k - begin] * product;
      }
      for (int k = begin; k < end; ++k)
        for (int c = 0; c < of.of_scores; ++c) {
          const auto at = [&](int line) {
            return (static_cast<std::size_t>(line) * of.heads + h) * of.of_scores + c;
          };
          const double d = slope[k - begin] * share[k - begin] * (gradient[k - begin] - delta);
          to.rows[at(i)] += dots ? d * of.columns[at(m.columns[k])] : d;
          to.columns[at(m.columns[k])] += dots ? d * of.rows[at(i)] : d;
        }
    }
  return to;
}

/// Random numbers that T has exactly; the number at c has the position c in a chain that repeats after 23.
template <class T> std::vector<double> features_of(std::size_t count, unsigned seed) {
  std::vector<double> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<double>((i * 2654435761u + seed * 40503u) % 65536 % 33) / 16 - 1;
  return made;
}
template <class T>
attention_layer layer_of(const csr_matrix<float>& m, int heads, int width, bool dots, unsigned seed) {
  const int of_scores = dots ? width : 1;
  const auto size = [&](int lines, int each) { return static_cast<std::size_t>(lines) * heads * each; };
  return {heads,
          width,
          of_scores,
          dots ? 0.25 : 0.125,
          features_of<T>(size(m.rows, of_scores), seed),
          features_of<T>(size(m.cols, of_scores), seed + 1),
          features_of<T>(size(m.cols, width), seed + 2),
          features_of<T>(size(m.rows, width), seed + 3)};
}

/// Rows of an array on an executor, `gap` elements apart; the gaps are not to be stored to.
template <class T> struct spaced_rows {
  int rows, cols, gap;
  buffer<T> on;

  template <class Executor>
  spaced_rows(const Executor& exec, const std::vector<double>& from, int of_rows, int of_cols, int of_gap)
      : rows(of_rows), cols(of_cols), gap(of_gap) {
    std::vector<T> all(static_cast<std::size_t>(rows) * (cols + gap), static_cast<T>(77.0f));
    for (int r = 0; r < rows && !from.empty(); ++r)
      for (int c = 0; c < cols; ++c)
        all[static_cast<std::size_t>(r) * (cols + gap) + c] =
            static_cast<T>(static_cast<detail::sum_number<T>>(from[static_cast<std::size_t>(r) * cols + c]));
    on = to_executor(exec, all);
  }
  dense_view<T> view() const { return {rows, cols, on.data(), cols + gap}; }
  dense_view<const T> read() const { return view(); }

  template <class Executor>
  bool expect(const Executor& exec, const std::vector<double>& right, double tolerance,
              const std::string& what) const {
    const auto found = to_host(exec, on);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols + gap; ++c) {
        const double is = static_cast<double>(found[static_cast<std::size_t>(r) * (cols + gap) + c]);
        const double should = c < cols ? right[static_cast<std::size_t>(r) * cols + c] : 77;
        const bool same = is == should || std::abs(is - should) <= tolerance * (1 + std::abs(should));
        if (same) continue;
        ADD_FAILURE() << what << "[" << r << "][" << c << "] is " << is << ", not " << should;
        return false;
      }
    return true;
  }
};

template <class T> double tolerance_of() { return sizeof(T) == 8 ? 1e-11 : sizeof(T) == 4 ? 2e-4 : 4e-2; }

template <template <class> class Scores, class T, class Offset = int, class Executor>
bool expect_attention(const Executor& exec, const csr_matrix<float>& m, int heads, int width, int gap,
                      bool backward, const std::string& where) {
  constexpr bool dots = detail::are_dots<Scores<T>>;
  const attention_layer layer = layer_of<T>(m, heads, width, dots, static_cast<unsigned>(width + heads));
  const attention_result right = reference_attention(m, layer, dots);
  std::vector<Offset> shifted; // entries before the first one belong to no row
  for (const int each : m.offsets) shifted.push_back(static_cast<Offset>(each + 2));
  std::vector<int> columns{1 << 30, 1 << 30};
  columns.insert(columns.end(), m.columns.begin(), m.columns.end());
  const auto offsets_on = to_executor(exec, shifted);
  const auto columns_on = to_executor(exec, columns);
  const int of_scores = heads * layer.of_scores, features = heads * width;
  const spaced_rows<T> a(exec, layer.rows, m.rows, of_scores, gap),
      b(exec, layer.columns, m.cols, of_scores, gap);
  const spaced_rows<T> v(exec, layer.v, m.cols, features, gap), seed(exec, layer.seed, m.rows, features, gap);
  const spaced_rows<T> out(exec, {}, m.rows, features, gap);
  using number = detail::sum_number<T>;
  const spaced_rows<number> log_sums(exec, {}, m.rows, heads, 0);
  auto plan = plan_attention(
      exec, csr_view<float, Offset>{m.rows, m.cols, offsets_on.data(), columns_on.data(), nullptr});
  const Scores<const T> scores{a.read(), b.read(), static_cast<number>(layer.factor)};
  plan.forward(scores, v.read(), heads, out.view(), log_sums.on.data());
  const double tolerance = tolerance_of<T>();
  if (!out.expect(exec, right.out, tolerance, "out; " + where + ", out") ||
      !log_sums.expect(exec, right.log_sums, tolerance, where + ", log_sums"))
    return false;
  if (!backward) return true;
  const spaced_rows<T> of_a(exec, {}, m.rows, of_scores, gap), of_b(exec, {}, m.cols, of_scores, gap);
  const spaced_rows<T> of_v(exec, {}, m.cols, features, gap);
  plan.backward(scores, v.read(), heads, out.read(), log_sums.on.data(), seed.read(),
                Scores<T>{of_a.view(), of_b.view()}, of_v.view());
  // Sums of many entries: their errors grow with the number.
  const double sums = 4 * tolerance;
  return of_a.expect(exec, right.rows, sums, where + ", gradient of rows") &&
         of_b.expect(exec, right.columns, sums, where + ", gradient of columns") &&
         of_v.expect(exec, right.v, sums, where + ", gradient of V");
}

/// Rows of all sizes; most rows empty and together; one row of nearly all entries; no row or no entry.
inline std::vector<csr_matrix<float>> attended_forms() {
  std::vector<int> hollow(700, 0);
  for (const std::size_t r : {3u, 4u, 40u, 350u, 351u, 352u, 698u}) hollow[r] = static_cast<int>(r % 5 + 1);
  std::vector<csr_matrix<float>> forms;
  forms.push_back(with_sizes<float>(power_law_sizes(), 90, numbers::whole, 1));
  forms.push_back(with_sizes<float>(hollow, 90, numbers::whole, 2));
  forms.push_back(with_sizes<float>({2, 2500, 0, 1}, 40, numbers::whole, 3));
  forms.push_back(with_sizes<float>(std::vector<int>(300, 1), 7, numbers::whole, 4));
  forms.push_back(with_sizes<float>({0, 0, 0}, 4, numbers::whole, 5));
  forms.push_back(with_sizes<float>({}, 4, numbers::whole, 6));
  forms.push_back(with_sizes<float>({0, 0}, 0, numbers::whole, 7));
  return forms;
}

struct attended_size {
  int heads, width;
};
template <template <class> class Scores, class T, class Offset = int, class Executor>
void expect_attentions(const Executor& exec, const std::vector<attended_size>& sizes, bool backward,
                       const std::string& name) {
  int form = 0;
  for (const auto& m : attended_forms()) {
    ++form;
    for (const auto& [heads, width] : sizes)
      if (!expect_attention<Scores, T, Offset>(
              exec, m, heads, width, (form + heads) % 3 == 0 ? 8 : 0, backward,
              name + ", form " + std::to_string(form) + ", " + std::to_string(heads) + " heads of " +
                  std::to_string(width)))
        return;
  }
}

/// What is not a number stays in its row and head; -infinity has no share beside others.
template <class Executor> void expect_attention_of_not_numbers(const Executor& exec) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto m =
      with_sizes<float>({3, 3, 3, 3, 0}, 1, numbers::whole, 1); // all entries in column 0, but below
  const std::vector<int> columns{0, 1, 2, 1, 2, 3, 3, 3, 3, 1, 2, 3};
  const auto offsets_on = to_executor(exec, m.offsets);
  const auto columns_on = to_executor(exec, columns);
  // Column 0 has +infinity, column 3 -infinity; row 2 has only -infinity; row 3 NaN.
  const auto a = to_executor(exec, std::vector<float>{0, 0, 0, nan, 0});
  const auto b = to_executor(exec, std::vector<float>{inf, 1, 1, -inf});
  const auto v = to_executor(exec, std::vector<float>{1, 2, 4, 8});
  const auto out = to_executor(exec, std::vector<float>(5, 77)),
             log_sums = to_executor(exec, std::vector<float>(5));
  auto plan = plan_attention(exec, csr_view<float>{5, 4, offsets_on.data(), columns_on.data(), nullptr});
  plan.forward(additive_scores<const float>{dense_rows<const float>(5, 1, a.data()),
                                            dense_rows<const float>(4, 1, b.data())},
               dense_rows<const float>(4, 1, v.data()), 1, dense_rows(5, 1, out.data()), log_sums.data());
  const auto found = to_host(exec, out), logs = to_host(exec, log_sums);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], 3);
  EXPECT_FLOAT_EQ(logs[1], 1 + std::log(2.0f));
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_EQ(logs[2], -inf);
  EXPECT_TRUE(std::isnan(found[3]));
  EXPECT_EQ(found[4], 0);
  EXPECT_EQ(logs[4], -inf);
}

/// The output and the gradients of one layer, whose sums are rounded.
template <class Executor> std::vector<float> attention_bits(const Executor& exec) {
  const auto m = with_sizes<float>(power_law_sizes(), 50, numbers::whole, 3);
  const attention_layer layer = layer_of<float>(m, 2, 12, true, 9);
  const spaced_rows<float> a(exec, layer.rows, m.rows, 24, 0), b(exec, layer.columns, m.cols, 24, 0);
  const spaced_rows<float> v(exec, layer.v, m.cols, 24, 0), seed(exec, layer.seed, m.rows, 24, 0);
  const spaced_rows<float> out(exec, {}, m.rows, 24, 0), of_a(exec, {}, m.rows, 24, 0),
      of_b(exec, {}, m.cols, 24, 0), of_v(exec, {}, m.cols, 24, 0);
  const auto log_sums = to_executor(exec, std::vector<float>(static_cast<std::size_t>(m.rows) * 2));
  const auto on = to_executor(exec, m);
  auto plan = plan_attention(exec, on.view());
  const dot_scores<const float> scores{a.read(), b.read(), 0.3f};
  plan.forward(scores, v.read(), 2, out.view(), log_sums.data());
  plan.backward(scores, v.read(), 2, out.read(), log_sums.data(), seed.read(),
                dot_scores<float>{of_a.view(), of_b.view()}, of_v.view());
  std::vector<float> all;
  for (const auto* each : {&out, &of_a, &of_b, &of_v}) {
    const auto one = to_host(exec, each->on);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

} // namespace evenly::products
