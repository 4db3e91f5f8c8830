// SPDX-License-Identifier: Apache-2.0
// The work of threads on their elements (access_use) and layouts with their plans, behind interfaces: what measures
// layouts is compiled once per executor, not for each work and each view.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/layouts/pipeline.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/erased_layouts.hpp"
#include "layouts/layout_bench.hpp"

namespace evenly::layouts {

/// A layout for one work of threads, with its plan.
template <class Executor> class plan_interface {
 public:
  virtual ~plan_interface() = default;
  /// Makes the plan for references, in place of an earlier one.
  virtual void prepare(const index_list<int>& list) = 0;
  virtual void drop() = 0;
  virtual bool has_copy() const = 0;
  /// Copies elements anew, if the plan has a copy.
  virtual void refresh() const = 0;
  virtual void run(const Executor& exec, const index_list<int>& list) const = 0;
  /// The error of the results of the last run.
  virtual std::optional<std::string> first_error() const = 0;
  /// The error of calls with different elements.
  virtual std::optional<std::string> error_of_calls(const index_list<int>& list) const = 0;
  virtual void note(layout_result& found) const = 0;
};

/// The work of threads on their elements.
template <class Executor> class use_interface {
 public:
  virtual ~use_interface() = default;
  /// Bytes that a thread reads and writes in addition to references: the result, and its own element or value.
  virtual double own_bytes() const = 0;
  /// Null if the elements have no positions.
  virtual const atom_position* positions() const = 0;
  virtual std::size_t touched() const = 0; ///< the number of referenced elements
  /// Null if the layout has no plan for this work.
  virtual std::unique_ptr<plan_interface<Executor>> plan_of(const any_layout<Executor>& layout) = 0;
  /// Runs without a plan; `none` is the plan to describe.
  virtual std::unique_ptr<plan_interface<Executor>> without_plan(const listed_layout<Executor>& none) = 0;
  virtual void clear_results() = 0;

  virtual void run_through(access_pipeline<Executor, listed_layout<Executor>, int>& pipeline) = 0;
  virtual void run_through(access_pipeline<Executor, shared_layout<Executor>, int>& pipeline) = 0;
  /// The error of the results of the last run, in the original order of threads. Those of the first are compared with a
  /// reference of the host; all others must have the same bits.
  virtual std::optional<std::string> first_error() = 0;
};

/// Calls run(). Returns why a layout is not available, or nothing.
inline std::optional<std::string> refusal_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const invalid_argument& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const device_error& e) {
    if (std::string(e.what()).find("memory") == std::string::npos) throw;
    return e.what();
  }
  return {};
}

} // namespace evenly::layouts
