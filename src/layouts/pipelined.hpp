// SPDX-License-Identifier: Apache-2.0
// The layout pipeline: a loop whose plans are made concurrently with its runs (evenly/layouts/pipeline.hpp). The time
// of the loop includes the plans.
#pragma once

#include <optional>
#include <string>

#include "evenly/execution/side_stream.hpp"
#include "evenly/layouts/pipeline.hpp"
#include "layouts/erased_layouts.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/use_interface.hpp"

namespace evenly::layouts {

template <class Executor, class Layout> class pipelined_loop {
 public:
  pipelined_loop(const Executor& exec, use_interface<Executor>& use, const access_workload& of,
                 const Layout& layout)
      : use_(use), name_(layout.name), builder_(exec), pipeline_(exec, builder_.get(), of.shape, {}, layout) {
  }

  /// Runs several iterations. Returns the first error.
  std::optional<std::string> first_error(const index_list<int>& list) {
    constexpr int some = 4; // a plan may become ready at any time
    pipeline_.begin_epoch(list);
    for (int i = 0; i < some; ++i) {
      use_.run_through(pipeline_);
      if (auto wrong = use_.first_error()) return wrong;
    }
    return {};
  }
  void run_epoch(const index_list<int>& list, int iterations) {
    pipeline_.begin_epoch(list);
    for (int i = 0; i < iterations; ++i) use_.run_through(pipeline_);
    pipeline_.release(list);
  }
  void note(layout_result& found) {
    const pipeline_times& times = pipeline_.times();
    found.chosen = pipeline_.choice().way == pipeline_way::plain ? none::name : name_;
    found.why = pipeline_.why();
    found.run_ms = found.chosen != none::name && times.planned > 0 ? times.planned : times.plain;
    found.build_ms = times.build;
  }

 private:
  use_interface<Executor>& use_;
  std::string name_;
  side_stream<Executor> builder_;
  access_pipeline<Executor, Layout, int> pipeline_;
};

} // namespace evenly::layouts
