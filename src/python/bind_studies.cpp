// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>

#include "python/bindings.hpp"
#include "python/gathers.hpp"
#include "python/studies.hpp"

namespace evenly::python {

namespace {

/// kind, cost, file, line, source, observation and advice.
nb::tuple tuple_of(const finding& of) {
  constexpr std::array kinds{"strided_access", "scattered_access", "misaligned_access",
                             "repeated_load",  "bank_conflict",    "atomic_conflict",
                             "idle_lanes",     "idle_warps",       "idle_slots"};
  return nb::make_tuple(kinds[static_cast<std::size_t>(of.kind)], of.cost,
                        of.file.substr(of.file.find_last_of('/') + 1), of.line, of.observation, of.advice);
}

/// A gather and its index array, which one thread uses at a time.
class kept_gather {
 public:
  kept_gather(read_array index, std::int64_t elements, const std::string& type) : index_(std::move(index)) {
    const auto of = input_of("index", index_);
    const running others_run;
    gather_ = make_gather(of, elements,
                          type == "uint32"   ? element::uint32
                          : type == "uint64" ? element::uint64
                                             : element::complex128);
  }
  void run(const read_array& x, const written_array& y) {
    const auto from = input_of("x", x);
    const auto to = output_of("out", y);
    const running others_run;
    const std::scoped_lock lock(busy_);
    gather_->run(from, to);
  }
  std::string why() {
    const std::scoped_lock lock(busy_);
    return gather_->why();
  }

 private:
  read_array index_;
  std::unique_ptr<gather> gather_;
  std::mutex busy_;
};

template <class Read> nb::tuple read(const Read& read_from, const std::string& path) {
  read_file found;
  {
    const running others_run;
    found = read_from(path);
  }
  if (found.columns.empty())
    return nb::make_tuple(nb::make_tuple(found.matrix.rows, found.matrix.cols),
                          to_numpy(found.matrix, found.type));
  nb::list columns;
  for (const made_array& column : found.columns) columns.append(to_numpy(column, element::float64));
  return nb::make_tuple(nb::none(), columns);
}

} // namespace

void bind_studies(nb::module_& m) {
  m.def(
      "explain",
      [](const csr& a, const std::string& schedule) {
        explained_product found;
        {
          const running others_run;
          found = explain_product(a.arrays(), schedule);
        }
        nb::list findings;
        for (const finding& each : found.findings) findings.append(tuple_of(each));
        return nb::make_tuple(found.schedule, found.choice, found.text, findings);
      },
      "a"_a, "schedule"_a);
  define(m, "draw", &draw_schedule, "offsets"_a, "schedule"_a, "block_size"_a, "warp_size"_a);
  m.def(
      "octree",
      [](const read_array& x, const read_array& y, const read_array& z, int max_points) {
        const auto of_x = input_of("x", x), of_y = input_of("y", y), of_z = input_of("z", z);
        made_octree made;
        {
          const running others_run;
          made = make_octree(of_x, of_y, of_z, max_points);
        }
        return nb::make_tuple(to_numpy(made.begin, element::int32), to_numpy(made.end, element::int32),
                              to_numpy(made.children, element::int32), to_numpy(made.order, element::int32),
                              to_numpy(made.keys, element::uint64), made.levels, made.corner, made.side);
      },
      "x"_a, "y"_a, "z"_a, "max_points"_a);
  m.def(
      "neighbors",
      [](const read_array& x, const read_array& y, const read_array& z, double cutoff,
         const std::vector<double>& box, const std::array<bool, 3>& periodic, bool half, int nearest,
         bool distances, bool vectors) {
        const auto of_x = input_of("x", x), of_y = input_of("y", y), of_z = input_of("z", z);
        made_neighbors made;
        {
          const running others_run;
          made = find_neighbors(of_x, of_y, of_z, cutoff, box, periodic, {half, nearest, distances, vectors});
        }
        return nb::make_tuple(to_numpy(made.offsets, element::int64), to_numpy(made.indices, element::int32),
                              to_numpy(made.shifts, element::int32), to_numpy(made.distances, made.type),
                              to_numpy(made.vectors, made.type));
      },
      "x"_a, "y"_a, "z"_a, "cutoff"_a, "box"_a, "periodic"_a, "half"_a, "nearest"_a, "distances"_a,
      "vectors"_a);
  nb::class_<kept_gather>(m, "gather")
      .def(nb::init<read_array, std::int64_t, const std::string&>(), "index"_a, "elements"_a, "type"_a)
      .def("run", &kept_gather::run, "x"_a, "out"_a)
      .def("why", &kept_gather::why, nb::call_guard<nb::gil_scoped_release>());
  m.def("read_matrix", [](const std::string& path) { return read(&read_matrix, path); });
  m.def("read_graph", [](const std::string& path) { return read(&read_graph, path); });
  m.def("read_points", [](const std::string& path) { return read(&read_points, path); });
  m.def("read_vector", [](const std::string& path) { return read(&read_vector, path); });
  m.def("kind_of_file", [](const std::string& path) { return kind_of_file(path); });
}

} // namespace evenly::python
