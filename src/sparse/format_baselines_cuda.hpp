// SPDX-License-Identifier: Apache-2.0
// Baselines of formats on a GPU: the product of cuSPARSE in the same format, or in compressed rows if it has none.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "measure/baselines_cuda.hpp"
#include "sparse/few_candidates.hpp"
#include "sparse/format_bench_on.hpp"

namespace evenly::sparse {

using measure::cusparse_algorithm, measure::cusparse_has_blocks, measure::prepare_cusparse;

template <> struct format_baselines<cuda> {
  template <class Value, class Work>
  static std::vector<candidate> of(const spmv_problem<Value>& p, const std::shared_ptr<Work>& work) {
    std::vector<candidate> all;
    if constexpr (requires { work->data().matrix(); }) add_same_format<Value>(all, work);
    if (!all.empty()) return all;
    all.push_back(one("cusparse_alg1", "cuSPARSE ALG1, csr", [&p, work] {
      const auto a = std::make_shared<csr_buffers<Value, int>>(rows_on(cuda(), p));
      const auto product = prepare_cusparse(a->view(), work->data().x().data(), work->data().out().data(),
                                            cusparse_algorithm::alg1);
      return std::function<void()>([a, product] { product(); });
    }));
    all.back().in_rows = true;
    return all;
  }

 private:
  template <class Prepare> static candidate one(const char* name, const char* title, const Prepare& prepare) {
    candidate made{.name = name, .title = title};
    made.prepare = [prepare]() -> prepared_run { return {prepare()}; };
    return made;
  }

  template <class Value, class Work>
  static void add_same_format(std::vector<candidate>& all, const std::shared_ptr<Work>& work) {
    using matrix = std::remove_cvref_t<decltype(work->data().matrix())>;
    const auto add = [&](const char* name, const char* title, const auto& view_of, auto... which) {
      all.push_back(one(name, title, [work, view_of, which...] {
        const auto& data = work->data();
        return prepare_cusparse(view_of(data.matrix()), data.x().data(), data.out().data(), which...);
      }));
    };
    const auto itself = [](const auto& a) { return a.view(); };
    if constexpr (std::is_same_v<matrix, coo_and_rows<Value>>) {
      const auto entries = [](const auto& a) { return a.entries.view(); };
      add("cusparse_coo_alg1", "cuSPARSE coordinates, ALG1", entries, cusparse_algorithm::alg1);
      add("cusparse_coo_alg2", "cuSPARSE coordinates, ALG2", entries, cusparse_algorithm::alg2);
    } else if constexpr (std::is_same_v<matrix, csc_and_rows<Value>>) {
      add("cusparse_csc", "cuSPARSE compressed columns", [](const matrix& a) { return a.columns.view(); });
    } else if constexpr (std::is_same_v<matrix, ell_buffers<Value, int>>) {
      add("cusparse_sell", "cuSPARSE sliced ELLPACK", itself);
    } else if constexpr (std::is_same_v<matrix, bcsr_buffers<Value, bcsr_block_side, bcsr_block_side, int>>) {
      const matrix& a = work->data().matrix();
      if (a.rows % bcsr_block_side == 0 && a.cols % bcsr_block_side == 0 && cusparse_has_blocks())
        add("cusparse_bsr", "cuSPARSE dense blocks", itself);
    }
  }
};

} // namespace evenly::sparse
