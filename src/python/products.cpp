// SPDX-License-Identifier: Apache-2.0
#include "python/products.hpp"

#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "python/matrix_views.hpp"
#include "python/on_cpu.hpp"

namespace evenly::python {

namespace {

/// As check_columns of sparse/operators.hpp, for columns of either size.
template <class Column> struct check_columns {
  struct report {
    std::int64_t at, column;
  };
  const Column* columns;
  std::int64_t entries;
  std::int64_t cols;

  std::int64_t count() const { return entries; }
  bool bad(std::int64_t k) const { return columns[k] < 0 || columns[k] >= cols; }
  report report_of(std::int64_t at) const {
    return {at, at == detail::no_fault ? 0 : std::int64_t{columns[at]}};
  }
};

template <class Value> struct values_in_kernels {
  using type = const Value*;
};
template <class T> struct values_in_kernels<std::complex<T>> {
  using type = complex_array<const T>;
};

/// A matrix with columns of 64 bits, as far as spmv checks it.
template <class Value> struct wide_arrays {
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> columns;
  std::span<const Value> values;

  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets.data(), 0, static_cast<std::int64_t>(offsets.size()));
    visit("columns", columns.data(), first_entry, entries);
    visit("values", values.data(), first_entry, entries);
  }
};

/// As times_x of sparse/spmv.hpp, for columns of 64 bits.
template <class Value> struct times_x_of_wide_columns {
  const std::int64_t* columns;
  typename values_in_kernels<Value>::type values;
  typename values_in_kernels<Value>::type x;

  EVENLY_FN kernel_value<Value> operator()(std::int64_t k) const { return values[k] * x[columns[k]]; }
  EVENLY_FN const void* gathers_from(std::int64_t k) const {
    if constexpr (std::is_pointer_v<decltype(x)>)
      return &x[columns[k]];
    else
      return x.address(columns[k]);
  }
};

/// Of a matrix with columns of int32.
template <class Value, class Offset, class Plan>
void multiply(Plan& plan, const matrix_arrays& a, const input& x, const output& y) {
  evenly::spmv(plan.exec(), plan, view_of<Value, Offset>(a), x.as<Value>(), y.as<Value>());
}
template <class Value, class Plan>
void multiply_wide(Plan& plan, const matrix_arrays& a, const input& x, const output& y) {
  const wide_arrays<Value> arrays{a.offsets.as<std::int64_t>(), a.columns.as<std::int64_t>(),
                                  a.values.as<Value>()};
  const auto from = x.as<Value>();
  const auto to = y.as<Value>();
  detail::check_vectors<Value>(a.rows, a.cols, from, to);
  detail::require_apart_from_matrix(arrays, plan.first_atom(), plan.atoms(), "y", to.data(), a.rows);
  reduce_tiles(plan.exec(), plan,
               times_x_of_wide_columns<Value>{arrays.columns.data(), arrays.values.data(), from.data()},
               plus<kernel_value<Value>>{},
               update_y<Value>{to.data(), in_kernels(Value{1}), in_kernels(Value{0})});
}

} // namespace

void check(const matrix_arrays& a) {
  detail::require_csr_sizes(a.rows, a.cols, static_cast<std::size_t>(a.offsets.rows),
                            static_cast<std::size_t>(a.columns.rows),
                            static_cast<std::size_t>(a.values.rows));
  const cpu exec = executor();
  with_index("indptr", a.offsets.type, [&]<class Offset>(Offset) {
    const auto offsets = a.offsets.as<Offset>();
    const auto seen = detail::inspect(exec, csr_tile_set<Offset>(offsets.data(), a.rows));
    const std::int64_t first = offsets.front(), end = offsets.back();
    require(first == 0 && (a.rows == 0 || seen.atoms == end) && end <= a.columns.rows, [&] {
      return detail::concat("indptr goes from ", first, " to ", end, ": it must go from 0 to ",
                            a.columns.rows, ", the number of entries");
    });
  });
  with_index("indices", a.columns.type, [&]<class Column>(Column) {
    const auto columns = a.columns.as<Column>();
    const auto seen = detail::first_fault(exec, check_columns<Column>{columns.data(), a.columns.rows, a.cols},
                                          a.columns.rows);
    require(seen.at == detail::no_fault, [&] {
      return detail::concat("entry ", seen.at, " is in column ", seen.column, " of a matrix of ", a.cols,
                            " columns: they count from 0");
    });
  });
}

