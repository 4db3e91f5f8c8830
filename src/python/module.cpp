// SPDX-License-Identifier: Apache-2.0
// The extension module evenly._evenly: operations on arrays that the Python layer (python/evenly) has checked and
// converted. Types, sizes and overlaps are checked here once more. The interpreter's lock is released while operations
// run.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "python/products.hpp"
#include "python/searches.hpp"
#include "python/segments.hpp"
#include "python/whole_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace evenly::python {

namespace {

using read_array = nb::ndarray<nb::ro, nb::device::cpu>;
using written_array = nb::ndarray<nb::device::cpu>;

element element_of_dtype(const char* name, nb::dlpack::dtype type) {
  if (type == nb::dtype<float>()) return element::float32;
  if (type == nb::dtype<double>()) return element::float64;
  if (type == nb::dtype<std::complex<float>>()) return element::complex64;
  if (type == nb::dtype<std::complex<double>>()) return element::complex128;
  if (type == nb::dtype<std::int32_t>()) return element::int32;
  if (type == nb::dtype<std::int64_t>()) return element::int64;
  if (type == nb::dtype<std::uint8_t>()) return element::uint8;
  if (type == nb::dtype<std::uint32_t>()) return element::uint32;
  if (type == nb::dtype<std::uint64_t>()) return element::uint64;
  throw nb::type_error((std::string(name) + " has elements of a type that no operation takes").c_str());
}
nb::dlpack::dtype dtype_of(element type) {
  switch (type) {
  case element::float32:
    return nb::dtype<float>();
  case element::float64:
    return nb::dtype<double>();
  case element::complex64:
    return nb::dtype<std::complex<float>>();
  case element::complex128:
    return nb::dtype<std::complex<double>>();
  case element::int32:
    return nb::dtype<std::int32_t>();
  case element::int64:
    return nb::dtype<std::int64_t>();
  case element::uint8:
    return nb::dtype<std::uint8_t>();
  case element::uint32:
    return nb::dtype<std::uint32_t>();
  case element::uint64:
    break;
  }
  return nb::dtype<std::uint64_t>();
}

/// The view of an array of one dimension. Throws TypeError unless its elements lie side by side.
template <class Data, class Array> basic_array<Data> line_of(const char* name, const Array& array) {
  const bool is_line = array.ndim() == 1 && (array.shape(0) <= 1 || array.stride(0) == 1);
  if (!is_line)
    throw nb::type_error((std::string(name) + " is not an array of one dimension with its elements side by side").c_str());
  return {name, array.data(), element_of_dtype(name, array.dtype()), static_cast<std::int64_t>(array.shape(0))};
}
input input_of(const char* name, const read_array& array) { return line_of<const void>(name, array); }
output output_of(const char* name, const written_array& array) { return line_of<void>(name, array); }

/// The view of a matrix whose rows or columns lie side by side.
template <class Data, class Array> basic_array<Data> dense_view_of(const char* name, const Array& array) {
  const auto fits = [&](std::size_t near, std::size_t far) {
    return (array.shape(near) <= 1 || array.stride(near) == 1) &&
           (array.shape(far) <= 1 || array.stride(far) >= static_cast<std::int64_t>(array.shape(near)));
  };
  if (array.ndim() != 2 || !(fits(1, 0) || fits(0, 1)))
    throw nb::type_error((std::string(name) + " is not a matrix whose rows or columns lie side by side").c_str());
  const bool by_rows = fits(1, 0);
  const auto rows = static_cast<std::int64_t>(array.shape(0)), cols = static_cast<std::int64_t>(array.shape(1));
  const std::int64_t line = by_rows ? cols : rows, lines = by_rows ? rows : cols;
  const std::int64_t leading = lines <= 1 ? line : array.stride(by_rows ? 0 : 1);
  return {name, array.data(), element_of_dtype(name, array.dtype()), rows, cols, leading, by_rows};
}

nb::object to_numpy(const made_array& array, element type) {
  auto* const kept = new std::shared_ptr<void>(array.owner);
  const nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<std::shared_ptr<void>*>(it); });
  const std::size_t shape[] = {static_cast<std::size_t>(array.size)};
  return nb::ndarray<nb::numpy>(array.data, 1, shape, owner, nullptr, dtype_of(type)).cast();
}
nb::tuple to_numpy(const made_matrix& made, element type) {
  return nb::make_tuple(to_numpy(made.offsets, element::int64), to_numpy(made.columns, element::int32),
                        to_numpy(made.values, type));
}

/// Plans of one array of offsets, for each schedule, executor and number of threads that was asked for.
class plans {
 public:
  std::shared_ptr<kept_plan> find(const input& offsets, const std::string& schedule, const std::string& on,
                                  work_kind work) {
    const std::scoped_lock lock(change_);
    auto& plan = all_[std::tuple(schedule, on, threads(), work)];
    if (!plan) plan = std::make_shared<kept_plan>(offsets, make_place(schedule, on), work);
    return plan;
  }

