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

namespace evenly::layouts {

template <class Layouts, class Layout> class pipelined_loop {
  using executor_type = typename Layouts::executor_type;

 public:
  pipelined_loop(const Layouts& on, const access_workload& of, const Layout& layout)
      : on_(on), name_(layout.name), builder_(on.executor()),
        pipeline_(on.executor(), builder_.get(), of.shape, {}, layout) {}

  /// Runs several iterations and passes the results to `check`, which returns an error.
  template <class Check>
  std::optional<std::string> first_error(const index_list<int>& list, const Check& check) {
    constexpr int some = 4; // a plan may become ready at any time
    pipeline_.begin_epoch(list);
    for (int i = 0; i < some; ++i) {
      on_.run_through(pipeline_);
      if (auto wrong = check(on_.results())) return wrong;
    }
    return {};
  }
  void run_epoch(const index_list<int>& list, int iterations) {
    pipeline_.begin_epoch(list);
    for (int i = 0; i < iterations; ++i) on_.run_through(pipeline_);
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
  const Layouts& on_;
  std::string name_;
  side_stream<executor_type> builder_;
  access_pipeline<executor_type, Layout, int> pipeline_;
};

} // namespace evenly::layouts
