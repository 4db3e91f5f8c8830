// SPDX-License-Identifier: Apache-2.0
// device_values on an executor, and the memory that they keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/pagerank.hpp"
#include "graphs/analysis_place.hpp"
#include "measure/executor_timer.hpp"
#include "measure/metered_memory.hpp"

namespace evenly::graphs {

using measure::metered_memory;

/// make(exec): the function that finds the values of all vertices, find(values). It may return pagerank_totals.
template <class Executor, class Value, class Make> class values_on final : public device_values<Value> {
 public:
  values_on(const Executor& exec, std::int64_t vertices, const Make& make)
      : memory_(exec.resource()), exec_(exec), find_(make(on_memory(exec, &memory_))),
        values_(make_buffer<Value>(exec, static_cast<std::size_t>(vertices))) {}

  pagerank_totals run() override {
    if constexpr (std::is_same_v<decltype(find_(values_.span())), pagerank_totals>) {
      return find_(values_.span());
    } else {
      find_(values_.span());
      return {.converged = true};
    }
  }
  std::vector<Value> result() override { return to_host(exec_, values_); }
  std::size_t bytes() const override { return memory_.in_use(); }

 private:
  metered_memory memory_; ///< all memory except that of the result
  Executor exec_;
  std::invoke_result_t<const Make&, const Executor&> find_;
  buffer<Value> values_;
};

} // namespace evenly::graphs