 private:
  std::mutex change_;
  std::map<std::tuple<std::string, std::string, int, work_kind>, std::shared_ptr<kept_plan>> all_;
};

/// Rows of a matrix, as arrays of Python and the plans that were made for them.
class csr {
 public:
  csr(std::int64_t rows, std::int64_t cols, read_array offsets, read_array columns, read_array values,
      bool is_checked)
      : kept_{std::move(offsets), std::move(columns), std::move(values)} {
    constexpr std::int64_t max = std::numeric_limits<int>::max() - 1;
    require(rows <= max && cols <= max, [&] {
      return detail::concat("a matrix of ", rows, " rows and ", cols, " columns: both are at most ", max);
    });
    arrays_ = {static_cast<int>(rows), static_cast<int>(cols), input_of("indptr", kept_[0]),
               input_of("indices", kept_[1]), input_of("data", kept_[2])};
    if (is_checked) return;
    const nb::gil_scoped_release released;
    check(arrays_);
  }

  const matrix_arrays& arrays() const { return arrays_; }
  std::shared_ptr<kept_plan> plan(const std::string& schedule, const std::string& on, work_kind work) {
    return plans_.find(arrays_.offsets, schedule, on, work);
  }

 private:
  read_array kept_[3];
  matrix_arrays arrays_;
  plans plans_;
};

/// Segments, likewise.
class segments {
 public:
  explicit segments(read_array offsets) : kept_(std::move(offsets)), offsets_(input_of("offsets", kept_)) {}

  std::shared_ptr<kept_plan> plan(const std::string& schedule, const std::string& on, work_kind work) {
    return plans_.find(offsets_, schedule, on, work);
  }

 private:
  read_array kept_;
  input offsets_;
  plans plans_;
};

/// Runs body(plan) alone and without the interpreter's lock.
template <class Owner, class Body>
void with_plan(Owner& of, const std::string& schedule, const std::string& on, work_kind work, const Body& body) {
  const nb::gil_scoped_release released;
  const auto plan = of.plan(schedule, on, work);
  const std::scoped_lock lock(plan->busy);
  body(*plan);
}

/// The view of a vector of `size` elements of `type`; nothing if it is anything else.
template <class Data, class Array>
std::optional<basic_array<Data>> vector_of(nb::handle object, const char* name, element type, int size) {
  Array array;
  if (!nb::try_cast(object, array, false) || array.ndim() != 1 || array.dtype() != dtype_of(type)) return {};
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
  if (array.shape(0) != static_cast<std::size_t>(size) || (size > 1 && array.stride(0) != 1) || !is_aligned) return {};
  return basic_array<Data>{name, array.data(), type, size};
}

/// out = A x by the automatic schedule if both are vectors of the matrix's type; else false, and nothing is done.
bool try_spmv(csr& a, nb::handle x, nb::handle out) {
  const element type = a.arrays().values.type;
  const auto from = vector_of<const void, read_array>(x, "x", type, a.arrays().cols);
  if (!from) return false;
  const auto to = vector_of<void, written_array>(out, "out", type, a.arrays().rows);
  if (!to) return false;
  with_plan(a, "automatic", "cpu", work_kind::gathered_sums,
            [&](kept_plan& plan) { spmv(plan, a.arrays(), *from, *to); });
  return true;
}

