// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
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
        std::shared_ptr<kept_plan> plan;
        {
          const running others_run;
          plan = of.plan(schedule, on, work_kind::sums);
        }
        return std::pair(plan->schedule_name(), plan->explain());
      });
}

void bind_whole_arrays(nb::module_& m) {
  m.def(
      "scan",
      [](const read_array& values, combine op, bool is_inclusive, const written_array& out) {
        const auto from = input_of("values", values);
        const auto to = output_of("out", out);
        const running others_run;
        scan(from, op, is_inclusive, to);
      },
      "values"_a, "op"_a, "is_inclusive"_a, "out"_a);
  m.def(
      "reduce",
      [](const read_array& values, combine op, const written_array& out) {
        const auto from = input_of("values", values);
        const auto to = output_of("out", out);
        const running others_run;
        require(to.rows == 1, [] { return "out has one element, for the result"; });
        reduce(from, op, to);
      },
      "values"_a, "op"_a, "out"_a);
  m.def(
      "select",
      [](const read_array& values, const read_array& mask, const written_array& out) {
        const auto from = input_of("values", values), wanted = input_of("mask", mask);
        const auto to = output_of("out", out);
        const running others_run;
        require(wanted.rows == from.rows && to.rows == from.rows, [&] {
          return detail::concat("values have ", from.rows, " elements, mask ", wanted.rows, " and out ",
                                to.rows, ": they must have the same number");
        });
        return select(from, wanted, to);
      },
      "values"_a, "mask"_a, "out"_a);
  m.def(
      "sort",
      [](const written_array& keys, const std::optional<written_array>& values) {
        const auto sorted = output_of("keys", keys);
        output moved;
        if (values) moved = output_of("values", *values);
        const running others_run;
        sort(sorted, values ? &moved : nullptr);
      },
      "keys"_a, "values"_a.none());
  m.def(
      "reduce_by_key",
      [](const read_array& keys, const read_array& values, combine op, const written_array& keys_out,
         const written_array& values_out) {
        const auto of = input_of("keys", keys), from = input_of("values", values);
        const auto found = output_of("keys_out", keys_out), to = output_of("values_out", values_out);
        const running others_run;
        require(of.rows == from.rows && found.rows == of.rows && to.rows == of.rows, [&] {
          return detail::concat("keys have ", of.rows, " elements and values ", from.rows,
                                ": they must have the same number");
        });
        return reduce_by_key(of, from, op, found, to);
      },
      "keys"_a, "values"_a, "op"_a, "keys_out"_a, "values_out"_a);
  m.def(
      "reduce_by_index",
      [](const read_array& index, const read_array& values, combine op, const written_array& out) {
        const auto of = input_of("index", index), from = input_of("values", values);
        const auto to = output_of("out", out);
        const running others_run;
        require(of.rows == from.rows, [&] {
          return detail::concat("index has ", of.rows, " elements and values ", from.rows,
                                ": they must have the same number");
        });
        reduce_by_index(of, from, op, to);
      },
      "index"_a, "values"_a, "op"_a, "out"_a);
}

} // namespace

void bind_arrays(nb::module_& m) {
  bind_segments(m);
  bind_whole_arrays(m);
}

} // namespace evenly::python
