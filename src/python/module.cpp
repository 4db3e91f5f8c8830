// SPDX-License-Identifier: Apache-2.0
// The extension module evenly._evenly: operations on arrays that the Python layer (python/evenly) has checked and
// converted. The interpreter's lock is released while operations run.
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/io/file_error.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "python/bindings.hpp"
#include "runtime/cpu_mappings.hpp"

namespace evenly::python {

bool& running::is_running() {
  static thread_local bool is_running = false;
  return is_running;
}

namespace {

/// Before a block, at most 50 times a second: raises what a handler of signals raises. Handlers run in the main thread.
void look_for_signals() {
  if (!running::is_running()) return; // a thread that Python does not know
  static thread_local std::chrono::steady_clock::time_point next{};
  const auto now = std::chrono::steady_clock::now();
  if (now < next) return;
  next = now + std::chrono::milliseconds(20);
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

} // namespace

} // namespace evenly::python

NB_MODULE(_evenly, m) {
  using namespace evenly::python;
  nanobind::set_leak_warnings(false);
  evenly::detail::interrupt_hook = &look_for_signals;
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const evenly::invalid_argument& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const evenly::io::file_error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  m.def("set_threads", &set_threads, nanobind::arg("count"));
  m.def("threads", [] { return evenly::python::executor().threads(); });
  m.def("schedule_names", &evenly::schedule_names);
  m.def("cpu_schedule_names", [] { // one of each group that is the same there
    std::vector<std::string> names;
    for (const auto& group : evenly::detail::same_on_cpu()) names.push_back(group.front());
    return names;
  });
  bind_matrices(m);
  bind_arrays(m);
  bind_graphs(m);
  bind_solvers(m);
  bind_ranks(m);
  bind_studies(m);
  bind_cuda(m);
  bind_networkx(m);
}
