// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/segment_plans.hpp"
#include "python/segments.hpp"
#include "python/whole_arrays.hpp"

namespace evenly::python {

namespace {

/// Segments, likewise. Offsets of int32 are copied.
class segments {
 public:
  explicit segments(read_array offsets) : kept_(std::move(offsets)), offsets_(input_of("offsets", kept_)) {
    const running others_run;
    offsets_ = widened(offsets_, copy_);
  }

  std::shared_ptr<kept_plan> plan(const std::string& schedule, const std::string& on, work_kind work) {
    return plans_.find(offsets_, schedule, on, work);
  }

 private:
  read_array kept_;
  buffer<std::int64_t> copy_;
  input offsets_;
  plans plans_;
};

void bind_segments(nb::module_& m) {
  nb::enum_<combine>(m, "combine")
      .value("sum", combine::sum)
      .value("min", combine::min)
      .value("max", combine::max)
      .value("prod", combine::prod);
  nb::class_<segments>(m, "segments")
      .def(nb::init<read_array>(), "offsets"_a)
      .def(
          "reduce",
          [](segments& of, const read_array& values, combine op, const written_array& out,
             const std::string& schedule, const std::string& on) {
            const auto from = input_of("values", values);
            const auto to = output_of("out", out);
            with_plan(of, schedule, on, work_kind::sums,
                      [&](kept_plan& plan) { reduce_segments(plan, from, op, to); });
          },
          "values"_a, "op"_a, "out"_a, "schedule"_a, "on"_a)
      .def(
          "scan",
          [](segments& of, const read_array& values, combine op, bool is_inclusive, const written_array& out,
             const std::string& schedule, const std::string& on) {
            const auto from = input_of("values", values);
            const auto to = output_of("out", out);
            with_plan(of, schedule, on, work_kind::prefixes,
                      [&](kept_plan& plan) { scan_segments(plan, from, op, is_inclusive, to); });
          },
          "values"_a, "op"_a, "is_inclusive"_a, "out"_a, "schedule"_a, "on"_a)
      .def(
          "expand",
          [](segments& of, const written_array& out, const std::string& schedule, const std::string& on) {
            const auto to = output_of("out", out);
            with_plan(of, schedule, on, work_kind::visits,
                      [&](kept_plan& plan) { expand_segments(plan, to); });
          },
          "out"_a, "schedule"_a, "on"_a)
      .def("plan", [](segments& of, const std::string& schedule, const std::string& on) {
        return describe_plan(of, schedule, on, work_kind::sums);
      });
}

void bind_segment_plans(nb::module_& m) {
  nb::enum_<segment_op>(m, "segment_op")
      .value("sum", segment_op::sum)
      .value("mean", segment_op::mean)
      .value("min", segment_op::min)
      .value("max", segment_op::max)
      .value("prod", segment_op::prod)
      .value("argmin", segment_op::argmin)
      .value("argmax", segment_op::argmax)
      .value("logsumexp", segment_op::logsumexp);
  nb::class_<row_segments>(m, "row_segments")
      .def(
          "__init__",
          [](row_segments* made, const read_array& of, std::int64_t size, bool is_index) {
            const auto from = input_of(is_index ? "index" : "offsets", of);
            const running others_run;
            new (made) row_segments(from, size, is_index);
          },
          "of"_a, "size"_a, "is_index"_a)
      .def_prop_ro("segments", &row_segments::segments)
      .def_prop_ro("elements", &row_segments::elements)
      .def(
          "reduce",
          [](row_segments& of, const read_array& values, segment_op op, const written_array& out) {
            const auto from = dense_view_of<const void>("values", values);
            const auto to = dense_view_of<void>("out", out);
            const running others_run;
            of.reduce(from, op, to);
          },
          "values"_a, "op"_a, "out"_a)
      .def(
          "softmax",
          [](row_segments& of, const read_array& values, const written_array& out) {
            const auto from = dense_view_of<const void>("values", values);
            const auto to = dense_view_of<void>("out", out);
            const running others_run;
            of.softmax(from, to);
          },
          "values"_a, "out"_a);
}

} // namespace

void bind_arrays(nb::module_& m) {
  bind_segments(m);
  bind_segment_plans(m);
  define(m, "scan", &scan, "values"_a, "op"_a, "is_inclusive"_a, "out"_a);
  define(m, "reduce", &reduce, "values"_a, "op"_a, "out"_a);
  define(m, "select", &select, "values"_a, "mask"_a, "out"_a);
  define(m, "sort", &sort, "keys"_a, "values"_a.none());
  define(m, "reduce_by_key", &reduce_by_key, "keys"_a, "values"_a, "op"_a, "keys_out"_a, "values_out"_a);
  define(m, "reduce_by_index", &reduce_by_index, "index"_a, "values"_a, "op"_a, "out"_a);
}

} // namespace evenly::python
