// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/simt.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/trace/trace.hpp"
#include "python/matrix_views.hpp"
#include "python/studies.hpp"

namespace evenly::python {

explained_product explain_product(const matrix_arrays& given, const std::string& schedule) {
  explained_product result;
  buffer<int> columns;
  const matrix_arrays a = with_narrow_columns(given, columns);
  with_index("indptr", a.offsets.type, [&]<class Offset>(Offset) {
    with_element<float, double>("A", a.values.type, [&]<class Value>(Value) {
      const auto view = view_of<Value, Offset>(a);
      trace counts(keep_profiles{});
      const any_executor exec(simt({.threads = threads(), .trace = &counts}));
      any_plan plan(exec, any_schedule(schedule), rows_of(view));
      const std::vector<Value> x(static_cast<std::size_t>(a.cols), Value{1});
      std::vector<Value> y(static_cast<std::size_t>(a.rows));
      result.schedule = plan.schedule_name();
      result.choice = plan.explain();
      const std::string subject =
          detail::concat("spmv (", name_of(a.values.type), ") of ", a.rows, " rows and ", a.columns.rows,
                         " entries, under ", result.schedule);
      explanation found = explain(subject, counts, [&] { plan.spmv(view, x, std::span(y)); });
      found.choice = result.choice;
      result.text = to_text(found);
      result.findings = findings_of(found);
    });
  });
  return result;
}

} // namespace evenly::python
