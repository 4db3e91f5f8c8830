// SPDX-License-Identifier: Apache-2.0
// Segmented reduction, segmented scan and sums of rows of 32 under every schedule, for what a choice of schedules is
// learned from: on an executor, which choices.cpp or choices.cu knows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/work/csr.hpp"
#include "measure/measure.hpp"
#include "measure/work_on.hpp"
#include "segments.hpp"
#include "study/choices_session.hpp"

namespace evenly::bench {

struct store_to {
  float* results;
  EVENLY_FN void operator()(int i, float value) const { results[i] = value; }
};

inline constexpr int row_width = 32;

/// The data of an operation on an executor, and candidates that write `out`, which is to have the bits of `wanted`.
template <class Executor> class choice_problem {
 public:
  using wanted_names = std::function<bool(const std::string&)>;

  choice_problem(const Executor& exec, const csr_matrix<double>& matrix)
      : exec_(exec), offsets_(to_executor(exec, matrix.offsets)) {}

  std::vector<measure::candidate> reductions(const wanted_names& wants, const std::vector<int>& offsets) {
    const std::vector<float> values = make_values(offsets);
    std::vector<float> sums(offsets.size() - 1);
    for (std::size_t t = 0; t < sums.size(); ++t)
      for (int a = offsets[t]; a < offsets[t + 1]; ++a) sums[t] += values[static_cast<std::size_t>(a)];
    want(sums);
    return candidates(wants, [this](auto& plan) {
      reduce_tiles(exec_, plan, values_of{values_.data()}, plus<float>{}, store_to{out_.data()});
    });
  }

  std::vector<measure::candidate> scans(const wanted_names& wants, const std::vector<int>& offsets) {
    std::vector<float> prefixes = make_values(offsets);
    for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
      for (int a = offsets[t] + 1; a < offsets[t + 1]; ++a)
        prefixes[static_cast<std::size_t>(a)] += prefixes[static_cast<std::size_t>(a) - 1];
    want(prefixes);
    return candidates(wants, [this](auto& plan) {
      scan_tiles(exec_, plan, values_of{values_.data()}, plus<float>{}, store_to{out_.data()});
    });
  }

  std::vector<measure::candidate> products(const wanted_names& wants, const csr_matrix<double>& matrix) {
    const std::vector<float> values = make_values(matrix.offsets);
    columns_ = to_executor(exec_, matrix.columns);
    std::vector<float> b(static_cast<std::size_t>(matrix.cols) * row_width);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = nth_value(i + 1'000'003);
    std::vector<float> c(static_cast<std::size_t>(matrix.rows) * row_width);
    for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row)
      for (int k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
        for (std::size_t i = 0; i < row_width; ++i)
          c[row * row_width + i] +=
              values[static_cast<std::size_t>(k)] *
              b[static_cast<std::size_t>(matrix.columns[static_cast<std::size_t>(k)]) * row_width + i];
    b_ = to_executor(exec_, b);
    want(c);
    const csr_view<float> a{matrix.rows, matrix.cols, offsets_.data(), columns_.data(), values_.data()};
    return candidates(wants, [this, a](auto& plan) {
      spmm(exec_, plan, a, dense_rows(a.cols, row_width, static_cast<const float*>(b_.data())),
           dense_rows(a.rows, row_width, out_.data()));
    });
  }

  /// Writes what no right result holds.
  void spoil() const {
    run([&](const measure::block_elements& own) {
      return measure::fill_elements<float>{own, out_.data(), -1e30f};
    });
  }

 private:
  /// A value for each atom, on the host and on the executor.
  std::vector<float> make_values(const std::vector<int>& offsets) {
    std::vector<float> values(static_cast<std::size_t>(offsets.back()));
    for (std::size_t a = 0; a < values.size(); ++a) values[a] = nth_value(a);
    values_ = to_executor(exec_, values);
    return values;
  }
  void want(const std::vector<float>& results) {
    wanted_ = to_executor(exec_, results);
    out_ = make_buffer<float>(exec_, results.size());
  }

  /// body(plan) under each schedule.
  template <class Body>
  std::vector<measure::candidate> candidates(const wanted_names& wants, const Body& body) {
    std::vector<measure::candidate> all;
    for_each_schedule([&](const char* name, const auto& schedule) {
      if (!wants(name)) return;
      measure::candidate made{.name = name, .title = name, .is_schedule = true};
      made.prepare = [this, schedule, body]() -> measure::prepared_run {
        const auto tiles = csr_tiles(offsets_.span());
        const auto plan =
            std::make_shared<decltype(make_plan(exec_, schedule, tiles))>(make_plan(exec_, schedule, tiles));
        return {[plan, body] { body(*plan); }};
      };
      made.first_error = [this]() -> std::optional<std::string> {
        if (is_right()) return {};
        return "the result is wrong";
      };
      all.push_back(std::move(made));
    });
    return all;
  }

  bool is_right() const {
    int differ = 0;
    const auto flag = to_executor(exec_, std::span<const int>(&differ, 1));
    run([&](const measure::block_elements& own) {
      return measure::compare_elements<float>{own, out_.data(), wanted_.data(), flag.data()};
    });
    exec_.copy_to_host(&differ, flag.data(), sizeof(differ));
    return differ == 0;
  }

  /// The kernel make(which elements each block has) over the output.
  template <class Make> void run(const Make& make) const {
    constexpr int block_size = 128;
    const auto size = static_cast<std::int64_t>(out_.size());
    const std::int64_t per_block = items_per_block(exec_, size, 64 * block_size);
    launch(exec_, {block_count(size, per_block), block_size}, make(measure::block_elements{size, per_block}));
  }

  const Executor& exec_;
  buffer<int> offsets_, columns_;
  buffer<float> values_, b_, out_, wanted_;
};

/// The three operations. make_timer(): a timer for runs of exec.
template <class Executor, class MakeTimer>
std::vector<study::choice_operation> choice_operations_on(const Executor& exec, int threads,
                                                          const MakeTimer& make_timer) {
  const auto operation = [&](const char* name, const auto& candidates) {
    study::choice_operation made{.name = name, .threads = threads, .measure = {}};
    made.measure = [&exec, make_timer, candidates](const csr_matrix<double>& matrix,
                                                   const std::function<bool(const std::string&)>& wants) {
      choice_problem<Executor> problem(exec, matrix);
      const std::vector<measure::candidate> all = candidates(problem, matrix, wants);
      measure::bench on{
          make_timer(), std::make_shared<measure::unchecked_output>([&] { problem.spoil(); }), {}};
      return measure_in_turns(on, all, study::times_of_choices);
    };
    return made;
  };
  using problem = choice_problem<Executor>;
  using names = typename problem::wanted_names;
  return {
      operation("segmented_reduce", [](problem& p, const csr_matrix<double>& matrix,
                                       const names& wants) { return p.reductions(wants, matrix.offsets); }),
      operation("segmented_scan", [](problem& p, const csr_matrix<double>& matrix,
                                     const names& wants) { return p.scans(wants, matrix.offsets); }),
      operation("spmm:32", [](problem& p, const csr_matrix<double>& matrix, const names& wants) {
        constexpr std::int64_t max = std::int64_t{1} << 27; // of numbers in B, in C, and of products
        if (std::int64_t{std::max({matrix.rows, matrix.cols, matrix.atoms()})} * row_width > max)
          return std::vector<measure::candidate>{};
        return p.products(wants, matrix);
      })};
}

/// On a GPU; as choice_operations_on.
std::vector<study::choice_operation> choice_operations_on_gpu();

} // namespace evenly::bench