input widened(const input& offsets, buffer<std::int64_t>& copy) {
  if (offsets.type == element::int64) return offsets;
  const auto narrow = offsets.as<int>();
  copy = make_buffer<std::int64_t>(executor(), narrow.size());
  tabulate(executor(), offsets.rows, detail::narrowed<std::int64_t, int>{narrow.data()}, copy.data());
  return {offsets.name, copy.data(), element::int64, offsets.rows};
}

matrix_arrays with_narrow_columns(const matrix_arrays& a, buffer<int>& copy) {
  if (a.columns.type == element::int32) return a;
  const cpu exec = executor();
  const auto wide = a.columns.as<std::int64_t>();
  copy = make_buffer<int>(exec, wide.size());
  tabulate(exec, a.columns.rows, detail::narrowed<int, std::int64_t>{wide.data()}, copy.data());
  matrix_arrays narrow = a;
  narrow.columns = {a.columns.name, copy.data(), element::int32, a.columns.rows};
  return narrow;
}

namespace {

bool takes_on_simt(element type) {
  return type == element::float32 || type == element::float64 || type == element::complex128;
}

} // namespace

void spmv(kept_plan& plan, const matrix_arrays& a, const input& x, const output& y) {
  plan.visit([&]<class Executor, class Offset>(detail::plan_on<Executor, Offset>& erased) {
    if constexpr (Executor::serial_blocks) {
      const bool is_wide = a.columns.type == element::int64;
      with_element<float, double, std::complex<float>, std::complex<double>, std::int64_t>(
          "A", a.values.type, [&]<class Value>(Value) {
            erased.with_plan([&](auto& each) {
              if constexpr (std::is_same_v<Offset, std::int64_t>)
                if (is_wide) return multiply_wide<Value>(each, a, x, y);
              multiply<Value, Offset>(each, a, x, y);
            });
          });
    } else {
      require(takes_on_simt(a.values.type), [&] {
        return detail::concat("on simt products have values of float32, float64 or complex128, not ",
                              name_of(a.values.type));
      });
      buffer<int> copy;
      matrix_arrays rows = with_narrow_columns(a, copy);
      rows.offsets = plan.offsets();
      with_element<float, double, std::complex<double>>("A", a.values.type, [&]<class Value>(Value) {
        erased.spmv(view_of<Value, Offset>(rows), x.as<Value>(), y.as<Value>(), 1, 0);
      });
    }
  });
}

void spmm(kept_plan& plan, const matrix_arrays& a, const input& b, const output& c) {
  with_element<float, double>("A", a.values.type, [&]<class Value>(Value) {
    on_cpu<int, std::int64_t>(plan, [&]<class Offset>(std::span<const Offset>, auto& each) {
      const auto multiply_columns = [&]<class Column>(Column) {
        evenly::spmm(each.exec(), each, view_of<Value, Offset, Column>(a), dense_of<const Value>(b),
                     dense_of<Value>(c));
      };
      if constexpr (std::is_same_v<Offset, std::int64_t>)
        if (a.columns.type == element::int64) return multiply_columns(std::int64_t{});
      multiply_columns(int{});
    });
  });
}

void sddmm(const matrix_arrays& a, const input& x, const input& y, const output& out, double alpha,
           double beta) {
  buffer<int> copy;
  const matrix_arrays rows = with_narrow_columns(a, copy);
  with_element<float, double>("A", a.values.type, [&]<class Value>(Value) {
    with_index("indptr", a.offsets.type, [&]<class Offset>(Offset) {
      evenly::sddmm(executor(), view_of<Value, Offset>(rows), dense_of<const Value>(x),
                    dense_of<const Value>(y), out.as<Value>(), static_cast<Value>(alpha),
                    static_cast<Value>(beta));
    });
  });
}

} // namespace evenly::python
