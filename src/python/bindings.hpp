// SPDX-License-Identifier: Apache-2.0
// What bindings have in common: arrays of Python as arrays of this folder, and kept plans. Types, sizes and overlaps
// are checked here and in the operations, whatever the Python layer has checked.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "evenly/core/errors.hpp"
#include "python/kept_plan.hpp"
#include "python/products.hpp"

namespace evenly::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_matrices(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_components(nb::module_& m);
void bind_vertex_values(nb::module_& m);
void bind_studies(nb::module_& m);
void bind_cuda(nb::module_& m);
void bind_networkx(nb::module_& m);

using read_array = nb::ndarray<nb::ro, nb::device::cpu>;
using written_array = nb::ndarray<nb::device::cpu>;

inline element element_of_dtype(const char* name, nb::dlpack::dtype type) {
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
inline nb::dlpack::dtype dtype_of(element type) {
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

/// While it lives, other threads of Python run, and launches look for signals: Ctrl-C ends them.
class running {
 public:
  running() { is_running() = true; }
  ~running() { is_running() = false; }
  running(const running&) = delete;
  running& operator=(const running&) = delete;

  /// Whether this thread runs an operation for Python.
  static bool& is_running();

 private:
  nb::gil_scoped_release released_;
};

/// The view of an array of one dimension. Throws TypeError unless its elements lie side by side.
template <class Data, class Array> basic_array<Data> line_of(const char* name, const Array& array) {
  const bool is_line = array.ndim() == 1 && (array.shape(0) <= 1 || array.stride(0) == 1);
  if (!is_line)
    throw nb::type_error(
        (std::string(name) + " is not an array of one dimension with its elements side by side").c_str());
  return {name, array.data(), element_of_dtype(name, array.dtype()),
          static_cast<std::int64_t>(array.shape(0))};
}
inline input input_of(const char* name, const read_array& array) { return line_of<const void>(name, array); }
inline output output_of(const char* name, const written_array& array) { return line_of<void>(name, array); }

/// The view of a matrix whose rows or columns lie side by side.
template <class Data, class Array> basic_array<Data> dense_view_of(const char* name, const Array& array) {
  const auto fits = [&](std::size_t near, std::size_t far) {
    return (array.shape(near) <= 1 || array.stride(near) == 1) &&
           (array.shape(far) <= 1 || array.stride(far) >= static_cast<std::int64_t>(array.shape(near)));
  };
  if (array.ndim() != 2 || !(fits(1, 0) || fits(0, 1)))
    throw nb::type_error(
        (std::string(name) + " is not a matrix whose rows or columns lie side by side").c_str());
  const bool by_rows = fits(1, 0);
  const auto rows = static_cast<std::int64_t>(array.shape(0)),
             cols = static_cast<std::int64_t>(array.shape(1));
  const std::int64_t line = by_rows ? cols : rows, lines = by_rows ? rows : cols;
  const std::int64_t leading = lines <= 1 ? line : array.stride(by_rows ? 0 : 1);
  return {name, array.data(), element_of_dtype(name, array.dtype()), rows, cols, leading, by_rows};
}

inline nb::object to_numpy(const made_array& array, element type) {
  auto* const kept = new std::shared_ptr<void>(array.owner);
  const nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<std::shared_ptr<void>*>(it); });
  const std::size_t shape[] = {static_cast<std::size_t>(array.size)};
  return nb::ndarray<nb::numpy>(array.data, 1, shape, owner, nullptr, dtype_of(type)).cast();
}
inline nb::tuple to_numpy(const made_matrix& made, element type) {
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
    const running others_run;
    if (arrays_.columns.type == element::int64) arrays_.offsets = widened(arrays_.offsets, wide_offsets_);
    if (!is_checked) check(arrays_);
  }

  const matrix_arrays& arrays() const { return arrays_; }
  std::shared_ptr<kept_plan> plan(const std::string& schedule, const std::string& on, work_kind work) {
    return plans_.find(arrays_.offsets, schedule, on, work);
  }

 private:
  read_array kept_[3];
  buffer<std::int64_t> wide_offsets_;
  matrix_arrays arrays_;
  plans plans_;
};

/// Runs body(plan) alone and without the interpreter's lock.
template <class Owner, class Body>
void with_plan(Owner& of, const std::string& schedule, const std::string& on, work_kind work,
               const Body& body) {
  const running others_run;
  const auto plan = of.plan(schedule, on, work);
  const std::scoped_lock lock(plan->busy);
  body(*plan);
}

} // namespace evenly::python
