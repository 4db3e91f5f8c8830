// SPDX-License-Identifier: Apache-2.0
// Shared by all bindings: arrays of Python as arrays of this folder, and kept plans. Types, sizes and overlaps
// are checked here and in the operations, in addition to the checks of the Python layer.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "evenly/core/errors.hpp"
#include "python/attention.hpp"
#include "python/kept_plan.hpp"
#include "python/products.hpp"

namespace evenly::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_matrices(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_ranks(nb::module_& m);
void bind_studies(nb::module_& m);
void bind_cuda(nb::module_& m);
void bind_networkx(nb::module_& m);

using read_array = nb::ndarray<nb::ro, nb::device::cpu>;
using written_array = nb::ndarray<nb::device::cpu>;

/// In the order of `element`.
inline constexpr auto dtypes =
    std::apply([](auto... zero) { return std::array{nb::dtype<decltype(zero)>()...}; }, element_types{});
inline element element_of_dtype(const char* name, nb::dlpack::dtype type) {
  const auto found = std::find(dtypes.begin(), dtypes.end(), type);
  if (found == dtypes.end())
    throw nb::type_error((std::string(name) + " has elements of a type that no operation takes").c_str());
  return static_cast<element>(found - dtypes.begin());
}
inline nb::dlpack::dtype dtype_of(element type) { return dtypes[static_cast<std::size_t>(type)]; }

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
  /// Attention over the pattern, which is made at the first call.
  pattern_attention& attention() {
    std::call_once(attention_is_made_, [this] { attention_ = std::make_unique<pattern_attention>(arrays_); });
    return *attention_;
  }

 private:
  read_array kept_[3];
  buffer<std::int64_t> wide_offsets_;
  matrix_arrays arrays_;
  plans plans_;
  std::once_flag attention_is_made_;
  std::unique_ptr<pattern_attention> attention_;
};

/// What Python passes for a parameter of an operation: arrays of NumPy, and rows for a matrix.
template <class T> struct argument {
  using type = T;
  static T from(const char*, T given) { return given; }
};
template <> struct argument<const input&> {
  using type = const read_array&;
  static input from(const char* name, type given) { return input_of(name, given); }
};
template <> struct argument<const output&> {
  using type = const written_array&;
  static output from(const char* name, type given) { return output_of(name, given); }
};
template <> struct argument<const std::optional<output>&> {
  using type = const std::optional<written_array>&;
  static std::optional<output> from(const char* name, type given) {
    return given ? std::optional(output_of(name, *given)) : std::nullopt;
  }
};
template <> struct argument<const matrix_arrays&> {
  using type = const csr&;
  static const matrix_arrays& from(const char*, type given) { return given.arrays(); }
};

/// Defines an operation in the module, which runs without the interpreter's lock. names: of its arguments, also in
/// messages.
template <class Result, class... Parameters, class... Names>
void define(nb::module_& m, const char* name, Result (*run)(Parameters...), const Names&... names) {
  m.def(
      name,
      [run, ... name_of_each = names.name_](typename argument<Parameters>::type... given) {
        const auto with_lock_released = [&](const auto&... converted) {
          const running others_run;
          return run(converted...);
        };
        return with_lock_released(argument<Parameters>::from(name_of_each, given)...);
      },
      names...);
}

/// Runs body(plan) alone and without the interpreter's lock.
template <class Owner, class Body>
void with_plan(Owner& of, const std::string& schedule, const std::string& on, work_kind work,
               const Body& body) {
  const running others_run;
  const auto plan = of.plan(schedule, on, work);
  const std::scoped_lock lock(plan->busy);
  body(*plan);
}

/// The schedule of a plan, and why it was chosen.
template <class Owner>
std::pair<std::string, std::string> describe_plan(Owner& of, const std::string& schedule,
                                                  const std::string& on, work_kind work) {
  std::shared_ptr<kept_plan> plan;
  {
    const running others_run;
    plan = of.plan(schedule, on, work);
  }
  return {plan->schedule_name(), plan->explain()};
}

} // namespace evenly::python
