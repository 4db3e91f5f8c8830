// SPDX-License-Identifier: Apache-2.0
// Products with a matrix of 32 columns under every schedule, on an executor that choices.cpp or choices.cu knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sparse/dense_bench_on.hpp"
#include "study/choices_session.hpp"

namespace evenly::bench {

template <class Executor> study::choice_operation wide_products_on(const measure::bench_options& options) {
  constexpr int width = 32;
  study::choice_operation made{.name = "spmm:32", .threads = options.threads, .measure = {}};
  made.measure = [options](const csr_matrix<double>& matrix,
                           const std::function<bool(const std::string&)>& wants) {
    constexpr std::int64_t max = std::int64_t{1} << 27; // of numbers in B, in C, and of products
    if (std::int64_t{std::max({matrix.rows, matrix.cols, matrix.atoms()})} * width > max)
      return std::vector<measure::measurement>{};
    const auto p = sparse::with_random_b<float>(matrix, width, dense_layout::rows, 0);
    const sparse::product_checker<float> right(p);
    const auto exec = measure::make_executor<Executor>(options);
    const auto work = std::make_shared<sparse::dense_work<Executor, float>>(exec, p);
    measure::bench on{.time = measure::make_timer(exec, options), .out = work, .candidates = {}};
    on.first_error = [&] { return right.first_error(std::get<std::vector<float>>(work->result())); };
    std::vector<measure::candidate> all;
    for (const std::string& name : schedule_names())
      if (wants(name))
        all.push_back(sparse::dense_candidate<evenly::detail::among::all>(
            work, std::span<const int>(p.a.offsets), any_schedule(name)));
    return measure_in_turns(on, all, study::times_of_choices);
  };
  return made;
}

#ifdef EVENLY_WITH_CUDA
extern template study::choice_operation wide_products_on<cuda>(const measure::bench_options&);
#endif

} // namespace evenly::bench