void bind_matrices(nb::module_& m) {
  nb::class_<csr>(m, "csr")
      .def(nb::init<std::int64_t, std::int64_t, read_array, read_array, read_array, bool>(), "rows"_a, "cols"_a,
           "indptr"_a, "indices"_a, "data"_a, "is_checked"_a)
      .def("try_spmv", &try_spmv, "x"_a, "out"_a)
      .def(
          "spmv",
          [](csr& a, const read_array& x, const written_array& y, const std::string& schedule, const std::string& on) {
            const auto from = input_of("x", x);
            const auto to = output_of("out", y);
            with_plan(a, schedule, on, work_kind::gathered_sums,
                      [&](kept_plan& plan) { spmv(plan, a.arrays(), from, to); });
          },
          "x"_a, "out"_a, "schedule"_a, "on"_a)
      .def(
          "spmm",
          [](csr& a, const read_array& b, const written_array& c, const std::string& schedule, const std::string& on) {
            const auto from = dense_view_of<const void>("B", b);
            const auto to = dense_view_of<void>("out", c);
            with_plan(a, schedule, on, work_kind::wide_sums,
                      [&](kept_plan& plan) { spmm(plan, a.arrays(), from, to); });
          },
          "b"_a, "out"_a, "schedule"_a, "on"_a)
      .def("spgemm",
           [](const csr& a, const csr& b) {
             made_matrix made;
             {
               const nb::gil_scoped_release released;
               made = spgemm(a.arrays(), b.arrays());
             }
             return to_numpy(made, a.arrays().values.type);
           })
      .def("add",
           [](const csr& a, const csr& b) {
             made_matrix made;
             {
               const nb::gil_scoped_release released;
               made = add(a.arrays(), b.arrays());
             }
             return to_numpy(made, a.arrays().values.type);
           })
      .def("transpose",
           [](const csr& a) {
             made_matrix made;
             {
               const nb::gil_scoped_release released;
               made = transpose(a.arrays());
             }
             return to_numpy(made, a.arrays().values.type);
           })
      .def("plan",
           [](csr& a, const std::string& schedule, const std::string& on) {
             std::shared_ptr<kept_plan> plan;
             {
               const nb::gil_scoped_release released;
               plan = a.plan(schedule, on, work_kind::gathered_sums);
             }
             return std::pair(plan->schedule_name(), plan->explain());
           })
      .def(
          "bfs",
          [](const csr& a, const csr* transposed, bool is_undirected, int source, const written_array& levels,
             const written_array& parents) {
            const auto to_levels = output_of("levels", levels), to_parents = output_of("parents", parents);
            const nb::gil_scoped_release released;
            bfs(a.arrays(), {transposed == nullptr ? nullptr : &transposed->arrays(), is_undirected}, source, to_levels,
                to_parents);
          },
          "transposed"_a.none(), "is_undirected"_a, "source"_a, "levels"_a, "parents"_a)
      .def(
          "sssp",
          [](const csr& a, int source, const written_array& distances, const written_array& parents) {
            const auto to_distances = output_of("distances", distances), to_parents = output_of("parents", parents);
            const nb::gil_scoped_release released;
            sssp(a.arrays(), source, to_distances, to_parents);
          },
          "source"_a, "distances"_a, "parents"_a);
}

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
          [](segments& of, const read_array& values, combine op, const written_array& out, const std::string& schedule,
             const std::string& on) {
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
            with_plan(of, schedule, on, work_kind::visits, [&](kept_plan& plan) { expand_segments(plan, to); });
          },
          "out"_a, "schedule"_a, "on"_a)
      .def("plan", [](segments& of, const std::string& schedule, const std::string& on) {
        std::shared_ptr<kept_plan> plan;
        {
          const nb::gil_scoped_release released;
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
        const nb::gil_scoped_release released;
        scan(from, op, is_inclusive, to);
      },
      "values"_a, "op"_a, "is_inclusive"_a, "out"_a);
  m.def(
      "reduce",
      [](const read_array& values, combine op, const written_array& out) {
        const auto from = input_of("values", values);
        const auto to = output_of("out", out);
        const nb::gil_scoped_release released;
        require(to.rows == 1, [] { return "out has one element, for the result"; });
        reduce(from, op, to);
      },
      "values"_a, "op"_a, "out"_a);
  m.def(
      "select",
      [](const read_array& values, const read_array& mask, const written_array& out) {
        const auto from = input_of("values", values), wanted = input_of("mask", mask);
        const auto to = output_of("out", out);
        const nb::gil_scoped_release released;
        require(wanted.rows == from.rows && to.rows == from.rows, [&] {
          return detail::concat("values have ", from.rows, " elements, mask ", wanted.rows, " and out ", to.rows,
                                ": they must have the same number");
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
        const nb::gil_scoped_release released;
        sort(sorted, values ? &moved : nullptr);
      },
      "keys"_a, "values"_a.none());
  m.def(
      "reduce_by_key",
      [](const read_array& keys, const read_array& values, combine op, const written_array& keys_out,
         const written_array& values_out) {
        const auto of = input_of("keys", keys), from = input_of("values", values);
        const auto found = output_of("keys_out", keys_out), to = output_of("values_out", values_out);
        const nb::gil_scoped_release released;
        require(of.rows == from.rows && found.rows == of.rows && to.rows == of.rows, [&] {
          return detail::concat("keys have ", of.rows, " elements and values ", from.rows,
                                ": they must have the same number");
        });
        return reduce_by_key(of, from, op, found, to);
      },
      "keys"_a, "values"_a, "op"_a, "keys_out"_a, "values_out"_a);
}

} // namespace

} // namespace evenly::python

NB_MODULE(_evenly, m) {
  using namespace evenly::python;
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const evenly::invalid_argument& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  m.def("set_threads", &set_threads, "count"_a);
  m.def("threads", [] { return evenly::python::executor().threads(); });
  m.def("schedule_names", &evenly::schedule_names);
  bind_matrices(m);
  bind_segments(m);
  bind_whole_arrays(m);
}
