// SPDX-License-Identifier: Apache-2.0
#include "sparse/spgemm_place.hpp"

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/spgemm.hpp"

namespace evenly::sparse {

using measure::with_executor;

template <class Value>
product_memory memory_of_product(executor_kind kind, const factors<Value>& of, const bench_options& options) {
  product_memory memory{};
  if (kind == executor_kind::cpu) {
    memory.plan = spgemm_bytes<Value>(evenly::cpu(options.threads), of.a.rows, of.b.cols);
    return memory;
  }
  memory.plan = spgemm_bytes<Value>(simt(), of.a.rows, of.b.cols); // as on cuda
  if (kind == executor_kind::simt) return memory;
  const auto bytes = [](const csr_matrix<Value>& m) {
    return static_cast<std::int64_t>(m.offsets.size() * sizeof(int) +
                                     m.columns.size() * (sizeof(int) + sizeof(Value)));
  };
  memory.factors = bytes(of.a) + (&of.a == &of.b ? 0 : bytes(of.b));
  return memory;
}

template <class Value>
std::unique_ptr<device_product<Value>> place_product(executor_kind kind, const factors<Value>& of,
                                                     const bench_options& options) {
  return with_executor(kind, [&]<class Executor>() { return place_product_on<Executor>(of, options); });
}

template product_memory memory_of_product(executor_kind, const factors<float>&, const bench_options&);
template product_memory memory_of_product(executor_kind, const factors<double>&, const bench_options&);
template std::unique_ptr<device_product<float>> place_product(executor_kind, const factors<float>&,
                                                              const bench_options&);
template std::unique_ptr<device_product<double>> place_product(executor_kind, const factors<double>&,
                                                               const bench_options&);

} // namespace evenly::sparse
