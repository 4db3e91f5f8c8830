// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

namespace {

/// Calls body(workspace) with the workspace of the executor's device.
template <class Body> void with_workspace(const cuda& exec, const Body& body) {
  struct shared {
    stream_order order;
    workspace memory;
  };
  static std::mutex busy;
  static auto& of_devices = *new std::map<int, shared>(); // lives as long as the program
  const std::scoped_lock lock(busy);
  shared& of = of_devices[exec.device()];
  of.order.begin(exec);
  body(of.memory);
  of.order.end(exec);
}

} // namespace

void cuda_reduce(const cuda& exec, const input& values, combine op, const output& out) {
  with_element<float, double>("values", values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&](const auto& monoid) {
      with_workspace(exec, [&](workspace& memory) {
        reduce(exec, values.as<T>().data(), values.rows, monoid, out.as<T>().data(), memory);
      });
    });
  });
}

void cuda_scan(const cuda& exec, const input& values, combine op, bool is_inclusive, const output& out) {
  require(values.rows == out.rows, [&] {
    return detail::concat("values have ", values.rows, " elements and out has ", out.rows,
                          ": the numbers must be equal");
  });
  with_element<float, double>("values", values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&](const auto& monoid) {
      with_workspace(exec, [&](workspace& memory) {
        const T* const from = values.as<T>().data();
        T* const to = out.as<T>().data();
        if (is_inclusive)
          inclusive_scan(exec, from, values.rows, monoid, to, memory);
        else
          exclusive_scan(exec, from, values.rows, monoid, to, memory);
      });
    });
  });
}

} // namespace evenly::python
