// SPDX-License-Identifier: Apache-2.0
// Products with a matrix of several columns, on an executor that choices.cpp or choices.cu knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sparse/dense_bench_on.hpp"
#include "study/choices_session.hpp"

namespace evenly::bench {

/// The schedules that `automatic` can choose for such products. On cores all are a few kernels.
using for_products =
    evenly::detail::among::some<thread_mapped, group_per_tile<8>, warp_mapped, block_mapped,
                                dynamic_group_per_tile, streamed, merge_path<>, nonzero_split<>>;
template <class Executor>
using measured_for_products =
    std::conditional_t<Executor::serial_blocks, evenly::detail::among::all, for_products>;

template <class Executor>
study::choice_operation wide_products_on(int width, const measure::bench_options& options) {
  study::choice_operation made{
      .name = "spmm:" + std::to_string(width), .threads = options.threads, .measure = {}};
  made.measure = [width, options](const csr_matrix<double>& matrix,
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
    using among = measured_for_products<Executor>;
    evenly::for_each_schedule([&]<class Schedule>(const char* name, const Schedule&) {
      if constexpr (among::template has<Schedule>)
        if (wants(name))
          all.push_back(
              sparse::dense_candidate<among>(work, std::span<const int>(p.a.offsets), any_schedule(name)));
    });
    return measure_in_turns(on, all, study::times_of_choices);
  };
  return made;
}

#ifdef EVENLY_WITH_CUDA
extern template study::choice_operation wide_products_on<cuda>(int, const measure::bench_options&);
#endif

} // namespace evenly::bench
