// SPDX-License-Identifier: Apache-2.0
#include "sparse/spmm_place.hpp"

namespace evenly::cli {

template <class Value>
std::unique_ptr<placed_dense_product<Value>>
place_dense_product(executor_kind kind, const dense_factors<Value>& of, const bench_options& options) {
  require_executor(kind);
  if (kind == executor_kind::cpu) return place_dense_product_on_cpu(of, options);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return place_dense_product_on_cuda(of, options);
#endif
  return place_dense_product_on_simt(of, options);
}

template std::unique_ptr<placed_dense_product<float>>
place_dense_product(executor_kind, const dense_factors<float>&, const bench_options&);
template std::unique_ptr<placed_dense_product<double>>
place_dense_product(executor_kind, const dense_factors<double>&, const bench_options&);

} // namespace evenly::cli
